/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths over k iterations when their number exceeds 63 bits.  Such a path has no id.  It is named by a sequence of
 * *pieces*: the ids of the acyclic paths into which the back edges of iterated loops divide it.  wm_plan_has_pieces() says
 * that a plan uses such names; plan->dag and plan->numbering are then those of the pieces, and plan->iterations names
 * the iterated loops.
 */
#ifndef WM_CORE_SCHEME_PIECES_H
#define WM_CORE_SCHEME_PIECES_H

#include "core/scheme/scheme.h"

/* Numbers the pieces of a plan that has plan->iterations and no sequences yet; its cuts stay. */
enum wm_status wm_plan_number_pieces(struct wm_plan *plan, struct wm_arena *arena);

/* The plan of a function in a build with this choice.  If there are too many paths for ids, plan->choice is one of names for
 * paths.  Where setjmp may return twice (`resumes`), loops have only as many iterations as fit instead: pieces are in
 * memory, and longjmp does not restore them. */
enum wm_status wm_plan_choose_for_build(struct wm_plan *plan, const struct wm_graph *graph,
	const struct wm_scheme_choice *choice, bool resumes, struct wm_arena *arena);

/* The largest number of pieces that a path has at any time. */
uint32_t wm_sequence_room(const struct wm_plan *plan);
/* The limit of wm_sequence_room for plans with sequences.  Compiled code keeps the pieces on its stack. */
#define WM_MAX_PIECES 2048
/* The iterated loop of which this control-flow edge is a back edge, so that a piece ends on it; or WM_NONE. */
uint32_t wm_piece_loop(const struct wm_plan *plan, uint32_t edge);

/* Decodes a sequence of pieces.  WM_BAD_PATH: a piece does not begin where the previous one ended. */
enum wm_status wm_sequence_decode(const struct wm_plan *plan, const uint64_t *piece, uint32_t length,
	struct wm_block_path *path, struct wm_arena *arena);

/* What a profile has under a key of a name (abi/sequence.h), minus one.  false: nothing. */
typedef bool wm_name_lookup(const void *closure, uint64_t key, uint64_t *value);
/* Decodes the id that a path has in a profile of a plan with sequences.  WM_BAD_PATH: also if the profile does not have the
 * whole name. */
enum wm_status wm_sequence_find(const struct wm_plan *plan, uint64_t id, wm_name_lookup *lookup, const void *closure,
	struct wm_block_path *path, struct wm_arena *arena);

#endif
