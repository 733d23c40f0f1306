/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths over k iterations where there are too many for an id of 63 bits: a path is
 * named by the ids of the acyclic paths that it consists of, its *pieces*, cut at the
 * back edges of iterated loops.  plan->sequences says so; plan->dag and ->numbering
 * are then those of the pieces, and ->iterations tells the loops.  There is no limit:
 * the window of the last pieces is all that is kept.
 *
 *     PIECE   at a back edge of an iterated loop: adds the id r + value as a piece.  After k of
 *             one loop the path is counted, and goes on without the first.
 *     COUNT   adds the last piece and counts the path.
 */
#ifndef WM_CORE_SEQUENCE_H
#define WM_CORE_SEQUENCE_H

#include "abi/sequence.h"
#include "core/probes/place.h"
#include "core/scheme/pieces.h"

struct wm_sequence {
	struct wm_pieces *pieces; /* with room for wm_sequence_room() */
	void (*count)(void *closure, const uint64_t *piece, uint32_t length);
	void *closure;
};
void wm_sequence_push(struct wm_sequence *sequence, const struct wm_plan *plan, uint32_t loop, uint64_t piece);
void wm_sequence_end(struct wm_sequence *sequence, uint64_t piece);

/* Places the values of a plan with sequences. */
enum wm_status wm_sequence_place(const struct wm_plan *plan, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena);

#endif
