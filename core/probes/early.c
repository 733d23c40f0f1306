/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/early.h"

struct early {
	const struct wm_plan *plan;
	const bool *counted;
	struct wm_probe_program *program;
	bool *moved; /* per node: counts move to the edges into it, or further */
	uint64_t *rest; /* per node: the constant that a moved count adds */
};

/* Removes from a probe the updates of r, with `to_count` only those up to and including its count, and returns their
 * effect as one action.  Updates of r on leaving a region are kept. */
static struct wm_action take_updates(struct wm_probe *probe, bool to_count)
{
	struct wm_action taken = wm_action(WM_ACTION_ADD, 0);
	uint32_t kept = 0;
	bool more = true;
	for (uint32_t at = 0; at < probe->count; at++) {
		struct wm_action action = probe->action[at];
		bool counts = action.kind == WM_ACTION_COUNT || action.kind == WM_ACTION_COUNT_AT;
		bool sets = action.kind == WM_ACTION_SET || action.kind == WM_ACTION_COUNT_AT;
		if (!more || !(sets || counts || action.kind == WM_ACTION_ADD)) {
			probe->action[kept++] = action;
			continue;
		}
		taken.value = (int64_t)((sets ? 0 : (uint64_t)taken.value) + (uint64_t)action.value);
		taken.kind = (uint8_t)(sets ? WM_ACTION_SET : taken.kind);
		more = !to_count || !counts;
	}
	probe->count = kept;
	return taken;
}

static enum wm_status move_updates(struct early *m, uint32_t e)
{
	const struct wm_dag_edge *edge = &m->plan->dag.edge[e];
	bool last = edge->to == WM_DAG_END;
	if ((!last && !m->moved[edge->to]) || (last && m->counted[e]))
		return WM_OK;
	if (edge->kind == WM_EDGE_ENTRY || edge->kind == WM_EDGE_RESTART)
		return WM_BAD_GRAPH;
	struct wm_probe *probe = wm_probe_of(m->program, &m->plan->dag, edge);
	struct wm_action sum = take_updates(probe, last);
	sum.value = (int64_t)((uint64_t)sum.value + (last ? 0 : m->rest[edge->to]));
	if (m->counted[e]) {
		sum.kind = sum.kind == WM_ACTION_SET ? WM_ACTION_COUNT_AT : WM_ACTION_COUNT;
		wm_probe_append(m->program, probe, sum);
		return WM_OK;
	}
	m->moved[edge->from] = true;
	m->rest[edge->from] = (uint64_t)sum.value;
	return sum.kind == WM_ACTION_SET ? WM_BAD_GRAPH : WM_OK;
}

enum wm_status wm_place_early(
	const struct wm_plan *plan, const bool *counted, struct wm_probe_program *program, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	struct early m = {
		plan, counted, program, WM_NEW(arena, bool, dag->node_count), WM_NEW(arena, uint64_t, dag->node_count)};
	if (!m.moved || !m.rest)
		return WM_NO_MEMORY;
	for (uint32_t i = dag->node_count; i-- > 0;)
		for (uint32_t e = dag->first_edge[dag->order[i]]; e < dag->first_edge[dag->order[i] + 1]; e++) {
			enum wm_status status = move_updates(&m, e);
			if (status != WM_OK)
				return status;
		}
	program->probe_count = wm_probe_program_count(program, plan->graph);
	return program->failed ? WM_NO_MEMORY : WM_OK;
}
