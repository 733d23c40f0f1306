/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/unit_regions.h"
#include <string.h>

struct finding {
	const struct wm_plan *plan;
	const bool *tree;
	struct wm_loops loops;
	bool *barred; /* per loop: it is not a region, but its inner loops may be */
	uint32_t *largest; /* per loop: the largest loop around it, or itself, that is not barred, or WM_NONE */
	uint32_t *from; /* per block: the number of local paths from it, at most WM_UNIT_REGION_PATHS + 1 */
	uint32_t *paths; /* per loop: the number of its local indices, at most WM_UNIT_REGION_PATHS + 1 */
	struct wm_unit_regions *regions; /* `of` has loops instead of regions until list_regions */
};

static const struct wm_dag *dag_of(const struct finding *f)
{
	return &f->plan->dag;
}

static uint32_t block_at(const struct finding *f, uint32_t node)
{
	return dag_of(f)->node_block[node];
}

/* The region of the node, or WM_NONE. */
static uint32_t region_of(const struct wm_unit_regions *regions, const struct wm_dag *dag, uint32_t node)
{
	uint32_t block = dag->node_block[node];
	return block == WM_NONE ? WM_NONE : regions->of[block];
}

/* ---- Which loops ------------------------------------------------------------------- */

/* A call at which paths may be handed over, or that has actions on the edges after it.  Only what the map tells of a call
 * may be asked here, because the link step and the reader find the regions again. */
static bool has_actions(const struct finding *f, uint32_t call)
{
	return f->plan->in_unit->call[call].unwinds || wm_plan_may_cross(f->plan, call);
}

static void bar_loops(struct finding *f)
{
	for (uint32_t i = 0; i < f->loops.count; i++)
		f->barred[i] = f->loops.loop[i].irreducible || f->loops.loop[i].head == 0;
	for (uint32_t i = 0; i < f->plan->in_unit->call_count; i++) {
		uint32_t loop = f->loops.loop_of[f->plan->in_unit->call[i].block];
		if (!has_actions(f, i))
			continue;
		for (; loop != WM_NONE; loop = f->loops.loop[loop].parent)
			f->barred[loop] = true;
	}
}

static void find_largest(struct finding *f)
{
	for (uint32_t i = 0; i < f->loops.count; i++) {
		uint32_t parent = f->loops.loop[i].parent, outer = parent == WM_NONE ? WM_NONE : f->largest[parent];
		f->largest[i] = outer != WM_NONE ? outer : f->barred[i] ? WM_NONE : i;
	}
	for (uint32_t b = 0; b < f->plan->graph->block_count; b++) {
		uint32_t loop = f->loops.loop_of[b];
		f->regions->of[b] = loop == WM_NONE ? WM_NONE : f->largest[loop];
	}
}

/* ---- Numbering ------------------------------------------------------------------------ */

static uint32_t sum(uint32_t a, uint32_t b)
{
	return a + b <= WM_UNIT_REGION_PATHS ? a + b : WM_UNIT_REGION_PATHS + 1;
}

/* The local paths over this edge, which begins in a region. */
static uint32_t paths_over(const struct finding *f, const struct wm_dag_edge *edge)
{
	uint32_t from = region_of(f->regions, dag_of(f), edge->from);
	uint32_t to = f->plan->graph->edge_to[edge->cfg_edge];
	return edge->kind == WM_EDGE_REAL && f->regions->of[to] == from ? f->from[to] : 1;
}

/* Edges of the tree first. */
static void number_node(struct finding *f, uint32_t node)
{
	const struct wm_dag *dag = dag_of(f);
	uint32_t *paths = &f->from[block_at(f, node)];
	*paths = 0;
	for (int in_tree = f->tree ? 1 : 0; in_tree >= 0; in_tree--)
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			if (f->tree && f->tree[e] != (in_tree == 1))
				continue;
			f->regions->value[e] = *paths;
			*paths = sum(*paths, paths_over(f, &dag->edge[e]));
		}
}

/* Paths that entered at the head have the lowest indices. */
static void number_starts(struct finding *f)
{
	const struct wm_dag *dag = dag_of(f);
	for (uint32_t i = 0; i < f->loops.count; i++)
		f->paths[i] = f->from[f->loops.loop[i].head];
	for (uint32_t e = dag->first_edge[WM_DAG_START]; e < dag->first_edge[WM_DAG_START + 1]; e++) {
		uint32_t loop = region_of(f->regions, dag, dag->edge[e].to);
		if (loop == WM_NONE || dag->edge[e].kind != WM_EDGE_RESTART)
			continue;
		f->regions->value[e] = f->paths[loop];
		f->paths[loop] = sum(f->paths[loop], f->from[block_at(f, dag->edge[e].to)]);
	}
}

