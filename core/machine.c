/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/kiter.h"
#include "core/sequence.h"
#include "core/window.h"

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

static uint64_t before_step(const struct wm_machine *machine, const struct wm_window_step *step)
{
	return (step->known ? 0 : machine->r) + (uint64_t)step->before;
}

static void enter_loop(struct wm_machine *machine, const struct wm_window_step *step)
{
	machine->sum = before_step(machine, step);
	machine->window = machine->done = 0;
	machine->r = (uint64_t)step->after;
}

static void push(struct wm_machine *machine, const struct wm_window_step *step)
{
	const struct wm_window_loop *loop = &machine->program->window[step->loop];
	struct wm_window_fields fields = wm_window_split(loop, step, before_step(machine, step));
	if (loop->trips) {
		machine->done++;
	} else if (machine->done < loop->k - 1) {
		machine->sum += fields.rank * loop->paths[machine->done++] + fields.left;
		machine->window = machine->window * loop->iterations + fields.rank;
	} else {
		machine->count(machine->closure, machine->sum + fields.last);
		machine->window = (machine->window * loop->iterations + fields.rank) % loop->modulus;
		machine->sum = loop->base + machine->window * loop->last_paths;
	}
	machine->r = (uint64_t)step->after;
}

/* The trips of a loop that did not count them; `sum` is then that of the current one. */
static void count_windows(struct wm_machine *machine, const struct wm_window_loop *loop)
{
	if (machine->done < loop->k) {
		machine->sum += machine->done * loop->only_left;
		return;
	}
	machine->count(machine->closure, machine->sum + (loop->k - 1) * loop->only_left + loop->only_last);
	for (uint64_t i = loop->k; i < machine->done; i++)
		machine->count(machine->closure, loop->base + loop->only_last);
	machine->sum = loop->base;
}

static void leave_loop(struct wm_machine *machine, const struct wm_window_step *step)
{
	const struct wm_window_loop *loop = &machine->program->window[step->loop];
	struct wm_window_fields fields = wm_window_split(loop, step, before_step(machine, step));
	bool early = machine->done < loop->k - 1;
	if (loop->trips)
		count_windows(machine, loop);
	machine->r = machine->sum + (uint64_t)step->after +
		     (early ? fields.rank * loop->paths[machine->done] + fields.left : fields.last);
	machine->sum = machine->window = POISON;
}

static void count_path(struct wm_machine *machine, uint64_t id)
{
	if (machine->sequence)
		wm_sequence_end(machine->sequence, id);
	else
		machine->count(machine->closure, id);
	machine->r = POISON;
}

/* At a back edge of the loop that the current block is in. */
static void push_piece(struct wm_machine *machine, uint64_t id)
{
	uint32_t loop = machine->plan->iterations->of[machine->block];
	wm_sequence_push(machine->sequence, machine->plan, loop, id);
	machine->r = POISON;
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
		case WM_ACTION_MARK:
			machine->r = ((machine->r + value) | WM_MARK_BIT) - value;
			break;
		case WM_ACTION_COUNT:
			value += machine->r; /* fall through */
		case WM_ACTION_COUNT_AT:
			count_path(machine, value);
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
		case WM_ACTION_SAVE:
			machine->saved[value] = machine->r;
			break;
		case WM_ACTION_RESTORE:
			machine->r = machine->saved[value];
			break;
		case WM_ACTION_ENTER:
			enter_loop(machine, &machine->program->step[value]);
			break;
		case WM_ACTION_PUSH:
			push(machine, &machine->program->step[value]);
			break;
		case WM_ACTION_LEAVE:
			leave_loop(machine, &machine->program->step[value]);
			break;
		case WM_ACTION_PIECE:
			value += machine->r; /* fall through */
		case WM_ACTION_PIECE_AT:
			push_piece(machine, value);
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
	if (machine->sequence)
		wm_pieces_begin(machine->sequence->pieces);
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
