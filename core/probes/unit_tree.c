/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/unit_tree.h"
#include "core/base/search.h"
#include "core/probes/spanning.h"
#include <string.h>

/* ---- Level edges and nodes ------------------------------------------------------ */

static bool is_first(const struct wm_dag *dag, uint32_t e)
{
	return e == dag->first_edge[dag->edge[e].from];
}

enum wm_status wm_unit_levels_make(
	struct wm_unit_levels *levels, const struct wm_dag *dag, const bool *tree, struct wm_arena *arena)
{
	*levels = (struct wm_unit_levels){dag, tree, WM_NEW(arena, uint32_t, dag->node_count)};
	if (!levels->group)
		return WM_NO_MEMORY;
	for (uint32_t node = 0; node < dag->node_count; node++)
		levels->group[node] = node;
	levels->group[WM_DAG_END] = WM_DAG_START;
	for (uint32_t e = 0; tree && e < dag->edge_count; e++)
		if (tree[e] && is_first(dag, e))
			levels->group[wm_find_root(levels->group, dag->edge[e].to)] =
				wm_find_root(levels->group, dag->edge[e].from);
	return WM_OK;
}

/* In every numbering. */
static bool have_one_potential(const struct wm_unit_levels *levels, uint32_t node, uint32_t other)
{
	return wm_find_root(levels->group, node) == wm_find_root(levels->group, other);
}

bool wm_unit_edge_is_level(const struct wm_unit_levels *levels, uint32_t e)
{
	const struct wm_dag_edge *edge = &levels->dag->edge[e];
	if (!levels->tree)
		return is_first(levels->dag, e);
	return levels->tree[e] || (is_first(levels->dag, e) && have_one_potential(levels, edge->from, edge->to));
}

bool wm_unit_node_is_level(const struct wm_unit_levels *levels, uint32_t node)
{
	return !levels->tree || have_one_potential(levels, node, WM_DAG_START);
}

/* ---- The choice ------------------------------------------------------------------- */

struct choice {
	const struct wm_plan *plan;
	struct wm_spanning spanning;
	int64_t *elder; /* per DAG edge: the number of earlier out-edges, instead of values, which are not known yet */
	bool *first; /* per DAG edge: it has none */
};

static enum wm_status init(struct choice *c, const struct wm_weights *weights, struct wm_arena *arena)
{
	const struct wm_dag *dag = &c->plan->dag;
	c->elder = WM_NEW(arena, int64_t, dag->edge_count);
	c->first = WM_NEW(arena, bool, dag->edge_count);
	if (!c->elder || !c->first || wm_spanning_init(&c->spanning, dag, arena) != WM_OK)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		c->elder[e] = e - dag->first_edge[dag->edge[e].from];
		c->first[e] = is_first(dag, e);
	}
	return wm_spanning_sort(&c->spanning, weights, c->elder, arena);
}

static void make(struct choice *c, const bool *first, bool *tree)
{
	memset(tree, 0, c->plan->dag.edge_count * sizeof *tree);
	c->spanning.first = first;
	c->spanning.taken = tree;
	wm_spanning_make(&c->spanning, c->elder, true);
}

/* Instructions: two additions for a pair; the potential at a call and its complement afterwards. */
#define PAIR_PRICE 2
#define POTENTIAL_PRICE 6

static double price(const struct choice *c, const struct wm_unit_levels *levels)
{
	const struct wm_dag *dag = levels->dag;
	double sum = 0;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (dag->edge[e].from != WM_DAG_START && !wm_unit_edge_is_level(levels, e))
			sum += PAIR_PRICE * c->spanning.weight[e];
	for (uint32_t i = 0; i < c->plan->in_unit->call_count; i++) {
		if (!wm_plan_may_cross(c->plan, i))
			continue;
		uint32_t node = wm_plan_node(c->plan, c->plan->in_unit->call[i].block);
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++)
			sum += wm_unit_node_is_level(levels, node) ? 0 : POTENTIAL_PRICE * c->spanning.weight[e];
	}
	return sum;
}

enum wm_status wm_unit_tree(
	const struct wm_plan *plan, const struct wm_weights *weights, bool *tree, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	struct choice c = {.plan = plan};
	bool *flat = WM_NEW(arena, bool, dag->edge_count);
	struct wm_unit_levels levels, flat_levels;
	if (!flat || init(&c, weights, arena) != WM_OK)
		return WM_NO_MEMORY;
	make(&c, NULL, tree);
	make(&c, c.first, flat);
	if (wm_unit_levels_make(&levels, dag, tree, arena) != WM_OK ||
		wm_unit_levels_make(&flat_levels, dag, flat, arena) != WM_OK)
		return WM_NO_MEMORY;
	if (price(&c, &flat_levels) < price(&c, &levels))
		memcpy(tree, flat, dag->edge_count * sizeof *tree);
	return WM_OK;
}