static void number(struct finding *f)
{
	const struct wm_dag *dag = dag_of(f);
	for (uint32_t i = dag->node_count; i-- > 0;)
		if (region_of(f->regions, dag, dag->order[i]) != WM_NONE)
			number_node(f, dag->order[i]);
	number_starts(f);
}

/* Bars loops with too many paths.  Returns whether there were any. */
static bool bar_large(struct finding *f)
{
	bool any = false;
	for (uint32_t i = 0; i < f->loops.count; i++)
		if (f->largest[i] == i && f->paths[i] > WM_UNIT_REGION_PATHS)
			any = f->barred[i] = true;
	return any;
}

/* ---- The result ------------------------------------------------------------------------- */

static bool alloc(struct finding *f, struct wm_arena *arena)
{
	const struct wm_graph *graph = f->plan->graph;
	f->barred = WM_NEW(arena, bool, f->loops.count);
	f->largest = WM_NEW(arena, uint32_t, f->loops.count);
	f->paths = WM_NEW(arena, uint32_t, f->loops.count);
	f->from = WM_NEW(arena, uint32_t, graph->block_count);
	f->regions->region = WM_NEW(arena, struct wm_unit_region, f->loops.count);
	f->regions->value = WM_NEW(arena, uint32_t, dag_of(f)->edge_count);
	return f->barred && f->largest && f->paths && f->from && f->regions->region && f->regions->value;
}

/* From here on `of` has regions. */
static void list_regions(struct finding *f)
{
	struct wm_unit_regions *regions = f->regions;
	uint32_t all = 0;
	for (uint32_t i = 0; i < f->loops.count; i++) {
		uint32_t head = f->loops.loop[i].head, paths = f->paths[i];
		f->paths[i] = WM_NONE;
		if (f->largest[i] != i || all + paths > WM_UNIT_REGIONS_PATHS)
			continue;
		regions->region[regions->count] = (struct wm_unit_region){
			.head = head, .entered = f->from[head], .paths = paths, .first_cell = regions->cell_count};
		all += paths;
		regions->cell_count += paths - f->from[head];
		f->paths[i] = regions->count++;
	}
	for (uint32_t b = 0; b < f->plan->graph->block_count; b++)
		if (regions->of[b] != WM_NONE)
			regions->of[b] = f->paths[regions->of[b]];
}

enum wm_status wm_unit_regions_make(
	struct wm_unit_regions *regions, const struct wm_plan *plan, const bool *tree, struct wm_arena *arena)
{
	struct finding f = {.plan = plan, .tree = tree, .regions = regions};
	*regions = (struct wm_unit_regions){.of = WM_NEW(arena, uint32_t, plan->graph->block_count)};
	if (!regions->of)
		return WM_NO_MEMORY;
	memset(regions->of, 0xff, plan->graph->block_count * sizeof *regions->of);
	if (!plan->scheme->pieces || plan->scheme->cuts || plan->scheme->pending)
		return WM_OK;
	if (wm_loops_run(&f.loops, plan->graph, &plan->dfs, arena) != WM_OK || !alloc(&f, arena))
		return WM_NO_MEMORY;
	bar_loops(&f);
	do {
		find_largest(&f);
		number(&f);
	} while (bar_large(&f));
	list_regions(&f);
	return WM_OK;
}

/* ---- Local paths --------------------------------------------------------------------------- */

/* The edge with which the path continues: of the out-edges, that with the largest value up to `rest`.  Restarts of other
 * regions are not meant. */
static uint32_t choose(
	const struct wm_unit_regions *regions, const struct wm_dag *dag, uint32_t node, uint32_t region, uint32_t rest)
{
	uint32_t best = WM_NONE;
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
		if (node == WM_DAG_START &&
			(dag->edge[e].kind != WM_EDGE_RESTART || region_of(regions, dag, dag->edge[e].to) != region))
			continue;
		if (regions->value[e] <= rest && (best == WM_NONE || regions->value[e] > regions->value[best]))
			best = e;
	}
	return best;
}

struct wm_local_path wm_unit_region_follow(const struct wm_unit_regions *regions, const struct wm_plan *plan,
	uint32_t region, uint32_t index, const struct wm_pair *increment)
{
	const struct wm_dag *dag = &plan->dag;
	const struct wm_unit_region *r = &regions->region[region];
	struct wm_local_path path = {.leaves = false};
	uint32_t node = index < r->entered ? wm_plan_node(plan, r->head) : WM_DAG_START;
	while (node != WM_DAG_END) {
		uint32_t e = choose(regions, dag, node, region, index);
		const struct wm_dag_edge *edge = &dag->edge[e];
		index -= regions->value[e];
		path.leaves = node != WM_DAG_START && regions->of[plan->graph->edge_to[edge->cfg_edge]] != region;
		if (path.leaves)
			break;
		path.sum = wm_pair_plus(path.sum, increment[e]);
		node = edge->to;
	}
	return path;
}
