/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/machine.h"
#include "core/probes/sequence.h"
#include "core/probes/window.h"
#include <assert.h>

/* The value of a register that no program may read: a count computed from it is out of range. */
#define POISON 0xDEADDEADDEADDEADull

/* ---- Ends of paths ------------------------------------------------------- */

struct ending {
	uint64_t total, index, amount;
};

static uint64_t region_value(const struct wm_machine *machine, uint32_t region, uint64_t index)
{
	const struct wm_region *facts = &machine->program->region[region];
	if (index >= facts->paths)
		return POISON;
	return facts->sum[index] + (index < facts->entered ? machine->outer : 0);
}

static void add_to_cell(const struct wm_machine *machine, uint64_t first, uint64_t offset, uint64_t amount)
{
	if (first != WM_NONE)
		machine->counters.cell(machine->counters.closure, (uint32_t)(first + offset), amount);
}

static bool is_settled(const struct wm_machine *machine, const struct wm_action *action, uint64_t index)
{
	const struct wm_cells *cells = &machine->program->cells;
	if (action->flags & WM_BETWEEN)
		return cells->settled[cells->region_index[action->region] + index];
	if (!(action->flags & WM_ABOVE))
		return (int64_t)index >= wm_range_low(action);
	if (!(action->flags & WM_BELOW))
		return (int64_t)index <= wm_range_high(action);
	return index >= wm_range_low(action) && index <= wm_range_high(action);
}

static void count_by_call(const struct wm_machine *machine, const struct ending *ending)
{
	if (ending->amount)
		machine->counters.call(
			machine->counters.closure, wm_counting_id(machine->counting, ending->total), ending->amount);
}

static bool run_end(const struct wm_machine *machine, const struct wm_probe *end, struct ending *ending);

/* Executes one action of an end.  Returns whether the end stops. */
static bool run_end_action(const struct wm_machine *machine, const struct wm_action *action, struct ending *ending)
{
	const struct wm_counting *counting = machine->counting;
	uint64_t total = wm_counting_total(counting, ending->total), key = wm_counting_key(counting, total);
	bool stops = true;
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_CELL:
		add_to_cell(machine, action->cell, 0, ending->amount);
		break;
	case WM_ACTION_ARRAY:
		add_to_cell(machine, 0, total, ending->amount);
		break;
	case WM_ACTION_GUESS:
		stops = total == (uint64_t)action->value;
		if (stops)
			add_to_cell(machine, action->cell, 0, ending->amount);
		break;
	case WM_ACTION_SIGN:
		stops = !(total & WM_MARK_BIT);
		break;
	case WM_ACTION_LOOKUP:
		stops = counting->table[wm_counting_slot(counting, key)] == key;
		if (stops)
			add_to_cell(machine, action->cell, wm_counting_slot(counting, key), ending->amount);
		break;
	case WM_ACTION_MEMBER:
		add_to_cell(machine, action->cell, wm_counting_slot(counting, key), ending->amount);
		break;
	case WM_ACTION_HASH:
		stops = machine->counters.find(
			machine->counters.closure, wm_counting_id(counting, total), ending->amount);
		break;
	case WM_ACTION_TESTED:
		stops = wm_path_set_find(&counting->set, wm_counting_id(counting, total)) != WM_NONE;
		break;
	case WM_ACTION_CALL:
		count_by_call(machine, ending);
		break;
	case WM_ACTION_COLD:
		run_end(machine, &machine->program->cold, ending);
		break;
	case WM_ACTION_ALONE:
		stops = machine->sequence->pieces->length > 0;
		if (stops)
			wm_sequence_end(machine->sequence, total);
		else
			ending->total += WM_ALONE_BIT;
		break;
	case WM_ACTION_PIECES:
		wm_sequence_end(machine->sequence, total);
		break;
	case WM_ACTION_APPEND:
		machine->counters.append(machine->counters.closure, total);
		break;
	case WM_ACTION_SETTLED:
		stops = is_settled(machine, action, ending->index);
		if (stops)
			add_to_cell(machine, action->cell, ending->index, ending->amount);
		break;
	case WM_ACTION_NUMBER:
		ending->total = region_value(machine, action->region, ending->index);
		stops = false;
		break;
		WM_EVENT_ACTIONS(WM_CASE)
		WM_UNIT_ACTIONS(WM_CASE)
		assert(!"an action that no end has");
		break;
	}
	return stops;
}

