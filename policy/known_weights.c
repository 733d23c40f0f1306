/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/known_weights.h"
#include "policy/known.h"

static void add_path(
	struct wm_weights *weights, const struct wm_graph *graph, const struct wm_block_path *path, double count)
{
	for (uint32_t i = path->fresh; i < path->length; i++) {
		weights->block[path->block[i]] += count;
		if (i + 1 < path->length)
			weights->edge[wm_graph_find_edge(graph, path->block[i], path->block[i + 1])] += count;
	}
	if (path->last_edge != WM_NONE)
		weights->edge[path->last_edge] += count;
	if (path->start == WM_START_ENTRY)
		weights->entry += count;
}

enum wm_status wm_weights_add_profile(struct wm_weights *weights, bool *any, const struct wm_profile *profile,
	const struct wm_map_function *function, const struct wm_plan *plan, struct wm_arena *arena)
{
	struct wm_known known = {.profile = profile, .function = function};
	struct wm_block_path path = {.block = WM_NEW(arena, uint32_t, plan->dag.node_count)};
	const struct wm_profile_function *counts;
	if (!path.block)
		return WM_NO_MEMORY;
	for (*any = false; (counts = wm_known_next(&known)); *any = true)
		for (size_t i = 0; i < counts->path_count; i++)
			if (wm_plan_decode(plan, counts->path[i].id, &path, arena) == WM_OK)
				add_path(weights, plan->graph, &path, (double)counts->path[i].count);
	return WM_OK;
}
