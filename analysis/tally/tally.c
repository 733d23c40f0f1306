/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tally/tally.h"
#include "abi/sequence.h"
#include "abi/stream.h"
#include "support/fail.h"
#include <inttypes.h>

/* ---- Counters ----------------------------------------------------------------------------- */

/* Of the function whose path is counted. */
static struct wm_tally *counting_tally(const struct wm_tally_unit *unit)
{
	return &unit->tally[unit->machine.counts_in];
}

static struct wm_tally_sums *sums_of(const struct wm_tally_unit *unit, uint32_t function)
{
	return &unit->tally[function].sums[*unit->own ? WM_OWN : WM_INHERITED];
}

static void count_sequence(void *closure, const uint64_t *piece, uint32_t length)
{
	const struct wm_tally_unit *unit = closure;
	wm_id_counts_add(&sums_of(unit, unit->machine.counts_in)->ids,
		wm_sequences_index(&counting_tally(unit)->names, piece, length), 1);
}

/* What the runtime would be called with.  A path of one piece is named by it (abi/sequence.h). */
static void count_path(void *closure, uint64_t id, uint64_t amount)
{
	const struct wm_tally_unit *unit = closure;
	const struct wm_tally *tally = counting_tally(unit);
	const struct wm_plan *plan = unit->probed[unit->machine.counts_in].plan;
	uint64_t piece = id - WM_ALONE_BIT;
	if ((wm_plan_has_pieces(plan) ? piece : id) >= wm_plan_ids(plan))
		wm_bug("the probes of function '%s' counted path %" PRIu64 ", which does not exist", tally->name, id);
	if (wm_plan_has_pieces(plan))
		count_sequence(closure, &piece, 1);
	else
		wm_id_counts_add(&sums_of(unit, unit->machine.counts_in)->ids, id, amount);
}

static void count_cell(void *closure, uint32_t cell, uint64_t amount)
{
	const struct wm_tally_unit *unit = closure;
	count_path(closure, wm_probed_cell(&unit->probed[unit->machine.counts_in], cell), amount);
}

/* The interpreter's table is the runtime's. */
static bool find_path(void *closure, uint64_t id, uint64_t amount)
{
	count_path(closure, id, amount);
	return true;
}

static void record_subpath(void *closure, uint64_t id)
{
	const struct wm_tally_unit *unit = closure;
	const struct wm_tally *tally = counting_tally(unit);
	if (wm_walk_take(tally->walk, wm_stream_subpath(unit->machine.counts_in, (uint32_t)id)) != WM_OK)
		wm_bug("the probes of function '%s' recorded subpath %" PRIu64 ", which does not exist", tally->name,
			id);
}

void wm_tally_unit_init(struct wm_tally_unit *unit, uint32_t function_count, const struct wm_unit_plan *plan,
	struct wm_probed *probed, struct wm_arena *arena)
{
	*unit = (struct wm_tally_unit){.plan = plan,
		.function_count = function_count,
		.tally = WM_NEW(arena, struct wm_tally, function_count),
		.probed = probed ? probed : WM_NEW(arena, struct wm_probed, function_count)};
	if (!unit->tally || !unit->probed)
		wm_no_memory();
	for (uint32_t f = 0; plan && f < function_count; f++)
		unit->tally[f].name = plan->unit->function[f].name;
	unit->machine = (struct wm_machine){.probed = unit->probed,
		.arena = arena,
		.counters = {.closure = unit,
			.cell = count_cell,
			.find = find_path,
			.call = count_path,
			.sequence = count_sequence,
			.append = record_subpath}};
}

void wm_tally_place(struct wm_tally_unit *unit, uint32_t function, enum wm_placement placement, struct wm_arena *arena)
{
	struct wm_tally *tally = &unit->tally[function];
	struct wm_graph_probes *probes = &tally->probes;
	if (tally->parts)
		wm_counting_stream(&probes->counting, &tally->plan);
	else
		wm_counting_plain(&probes->counting, &tally->plan, WM_GRAPH_ARRAY_PATHS);
	wm_graph_place(probes, &tally->plan,
		&(struct wm_graph_placing){.parts = tally->parts, .placement = placement, .abandons = true}, arena);
	unit->probed[function] =
		(struct wm_probed){.plan = &tally->plan, .program = &probes->program, .counting = &probes->counting};
}