/* Executes an end.  Returns whether its first action stopped it. */
static bool run_end(const struct wm_machine *machine, const struct wm_probe *end, struct ending *ending)
{
	for (uint32_t i = 0; i < end->count; i++)
		if (run_end_action(machine, &end->action[i], ending))
			return i == 0;
	return false;
}

static bool count_total(const struct wm_machine *machine, uint32_t end, uint64_t total, uint64_t amount)
{
	struct ending ending = {.total = total, .amount = amount};
	if (end != WM_NONE)
		return run_end(machine, &machine->program->end[end], &ending);
	if (machine->sequence)
		wm_sequence_end(machine->sequence, total);
	else
		machine->counters.total(machine->counters.closure, total, amount);
	return false;
}

static bool count_local(
	const struct wm_machine *machine, uint32_t region, uint32_t end, uint64_t index, uint64_t amount)
{
	struct ending ending = {.total = POISON, .index = index, .amount = amount};
	if (end != WM_NONE)
		return run_end(machine, &machine->program->end[end], &ending);
	return count_total(machine, WM_NONE, region_value(machine, region, index), amount);
}

/* ---- Loops with one path -------------------------------------------------- */

static void count_trips(const struct wm_machine *machine, const struct wm_trip_loop *facts, uint32_t end,
	uint64_t total, uint64_t amount)
{
	if (facts->region == WM_NONE)
		count_total(machine, end, total, amount);
	else
		count_local(machine, facts->region, end, total, amount);
}

static void end_trips(struct wm_machine *machine, uint32_t loop)
{
	const struct wm_trip_loop *facts = &machine->program->trip_loop[loop];
	if (!machine->trips[loop])
		return;
	count_trips(machine, facts, facts->first_end, machine->before[loop] + (uint64_t)facts->first, 1);
	if (machine->trips[loop] > 1)
		count_trips(machine, facts, facts->again_end, (uint64_t)facts->again, machine->trips[loop] - 1);
}

static void begin_trips(struct wm_machine *machine, uint32_t loop)
{
	bool local = machine->program->trip_loop[loop].region != WM_NONE;
	machine->trips[loop] = 0;
	machine->before[loop] = local ? machine->l : machine->r;
}

/* ---- Paths over k iterations ----------------------------------------------- */

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

static void push_iteration(struct wm_machine *machine, const struct wm_window_step *step)
{
	const struct wm_window_loop *loop = &machine->program->window[step->loop];
	struct wm_window_fields fields = wm_window_split(loop, step, before_step(machine, step));
	if (loop->trips) {
		machine->done++;
	} else if (machine->done < loop->k - 1) {
		machine->sum += fields.rank * loop->paths[machine->done++] + fields.left;
		machine->window = machine->window * loop->iterations + fields.rank;
	} else {
		count_total(machine, loop->end, machine->sum + fields.last, 1);
		machine->window = (machine->window * loop->iterations + fields.rank) % loop->modulus;
		machine->sum = loop->base + machine->window * loop->last_paths;
	}
	machine->r = (uint64_t)step->after;
}

