/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/recording/unit_tally.h"
#include "support/tool.h"
#include <inttypes.h>
#include <stdlib.h>

/* ---- Counters ----------------------------------------------------------------------------- */

static struct wm_unit_frame *top_frame(const struct wm_unit_tally *tally)
{
	return &tally->machine.frame[tally->machine.depth - 1];
}

/* At the end of a walk no activation is on top: the first function counts the paths that are pending then. */
static struct wm_unit_sums *top_sums(const struct wm_unit_tally *tally)
{
	uint32_t function = tally->machine.depth ? top_frame(tally)->function : 0;
	return &tally->sums[function][*tally->own ? WM_OWN : WM_INHERITED];
}

static void count(void *closure, uint64_t id)
{
	struct wm_unit_tally *tally = closure;
	if (id >= tally->plan->path_count)
		wm_bug("the probes counted path %" PRIu64 ", which does not exist", id);
	wm_id_counts_add(&top_sums(tally)->ids, id, 1);
}

void wm_unit_tally_init(struct wm_unit_tally *tally, const struct wm_unit_plan *plan, const struct wm_unit_code *code,
	struct wm_arena *arena)
{
	*tally = (struct wm_unit_tally){.plan = plan, .code = *code};
	tally->sums = wm_arena_alloc(arena, plan->unit->function_count, sizeof *tally->sums);
	if (!tally->sums)
		wm_bug("out of memory");
	tally->machine = (struct wm_unit_machine){
		.unit = plan->unit, .code = &tally->code, .arena = arena, .closure = tally, .count = count};
}

/* ---- The interpreter ---------------------------------------------------------------------- */

static void *enter(void *closure, uint32_t function)
{
	const struct wm_unit_tallies *tallies = closure;
	const struct wm_tally_member *member = &tallies->member[function];
	struct wm_unit_tally *tally = member->tally;
	if (!tally)
		return NULL;
	tally->own = &tallies->activations.own;
	if (wm_unit_machine_enter(&tally->machine, member->function) != WM_OK)
		wm_bug("out of memory");
	top_sums(tally)->entries += !top_frame(tally)->crossed;
	top_sums(tally)->crossed += top_frame(tally)->crossed;
	return tally;
}

static void run(void *activation, const struct wm_walk_event *event)
{
	struct wm_unit_tally *tally = activation;
	struct wm_unit_machine *machine = &tally->machine;
	uint64_t resumed = machine->resumed;
	enum wm_status status = WM_OK;
	switch (event->kind) {
	case WM_WALK_BLOCK:
		status = wm_unit_machine_step(machine, event->block);
		top_sums(tally)->resumed += machine->resumed - resumed;
		break;
	case WM_WALK_CALL:
		if (wm_unit_machine_next_call(machine) != event->call)
			wm_bug("the walk makes call %u out of order", event->call);
		wm_unit_machine_call(machine);
		break;
	case WM_WALK_BEHIND:
		wm_unit_machine_go_on(machine);
		break;
	case WM_WALK_STUCK:
		status = wm_unit_machine_stick(machine);
		break;
	case WM_WALK_LEAVE:
		status = wm_unit_machine_leave(machine);
		break;
	case WM_WALK_BEGIN:
	case WM_WALK_OWN:
	case WM_WALK_END:
	case WM_WALK_ENTER:
	case WM_WALK_CAUGHT:
	case WM_WALK_AGAIN:
	case WM_WALK_ABANDON:
	case WM_WALK_ADOPT:
	case WM_WALK_SUBPATH:
	case WM_WALK_SPECIAL:
		break;
	}
	if (status != WM_OK)
		wm_bug("the walk takes an edge to block %u that does not exist", event->block);
}

/* An activation that was entered by a crossed call continues the path of its caller, so only other activations abandon
 * a path, unless it waits in a call and is counted as pending. */
static void drop(void *activation, bool abandoned)
{
	struct wm_unit_tally *tally = activation;
	if (!abandoned)
		return;
	tally->pending |= wm_unit_machine_waits(&tally->machine);
	if (!top_frame(tally)->crossed) {
		tally->abandoned += !tally->pending;
		tally->pending = false;
	}
	wm_unit_machine_unwind(&tally->machine);
}

