/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The nearest paths (core/paths/nearest.h) of any function of a story. */
#ifndef WM_ANALYSIS_TELL_NEAREST_PATHS_H
#define WM_ANALYSIS_TELL_NEAREST_PATHS_H

#include "analysis/join/story.h"
#include "core/paths/nearest.h"

/*
 * Answers all queries.  `set` must be ascending, without duplicates and not empty, and paths must have ids.  Where paths cross
 * calls, the nearest path is one that shares the longest beginning, `common` and `distance` count steps of trails, and the time
 * is O(Q · L) for Q queries and L steps of the longest path.  The same if some of the paths are unfinished, except that the time is
 * O(Q · S · L) for S paths of the set.
 */
void wm_story_find_nearest(const struct wm_story_function *function, const uint64_t *set, size_t set_count,
	struct wm_nearest *query, size_t query_count);

#endif
