/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/recording/unit_tally.h"
#include "support/tool.h"
#include <inttypes.h>

/* ---- Counters ----------------------------------------------------------------------------- */

/* At the end of a walk no activation is on top. */
static struct wm_unit_sums *sums_of(const struct wm_unit_tally *tally, uint32_t function)
{
	return &tally->sums[function][*tally->own ? WM_OWN : WM_INHERITED];
}

static void count(void *closure, uint64_t id, uint64_t amount)
{
	struct wm_unit_tally *tally = closure;
	if (id >= tally->plan->path_count)
		wm_bug("the probes counted path %" PRIu64 ", which does not exist", id);
	wm_id_counts_add(&sums_of(tally, tally->machine.counts_in)->ids, id, amount);
}

static void count_cell(void *closure, uint32_t cell, uint64_t amount)
{
	const struct wm_unit_tally *tally = closure;
	const struct wm_probed *probed = &tally->machine.probed[tally->machine.counts_in];
	count(closure, probed->table[probed->unit->first_id + cell], amount);
}

/* The interpreter's table is the runtime's. */
static bool find_path(void *closure, uint64_t id, uint64_t amount)
{
	count(closure, id, amount);
	return true;
}

void wm_unit_tally_init(struct wm_unit_tally *tally, const struct wm_unit_plan *plan, const struct wm_probed *probed,
	struct wm_arena *arena)
{
	*tally = (struct wm_unit_tally){.plan = plan};
	tally->sums = wm_arena_alloc(arena, plan->unit->function_count, sizeof *tally->sums);
	if (!tally->sums)
		wm_bug("out of memory");
	tally->machine = (struct wm_machine){.probed = probed,
		.arena = arena,
		.counters = {.closure = tally, .cell = count_cell, .find = find_path, .call = count}};
}

/* ---- Activations -------------------------------------------------------------------------- */

/* The map of a recording does not tell which calls may return twice, only that the function has such calls. */
static struct wm_runner find_runner(void *closure, uint32_t function)
{
	const struct wm_unit_tallies *tallies = closure;
	const struct wm_tally_member *member = &tallies->member[function];
	struct wm_unit_tally *tally = member->tally;
	if (!tally)
		return (struct wm_runner){0};
	tally->own = &tallies->activations.own;
	return (struct wm_runner){
		&tally->machine, member->function, NULL, member->recorded && member->recorded->has_resumed};
}

static struct wm_unit_tally *tally_of(const struct wm_unit_tallies *tallies, const struct wm_activation *activation)
{
	return tallies->member[activation->function].tally;
}

static struct wm_unit_sums *sums_at(const struct wm_unit_tallies *tallies, const struct wm_activation *activation)
{
	return sums_of(tally_of(tallies, activation), activation->runner.function);
}

static void note_entry(void *closure, const struct wm_activation *top)
{
	struct wm_unit_sums *sums = sums_at(closure, top);
	bool crossed = wm_machine_top(top->runner.machine)->crossed;
	sums->entries += !crossed;
	sums->crossed += crossed;
}

/* An activation that was entered by a crossed call continues the path of its caller, so only other activations abandon
 * a path, unless it waits in a call and is counted as pending. */
static void note_abandoned(void *closure, const struct wm_activation *top)
{
	struct wm_unit_tally *tally = tally_of(closure, top);
	tally->pending |= wm_machine_waits(&tally->machine);
	if (wm_machine_top(&tally->machine)->crossed)
		return;
	tally->abandoned += !tally->pending;
	tally->pending = false;
}

static void note_resumed(void *closure, const struct wm_activation *top)
{
	sums_at(closure, top)->resumed++;
}

/* ---- Tail calls --------------------------------------------------------------------------- */

static struct wm_activation *top_of(const struct wm_unit_tallies *tallies)
{
	return &tallies->activations.activation[tallies->activations.depth - 1];
}

/* The next call of the activation on top, in the machine; NULL: there is none. */
static const struct wm_call *next_call(const struct wm_unit_tallies *tallies, uint32_t *index)
{
	const struct wm_runner *runner = &top_of(tallies)->runner;
	*index = runner->machine ? wm_machine_next_call(runner->machine) : WM_NONE;
	return *index == WM_NONE ? NULL : &runner->machine->probed[runner->function].in_unit->call[*index];
}

