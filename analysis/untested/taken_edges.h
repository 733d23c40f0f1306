/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which edges the paths of a story take, in a function or in all functions of a unit. */
#ifndef WM_ANALYSIS_UNTESTED_TAKEN_EDGES_H
#define WM_ANALYSIS_UNTESTED_TAKEN_EDGES_H

#include "analysis/join/story.h"

struct wm_taken_edges {
	const struct wm_story_function *const *body; /* as wm_story_bodies */
	uint32_t count; /* functions */
	bool **taken; /* per function, per control-flow edge: a path takes it; the last one is the entry */
};

/* No edge is marked; memory is in the arena. */
void wm_taken_edges_init(struct wm_taken_edges *marks, const struct wm_story_function *const *body, uint32_t count,
	struct wm_arena *arena);
/* The index of the entry of a function. */
uint32_t wm_taken_edges_entry(const struct wm_taken_edges *marks, uint32_t function);
/* Marks what a path takes. */
void wm_taken_edges_path(struct wm_taken_edges *marks, const struct wm_story_function *function, uint64_t id);
/* Marks what the paths of a function take that ran, and its entry; it is number `index`.  NULL: marks nothing. */
void wm_taken_edges_function(struct wm_taken_edges *marks, uint32_t index, const struct wm_story_function *function);
/* The same for all functions of the units of the story with this hash. */
void wm_taken_edges_unit(struct wm_taken_edges *marks, const struct wm_story *story, uint64_t hash);

#endif