/* The trips of a loop that does not count them; `sum` is then that of the current iteration. */
static void count_windows(struct wm_machine *machine, const struct wm_window_loop *loop)
{
	if (machine->done < loop->k) {
		machine->sum += machine->done * loop->only_left;
		return;
	}
	count_total(machine, loop->end, machine->sum + (loop->k - 1) * loop->only_left + loop->only_last, 1);
	if (machine->done > loop->k)
		count_total(machine, loop->again_end, loop->base + loop->only_last, machine->done - loop->k);
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

static void push_piece(struct wm_machine *machine, uint32_t loop, uint64_t id)
{
	wm_sequence_push(machine->sequence, machine->plan, loop, id);
	machine->r = POISON;
}

/* ---- Events ------------------------------------------------------------------ */

/* After a count the register may have any value, unless the next action relies on its value. */
static bool count_path(struct wm_machine *machine, const struct wm_action *action, uint64_t total)
{
	bool spared = count_total(machine, action->end, total, 1) && action->flags & WM_SPARES;
	machine->r = spared ? machine->r : POISON;
	return spared;
}

static bool count_in_region(struct wm_machine *machine, const struct wm_action *action, uint64_t index)
{
	bool spared = count_local(machine, action->region, action->end, index, 1) && action->flags & WM_SPARES;
	machine->l = spared ? machine->l : POISON;
	return spared;
}

/* Executes one action of an event.  Returns whether the next action is skipped. */
static bool run_action(struct wm_machine *machine, const struct wm_action *action)
{
	uint64_t value = (uint64_t)action->value;
	switch ((enum wm_action_kind)action->kind) {
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
		return count_path(machine, action, machine->r + value);
	case WM_ACTION_COUNT_AT:
		return count_path(machine, action, value);
	case WM_ACTION_TRIP_BEGIN:
		begin_trips(machine, (uint32_t)value);
		break;
	case WM_ACTION_TRIP:
		machine->trips[value]++;
		break;
	case WM_ACTION_TRIP_END:
		end_trips(machine, (uint32_t)value);
		break;
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
		return count_in_region(machine, action, machine->l + value);
	case WM_ACTION_LOCAL_COUNT_AT:
		return count_in_region(machine, action, value);
	case WM_ACTION_LOCAL_LEAVE:
		machine->r = region_value(machine, action->region, machine->l + value);
		machine->l = POISON;
		break;
	case WM_ACTION_LOCAL_LEAVE_AT:
		machine->r = region_value(machine, action->region, value);
		machine->l = POISON;
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
		push_iteration(machine, &machine->program->step[value]);
		break;
	case WM_ACTION_LEAVE:
		leave_loop(machine, &machine->program->step[value]);
		break;
	case WM_ACTION_PIECE:
		push_piece(machine, action->loop, machine->r + value);
		break;
	case WM_ACTION_PIECE_AT:
		push_piece(machine, action->loop, value);
		break;
	case WM_ACTION_FRAME:
	case WM_ACTION_LAND:
		machine->counters.frame(machine->counters.closure, action->kind == WM_ACTION_LAND);
		break;
		WM_END_ACTIONS(WM_CASE)
		WM_UNIT_ACTIONS(WM_CASE)
		assert(!"an action that no event of a single function has");
		break;
	}
	return false;
}

static void run_probe(struct wm_machine *machine, const struct wm_probe *probe)
{
	for (uint32_t i = 0; i < probe->count; i++)
		i += run_action(machine, &probe->action[i]);
}

void wm_machine_enter(struct wm_machine *machine)
{
	machine->block = 0;
	machine->r = machine->l = machine->outer = POISON;
	if (machine->sequence)
		wm_pieces_begin(machine->sequence->pieces);
	run_probe(machine, &machine->program->entry);
}

static bool is_call(const struct wm_machine *machine, uint32_t edge)
{
	const bool *call_edge = machine->plan->graph->call_edge;
	return call_edge && call_edge[edge];
}

/* On a call edge: the actions before the call.  LAND is the last action. */
static uint32_t actions_before(const struct wm_probe *probe)
{
	return probe->count && probe->action[probe->count - 1].kind == WM_ACTION_LAND ? probe->count - 1 : probe->count;
}

enum wm_status wm_machine_step(struct wm_machine *machine, uint32_t next_block)
{
	uint32_t edge = wm_graph_find_edge(machine->plan->graph, machine->block, next_block);
	if (edge == WM_NONE)
		return WM_BAD_PATH;
	struct wm_probe probe = machine->program->edge[edge];
	if (is_call(machine, edge))
		probe.count = actions_before(&probe);
	run_probe(machine, &probe);
	machine->last_edge = edge;
	machine->block = next_block;
	return WM_OK;
}

void wm_machine_return(struct wm_machine *machine)
{
	const struct wm_probe *probe = &machine->program->edge[machine->last_edge];
	for (uint32_t i = actions_before(probe); i < probe->count; i++)
		run_action(machine, &probe->action[i]);
}

enum wm_status wm_machine_exit(struct wm_machine *machine)
{
	if (machine->plan->graph->end[machine->block] == WM_END_NONE)
		return WM_BAD_PATH;
	run_probe(machine, &machine->program->exit[machine->block]);
	return WM_OK;
}
