/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/facts.h"
#include <stdlib.h>

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

int wm_fact_compare(const void *a, const void *b)
{
	const struct wm_fact *x = a, *y = b;
	if (x->block != y->block)
		return ORDER(x->block, y->block);
	if (x->kind != y->kind)
		return ORDER(x->kind, y->kind);
	if (x->value != y->value)
		return ORDER(x->value, y->value);
	if (x->edge != y->edge)
		return ORDER(x->edge, y->edge);
	return ORDER(x->range.low, y->range.low);
}

static bool has_its_edge(const struct wm_fact *fact, const struct wm_graph *graph)
{
	switch ((enum wm_fact_kind)fact->kind) {
	case WM_FACT_FROM:
		return fact->edge < graph->edge_count && graph->edge_to[fact->edge] == fact->block;
	case WM_FACT_TEST:
		return fact->edge < graph->edge_count && graph->edge_from[fact->edge] == fact->block;
	case WM_FACT_BEFORE:
	case WM_FACT_AFTER:
		return fact->edge == WM_NONE;
	}
	return false;
}

static bool is_valid(const struct wm_fact *fact, const struct wm_facts *facts, const struct wm_graph *graph)
{
	return fact->block < graph->block_count && fact->kind < WM_FACT_KINDS && fact->value < facts->value_count &&
	       fact->range.low <= fact->range.high && has_its_edge(fact, graph);
}

bool wm_facts_are_valid(const struct wm_facts *facts, const struct wm_graph *graph)
{
	for (uint32_t i = 0; i < facts->count; i++) {
		const struct wm_fact *fact = &facts->fact[i];
		if (!is_valid(fact, facts, graph) || (i && wm_fact_compare(fact - 1, fact) >= 0))
			return false;
	}
	return facts->value_count <= facts->count;
}

/* What is kept of a value, while facts are arranged. */
enum { UNKNOWN, USED, SPOILT };

/* index[v] becomes the new index of value v, or WM_NONE.  Returns how many there are. */
static uint32_t number_values(uint32_t *index, const struct wm_facts *facts, const struct wm_graph *graph)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < facts->count; i++) {
		uint32_t value = facts->fact[i].value;
		if (value < facts->value_count && index[value] != SPOILT)
			index[value] = is_valid(&facts->fact[i], facts, graph) ? USED : SPOILT;
	}
	for (uint32_t v = 0; v < facts->value_count; v++)
		index[v] = index[v] == USED ? kept++ : WM_NONE;
	return kept;
}

enum wm_status wm_facts_arrange(struct wm_facts *facts, const struct wm_graph *graph, struct wm_arena *arena)
{
	uint32_t *index = WM_NEW(arena, uint32_t, facts->value_count), kept = 0;
	if (!index)
		return WM_NO_MEMORY;
	uint32_t value_count = number_values(index, facts, graph);
	if (facts->count)
		qsort(facts->fact, facts->count, sizeof *facts->fact, wm_fact_compare);
	for (uint32_t i = 0; i < facts->count; i++) {
		struct wm_fact fact = facts->fact[i];
		fact.value = fact.value < facts->value_count ? index[fact.value] : WM_NONE;
		if (fact.value != WM_NONE && (!kept || wm_fact_compare(&facts->fact[kept - 1], &fact) != 0))
			facts->fact[kept++] = fact;
	}
	facts->value_count = value_count;
	facts->count = kept;
	return WM_OK;
}
