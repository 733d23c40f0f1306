/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Facts: what the code of a function tells about the values that its decisions test, so that paths can be recognised whose
 * decisions contradict each other (core/trail/feasible.h).  The compiler finds them (plugin/extract/value_facts.h) and the map has them.
 *
 * A *tested value* is an integer of at most 64 bits that is computed from variables without side effects: `n` in `n > 3` and in
 * `switch (n)`; or the order of two operands, in `a < b` and `a == b`: -1, 0 or 1, and 2 if a floating-point operand is not a
 * number.  Tests of the same value in several blocks have the same index.  Integers are sign-extended.
 */
#ifndef WM_CORE_GRAPH_FACTS_H
#define WM_CORE_GRAPH_FACTS_H

#include "core/graph/graph.h"

/* Both bounds are included. */
struct wm_value_range {
	int64_t low, high;
};
#define WM_ANYTHING ((struct wm_value_range){INT64_MIN, INT64_MAX})

/* In the order in which they happen in a block. */
enum wm_fact_kind {
	WM_FACT_BEFORE, /* before the block tests the value, or if it does not: the block may change it, and it is then in the range */
	WM_FACT_FROM, /* the same, if `edge` led to the block */
	WM_FACT_TEST, /* the block is left by `edge` only if the value is in one of the ranges of these facts of the edge */
	WM_FACT_AFTER, /* after the test has read the value, the block may change it, and it is then in the range */
};
enum { WM_FACT_KINDS = WM_FACT_AFTER + 1 };

struct wm_fact {
	uint32_t block;
	uint8_t kind; /* enum wm_fact_kind */
	uint32_t value; /* index of the tested value */
	uint32_t edge; /* FROM, TEST: a control-flow edge; else WM_NONE */
	struct wm_value_range range;
};

/* A block has at most one fact BEFORE, and one AFTER, of each value. */
struct wm_facts {
	uint32_t value_count, count;
	struct wm_fact *fact; /* ascending by block, kind, value, edge and lower bound */
};

/* The order of wm_facts.fact, for qsort(3). */
int wm_fact_compare(const void *a, const void *b);
/* Whether facts have that order, name blocks and edges of the graph as the kinds require, and are at least as many as values. */
bool wm_facts_are_valid(const struct wm_facts *facts, const struct wm_graph *graph);
/* Makes facts valid: puts them in order, leaves out repeated ones and values without a fact, and all facts about a value of which
 * one is not valid, because without that one the others may say too much.  WM_NO_MEMORY. */
enum wm_status wm_facts_arrange(struct wm_facts *facts, const struct wm_graph *graph, struct wm_arena *arena);

#endif
