/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/shaped.h"
#include "core/scheme/kiter.h"

struct shaping {
	const struct wm_plan *plan;
	const struct wm_shape *shape;
	struct wm_plan *made;
	bool *reached; /* per instance */
	uint32_t *stack;
};

/* Instances that the entry reaches, over edges of any kind. */
static uint32_t reach(struct shaping *s)
{
	const struct wm_graph *graph = &s->shape->graph;
	uint32_t depth = 0, count = 1;
	s->reached[0] = true;
	s->stack[depth++] = 0;
	while (depth) {
		uint32_t block = s->stack[--depth];
		for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++) {
			uint32_t to = graph->edge_to[e];
			if (s->reached[to])
				continue;
			s->reached[to] = true;
			s->stack[depth++] = to;
			count++;
		}
	}
	return count;
}

/* The first instances of a block stand before its others: they are in order of indices.  Every edge that is not
 * a back edge leads on in the order of the origins. */
static enum wm_status order(struct shaping *s, struct wm_arena *arena)
{
	const struct wm_graph *graph = &s->shape->graph;
	struct wm_dfs *dfs = &s->made->dfs;
	uint32_t blocks = s->shape->origin_count, *next = WM_NEW(arena, uint32_t, blocks + 1);
	dfs->reverse_postorder = WM_NEW(arena, uint32_t, graph->block_count);
	dfs->position = WM_NEW(arena, uint32_t, graph->block_count);
	if (!next || !dfs->reverse_postorder || !dfs->position)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < graph->block_count; b++)
		if (s->reached[b])
			next[s->plan->dfs.position[s->shape->origin[b]] + 1]++;
	for (uint32_t i = 0; i < blocks; i++)
		next[i + 1] += next[i];
	for (uint32_t b = 0; b < graph->block_count; b++) {
		dfs->position[b] = s->reached[b] ? next[s->plan->dfs.position[s->shape->origin[b]]]++ : WM_NONE;
		if (s->reached[b])
			dfs->reverse_postorder[dfs->position[b]] = b;
	}
	return WM_OK;
}

/* Edges on which paths end are those of the original plan. */
static enum wm_status lift_stops(struct shaping *s, struct wm_arena *arena)
{
	const struct wm_graph *graph = &s->shape->graph;
	struct wm_plan *made = s->made;
	made->dfs.back_edge = WM_NEW(arena, bool, graph->edge_count);
	made->dfs.is_head = WM_NEW(arena, bool, graph->block_count);
	made->cut = s->plan->cut ? WM_NEW(arena, bool, graph->edge_count) : NULL;
	if (!made->dfs.back_edge || !made->dfs.is_head || (s->plan->cut && !made->cut))
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		uint32_t origin = wm_shape_edge_origin(s->shape, e), to = graph->edge_to[e];
		if (!s->reached[graph->edge_from[e]])
			continue;
		made->dfs.back_edge[e] = s->plan->dfs.back_edge[origin];
		made->dfs.is_head[to] |= made->dfs.back_edge[e];
		if (made->cut)
			made->cut[e] = s->plan->cut[origin];
		if (wm_plan_stops(s->plan, origin) && to >= s->shape->origin_count)
			return WM_BAD_GRAPH;
	}
	return WM_OK;
}

enum wm_status wm_plan_shape(
	struct wm_plan *shaped, const struct wm_plan *plan, const struct wm_shape *shape, struct wm_arena *arena)
{
	struct wm_plan made = *plan;
	struct shaping s = {plan, shape, &made, WM_NEW(arena, bool, shape->graph.block_count),
		WM_NEW(arena, uint32_t, shape->graph.block_count)};
	if (!plan->events_are_edges)
		return WM_BAD_GRAPH;
	if (!s.reached || !s.stack)
		return WM_NO_MEMORY;
	made.graph = &shape->graph;
	made.iterations = NULL;
	made.dfs = (struct wm_dfs){.reached = reach(&s)};
	enum wm_status status = order(&s, arena);
	if (status == WM_OK)
		status = lift_stops(&s, arena);
	if (status == WM_OK)
		status = wm_unroll(&made, arena);
	if (status == WM_OK)
		status = wm_dag_number(&made.dag, &made.numbering, arena);
	if (status == WM_OK && made.numbering.path_count != plan->numbering.path_count)
		status = WM_BAD_GRAPH;
	if (status == WM_OK)
		*shaped = made;
	return status;
}