/* The map of a recording does not tell which calls may return twice, only that the function has such calls. */
static void *save(void *closure, const struct wm_activation *top)
{
	const struct wm_unit_tallies *tallies = closure;
	const struct wm_map_function *recorded = tallies->member[top->function].recorded;
	if (!recorded || !recorded->has_resumed)
		return NULL;
	struct wm_unit_frame *saved = wm_xmalloc(sizeof *saved);
	*saved = *top_frame(top->state);
	return saved;
}

static void restore(void *activation, const void *saved)
{
	struct wm_unit_tally *tally = activation;
	top_sums(tally)->resumed++;
	if (!saved)
		return;
	wm_unit_machine_return_again(&tally->machine, saved);
	wm_unit_machine_go_on(&tally->machine);
}

/* ---- Tail calls --------------------------------------------------------------------------- */

static struct wm_activation *top_of(const struct wm_unit_tallies *tallies)
{
	return &tallies->activations.activation[tallies->activations.depth - 1];
}

static const struct wm_unit_function *top_function(const struct wm_unit_tally *tally)
{
	return &tally->plan->unit->function[top_frame(tally)->function];
}

static void take(struct wm_unit_tallies *tallies, enum wm_walk_kind kind)
{
	wm_activations_take(&tallies->activations, &(struct wm_walk_event){.kind = kind});
}

static bool in_tail_call(const struct wm_unit_tallies *tallies)
{
	return tallies->activations.depth && top_of(tallies)->tail;
}

static void return_from_tail_call(struct wm_unit_tallies *tallies)
{
	take(tallies, WM_WALK_BEHIND);
	take(tallies, WM_WALK_LEAVE);
}

static void return_from_tail_calls(struct wm_unit_tallies *tallies)
{
	while (in_tail_call(tallies))
		return_from_tail_call(tallies);
}

static void abandon_tail_calls(struct wm_unit_tallies *tallies)
{
	while (in_tail_call(tallies))
		take(tallies, WM_WALK_ABANDON);
}

/* Whether the call of the current block that is still to come is a tail call of the recorded build only. */
static bool makes_tail_call(const struct wm_unit_tallies *tallies)
{
	const struct wm_unit_tally *tally = top_of(tallies)->state;
	uint32_t call = tally ? wm_unit_machine_next_call(&tally->machine) : WM_NONE;
	return call != WM_NONE && !wm_unit_is_last_call(top_function(tally), call);
}

static void make_tail_call(struct wm_unit_tallies *tallies)
{
	struct wm_unit_tally *tally = top_of(tallies)->state;
	top_of(tallies)->tail = true;
	wm_unit_machine_call(&tally->machine);
}

/* A tail call of a function that is known not to be recorded has returned when another function is entered, or has
 * called that function; the counts are the same. */
static void return_from_unrecorded(struct wm_unit_tallies *tallies)
{
	while (in_tail_call(tallies)) {
		const struct wm_unit_tally *tally = top_of(tallies)->state;
		const struct wm_map_function *recorded = tallies->member[top_of(tallies)->function].recorded;
		uint32_t call = wm_unit_machine_next_call(&tally->machine);
		bool indirect = recorded->call[call].callee == WM_NONE;
		if (indirect || top_function(tally)->call[call].callee != WM_NONE)
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
	wm_unit_machine_end(&tally->machine);
	tally->machine.mailbox = (struct wm_mailbox){0};
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct wm_unit_tallies *tallies = closure;
	settle_tail_calls(tallies, event);
	if (event->kind == WM_WALK_LEAVE && makes_tail_call(tallies)) {
		make_tail_call(tallies);
		return;
	}
	wm_activations_take(&tallies->activations, event);
	if (event->kind == WM_WALK_LEAVE)
		return_from_tail_calls(tallies);
	if (event->kind == WM_WALK_ABANDON)
		abandon_tail_calls(tallies);
	for (size_t i = 0; event->kind == WM_WALK_END && i < tallies->count; i++)
		end_walk(&tallies->tally[i]);
}

struct wm_sink wm_unit_tallies_sink(struct wm_unit_tallies *tallies)
{
	static const struct wm_interpreter interpreter = {enter, run, drop, save, restore};
	tallies->activations = (struct wm_activations){.interpreter = &interpreter, .closure = tallies};
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
