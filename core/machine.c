/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/place.h"

/* What r holds where no program may read it: any count made from it is out of range. */
#define POISON 0xDEADDEADDEADDEADull

static void end_trips(struct wm_machine *machine, uint32_t loop)
{
	const struct wm_trip_loop *facts = &machine->program->trip_loop[loop];
	if (machine->trips[loop])
		machine->count(machine->closure, machine->before[loop] + (uint64_t)facts->first);
	for (uint64_t i = 1; i < machine->trips[loop]; i++)
		machine->count(machine->closure, (uint64_t)facts->again);
}

static void run(struct wm_machine *machine, const struct wm_probe *probe)
{
	for (uint8_t i = 0; i < probe->count; i++) {
		uint64_t value = (uint64_t)probe->action[i].value;
		switch ((enum wm_action_kind)probe->action[i].kind) {
		case WM_ACTION_SET:
			machine->r = value;
			break;
		case WM_ACTION_ADD:
			machine->r += value;
			break;
		case WM_ACTION_COUNT:
			value += machine->r; /* fall through */
		case WM_ACTION_COUNT_AT:
			machine->count(machine->closure, value);
			machine->r = POISON;
			break;
		case WM_ACTION_TRIP_BEGIN:
			machine->trips[value] = 0;
			machine->before[value] = machine->r;
			break;
		case WM_ACTION_TRIP:
			machine->trips[value]++;
			break;
		case WM_ACTION_TRIP_END:
			end_trips(machine, (uint32_t)value);
			break;
		}
	}
}

void wm_machine_enter(struct wm_machine *machine)
{
	machine->block = 0;
	machine->r = POISON;
	run(machine, &machine->program->entry);
}

enum wm_status wm_machine_step(struct wm_machine *machine, uint32_t next_block)
{
	uint32_t edge = wm_graph_find_edge(machine->plan->graph, machine->block, next_block);
	if (edge == WM_NONE)
		return WM_BAD_PATH;
	run(machine, &machine->program->edge[edge]);
	machine->block = next_block;
	return WM_OK;
}

enum wm_status wm_machine_leave(struct wm_machine *machine)
{
	if (machine->plan->graph->end[machine->block] == WM_END_NONE)
		return WM_BAD_PATH;
	run(machine, &machine->program->exit[machine->block]);
	return WM_OK;
}
