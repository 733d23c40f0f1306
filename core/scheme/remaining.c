/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/remaining.h"
#include <math.h>

void wm_remaining_edges(bool *edge, const struct wm_plan *plan, const struct wm_remainder *remainder)
{
	const struct wm_dag *dag = &plan->dag;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		uint32_t taken = dag->edge[e].cfg_edge, block = dag->node_block[dag->edge[e].to];
		edge[e] = (taken == WM_NONE || remainder->edge[taken]) && (block == WM_NONE || remainder->block[block]);
	}
}

/* A plan that was cut, or whose iterations were reduced, has another DAG than the graph. */
static enum wm_status count_uncut(
	double *log10_paths, const struct wm_plan *plan, const struct wm_remainder *remainder, struct wm_arena *arena)
{
	struct wm_plan uncut = {.graph = plan->graph, .scheme = plan->scheme, .choice = plan->choice, .dfs = plan->dfs};
	enum wm_status status = uncut.scheme->build(&uncut, arena);
	bool *edge = status == WM_OK ? WM_NEW(arena, bool, uncut.dag.edge_count) : NULL;
	if (!edge)
		return status == WM_OK ? WM_NO_MEMORY : status;
	wm_remaining_edges(edge, &uncut, remainder);
	*log10_paths = wm_dag_log10_paths(&uncut.dag, edge, arena);
	return isnan(*log10_paths) ? WM_NO_MEMORY : WM_OK;
}

enum wm_status wm_remaining_count(struct wm_remaining_paths *paths, const struct wm_plan *plan,
	const struct wm_remainder *remainder, struct wm_arena *arena)
{
	bool *edge = WM_NEW(arena, bool, plan->dag.edge_count);
	uint64_t *count = WM_NEW(arena, uint64_t, plan->dag.node_count);
	if (!edge || !count)
		return WM_NO_MEMORY;
	wm_remaining_edges(edge, plan, remainder);
	struct wm_remaining_paths found = {.count = wm_dag_paths_over(&plan->dag, edge, count)};
	found.log10 = log10((double)found.count);
	bool whole = !isgreater(plan->log10_paths, log10((double)plan->numbering.path_count));
	enum wm_status status = whole ? WM_OK : count_uncut(&found.log10, plan, remainder, arena);
	if (status == WM_OK)
		*paths = found;
	return status;
}
