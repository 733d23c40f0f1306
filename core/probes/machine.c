/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/machine.h"
#include "core/probes/iteration_window.h"
#include "core/probes/pieces_probes.h"
#include <assert.h>
#include <string.h>

/* The value of a register that no program may read: a count computed from it is out of range. */
#define POISON 0xDEADDEADDEADDEADull

/* ---- The memory of a frame ------------------------------------------------ */

/* The trips of loops come first, then the totals before them, saved contexts and the pieces of the path. */
static uint64_t *trips_of(const struct wm_machine *m)
{
	return m->word + wm_machine_top(m)->first_word;
}

static uint64_t *totals_before(const struct wm_machine *m)
{
	return trips_of(m) + wm_machine_probed(m)->program->trip_loop_count;
}

static uint64_t *saved_contexts(const struct wm_machine *m)
{
	return totals_before(m) + wm_machine_probed(m)->program->trip_loop_count;
}

static struct wm_sequence sequence_of(const struct wm_machine *m)
{
	uint64_t *pieces = saved_contexts(m) + wm_machine_probed(m)->program->saved_count;
	return (struct wm_sequence){(struct wm_pieces *)(void *)pieces, m->counters.sequence, m->counters.closure};
}

static uint32_t count_words(const struct wm_probed *probed)
{
	uint32_t pieces =
		wm_plan_has_pieces(probed->plan) ? sizeof(struct wm_pieces) / 8 + wm_sequence_room(probed->plan) : 0;
	return 2 * probed->program->trip_loop_count + probed->program->saved_count + pieces;
}

/* The first word after those of the top frame. */
static uint32_t used_words(const struct wm_machine *m)
{
	return m->depth ? wm_machine_top(m)->first_word + count_words(wm_machine_probed(m)) : 0;
}

/* One word more, so that there is always an address to copy from. */
static bool grow_words(struct wm_machine *m, uint32_t needed)
{
	while (m->word_capacity <= needed) {
		uint64_t *grown = wm_arena_grow(m->arena, m->word, &m->word_capacity, m->word_capacity, sizeof *grown);
		if (!grown)
			return false;
		m->word = grown;
	}
	return true;
}

/* ---- Ends of paths ------------------------------------------------------- */

struct ending {
	uint64_t total, index, amount;
};

static uint64_t region_value(const struct wm_machine *machine, uint32_t region, uint64_t index)
{
	const struct wm_region *facts = &wm_machine_probed(machine)->program->region[region];
	if (index >= facts->paths)
		return POISON;
	return facts->sum[index] + (index < facts->entered ? wm_machine_top(machine)->outer : 0);
}

static void add_to_cell(const struct wm_machine *machine, uint64_t first, uint64_t offset, uint64_t amount)
{
	if (first != WM_NONE)
		machine->counters.cell(machine->counters.closure, (uint32_t)(first + offset), amount);
}

static bool is_settled(const struct wm_machine *machine, const struct wm_action *action, uint64_t index)
{
	const struct wm_cells *cells = &wm_machine_probed(machine)->program->cells;
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
	const struct wm_counting *counting = machine->probed[machine->counts_in].counting;
	if (ending->amount)
		machine->counters.call(
			machine->counters.closure, wm_counting_id(counting, ending->total), ending->amount);
}

static void end_sequence(const struct wm_machine *machine, uint64_t piece)
{
	struct wm_sequence sequence = sequence_of(machine);
	wm_sequence_end(&sequence, piece);
}

static bool run_end(const struct wm_machine *machine, const struct wm_probe *end, struct ending *ending);

