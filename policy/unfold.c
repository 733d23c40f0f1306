/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/unfold.h"
#include <stdlib.h>

struct frequent {
	uint64_t count, id;
};

struct unfolding {
	const struct wm_plan *plan;
	const struct wm_graph *graph;
	struct wm_shape_builder builder;
	uint32_t room; /* how many blocks may still be copied */
	uint32_t *common; /* per block: its common instance */
	/* Per instance: the instance in the tree after each out-edge, or WM_NONE; NULL: the instance is not in a tree. */
	uint32_t **child;
	struct wm_path path;
	struct wm_arena *arena;
};

/* ---- Trees ------------------------------------------------------------------------ */

static bool add_to_tree(struct unfolding *u, uint32_t instance)
{
	uint32_t block = u->builder.origin[instance];
	uint32_t edges = u->graph->first_edge[block + 1] - u->graph->first_edge[block];
	u->child[instance] = WM_NEW(u->arena, uint32_t, edges + 1);
	for (uint32_t i = 0; u->child[instance] && i < edges; i++)
		u->child[instance][i] = WM_NONE;
	return u->child[instance];
}

static uint32_t copy_block(struct unfolding *u, uint32_t block)
{
	u->room--;
	return wm_shape_builder_copy(&u->builder, block);
}

/* Makes the block itself the root of the tree of the unfolded paths that begin there.  All other paths through the block
 * then take a copy of it. */
static bool make_root(struct unfolding *u, uint32_t block)
{
	bool is_root = u->child[block];
	if (is_root)
		return true;
	u->common[block] = copy_block(u, block);
	return u->common[block] != WM_NONE && add_to_tree(u, block);
}

/* The place in a tree where the instance after an edge is noted. */
static uint32_t *instance_after(const struct unfolding *u, uint32_t instance, const struct wm_dag_edge *edge)
{
	return &u->child[instance][edge->cfg_edge - u->graph->first_edge[u->builder.origin[instance]]];
}

/* How many blocks must be copied to unfold the path. */
static uint32_t copies_for(const struct unfolding *u, uint32_t root)
{
	uint32_t copies = u->child[root] ? 0 : 1, at = root;
	for (uint32_t i = 1; i + 1 < u->path.length; i++) {
		at = at == WM_NONE || !u->child[at] ? WM_NONE
						    : *instance_after(u, at, &u->plan->dag.edge[u->path.edge[i]]);
		copies += at == WM_NONE;
	}
	return copies;
}

static enum wm_status unfold(struct unfolding *u)
{
	const struct wm_dag *dag = &u->plan->dag;
	uint32_t at = dag->node_block[dag->edge[u->path.edge[0]].to];
	if (copies_for(u, at) > u->room)
		return WM_OK;
	if (!make_root(u, at))
		return WM_NO_MEMORY;
	for (uint32_t i = 1; i + 1 < u->path.length; i++) {
		const struct wm_dag_edge *edge = &dag->edge[u->path.edge[i]];
		uint32_t *next = instance_after(u, at, edge);
		if (*next == WM_NONE) {
			*next = copy_block(u, dag->node_block[edge->to]);
			if (*next == WM_NONE || !add_to_tree(u, *next))
				return WM_NO_MEMORY;
		}
		at = *next;
	}
	return WM_OK;
}

/* ---- Which paths -------------------------------------------------------------------- */

static int more_frequent_first(const void *a, const void *b)
{
	const struct frequent *one = a, *other = b;
	if (one->count != other->count)
		return one->count < other->count ? 1 : -1;
	return (one->id > other->id) - (one->id < other->id);
}

/* The paths that ran most often come first; the number of frequent ones. */
static uint32_t sort_paths(const struct wm_unfold_paths *paths, struct frequent *sorted)
{
	uint32_t count = 0;
	double all = 0;
	for (uint32_t i = 0; i < paths->set->count; i++) {
		sorted[i] = (struct frequent){paths->count[i], paths->set->id[i]};
		all += (double)paths->count[i];
	}
	qsort(sorted, paths->set->count, sizeof *sorted, more_frequent_first);
	double least = all / WM_UNFOLD_SHARE > paths->least ? all / WM_UNFOLD_SHARE : paths->least;
	while (count < paths->set->count && (double)sorted[count].count >= least)
		count++;
	return count;
}

