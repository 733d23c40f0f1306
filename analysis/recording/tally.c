/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/recording/tally.h"
#include "core/probes/sequence.h"
#include "support/tool.h"
#include <inttypes.h>
#include <stdlib.h>

static void count_sequence(void *closure, const uint64_t *piece, uint32_t length)
{
	struct wm_tally *tally = closure;
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
	else
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

void wm_tally_place(struct wm_tally *tally, enum wm_placement placement, struct wm_arena *arena)
{
	wm_counting_plain(&tally->probes.counting, &tally->plan, WM_GRAPH_ARRAY_PATHS);
	wm_graph_place(&tally->probes, &tally->plan,
		&(struct wm_graph_placing){.placement = placement, .abandons = true}, arena);
}

void wm_tally_release(struct wm_tally *tally)
{
	wm_sequences_release(&tally->names);
	wm_id_counts_release(&tally->counts);
}

void wm_tally_start(struct wm_tally *tally, struct wm_machine *machine)
{
	*machine = (struct wm_machine){.plan = &tally->plan,
		.program = &tally->probes.program,
		.counting = &tally->probes.counting,
		.counters = {.closure = tally, .cell = count_cell, .find = find_path, .call = count_path}};
	if (tally->probes.program.saved_count)
		machine->saved = wm_xrealloc(NULL, tally->probes.program.saved_count, sizeof(uint64_t));
	if (!tally->plan.sequences)
		return;
	machine->sequence = wm_xrealloc(NULL, 1, sizeof *machine->sequence);
	*machine->sequence = (struct wm_sequence){.count = count_sequence, .closure = tally};
	machine->sequence->pieces =
		wm_xmalloc(sizeof(struct wm_pieces) + wm_sequence_room(&tally->plan) * sizeof(uint64_t));
}

void wm_tally_drop(struct wm_machine *machine)
{
	free(machine->saved);
	if (machine->sequence)
		free(machine->sequence->pieces);
	free(machine->sequence);
}