/* Executes one action of an end.  Returns whether the end stops. */
static bool run_end_action(const struct wm_machine *machine, const struct wm_action *action, struct ending *ending)
{
	const struct wm_probed *probed = &machine->probed[machine->counts_in];
	const struct wm_counting *counting = probed->counting;
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
	case WM_ACTION_SEEN:
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
		run_end(machine, &probed->program->cold, ending);
		break;
	case WM_ACTION_ALONE:
		stops = sequence_of(machine).pieces->length > 0;
		if (stops)
			end_sequence(machine, total);
		else
			ending->total += WM_ALONE_BIT;
		break;
	case WM_ACTION_PIECES:
		end_sequence(machine, total);
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

bool wm_machine_count(struct wm_machine *machine, uint32_t function, uint32_t end, uint64_t total, uint64_t amount)
{
	struct ending ending = {.total = total, .amount = amount};
	machine->counts_in = function;
	if (end != WM_NONE)
		return run_end(machine, &machine->probed[function].program->end[end], &ending);
	if (wm_plan_has_pieces(machine->probed[function].plan))
		end_sequence(machine, total);
	else
		machine->counters.total(machine->counters.closure, total, amount);
	return false;
}

static bool count_total(struct wm_machine *machine, uint32_t end, uint64_t total, uint64_t amount)
{
	return wm_machine_count(machine, wm_machine_top(machine)->function, end, total, amount);
}

static bool count_local(struct wm_machine *machine, uint32_t region, uint32_t end, uint64_t index, uint64_t amount)
{
	struct ending ending = {.total = POISON, .index = index, .amount = amount};
	machine->counts_in = wm_machine_top(machine)->function;
	if (end != WM_NONE)
		return run_end(machine, &wm_machine_probed(machine)->program->end[end], &ending);
	return count_total(machine, WM_NONE, region_value(machine, region, index), amount);
}

/* ---- Loops with one path -------------------------------------------------- */

static void count_trips(
	struct wm_machine *machine, const struct wm_trip_loop *facts, uint32_t end, uint64_t total, uint64_t amount)
{
	if (facts->region == WM_NONE)
		count_total(machine, end, total, amount);
	else
		count_local(machine, facts->region, end, total, amount);
}

static void end_trips(struct wm_machine *machine, uint32_t loop)
{
	const struct wm_trip_loop *facts = &wm_machine_probed(machine)->program->trip_loop[loop];
	uint64_t trips = trips_of(machine)[loop];
	if (!trips)
		return;
	count_trips(machine, facts, facts->first_end, totals_before(machine)[loop] + (uint64_t)facts->first, 1);
	if (trips > 1)
		count_trips(machine, facts, facts->again_end, (uint64_t)facts->again, trips - 1);
}

static void begin_trips(struct wm_machine *machine, uint32_t loop)
{
	bool local = wm_machine_probed(machine)->program->trip_loop[loop].region != WM_NONE;
	const struct wm_frame *frame = wm_machine_top(machine);
	trips_of(machine)[loop] = 0;
	totals_before(machine)[loop] = local ? frame->l : frame->r;
}

/* ---- Paths over k iterations ----------------------------------------------- */

static uint64_t before_step(const struct wm_frame *frame, const struct wm_window_step *step)
{
	return (step->known ? 0 : frame->r) + (uint64_t)step->before;
}

static void enter_loop(struct wm_machine *machine, const struct wm_window_step *step)
{
	struct wm_frame *frame = wm_machine_top(machine);
	frame->sum = before_step(frame, step);
	frame->window = frame->done = 0;
	frame->r = (uint64_t)step->after;
}

static void push_iteration(struct wm_machine *machine, const struct wm_window_step *step)
{
	const struct wm_window_loop *loop = &wm_machine_probed(machine)->program->window[step->loop];
	struct wm_frame *frame = wm_machine_top(machine);
	struct wm_window_fields fields = wm_window_split(loop, step, before_step(frame, step));
	if (loop->trips) {
		frame->done++;
	} else if (frame->done < loop->k - 1) {
		frame->sum += fields.rank * loop->paths[frame->done++] + fields.left;
		frame->window = frame->window * loop->iterations + fields.rank;
	} else {
		count_total(machine, loop->end, frame->sum + fields.last, 1);
		frame->window = (frame->window * loop->iterations + fields.rank) % loop->modulus;
		frame->sum = loop->base + frame->window * loop->last_paths;
	}
	frame->r = (uint64_t)step->after;
}

/* The trips of a loop that does not count them; `sum` is then that of the current iteration. */
static void count_windows(struct wm_machine *machine, const struct wm_window_loop *loop)
{
	struct wm_frame *frame = wm_machine_top(machine);
	if (frame->done < loop->k) {
		frame->sum += frame->done * loop->only_left;
		return;
	}
	count_total(machine, loop->end, frame->sum + (loop->k - 1) * loop->only_left + loop->only_last, 1);
	if (frame->done > loop->k)
		count_total(machine, loop->again_end, loop->base + loop->only_last, frame->done - loop->k);
	frame->sum = loop->base;
}

static void leave_loop(struct wm_machine *machine, const struct wm_window_step *step)
{
	const struct wm_window_loop *loop = &wm_machine_probed(machine)->program->window[step->loop];
	struct wm_frame *frame = wm_machine_top(machine);
	struct wm_window_fields fields = wm_window_split(loop, step, before_step(frame, step));
	bool early = frame->done < loop->k - 1;
	if (loop->trips)
		count_windows(machine, loop);
	frame->r = frame->sum + (uint64_t)step->after +
		   (early ? fields.rank * loop->paths[frame->done] + fields.left : fields.last);
	frame->sum = frame->window = POISON;
}

static void push_piece(struct wm_machine *machine, uint32_t loop, uint64_t id)
{
	struct wm_sequence sequence = sequence_of(machine);
	machine->counts_in = wm_machine_top(machine)->function;
	wm_sequence_push(&sequence, wm_machine_probed(machine)->plan, loop, id);
	wm_machine_top(machine)->r = POISON;
}

/* ---- Actions ----------------------------------------------------------------- */

/* After a count the register may have any value, unless the next action relies on its value. */
static bool count_path(struct wm_machine *machine, const struct wm_action *action, uint64_t total)
{
	bool spared = count_total(machine, action->end, total, 1) && action->flags & WM_SPARES;
	struct wm_frame *frame = wm_machine_top(machine);
	frame->r = spared ? frame->r : POISON;
	return spared;
}

static bool count_in_region(struct wm_machine *machine, const struct wm_action *action, uint64_t index)
{
	bool spared = count_local(machine, action->region, action->end, index, 1) && action->flags & WM_SPARES;
	struct wm_frame *frame = wm_machine_top(machine);
	frame->l = spared ? frame->l : POISON;
	return spared;
}

/* Executes one action of an event.  Returns whether the next action is skipped. */
static bool run_action(struct wm_machine *machine, const struct wm_action *action)
{
	const struct wm_probe_program *program = wm_machine_probed(machine)->program;
	struct wm_frame *frame = wm_machine_top(machine);
	uint64_t value = (uint64_t)action->value;
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_SET:
		frame->r = value;
		break;
	case WM_ACTION_ADD:
		frame->r += value;
		break;
	case WM_ACTION_MARK:
		frame->r = ((frame->r + value) | WM_MARK_BIT) - value;
		break;
	case WM_ACTION_COUNT:
		return count_path(machine, action, frame->r + value);
	case WM_ACTION_COUNT_AT:
		return count_path(machine, action, value);
	case WM_ACTION_TRIP_BEGIN:
		begin_trips(machine, (uint32_t)value);
		break;
	case WM_ACTION_TRIP:
		trips_of(machine)[value]++;
		break;
	case WM_ACTION_TRIP_END:
		end_trips(machine, (uint32_t)value);
		break;
	case WM_ACTION_LOCAL_ENTER:
		frame->outer = frame->r;
		frame->r = POISON;
		break;
	case WM_ACTION_LOCAL_SET:
		frame->l = value;
		break;
	case WM_ACTION_LOCAL_ADD:
		frame->l += value;
		break;
	case WM_ACTION_LOCAL_COUNT:
		return count_in_region(machine, action, frame->l + value);
	case WM_ACTION_LOCAL_COUNT_AT:
		return count_in_region(machine, action, value);
	case WM_ACTION_LOCAL_LEAVE:
		frame->r = region_value(machine, action->region, frame->l + value);
		frame->l = POISON;
		break;
	case WM_ACTION_LOCAL_LEAVE_AT:
		frame->r = region_value(machine, action->region, value);
		frame->l = POISON;
		break;
	case WM_ACTION_SAVE:
		saved_contexts(machine)[value] = frame->r;
		break;
	case WM_ACTION_RESTORE:
		frame->r = saved_contexts(machine)[value];
		break;
	case WM_ACTION_ENTER:
		enter_loop(machine, &program->step[value]);
		break;
	case WM_ACTION_PUSH:
		push_iteration(machine, &program->step[value]);
		break;
	case WM_ACTION_LEAVE:
		leave_loop(machine, &program->step[value]);
		break;
	case WM_ACTION_PIECE:
		push_piece(machine, action->loop, frame->r + value);
		break;
	case WM_ACTION_PIECE_AT:
		push_piece(machine, action->loop, value);
		break;
	case WM_ACTION_FRAME:
	case WM_ACTION_LAND:
		machine->counters.frame(machine->counters.closure, action->kind == WM_ACTION_LAND);
		break;
		WM_UNIT_ACTIONS(WM_CASE)
		wm_machine_run_across(machine, action);
		break;
		WM_END_ACTIONS(WM_CASE)
		assert(!"an action that no event has");
		break;
	}
	return false;
}