/* ---- Activations -------------------------------------------------------------------------- */

static struct wm_tally_member member_of(const struct wm_tallies *tallies, uint32_t function)
{
	return tallies->member ? tallies->member[function] : (struct wm_tally_member){tallies->unit, function, NULL};
}

static struct wm_runner find_runner(void *closure, uint32_t function)
{
	const struct wm_tallies *tallies = closure;
	const struct wm_tally_member member = member_of(tallies, function);
	if (!member.unit)
		return (struct wm_runner){0};
	if (tallies->plan)
		tallies->plan(tallies->closure, function);
	const struct wm_tally *tally = &member.unit->tally[member.function];
	return (struct wm_runner){&member.unit->machine, member.function, tally->parts, tally->twice};
}

static struct wm_tally_unit *unit_of(const struct wm_tallies *tallies, const struct wm_activation *activation)
{
	return member_of(tallies, activation->function).unit;
}

static struct wm_tally_sums *sums_at(const struct wm_tallies *tallies, const struct wm_activation *activation)
{
	return sums_of(unit_of(tallies, activation), activation->runner.function);
}

static void note_entry(void *closure, const struct wm_activation *top)
{
	struct wm_tally_sums *sums = sums_at(closure, top);
	bool crossed = wm_machine_top(top->runner.machine)->crossed;
	sums->entries += !crossed;
	sums->crossed += crossed;
}

/* An activation that was entered by a crossed call continues the path of its caller, so only other activations abandon
 * a path, unless it waits in a call and is counted as pending. */
static void note_abandoned(void *closure, const struct wm_activation *top)
{
	struct wm_tally_unit *unit = unit_of(closure, top);
	unit->pending |= wm_machine_waits(&unit->machine);
	if (wm_machine_top(&unit->machine)->crossed)
		return;
	unit->tally[top->runner.function].abandoned += !unit->pending && *unit->own;
	unit->pending = false;
}

static void note_resumed(void *closure, const struct wm_activation *top)
{
	sums_at(closure, top)->resumed++;
}

/* ---- Tail calls --------------------------------------------------------------------------- */

static struct wm_activation *top_of(const struct wm_tallies *tallies)
{
	return &tallies->activations.activation[tallies->activations.depth - 1];
}

/* The next call of the activation on top, in the machine; NULL: there is none. */
static const struct wm_call *next_call(const struct wm_tallies *tallies, uint32_t *index)
{
	const struct wm_runner *runner = &top_of(tallies)->runner;
	*index = runner->machine ? wm_machine_next_call(runner->machine) : WM_NONE;
	return *index == WM_NONE ? NULL : &runner->machine->probed[runner->function].plan->in_unit->call[*index];
}

static void take(struct wm_tallies *tallies, const struct wm_walk_event *event)
{
	wm_activations_take(&tallies->activations, event);
}

static bool in_tail_call(const struct wm_tallies *tallies)
{
	return tallies->activations.depth && top_of(tallies)->tail;
}

static void return_from_tail_call(struct wm_tallies *tallies)
{
	take(tallies, &(struct wm_walk_event){.kind = WM_WALK_BEHIND});
	take(tallies, &(struct wm_walk_event){.kind = WM_WALK_LEAVE});
}

static void return_from_tail_calls(struct wm_tallies *tallies)
{
	while (in_tail_call(tallies))
		return_from_tail_call(tallies);
}

static void abandon_tail_calls(struct wm_tallies *tallies)
{
	while (in_tail_call(tallies))
		take(tallies, &(struct wm_walk_event){.kind = WM_WALK_ABANDON});
}

/* Whether the call of the current block that is still to come is a tail call of the recorded build only. */
static bool makes_tail_call(const struct wm_tallies *tallies)
{
	uint32_t call;
	const struct wm_runner *runner = &top_of(tallies)->runner;
	return next_call(tallies, &call) &&
	       !wm_unit_is_last_call(runner->machine->probed[runner->function].plan->in_unit, call);
}

