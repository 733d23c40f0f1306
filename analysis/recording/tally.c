/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/recording/tally.h"
#include "abi/stream.h"
#include "core/probes/sequence.h"
#include "support/tool.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Counters ----------------------------------------------------------------------------- */

static void count_sequence(void *closure, const uint64_t *piece, uint32_t length)
{
	struct wm_tally *tally = closure;
	if (*tally->own)
		wm_id_counts_add(&tally->counts, wm_sequences_index(&tally->names, piece, length), 1);
}

/* What the runtime would be called with.  A path of one piece is named by it (abi/sequence.h). */
static void count_path(void *closure, uint64_t id, uint64_t amount)
{
	struct wm_tally *tally = closure;
	uint64_t piece = id - WM_ALONE_BIT;
	if ((tally->plan.sequences ? piece : id) >= tally->plan.numbering.path_count)
		wm_bug("the probes of function '%s' counted path %" PRIu64 ", which does not exist", tally->name, id);
	if (tally->plan.sequences)
		count_sequence(tally, &piece, 1);
	else if (*tally->own)
		wm_id_counts_add(&tally->counts, id, amount);
}

static void count_cell(void *closure, uint32_t cell, uint64_t amount)
{
	struct wm_tally *tally = closure;
	bool array = tally->probes.counting.store == WM_COUNT_ARRAY;
	count_path(tally, array ? cell : tally->probes.program.cells.ids[cell], amount);
}

/* The interpreter's table is the runtime's. */
static bool find_path(void *closure, uint64_t id, uint64_t amount)
{
	count_path(closure, id, amount);
	return true;
}

static void record_subpath(void *closure, uint64_t id)
{
	struct wm_tally *tally = closure;
	if (wm_walk_take(tally->walk, wm_stream_subpath(tally->function, (uint32_t)id)) != WM_OK)
		wm_bug("the probes of function '%s' recorded subpath %" PRIu64 ", which does not exist", tally->name,
			id);
}

void wm_tally_place(struct wm_tally *tally, enum wm_placement placement, struct wm_arena *arena)
{
	if (tally->parts)
		wm_counting_stream(&tally->probes.counting, &tally->plan);
	else
		wm_counting_plain(&tally->probes.counting, &tally->plan, WM_GRAPH_ARRAY_PATHS);
	wm_graph_place(&tally->probes, &tally->plan,
		&(struct wm_graph_placing){.parts = tally->parts, .placement = placement, .abandons = true}, arena);
}

void wm_tally_release(struct wm_tally *tally)
{
	wm_sequences_release(&tally->names);
	wm_id_counts_release(&tally->counts);
}

/* ---- Machines ----------------------------------------------------------------------------- */

static void *copy(const void *data, size_t size)
{
	void *made = data ? wm_xmalloc(size) : NULL;
	if (made)
		memcpy(made, data, size);
	return made;
}

static size_t size_of_pieces(const struct wm_tally *tally)
{
	return sizeof(struct wm_pieces) + wm_sequence_room(&tally->plan) * sizeof(uint64_t);
}

static struct wm_machine *make_machine(struct wm_tally *tally)
{
	struct wm_machine *machine = wm_xmalloc(sizeof *machine);
	*machine = (struct wm_machine){.plan = &tally->plan,
		.program = &tally->probes.program,
		.counting = &tally->probes.counting,
		.counters = {.closure = tally,
			.cell = count_cell,
			.find = find_path,
			.call = count_path,
			.append = record_subpath}};
	if (tally->probes.program.saved_count)
		machine->saved = wm_xrealloc(NULL, tally->probes.program.saved_count, sizeof(uint64_t));
	if (!tally->plan.sequences)
		return machine;
	machine->sequence = wm_xmalloc(sizeof *machine->sequence);
	*machine->sequence = (struct wm_sequence){
		.count = count_sequence, .closure = tally, .pieces = wm_xmalloc(size_of_pieces(tally))};
	return machine;
}