static void run_some(struct wm_machine *machine, const struct wm_probe *probe, uint32_t from, uint32_t to)
{
	wm_machine_interrupt(machine);
	for (uint32_t i = from; i < to; i++) {
		i += run_action(machine, &probe->action[i]);
		wm_machine_interrupt(machine);
	}
}

static void run_probe(struct wm_machine *machine, const struct wm_probe *probe)
{
	run_some(machine, probe, 0, probe->count);
}

/* ---- Events ------------------------------------------------------------------ */

static void arrive(struct wm_machine *m, uint32_t block)
{
	const struct wm_unit_function *in_unit = wm_machine_probed(m)->plan->in_unit;
	wm_machine_top(m)->block = block;
	wm_machine_top(m)->call = in_unit ? wm_unit_first_call(in_unit, block) : 0;
}

enum wm_status wm_machine_enter(struct wm_machine *m, uint32_t function, bool inlined)
{
	uint32_t first_word = used_words(m);
	struct wm_frame *grown = wm_arena_grow(m->arena, m->frame, &m->capacity, m->depth, sizeof *grown);
	m->frame = grown ? grown : m->frame;
	if (!grown || !grow_words(m, first_word + count_words(&m->probed[function])))
		return WM_NO_MEMORY;
	m->frame[m->depth++] = (struct wm_frame){.function = function,
		.first_word = first_word,
		.inlined = inlined,
		.r = POISON,
		.l = POISON,
		.outer = POISON};
	if (wm_plan_has_pieces(m->probed[function].plan))
		wm_pieces_begin(sequence_of(m).pieces);
	arrive(m, 0);
	run_probe(m, &m->probed[function].program->entry);
	return WM_OK;
}

