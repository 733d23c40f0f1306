/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Checks: branches that are no decisions of the program, because one side only says that the program or its input is wrong.
 *
 * The compiler finds the control-flow edges that lead to such a failure and cannot come back (plugin/extract/failures.h), and the
 * map has them.  A reader may leave out failures of some kinds; the rest of the graph is what *remains*.
 */
#ifndef WM_CORE_GRAPH_CHECKS_H
#define WM_CORE_GRAPH_CHECKS_H

#include "core/graph/graph.h"

/* Kinds of checks, named after what happens when one fails; a set of kinds is their sum. */
enum wm_check {
	WM_CHECK_ASSERT = 1 << 0, /* assert of C, and assertions of the libraries of C++ and of GLib */
	WM_CHECK_SANITIZER = 1 << 1, /* what clang adds with -fsanitize; the report may come back */
	WM_CHECK_THROW = 1 << 2, /* a throw expression */
	WM_CHECK_NORETURN =
		1 << 3, /* any other call that does not return: abort, exit, or a function that is declared so */
};
/* No kind of check: control never takes the edge.  It is left out like a failure, and not counted as one. */
enum { WM_CHECK_NEVER = 1 << 7 };
enum {
	WM_CHECKS = WM_CHECK_ASSERT | WM_CHECK_SANITIZER | WM_CHECK_THROW | WM_CHECK_NORETURN,
	WM_CHECKS_LEFT_OUT = WM_CHECK_ASSERT | WM_CHECK_SANITIZER, /* unless the user wants something else */
};

/* What remains of a graph. */
struct wm_remainder {
	bool *block; /* per block: control reaches it without an edge that is left out */
	bool *edge; /* per edge: it leaves such a block, and is not left out */
	uint32_t left_out; /* edges that leave such a block and lead to failures that are left out */
	/* Per block: its branch only evaluates a part of a check, and decides nothing.  NULL: none does, or it is not known.  Set by
	 * who knows the source (analysis/join/check_operands.h). */
	const bool *operand;
};

/*
 * `failure` has a set of kinds per edge, the failures that the edge may lead to, or WM_CHECK_NEVER; an edge is left out if the set is
 * not empty and all its kinds are in `kinds`, or if control never takes it.  `failure` may be NULL.  If nothing would remain behind the entry, as in a function that
 * always fails, nothing is left out.  WM_NO_MEMORY.  O(blocks + edges).
 */
enum wm_status wm_remainder_find(struct wm_remainder *remainder, const struct wm_graph *graph, const uint8_t *failure,
	uint8_t kinds, struct wm_arena *arena);
/* Whether several edges of the block remain, and it is no operand of a check. */
bool wm_remainder_decides(const struct wm_remainder *remainder, const struct wm_graph *graph, uint32_t block);

#endif
