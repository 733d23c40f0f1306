/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/place.h"

/* What r holds where no program may read it: any count made from it is out of range. */
#define POISON 0xDEADDEADDEADDEADull

static uint64_t number(const struct wm_machine *machine, uint32_t region, uint64_t index)
{
	const struct wm_region *facts = &machine->program->region[region];
	if (index >= facts->paths)
		return POISON;
	return facts->sum[index] + (index < facts->entered ? machine->outer : 0);
}

static void count_trips(struct wm_machine *machine, const struct wm_trip_loop *facts, uint64_t index)
{
	machine->count(machine->closure, facts->region == WM_NONE ? index : number(machine, facts->region, index));
}

static void end_trips(struct wm_machine *machine, uint32_t loop)
{
	const struct wm_trip_loop *facts = &machine->program->trip_loop[loop];
	if (machine->trips[loop])
		count_trips(machine, facts, machine->before[loop] + (uint64_t)facts->first);
	for (uint64_t i = 1; i < machine->trips[loop]; i++)
		count_trips(machine, facts, (uint64_t)facts->again);
}

static void begin_trips(struct wm_machine *machine, uint32_t loop)
{
	bool local = machine->program->trip_loop[loop].region != WM_NONE;
	machine->trips[loop] = 0;
	machine->before[loop] = local ? machine->l : machine->r;
}

static void run_local(struct wm_machine *machine, struct wm_action action)
{
	uint64_t value = (uint64_t)action.value;
	switch ((enum wm_action_kind)action.kind) {
	case WM_ACTION_LOCAL_ENTER:
		machine->outer = machine->r;
		machine->r = POISON;
		break;
	case WM_ACTION_LOCAL_SET:
		machine->l = value;
		break;
	case WM_ACTION_LOCAL_ADD:
		machine->l += value;
		break;
	case WM_ACTION_LOCAL_COUNT:
		value += machine->l; /* fall through */
	case WM_ACTION_LOCAL_COUNT_AT:
		machine->count(machine->closure, number(machine, action.region, value));
		machine->l = POISON;
		break;
	case WM_ACTION_LOCAL_LEAVE:
		value += machine->l; /* fall through */
	default: /* WM_ACTION_LOCAL_LEAVE_AT */
		machine->r = number(machine, action.region, value);
		machine->l = POISON;
		break;
	}
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
			begin_trips(machine, (uint32_t)value);
			break;
		case WM_ACTION_TRIP:
			machine->trips[value]++;
			break;
		case WM_ACTION_TRIP_END:
			end_trips(machine, (uint32_t)value);
			break;
		default:
			run_local(machine, probe->action[i]);
			break;
		}
	}
}

void wm_machine_enter(struct wm_machine *machine)
{
	machine->block = 0;
	machine->r = machine->l = machine->outer = POISON;
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
