/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which blocks of two versions of a function are the same block.
 *
 * Blocks are compared by their text: the source lines of the block without their indentation, the columns counted from it, and
 * the decision at the end with the number of its outcomes and the values of its cases.  A longest common subsequence of the
 * blocks, in the order in which clang emits them, is matched at first; then, between matched blocks, a longest common
 * subsequence of those that have the same decision, whatever their other lines are, because paths depend only on decisions.
 * A match of blocks whose text several blocks have is kept only beside another match.  Nothing is matched if the source of
 * either version is not found, or is not the file that was compiled, which its checksum in the map says.
 */
#ifndef WM_ANALYSIS_SIDES_MATCH_H
#define WM_ANALYSIS_SIDES_MATCH_H

#include "analysis/join/story.h"
#include "analysis/source/source.h"

struct wm_match {
	uint32_t *block[2]; /* per block of the old and of the new function: the block of the other one, or WM_NONE */
	uint32_t matched; /* blocks */
	bool blind[2]; /* the source of this side is not known, so that no text could be compared */
};

/* Memory is in the arena.  O(m · n) for m and n blocks, except those at the beginning and the end that are equal; if that is
 * more than 2^24, blocks in the middle are not matched. */
void wm_match_blocks(struct wm_match *match, const struct wm_story_function *const function[2],
	struct wm_sources *const sources[2], struct wm_arena *arena);
/* Every block is matched with itself: the graphs are equal. */
void wm_match_same(struct wm_match *match, const struct wm_story_function *function, struct wm_arena *arena);

#endif
