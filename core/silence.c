/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Not in the papers.  What need not be counted need not be added up either: which
 * variables a later count reads is found as compilers find it, from uses backwards to
 * where every update is that nobody reads.  All paths that reach a block under way need
 * the same of it, so this is no coarser than it would be on the DAG.
 */
#include "core/place.h"

enum { NOTHING = 0, R = 1, L = 2, OUTER = 4 };

struct silence {
	const struct wm_plan *plan;
	struct wm_probe_program *program;
	uint8_t *live; /* per block: what may be read after it is entered */
	bool *unheard; /* per trip loop: nobody counts its trips */
};

/* ---- Counts ------------------------------------------------------------------ */

static bool counts(const struct wm_action *action)
{
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_COUNT:
	case WM_ACTION_COUNT_AT:
	case WM_ACTION_LOCAL_COUNT:
	case WM_ACTION_LOCAL_COUNT_AT:
	case WM_ACTION_TRIP:
		return true;
	default:
		return false;
	}
}

static void drop_count(struct silence *s, struct wm_probe *probe)
{
	uint8_t kept = 0;
	for (uint8_t i = 0; i < probe->count; i++) {
		if (probe->action[i].kind == WM_ACTION_TRIP)
			s->unheard[probe->action[i].value] = true;
		if (!counts(&probe->action[i]))
			probe->action[kept++] = probe->action[i];
	}
	probe->count = kept;
}

/* ---- What is read ------------------------------------------------------------ */

static uint8_t outer_if(const struct silence *s, const struct wm_action *action)
{
	return (uint64_t)action->value < s->program->region[action->region].entered ? OUTER : NOTHING;
}

static bool is_unheard(const struct silence *s, const struct wm_action *action)
{
	bool trips = action->kind == WM_ACTION_TRIP_BEGIN || action->kind == WM_ACTION_TRIP_END;
	return trips && s->unheard[action->value];
}

static uint8_t written(const struct wm_action *action)
{
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_SET:
	case WM_ACTION_ADD:
	case WM_ACTION_MARK:
	case WM_ACTION_LOCAL_LEAVE:
	case WM_ACTION_LOCAL_LEAVE_AT:
		return R;
	case WM_ACTION_LOCAL_SET:
	case WM_ACTION_LOCAL_ADD:
		return L;
	case WM_ACTION_LOCAL_ENTER:
		return OUTER;
	default:
		return NOTHING;
	}
}

static uint8_t read_by(const struct silence *s, const struct wm_action *action)
{
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_ADD:
	case WM_ACTION_MARK:
	case WM_ACTION_COUNT:
	case WM_ACTION_LOCAL_ENTER:
		return R;
	case WM_ACTION_LOCAL_ADD:
		return L;
	case WM_ACTION_LOCAL_COUNT:
	case WM_ACTION_LOCAL_LEAVE:
		return L | OUTER;
	case WM_ACTION_LOCAL_COUNT_AT:
	case WM_ACTION_LOCAL_LEAVE_AT:
		return outer_if(s, action);
	case WM_ACTION_TRIP_BEGIN:
		return s->program->trip_loop[action->value].region == WM_NONE ? R : L;
	case WM_ACTION_TRIP_END:
		return s->program->trip_loop[action->value].region == WM_NONE ? NOTHING : OUTER;
	default:
		return NOTHING;
	}
}

static bool is_dead(const struct silence *s, const struct wm_action *action, uint8_t live)
{
	return is_unheard(s, action) || (written(action) && !(written(action) & live));
}

/* What is live before the actions from `first` on, given what is behind the probe. */
static uint8_t live_before(const struct silence *s, const struct wm_probe *probe, uint8_t first, uint8_t live)
{
	for (uint8_t i = probe->count; i-- > first;) {
		const struct wm_action *action = &probe->action[i];
		if (!is_dead(s, action, live))
			live = (uint8_t)((live & ~written(action)) | read_by(s, action));
	}
	return live;
}

static uint8_t live_out(const struct silence *s, uint32_t block)
{
	const struct wm_graph *graph = s->plan->graph;
	uint8_t live = live_before(s, &s->program->exit[block], 0, NOTHING);
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
			uint8_t live = live_out(s, block);
			changed |= live != s->live[block];
			s->live[block] = live;
		}
	}
}

static void drop_dead(const struct silence *s, struct wm_probe *probe, uint8_t live)
{
	uint8_t kept = 0;
	for (uint8_t i = 0; i < probe->count; i++)
		if (!is_dead(s, &probe->action[i], live_before(s, probe, (uint8_t)(i + 1), live)))
			probe->action[kept++] = probe->action[i];
	probe->count = kept;
}

enum wm_status wm_place_silence(
	const struct wm_plan *plan, const bool *silent, struct wm_probe_program *program, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	const struct wm_graph *graph = plan->graph;
	struct silence s = {plan, program, WM_NEW(arena, uint8_t, graph->block_count),
		WM_NEW(arena, bool, program->trip_loop_count)};
	if (!s.live || !s.unheard)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (silent[e])
			drop_count(&s, wm_probe_of(program, dag, &dag->edge[e]));
	find_live(&s);
	drop_dead(&s, &program->entry, s.live[0]);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		drop_dead(&s, &program->edge[e], s.live[graph->edge_to[e]]);
	for (uint32_t b = 0; b < graph->block_count; b++)
		drop_dead(&s, &program->exit[b], NOTHING);
	program->probe_count = wm_probe_program_count(program, graph);
	return WM_OK;
}
