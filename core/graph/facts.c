/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/facts.h"

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

bool wm_facts_are_valid(const struct wm_facts *facts, const struct wm_graph *graph)
{
	for (uint32_t i = 0; i < facts->count; i++) {
		const struct wm_fact *fact = &facts->fact[i];
		if (fact->block >= graph->block_count || fact->kind >= WM_FACT_KINDS ||
			fact->value >= facts->value_count || fact->range.low > fact->range.high ||
			!has_its_edge(fact, graph) || (i && wm_fact_compare(fact - 1, fact) >= 0))
			return false;
	}
	return true;
}
