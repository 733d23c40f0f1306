/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Not in the papers.  What need not be counted need not be added up either: r is read
 * by counts only, and every life of it begins and ends within one path, so one pass
 * over the DAG from End to Start finds the updates that nobody reads.
 */
#include "core/place.h"

struct silence {
	const struct wm_plan *plan;
	struct wm_probe_program *program;
	bool *live; /* per node: a later count reads r */
};

static bool counts(const struct wm_action *action)
{
	return action->kind == WM_ACTION_COUNT || action->kind == WM_ACTION_COUNT_AT;
}

static struct wm_probe *probe_of(const struct silence *s, const struct wm_dag_edge *edge)
{
	switch (edge->kind) {
	case WM_EDGE_ENTRY:
		return &s->program->entry;
	case WM_EDGE_EXIT:
		return &s->program->exit[s->plan->dag.node_block[edge->from]];
	default:
		return &s->program->edge[edge->cfg_edge];
	}
}

/* The count and what is added to r for its sake. */
static void drop_count(struct wm_probe *probe)
{
	uint8_t kept = 0, at = 0;
	while (at < probe->count && !counts(&probe->action[at]))
		at++;
	while (++at < probe->count)
		probe->action[kept++] = probe->action[at];
	probe->count = kept;
}

static bool reads(const struct wm_probe *probe)
{
	for (uint8_t i = 0; i < probe->count; i++)
		if (probe->action[i].kind == WM_ACTION_COUNT)
			return true;
	return false;
}

static bool has_count(const struct wm_probe *probe)
{
	for (uint8_t i = 0; i < probe->count; i++)
		if (counts(&probe->action[i]))
			return true;
	return false;
}

static bool sets(const struct wm_probe *probe)
{
	return probe->count && probe->action[0].kind == WM_ACTION_SET;
}

static void find_live(struct silence *s)
{
	const struct wm_dag *dag = &s->plan->dag;
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1] && node != WM_DAG_START; e++) {
			const struct wm_dag_edge *edge = &dag->edge[e];
			const struct wm_probe *probe = probe_of(s, edge);
			s->live[node] |= reads(probe) || (s->live[edge->to] && !sets(probe));
		}
	}
}

/* The last action of a stop is the next path's beginning.  Where a path is counted before its
 * end nothing is read behind: what stands there is the count. */
static void drop_update(struct silence *s, const struct wm_dag_edge *edge)
{
	const struct wm_dag *dag = &s->plan->dag;
	struct wm_probe *probe = edge->kind == WM_EDGE_RESTART ? NULL : probe_of(s, edge);
	bool restarts = edge->kind == WM_EDGE_STOP && !s->live[dag->edge[edge->restart].to];
	bool passes = (edge->kind == WM_EDGE_ENTRY || edge->kind == WM_EDGE_REAL) && !s->live[edge->to];
	if (passes && !has_count(probe))
		probe->count = 0;
	if (restarts && probe->count && probe->action[probe->count - 1].kind == WM_ACTION_SET)
		probe->count--;
}

enum wm_status wm_place_silence(
	const struct wm_plan *plan, const bool *silent, struct wm_probe_program *program, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	struct silence s = {plan, program, WM_NEW(arena, bool, dag->node_count)};
	if (!s.live)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (silent[e])
			drop_count(probe_of(&s, &dag->edge[e]));
	find_live(&s);
	for (uint32_t e = 0; e < dag->edge_count; e++)
		drop_update(&s, &dag->edge[e]);
	program->probe_count = wm_probe_program_count(program, plan->graph);
	return WM_OK;
}
