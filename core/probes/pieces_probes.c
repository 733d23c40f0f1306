/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/pieces_probes.h"
#include "core/scheme/kiter.h"

static void count_pieces(struct wm_sequence *sequence)
{
	sequence->count(sequence->closure, sequence->pieces->piece, (uint32_t)sequence->pieces->length);
}

void wm_sequence_push(struct wm_sequence *sequence, const struct wm_plan *plan, uint32_t loop, uint64_t piece)
{
	uint32_t k = plan->iterations->iterated[loop].k;
	if (!wm_pieces_push(sequence->pieces, loop, k, piece))
		return;
	count_pieces(sequence);
	wm_pieces_slide(sequence->pieces, k);
}

void wm_sequence_end(struct wm_sequence *sequence, uint64_t piece)
{
	sequence->pieces->piece[sequence->pieces->length++] = piece;
	count_pieces(sequence);
	wm_pieces_begin(sequence->pieces);
}

static void convert_edge(const struct wm_plan *plan, struct wm_probe *probe, uint32_t e)
{
	uint32_t loop = wm_piece_loop(plan, e);
	for (uint32_t i = 0; loop != WM_NONE && i < probe->count; i++) {
		struct wm_action *action = &probe->action[i];
		if (action->kind != WM_ACTION_COUNT && action->kind != WM_ACTION_COUNT_AT)
			continue;
		action->kind = action->kind == WM_ACTION_COUNT ? WM_ACTION_PIECE : WM_ACTION_PIECE_AT;
		action->loop = loop;
	}
}

enum wm_status wm_sequence_place(const struct wm_plan *plan, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena)
{
	enum wm_status status = wm_place_sums(
		plan, &(struct wm_sums){.value = plan->numbering.value}, placement, weights, program, arena);
	for (uint32_t e = 0; status == WM_OK && e < plan->graph->edge_count; e++)
		if (plan->dfs.position[plan->graph->edge_from[e]] != WM_NONE)
			convert_edge(plan, &program->edge[e], e);
	return status;
}
