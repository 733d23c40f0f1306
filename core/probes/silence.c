/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where no count follows, no sum is needed.  A backward liveness analysis of the registers on the control-flow graph
 * finds the updates that no action reads.  All paths that reach a block need the same registers there, so the
 * analysis is as precise as it would be on the DAG.
 */
#include "core/probes/silence.h"

/* The registers whose updates may be dead. */
#define TRACKED (WM_REG_R | WM_REG_L | WM_REG_OUTER)

struct silence {
	const struct wm_plan *plan;
	struct wm_probe_program *program;
	uint16_t *live; /* per block: what may be read after it is entered */
	bool *silent_trips; /* per trip loop: nothing counts its trips */
};

static void drop_count(struct silence *s, struct wm_probe *probe)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < probe->count; i++) {
		const struct wm_action *action = &probe->action[i];
		bool trip = action->kind == WM_ACTION_TRIP;
		if (trip)
			s->silent_trips[action->value] = true;
		if (!trip && !(wm_action_rows[action->kind].operands & WM_HAS_END))
			probe->action[kept++] = *action;
	}
	probe->count = kept;
}

static bool is_dead(const struct silence *s, const struct wm_action *action, uint16_t live)
{
	const struct wm_action_row *row = &wm_action_rows[action->kind];
	if (row->operands & WM_HAS_TRIP && s->silent_trips[action->value])
		return true;
	return row->writes && !(row->writes & ~TRACKED) && !(row->writes & live);
}

/* What is live before the actions from `first` on, given what is after the probe. */
static uint16_t live_before(const struct silence *s, const struct wm_probe *probe, uint32_t first, uint16_t live)
{
	for (uint32_t i = probe->count; i-- > first;) {
		const struct wm_action *action = &probe->action[i];
		if (!is_dead(s, action, live))
			live = (uint16_t)((live & ~wm_action_rows[action->kind].writes) |
					  wm_action_reads(s->program, action));
	}
	return live;
}

static uint16_t live_out(const struct silence *s, uint32_t block)
{
	const struct wm_graph *graph = s->plan->graph;
	uint16_t live = live_before(s, &s->program->exit[block], 0, 0);
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
		live |= live_before(s, &s->program->edge[e], 0, s->live[graph->edge_to[e]]);
	return live;
}

static void find_live(struct silence *s)
{
	const struct wm_dfs *dfs = &s->plan->dfs;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = dfs->reached; i-- > 0;) {
			uint32_t block = dfs->reverse_postorder[i];
			uint16_t live = live_out(s, block);
			changed |= live != s->live[block];
			s->live[block] = live;
		}
	}
}

static void drop_dead(const struct silence *s, struct wm_probe *probe, uint16_t live)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < probe->count; i++)
		if (!is_dead(s, &probe->action[i], live_before(s, probe, i + 1, live)))
			probe->action[kept++] = probe->action[i];
	probe->count = kept;
}

enum wm_status wm_place_silence(
	const struct wm_plan *plan, const bool *silent, struct wm_probe_program *program, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	const struct wm_graph *graph = plan->graph;
	struct silence s = {plan, program, WM_NEW(arena, uint16_t, graph->block_count),
		WM_NEW(arena, bool, program->trip_loop_count)};
	if (!s.live || !s.silent_trips)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (silent[e])
			drop_count(&s, wm_probe_of(program, dag, &dag->edge[e]));
	find_live(&s);
	drop_dead(&s, &program->entry, s.live[0]);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		drop_dead(&s, &program->edge[e], s.live[graph->edge_to[e]]);
	for (uint32_t b = 0; b < graph->block_count; b++)
		drop_dead(&s, &program->exit[b], 0);
	program->probe_count = wm_probe_program_count(program, graph);
	return WM_OK;
}