/* The first instance of a block may be the root of one tree only: where the entry is a loop head too, paths that begin with
 * the function are not unfolded. */
static bool has_root(const struct wm_plan *plan, const struct wm_dag_edge *first)
{
	switch ((enum wm_edge_kind)first->kind) {
	case WM_EDGE_RESTART:
		return plan->dag.node_block[first->to] != 0;
	case WM_EDGE_ENTRY:
		return !plan->dfs.is_head[0];
	case WM_EDGE_REAL:
	case WM_EDGE_EXIT:
	case WM_EDGE_STOP:
	case WM_EDGE_ARRIVE:
	case WM_EDGE_SURROGATE:
	case WM_EDGE_RESUME:
		return false;
	}
	return false;
}

static enum wm_status unfold_frequent(struct unfolding *u, const struct wm_unfold_paths *paths)
{
	const struct wm_plan *plan = u->plan;
	struct frequent *sorted = WM_NEW(u->arena, struct frequent, paths->set->count);
	uint32_t count = sorted ? sort_paths(paths, sorted) : 0;
	enum wm_status status = sorted ? WM_OK : WM_NO_MEMORY;
	for (uint32_t i = 0; i < count && status == WM_OK; i++) {
		status = wm_dag_decode(&plan->dag, &plan->numbering, sorted[i].id, &u->path, u->arena);
		if (status == WM_OK && has_root(plan, &plan->dag.edge[u->path.edge[0]]))
			status = unfold(u);
	}
	return status;
}

/* ---- Where the instances lead ----------------------------------------------------------- */

static enum wm_status connect_instance(struct unfolding *u, uint32_t instance, uint32_t *target)
{
	uint32_t block = u->builder.origin[instance], first = u->graph->first_edge[block];
	for (uint32_t e = first; e < u->graph->first_edge[block + 1]; e++) {
		uint32_t to = u->graph->edge_to[e],
			 child = u->child[instance] ? u->child[instance][e - first] : WM_NONE;
		target[e - first] = wm_plan_stops(u->plan, e) ? to : child != WM_NONE ? child : u->common[to];
	}
	return wm_shape_builder_lead(&u->builder, instance, target);
}

static enum wm_status lead_all(struct unfolding *u)
{
	uint32_t *target = WM_NEW(u->arena, uint32_t, u->graph->edge_count + 1);
	enum wm_status status = target ? WM_OK : WM_NO_MEMORY;
	for (uint32_t i = 0; i < u->builder.count && status == WM_OK; i++)
		status = connect_instance(u, i, target);
	return status;
}

enum wm_status wm_unfold_shape(
	struct wm_shape *shape, const struct wm_plan *plan, const struct wm_unfold_paths *paths, struct wm_arena *arena)
{
	uint32_t blocks = plan->graph->block_count, room = blocks / WM_UNFOLD_BLOCKS + WM_UNFOLD_FEW;
	struct unfolding u = {.plan = plan, .graph = plan->graph, .room = room, .arena = arena};
	if (blocks > WM_UNFOLD_LARGE)
		return WM_TOO_MANY;
	u.common = WM_NEW(arena, uint32_t, blocks);
	u.child = WM_NEW(arena, uint32_t *, (size_t)blocks + room);
	u.path.edge = WM_NEW(arena, uint32_t, plan->dag.node_count);
	if (!u.common || !u.child || !u.path.edge)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < blocks; b++)
		u.common[b] = b;
	enum wm_status status = wm_shape_builder_init(&u.builder, plan->graph, arena);
	if (status == WM_OK)
		status = unfold_frequent(&u, paths);
	if (status == WM_OK && u.room == room)
		return WM_TOO_MANY;
	if (status == WM_OK)
		status = lead_all(&u);
	return status == WM_OK ? wm_shape_builder_finish(&u.builder, shape) : status;
}
