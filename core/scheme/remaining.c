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

/* ---- Reports from which a path came back ------------------------------------------------------ */

/* The only edge out of a node that remains; WM_NONE: there is none, or there are several. */
static uint32_t only_edge(const struct wm_dag *dag, uint32_t node, const bool *edge)
{
	uint32_t found = WM_NONE;
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
		if (!edge[e])
			continue;
		if (found != WM_NONE)
			return WM_NONE;
		found = e;
	}
	return found;
}

/* Whether two edges lead to the same place; into End, both must take the same edge back to a loop or over a cut. */
static bool meet(const struct wm_dag *dag, uint32_t a, uint32_t b)
{
	const struct wm_dag_edge *x = &dag->edge[a], *y = &dag->edge[b];
	return x->to == y->to && (x->to != WM_DAG_END || (x->kind == WM_EDGE_STOP && y->kind == WM_EDGE_STOP &&
								 x->end == y->end && x->restart == y->restart));
}

/* Appends the way that remains from a node to where the last edge of the other way leads. */
static bool append_way(
	struct wm_path *straight, const struct wm_dag *dag, uint32_t node, uint32_t last, const bool *edge)
{
	uint32_t goal = dag->edge[last].to, next = WM_NONE;
	while (node != goal && node != WM_DAG_END) {
		next = only_edge(dag, node, edge);
		if (next == WM_NONE)
			return false;
		straight->edge[straight->length++] = next;
		node = dag->edge[next].to;
	}
	return next != WM_NONE && meet(dag, next, last);
}

bool wm_remaining_straighten(struct wm_path *straight, const struct wm_path *path, const struct wm_plan *plan,
	const bool *edge, const uint8_t *failure)
{
	const struct wm_dag *dag = &plan->dag;
	bool changed = false;
	straight->length = 0;
	for (uint32_t i = 0; i < path->length; i++) {
		const struct wm_dag_edge *taken = &dag->edge[path->edge[i]];
		if (edge[path->edge[i]]) {
			straight->edge[straight->length++] = path->edge[i];
			continue;
		}
		if (taken->cfg_edge == WM_NONE || failure[taken->cfg_edge] != WM_CHECK_SANITIZER)
			return false;
		while (i + 1 < path->length && !edge[path->edge[i + 1]])
			i++;
		if (!append_way(straight, dag, taken->from, path->edge[i], edge))
			return false;
		changed = true;
	}
	return changed;
}