uint32_t wm_machine_next_call(const struct wm_machine *m)
{
	const struct wm_unit_function *in_unit = wm_machine_probed(m)->plan->in_unit;
	uint32_t call = wm_machine_top(m)->call;
	bool has_call = in_unit && call < in_unit->call_count && in_unit->call[call].block == wm_machine_top(m)->block;
	return has_call ? call : WM_NONE;
}

void wm_machine_call(struct wm_machine *m, bool inlined)
{
	wm_machine_top(m)->passes = inlined;
	if (wm_machine_probed(m)->unit)
		run_probe(m, &wm_machine_probed(m)->unit->call[wm_machine_top(m)->call].before);
}

/* On a call edge of the graph of parts: the actions before the call.  LAND is the last action. */
static uint32_t actions_before(const struct wm_probe *probe)
{
	return probe->count && probe->action[probe->count - 1].kind == WM_ACTION_LAND ? probe->count - 1 : probe->count;
}

static bool is_call_edge(const struct wm_probed *probed, uint32_t edge)
{
	return probed->plan->graph->call_edge && probed->plan->graph->call_edge[edge];
}

void wm_machine_go_on(struct wm_machine *m)
{
	const struct wm_probed *probed = wm_machine_probed(m);
	uint32_t last = wm_machine_top(m)->last_edge;
	if (probed->unit)
		run_probe(m, &probed->unit->call[wm_machine_top(m)->call++].after);
	else if (is_call_edge(probed, last))
		run_some(m, &probed->program->edge[last], actions_before(&probed->program->edge[last]),
			probed->program->edge[last].count);
}

