/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/extract/weigh.h"
#include "policy/known_weights.h"

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
	bool any = false;
	if (!weights->edge || !weights->block)
		return WM_NO_MEMORY;
	if (known.profile && !wm_plan_has_pieces(plan) &&
		wm_weights_add_profile(weights, &any, known.profile, known.function, plan, arena) != WM_OK)
		return WM_NO_MEMORY;
	if (!any)
		from_probabilities(weights, plan, anchors, analyses);
	return WM_OK;
}
