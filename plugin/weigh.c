/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/weigh.h"

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

/* False: the profile knows nothing of this function. */
static bool from_profile(struct wm_weights *weights, const struct wm_plan *plan, struct wm_known known,
	struct wm_block_path *path, struct wm_arena *arena)
{
	bool any = false;
	const struct wm_profile_function *counts;
	for (; (counts = wm_known_next(&known)); any = true)
		for (size_t i = 0; i < counts->path_count; i++)
			if (wm_plan_decode(plan, counts->path[i].id, path, arena) == WM_OK)
				add_path(weights, plan->graph, path, (double)counts->path[i].count);
	return any;
}

static void from_probabilities(struct wm_weights *weights, const struct wm_plan *plan, const struct wm_anchors *anchors,
	struct wm_shim_analyses *analyses)
{
	const struct wm_graph *graph = plan->graph;
	weights->entry = 1;
	for (uint32_t i = 0; i < plan->dfs.reached; i++) {
		uint32_t block = plan->dfs.reverse_postorder[i];
		weights->block[block] = wm_shim_block_frequency(analyses, anchors->block[block]);
		for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++) {
			bool call = graph->call_edge && graph->call_edge[e];
			double probability = call ? 1
						  : wm_shim_edge_probability(analyses, anchors->block[block],
							    anchors->block[graph->edge_to[e]]);
			weights->edge[e] = weights->block[block] * probability;
		}
	}
}

enum wm_status wm_weigh(struct wm_weights *weights, const struct wm_plan *plan, struct wm_known known,
	const struct wm_anchors *anchors, struct wm_shim_analyses *analyses, struct wm_arena *arena)
{
	*weights = (struct wm_weights){.edge = WM_NEW(arena, double, plan->graph->edge_count),
		.block = WM_NEW(arena, double, plan->graph->block_count)};
	struct wm_block_path path = {.block = WM_NEW(arena, uint32_t, plan->dag.node_count)};
	if (!weights->edge || !weights->block || !path.block)
		return WM_NO_MEMORY;
	if (!known.profile || plan->sequences || !from_profile(weights, plan, known, &path, arena))
		from_probabilities(weights, plan, anchors, analyses);
	return WM_OK;
}
