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

/* ---- The interpreter ---------------------------------------------------------------------- */

/* An activation: a machine and the memory that it points to. */
struct state {
	struct wm_machine machine;
	struct wm_sequence sequence;
	uint64_t word[]; /* the saved registers of the machine, then the pieces of the sequence */
};

static struct wm_tally *tally_of(const struct state *state)
{
	return state->machine.counters.closure;
}

static size_t state_size(const struct wm_tally *tally)
{
	size_t pieces = tally->plan.sequences ? sizeof(struct wm_pieces) + 8 * wm_sequence_room(&tally->plan) : 0;
	return sizeof(struct state) + tally->probes.program.saved_count * sizeof(uint64_t) + pieces;
}

/* Lets a new or copied machine point to its own memory. */
static void attach_memory(struct state *state)
{
	const struct wm_tally *tally = tally_of(state);
	state->machine.saved = state->word;
	state->machine.sequence = tally->plan.sequences ? &state->sequence : NULL;
	state->sequence.pieces = (struct wm_pieces *)(void *)(state->word + tally->probes.program.saved_count);
}

static void *enter(void *closure, uint32_t function)
{
	struct wm_tallies *tallies = closure;
	struct wm_tally *tally = tallies->find(tallies->closure, function);
	struct state *state = wm_xmalloc(state_size(tally));
	tally->own = &tallies->activations.own;
	tally->entries += *tally->own;
	state->machine = (struct wm_machine){.plan = &tally->plan,
		.program = &tally->probes.program,
		.counting = &tally->probes.counting,
		.counters = {.closure = tally,
			.cell = count_cell,
			.find = find_path,
			.call = count_path,
			.append = record_subpath}};
	state->sequence = (struct wm_sequence){.count = count_sequence, .closure = tally};
	attach_memory(state);
	wm_machine_enter(&state->machine);
	return state;
}

/* A call matters only where paths end at calls: other paths belong to one activation. */
static void run(void *activation, const struct wm_walk_event *event)
{
	struct state *state = activation;
	const struct wm_tally *tally = tally_of(state);
	bool ends = event->kind == WM_WALK_LEAVE || event->kind == WM_WALK_STUCK;
	uint32_t next = event->kind == WM_WALK_BLOCK ? event->block : WM_NONE;
	if (event->kind == WM_WALK_CALL && tally->parts)
		next = tally->parts->site_part[event->call];
	enum wm_status status = ends ? wm_machine_exit(&state->machine) : WM_OK;
	if (next != WM_NONE)
		status = wm_machine_step(&state->machine, next);
	if (status != WM_OK)
		wm_bug("the walk of %s goes from block %u to where no edge leads", tally->name, state->machine.block);
}

static void drop(void *state, bool abandoned)
{
	struct wm_tally *tally = tally_of(state);
	tally->abandoned += abandoned && *tally->own;
	free(state);
}

static void *save(void *closure, const struct wm_activation *top)
{
	const struct wm_tally *tally = tally_of(top->state);
	(void)closure;
	if (!tally->twice)
		return NULL;
	struct state *saved = wm_xmalloc(state_size(tally));
	memcpy(saved, top->state, state_size(tally));
	attach_memory(saved);
	return saved;
}

static void restore(void *state, const void *saved)
{
	struct wm_tally *tally = tally_of(state);
	tally->resumed += *tally->own;
	if (!saved)
		return;
	memcpy(state, saved, state_size(tally));
	attach_memory(state);
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct wm_tallies *tallies = closure;
	const struct wm_activations *activations = &tallies->activations;
	wm_activations_take(&tallies->activations, event);
	for (size_t i = 0; event->kind == WM_WALK_OWN && i < activations->depth; i++)
		if (activations->activation[i].state)
			tally_of(activations->activation[i].state)->inherited++;
}

struct wm_sink wm_tallies_sink(struct wm_tallies *tallies)
{
	static const struct wm_interpreter interpreter = {enter, run, drop, save, restore};
	tallies->activations = (struct wm_activations){.interpreter = &interpreter, .closure = tallies};
	return (struct wm_sink){tallies, take_event};
}
