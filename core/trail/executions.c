/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/trail/executions.h"

enum wm_status wm_executions_init(struct wm_executions *ran, const struct wm_graph *graph, struct wm_arena *arena)
{
	struct wm_executions made = {.block = WM_NEW(arena, uint64_t, graph->block_count + (size_t)1),
		.edge = WM_NEW(arena, uint64_t, graph->edge_count + (size_t)1)};
	if (!made.block || !made.edge)
		return WM_NO_MEMORY;
	*ran = made;
	return WM_OK;
}

void wm_executions_add(struct wm_executions *ran, uint64_t *sum, uint64_t count)
{
	if (!__builtin_add_overflow(*sum, count, sum) && *sum <= INT64_MAX)
		return;
	*sum = INT64_MAX;
	ran->saturated = true;
}

/* entered[depth] is the step into the block that is open at that depth. */
void wm_executions_add_trail(
	struct wm_executions *const *ran, const struct wm_trail *trail, uint64_t count, uint32_t *entered)
{
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		struct wm_executions *here = ran[step->function];
		if (step->kind == WM_TRAIL_BLOCK || step->lone)
			entered[step->depth] = i;
		if (i < trail->fresh || step->kind == WM_TRAIL_CALL)
			continue;
		if (step->kind == WM_TRAIL_BLOCK && step->site == WM_NONE)
			wm_executions_add(here, &here->block[step->block], count);
		if (i && wm_trail_is_entry(trail, i))
			wm_executions_add(here, &here->entries, count);
		uint32_t edge = trail->step[entered[step->depth]].edge;
		if (!wm_trail_calls_next(trail, i) && edge != WM_NONE)
			wm_executions_add(here, &here->edge[edge], count);
	}
}
