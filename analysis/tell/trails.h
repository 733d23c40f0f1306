/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The trails (core/trail/trail.h) of the paths of a story.  A trail names functions by index; `body` is the array of these
 * functions, as wm_story_bodies gives it.
 */
#ifndef WM_ANALYSIS_TELL_TRAILS_H
#define WM_ANALYSIS_TELL_TRAILS_H

#include "analysis/join/story.h"
#include "core/trail/feasible.h"
#include "core/trail/original.h"

/* The functions of the trails of a function's paths: those of its unit, or itself.  The pointer that the argument points to
 * must stay. */
const struct wm_story_function *const *wm_story_bodies(const struct wm_story_function *const *function);

/* Decodes a path, which may be unfinished (WM_STORY_UNFINISHED); memory is in the arena.  WM_BAD_PATH: there is no such path. */
enum wm_status wm_story_find_trail(
	const struct wm_story_function *function, uint64_t id, struct wm_trail *trail, struct wm_arena *arena);
/* The same; ends in wm_bug if there is no such path. */
void wm_story_decode(
	const struct wm_story_function *function, uint64_t id, struct wm_trail *trail, struct wm_arena *arena);
/* The trail of a path of the function alone, without calls; its function has index 0. */
void wm_story_block_trail(const struct wm_story_function *function, const struct wm_block_path *path,
	struct wm_trail *trail, struct wm_arena *arena);

/* Why a path of the function, of which this is the trail as decoded, is likely infeasible: two of its steps contradict each
 * other (core/trail/feasible.h); WM_NONE twice: no reason is known. */
struct wm_contradiction wm_story_contradiction(
	const struct wm_story_function *function, const struct wm_trail *trail, struct wm_arena *arena);

/* The same for readers: "after line 4, the decision in line 7 cannot go this way"; NULL: there is no contradiction.  Heap. */
char *wm_story_contradiction_text(const struct wm_story_function *function, uint64_t id);
char *wm_story_trail_contradiction_text(
	const struct wm_story_function *function, const struct wm_trail *trail, struct wm_arena *arena);

/* Whether calls were inlined in a function on the trail. */
bool wm_story_is_inlined(const struct wm_story_function *const *body, const struct wm_trail *trail);
/* The trail of the original functions. */
void wm_story_original(const struct wm_story_function *const *body, const struct wm_trail *trail,
	struct wm_trail *original, struct wm_arena *arena);
/* The linkage name of the function of a frame. */
const char *wm_story_frame_name(const struct wm_story_function *const *body, const struct wm_trail_frame *frame);

/* How a block of the function of a frame is written; heap. */
struct wm_block_names {
	const void *closure;
	char *(*name)(const void *closure, const struct wm_trail_frame *frame, uint32_t block);
};
/* FUNCTION:INDEX, with linkage names; the closure is `body`. */
char *wm_story_block_name(const void *body, const struct wm_trail_frame *frame, uint32_t block);
/* The words of a range of the steps of a trail of original functions, separated by blanks: FUNCTION:BLOCK, ( and ).  A range
 * that begins with a return begins after a call, with the block of the call.  `lone`: a return whose call is not on the path
 * is )FUNCTION:BLOCK.  Heap. */
char *wm_trail_text(
	const struct wm_trail *original, struct wm_segment_range range, const struct wm_block_names *names, bool lone);

#endif
