/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/reduce.h"

/* Local indices, and indices of loops, slots and steps, are not sums. */
static bool holds_sum(const struct wm_action *action)
{
	uint16_t operands = wm_action_rows[action->kind].operands;
	return operands & WM_HAS_VALUE && !(operands & WM_HAS_REGION);
}

static void reduce_probe(void *closure, struct wm_probe *probe)
{
	for (uint32_t i = 0; i < probe->count; i++)
		if (holds_sum(&probe->action[i]))
			probe->action[i].value = wm_pack_reduce(closure, (uint64_t)probe->action[i].value);
}

void wm_reduce_program(const struct wm_pack *pack, const struct wm_graph *graph, struct wm_probe_program *program)
{
	wm_each_probe(program, graph, reduce_probe, (void *)pack);
	for (uint32_t i = 0; i < program->trip_loop_count; i++) {
		struct wm_trip_loop *loop = &program->trip_loop[i];
		if (loop->region != WM_NONE)
			continue;
		loop->first = wm_pack_reduce(pack, (uint64_t)loop->first);
		loop->again = wm_pack_reduce(pack, (uint64_t)loop->again);
	}
	for (uint32_t i = 0; i < program->region_count; i++)
		for (uint32_t k = 0; k < program->region[i].paths; k++)
			program->region[i].sum[k] = (uint64_t)wm_pack_reduce(pack, program->region[i].sum[k]);
}