/* Copies what a machine points to. */
static void own_memory(struct wm_machine *machine)
{
	const struct wm_tally *tally = machine->counters.closure;
	machine->saved = copy(machine->saved, machine->program->saved_count * sizeof(uint64_t));
	machine->sequence = copy(machine->sequence, sizeof *machine->sequence);
	if (machine->sequence)
		machine->sequence->pieces = copy(machine->sequence->pieces, size_of_pieces(tally));
}

static void free_memory(struct wm_machine *machine)
{
	free(machine->saved);
	if (machine->sequence)
		free(machine->sequence->pieces);
	free(machine->sequence);
}

static void free_machine(void *machine)
{
	free_memory(machine);
	free(machine);
}

/* ---- The interpreter ---------------------------------------------------------------------- */

static struct wm_tally *tally_of(const struct wm_activation *top)
{
	return ((const struct wm_machine *)top->state)->counters.closure;
}

static void *enter(void *closure, uint32_t function)
{
	struct wm_tallies *tallies = closure;
	struct wm_tally *tally = tallies->find(tallies->closure, function);
	tally->own = &tallies->activations.own;
	tally->entries += *tally->own;
	struct wm_machine *machine = make_machine(tally);
	wm_machine_enter(machine);
	return machine;
}

static void step(void *closure, const struct wm_activation *top, uint32_t block)
{
	(void)closure;
	if (wm_machine_step(top->state, block) != WM_OK)
		wm_bug("the walk of %s takes an edge to block %u that does not exist", tally_of(top)->name, block);
}

/* A call matters only if paths end at calls: other paths belong to one activation. */
static void call(void *closure, const struct wm_activation *top, uint32_t call)
{
	const struct wm_parts *parts = tally_of(top)->parts;
	if (parts && parts->site_part[call] != WM_NONE)
		step(closure, top, parts->site_part[call]);
}

static void go_on(void *closure, const struct wm_activation *top)
{
	(void)closure, (void)top;
}

static void stick(void *closure, const struct wm_activation *top)
{
	(void)closure;
	if (wm_machine_exit(top->state) != WM_OK)
		wm_bug("the walk leaves %s in a block that is no exit", tally_of(top)->name);
}

static void leave(void *closure, const struct wm_activation *top)
{
	stick(closure, top);
	free_machine(top->state);
}

static void abandon(void *closure, const struct wm_activation *top)
{
	struct wm_tally *tally = tally_of(top);
	(void)closure;
	tally->abandoned += *tally->own;
	free_machine(top->state);
}

static void *save(void *closure, const struct wm_activation *top)
{
	(void)closure;
	struct wm_machine *saved = tally_of(top)->twice ? copy(top->state, sizeof *saved) : NULL;
	if (saved)
		own_memory(saved);
	return saved;
}

static void restore(void *closure, const struct wm_activation *top, const void *saved)
{
	struct wm_machine *machine = top->state;
	struct wm_tally *tally = tally_of(top);
	(void)closure;
	tally->resumed += *tally->own;
	if (!saved)
		return;
	free_memory(machine);
	*machine = *(const struct wm_machine *)saved;
	own_memory(machine);
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct wm_tallies *tallies = closure;
	const struct wm_activations *activations = &tallies->activations;
	wm_activations_take(&tallies->activations, event);
	for (size_t i = 0; event->kind == WM_WALK_OWN && i < activations->depth; i++)
		if (activations->activation[i].state)
			tally_of(&activations->activation[i])->inherited++;
}

struct wm_sink wm_tallies_sink(struct wm_tallies *tallies)
{
	static const struct wm_interpreter interpreter = {.enter = enter,
		.step = step,
		.call = call,
		.go_on = go_on,
		.stick = stick,
		.leave = leave,
		.abandon = abandon,
		.save = save,
		.forget = free_machine,
		.restore = restore};
	tallies->activations = (struct wm_activations){.interpreter = &interpreter, .closure = tallies};
	return (struct wm_sink){tallies, take_event};
}