static void make_tail_call(struct wm_tallies *tallies)
{
	top_of(tallies)->tail = true;
	wm_machine_call(top_of(tallies)->runner.machine, false);
}

/* A tail call of a function that is known not to be recorded has returned when another function is entered, or has
 * called that function; the counts are the same. */
static void return_from_unrecorded(struct wm_tallies *tallies)
{
	while (in_tail_call(tallies)) {
		const struct wm_map_function *recorded = member_of(tallies, top_of(tallies)->function).recorded;
		uint32_t index;
		const struct wm_call *call = next_call(tallies, &index);
		bool indirect = recorded->call[index].callee == WM_NONE;
		if (indirect || call->callee != WM_NONE)
			return;
		return_from_tail_call(tallies);
	}
}

/* What becomes of tail calls above the activation that an event is about. */
static void settle_tail_calls(struct wm_tallies *tallies, const struct wm_walk_event *event)
{
	enum wm_walk_kind kind = event->kind;
	if (kind == WM_WALK_ENTER)
		return_from_unrecorded(tallies);
	else if (kind == WM_WALK_CAUGHT || kind == WM_WALK_AGAIN || kind == WM_WALK_ABANDON)
		abandon_tail_calls(tallies);
	else if (event->function != WM_NONE || kind == WM_WALK_END)
		return_from_tail_calls(tallies);
}

/* ---- The walk ----------------------------------------------------------------------------- */

/* The next walk does not depend on this one, so the mailbox is cleared. */
static void end_walk(struct wm_tally_unit *unit)
{
	wm_machine_end(&unit->machine);
	unit->machine.mailbox = (struct wm_mailbox){0};
}

/* The process was forked: its activations go on. */
static void note_inherited(const struct wm_tallies *tallies)
{
	for (size_t i = 0; i < tallies->activations.depth; i++) {
		const struct wm_activation *activation = &tallies->activations.activation[i];
		if (activation->runner.machine)
			unit_of(tallies, activation)->tally[activation->runner.function].inherited++;
	}
}

/* Paths that begin at a landing pad of a crossed call are noted in the function that has it. */
static void note_pads(struct wm_tallies *tallies, const struct wm_walk_event *event)
{
	const struct wm_runner *runner = &top_of(tallies)->runner;
	uint64_t before = runner->machine ? runner->machine->resumed : 0;
	wm_activations_take(&tallies->activations, event);
	if (runner->machine)
		sums_at(tallies, top_of(tallies))->resumed += runner->machine->resumed - before;
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct wm_tallies *tallies = closure;
	settle_tail_calls(tallies, event);
	if (event->kind == WM_WALK_LEAVE && makes_tail_call(tallies)) {
		make_tail_call(tallies);
		return;
	}
	(event->kind == WM_WALK_BLOCK ? note_pads : take)(tallies, event);
	if (event->kind == WM_WALK_LEAVE)
		return_from_tail_calls(tallies);
	if (event->kind == WM_WALK_ABANDON)
		abandon_tail_calls(tallies);
	if (event->kind == WM_WALK_OWN)
		note_inherited(tallies);
	for (size_t i = 0; event->kind == WM_WALK_END && i < tallies->unit_count; i++)
		end_walk(&tallies->unit[i]);
}

struct wm_sink wm_tallies_sink(struct wm_tallies *tallies)
{
	static const struct wm_activation_hooks hooks = {find_runner, note_entry, note_abandoned, note_resumed};
	tallies->activations = (struct wm_activations){.hooks = &hooks, .closure = tallies};
	for (size_t u = 0; u < tallies->unit_count; u++)
		tallies->unit[u].own = &tallies->activations.own;
	return (struct wm_sink){tallies, take_event};
}

void wm_tallies_release(struct wm_tallies *tallies)
{
	for (size_t u = 0; u < tallies->unit_count; u++)
		for (uint32_t f = 0; f < tallies->unit[u].function_count; f++) {
			struct wm_tally *tally = &tallies->unit[u].tally[f];
			for (unsigned whose = 0; whose < WM_WHOSE; whose++)
				wm_id_counts_release(&tally->sums[whose].ids);
			wm_sequences_release(&tally->names);
		}
	wm_activations_release(&tallies->activations);
}
