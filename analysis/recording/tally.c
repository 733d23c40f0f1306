/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/recording/tally.h"
#include "abi/sequence.h"
#include "abi/stream.h"
#include "support/tool.h"
#include <inttypes.h>

/* ---- Counters ----------------------------------------------------------------------------- */

/* Of the function whose path is counted. */
static struct wm_tally *counting_tally(const struct wm_tallies *tallies)
{
	return tallies->find(tallies->closure, tallies->machine.counts_in);
}

static void count_sequence(void *closure, const uint64_t *piece, uint32_t length)
{
	const struct wm_tallies *tallies = closure;
	struct wm_tally *tally = counting_tally(tallies);
	if (tallies->activations.own)
		wm_id_counts_add(&tally->counts, wm_sequences_index(&tally->names, piece, length), 1);
}

/* What the runtime would be called with.  A path of one piece is named by it (abi/sequence.h). */
static void count_path(void *closure, uint64_t id, uint64_t amount)
{
	const struct wm_tallies *tallies = closure;
	struct wm_tally *tally = counting_tally(tallies);
	uint64_t piece = id - WM_ALONE_BIT;
	if ((tally->plan.sequences ? piece : id) >= tally->plan.numbering.path_count)
		wm_bug("the probes of function '%s' counted path %" PRIu64 ", which does not exist", tally->name, id);
	if (tally->plan.sequences)
		count_sequence(closure, &piece, 1);
	else if (tallies->activations.own)
		wm_id_counts_add(&tally->counts, id, amount);
}

static void count_cell(void *closure, uint32_t cell, uint64_t amount)
{
	const struct wm_graph_probes *probes = &counting_tally(closure)->probes;
	count_path(closure, probes->counting.store == WM_COUNT_ARRAY ? cell : probes->program.cells.ids[cell], amount);
}

/* The interpreter's table is the runtime's. */
static bool find_path(void *closure, uint64_t id, uint64_t amount)
{
	count_path(closure, id, amount);
	return true;
}

static void record_subpath(void *closure, uint64_t id)
{
	const struct wm_tallies *tallies = closure;
	const struct wm_tally *tally = counting_tally(tallies);
	if (wm_walk_take(tally->walk, wm_stream_subpath(tallies->machine.counts_in, (uint32_t)id)) != WM_OK)
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

/* ---- Activations -------------------------------------------------------------------------- */

static struct wm_runner find_runner(void *closure, uint32_t function)
{
	struct wm_tallies *tallies = closure;
	struct wm_tally *tally = tallies->find(tallies->closure, function);
	tallies->probed[function] = (struct wm_probed){
		.plan = &tally->plan, .program = &tally->probes.program, .counting = &tally->probes.counting};
	return (struct wm_runner){&tallies->machine, function, tally->parts, tally->twice};
}

static struct wm_tally *tally_of(const struct wm_tallies *tallies, const struct wm_activation *activation)
{
	return tallies->find(tallies->closure, activation->function);
}

static void note_entry(void *closure, const struct wm_activation *top)
{
	const struct wm_tallies *tallies = closure;
	tally_of(tallies, top)->entries += tallies->activations.own;
}

static void note_abandoned(void *closure, const struct wm_activation *top)
{
	const struct wm_tallies *tallies = closure;
	tally_of(tallies, top)->abandoned += tallies->activations.own;
}

static void note_resumed(void *closure, const struct wm_activation *top)
{
	const struct wm_tallies *tallies = closure;
	tally_of(tallies, top)->resumed += tallies->activations.own;
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct wm_tallies *tallies = closure;
	const struct wm_activations *activations = &tallies->activations;
	wm_activations_take(&tallies->activations, event);
	for (size_t i = 0; event->kind == WM_WALK_OWN && i < activations->depth; i++)
		if (activations->activation[i].runner.machine)
			tally_of(tallies, &activations->activation[i])->inherited++;
}

struct wm_sink wm_tallies_sink(struct wm_tallies *tallies, uint32_t function_count, struct wm_arena *arena)
{
	static const struct wm_activation_hooks hooks = {find_runner, note_entry, note_abandoned, note_resumed};
	tallies->activations = (struct wm_activations){.hooks = &hooks, .closure = tallies};
	tallies->probed = WM_NEW(arena, struct wm_probed, function_count);
	if (!tallies->probed)
		wm_bug("out of memory");
	tallies->machine = (struct wm_machine){.probed = tallies->probed,
		.arena = arena,
		.counters = {.closure = tallies,
			.cell = count_cell,
			.find = find_path,
			.call = count_path,
			.sequence = count_sequence,
			.append = record_subpath}};
	return (struct wm_sink){tallies, take_event};
}
