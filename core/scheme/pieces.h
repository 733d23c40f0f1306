/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths over k iterations of which there are too many for an id of 63 bits.  Such a path is
 * named by the ids of the acyclic paths that it consists of, its *pieces*, which are cut at the
 * back edges of iterated loops.  plan->sequences says so; plan->dag and ->numbering are then
 * those of the pieces, and ->iterations names the loops.
 */
#ifndef WM_CORE_SCHEME_PIECES_H
#define WM_CORE_SCHEME_PIECES_H

#include "core/scheme/scheme.h"

/* The most pieces that a path has while it is built. */
uint32_t wm_sequence_room(const struct wm_plan *plan);
/* More room than this no plan with sequences needs: compiled code has it on its stack. */
#define WM_MAX_PIECES 2048
/* The iterated loop whose back edge this is, or WM_NONE: on that edge a piece ends. */
uint32_t wm_piece_loop(const struct wm_plan *plan, uint32_t edge);

/* The blocks of a path.  WM_BAD_PATH when a piece does not begin where the one before it ended. */
enum wm_status wm_sequence_decode(const struct wm_plan *plan, const uint64_t *piece, uint32_t length,
	struct wm_block_path *path, struct wm_arena *arena);

#endif