static void take(struct wm_unit_tallies *tallies, const struct wm_walk_event *event)
{
	wm_activations_take(&tallies->activations, event);
}

static bool in_tail_call(const struct wm_unit_tallies *tallies)
{
	return tallies->activations.depth && top_of(tallies)->tail;
}

static void return_from_tail_call(struct wm_unit_tallies *tallies)
{
	take(tallies, &(struct wm_walk_event){.kind = WM_WALK_BEHIND});
	take(tallies, &(struct wm_walk_event){.kind = WM_WALK_LEAVE});
}

static void return_from_tail_calls(struct wm_unit_tallies *tallies)
{
	while (in_tail_call(tallies))
		return_from_tail_call(tallies);
}

static void abandon_tail_calls(struct wm_unit_tallies *tallies)
{
	while (in_tail_call(tallies))
		take(tallies, &(struct wm_walk_event){.kind = WM_WALK_ABANDON});
}

/* Whether the call of the current block that is still to come is a tail call of the recorded build only. */
static bool makes_tail_call(const struct wm_unit_tallies *tallies)
{
	uint32_t call;
	const struct wm_runner *runner = &top_of(tallies)->runner;
	return next_call(tallies, &call) &&
	       !wm_unit_is_last_call(runner->machine->probed[runner->function].in_unit, call);
}

static void make_tail_call(struct wm_unit_tallies *tallies)
{
	top_of(tallies)->tail = true;
	wm_machine_call(top_of(tallies)->runner.machine, false);
}

/* A tail call of a function that is known not to be recorded has returned when another function is entered, or has
 * called that function; the counts are the same. */
static void return_from_unrecorded(struct wm_unit_tallies *tallies)
{
	while (in_tail_call(tallies)) {
		const struct wm_map_function *recorded = tallies->member[top_of(tallies)->function].recorded;
		uint32_t index;
		const struct wm_call *call = next_call(tallies, &index);
		bool indirect = recorded->call[index].callee == WM_NONE;
		if (indirect || call->callee != WM_NONE)
			return;
		return_from_tail_call(tallies);
	}
}

/* What becomes of tail calls above the activation that an event is about. */
static void settle_tail_calls(struct wm_unit_tallies *tallies, const struct wm_walk_event *event)
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
static void end_walk(struct wm_unit_tally *tally)
{
	wm_machine_end(&tally->machine);
	tally->machine.mailbox = (struct wm_mailbox){0};
}

/* Paths that begin at a landing pad of a crossed call are noted in the function that has it. */
static void note_pads(struct wm_unit_tallies *tallies, const struct wm_walk_event *event)
{
	const struct wm_runner *runner = &top_of(tallies)->runner;
	uint64_t before = runner->machine ? runner->machine->resumed : 0;
	wm_activations_take(&tallies->activations, event);
	if (runner->machine)
		sums_at(tallies, top_of(tallies))->resumed += runner->machine->resumed - before;
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct wm_unit_tallies *tallies = closure;
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
	for (size_t i = 0; event->kind == WM_WALK_END && i < tallies->count; i++)
		end_walk(&tallies->tally[i]);
}

struct wm_sink wm_unit_tallies_sink(struct wm_unit_tallies *tallies)
{
	static const struct wm_activation_hooks hooks = {find_runner, note_entry, note_abandoned, note_resumed};
	tallies->activations = (struct wm_activations){.hooks = &hooks, .closure = tallies};
	return (struct wm_sink){tallies, take_event};
}

void wm_unit_tallies_release(struct wm_unit_tallies *tallies)
{
	for (size_t t = 0; t < tallies->count; t++)
		for (uint32_t f = 0; f < tallies->tally[t].plan->unit->function_count; f++)
			for (unsigned whose = 0; whose < WM_WHOSE; whose++)
				wm_id_counts_release(&tallies->tally[t].sums[f][whose].ids);
	wm_activations_release(&tallies->activations);
}