static void take_edge(struct wm_machine *m, uint32_t edge)
{
	const struct wm_probed *probed = wm_machine_probed(m);
	const struct wm_probe *probe = &probed->program->edge[edge];
	run_some(m, probe, 0, is_call_edge(probed, edge) ? actions_before(probe) : probe->count);
	wm_machine_top(m)->last_edge = edge;
	arrive(m, probed->plan->graph->edge_to[edge]);
}

enum wm_status wm_machine_step(struct wm_machine *m, uint32_t next_block)
{
	uint32_t edge = wm_graph_find_edge(wm_machine_probed(m)->plan->graph, wm_machine_top(m)->block, next_block);
	if (edge == WM_NONE)
		return WM_BAD_PATH;
	take_edge(m, edge);
	return WM_OK;
}

enum wm_status wm_machine_stick(struct wm_machine *m)
{
	const struct wm_probed *probed = wm_machine_probed(m);
	uint32_t last = wm_machine_next_call(m), block = wm_machine_top(m)->block;
	if (probed->plan->graph->end[block] == WM_END_NONE)
		return WM_BAD_PATH;
	if (last != WM_NONE && wm_unit_is_last_call(probed->plan->in_unit, last))
		wm_machine_call(m, false);
	run_probe(m, &probed->program->exit[block]);
	return WM_OK;
}

enum wm_status wm_machine_leave(struct wm_machine *m)
{
	enum wm_status status = wm_machine_stick(m);
	m->depth -= status == WM_OK;
	return status;
}

void wm_machine_unwind(struct wm_machine *m)
{
	m->depth--;
}

enum wm_status wm_machine_catch(struct wm_machine *m)
{
	const struct wm_probed *probed = wm_machine_probed(m);
	const struct wm_graph *graph = probed->plan->graph;
	uint32_t block = wm_machine_top(m)->block, call = wm_machine_next_call(m), last = graph->first_edge[block + 1];
	if (call == WM_NONE || !probed->plan->in_unit->call[call].unwinds || last == graph->first_edge[block])
		return WM_BAD_PATH;
	take_edge(m, last - 1);
	return WM_OK;
}

/* ---- setjmp ------------------------------------------------------------------ */

size_t wm_machine_saved_size(const struct wm_machine *m)
{
	return sizeof(struct wm_saved_frame) + count_words(wm_machine_probed(m)) * sizeof(uint64_t);
}

void wm_machine_save(const struct wm_machine *m, struct wm_saved_frame *saved)
{
	saved->frame = *wm_machine_top(m);
	memcpy(saved->word, trips_of(m), wm_machine_saved_size(m) - sizeof *saved);
}

/* Of functions with calls that may return twice, compiled code keeps no region, and loops around such a call count no trips in
 * registers.  The other fields of a frame do not change after its entry, or are kept. */
void wm_machine_return_again(struct wm_machine *m, const struct wm_saved_frame *saved)
{
	struct wm_frame *frame = wm_machine_top(m);
	*frame = saved->frame;
	frame->l = frame->outer = POISON;
	memcpy(trips_of(m), saved->word, wm_machine_saved_size(m) - sizeof *saved);
	for (uint32_t i = 0; i < 2 * wm_machine_probed(m)->program->trip_loop_count; i++)
		trips_of(m)[i] = POISON;
	m->mailbox.token = 0;
	wm_machine_go_on(m);
}
