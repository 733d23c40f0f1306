/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Probes for paths that are named by pieces (core/scheme/pieces.h).  A path is a window of pieces that slides along
 * the activation, so the number of pieces that must be kept is bounded by the window.
 *
 *     PIECE   at a back edge of an iterated loop: appends the piece r + value.  If these are k iterations of one
 *             loop, the path is counted and continues without its first piece.
 *     COUNT   appends the last piece and counts the path.
 */
#ifndef WM_CORE_PROBES_PIECES_PROBES_H
#define WM_CORE_PROBES_PIECES_PROBES_H

#include "abi/sequence.h"
#include "core/probes/place.h"
#include "core/scheme/pieces.h"

struct wm_sequence {
	struct wm_pieces *pieces; /* with room for wm_sequence_room() pieces */
	void (*count)(void *closure, const uint64_t *piece, uint32_t length);
	void *closure;
};
void wm_sequence_push(struct wm_sequence *sequence, const struct wm_plan *plan, uint32_t loop, uint64_t piece);
void wm_sequence_end(struct wm_sequence *sequence, uint64_t piece);

/* Places the values of a plan with sequences. */
enum wm_status wm_sequence_place(const struct wm_plan *plan, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena);

#endif
