/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The unit of a whole program, made from the maps of its binaries: what a scheme of paths across calls would be given. */
#ifndef WM_ANALYSIS_TELL_UNIT_MAP_H
#define WM_ANALYSIS_TELL_UNIT_MAP_H

#include "analysis/join/story.h"
#include "core/numbering/weights.h"

struct wm_unit_map {
	struct wm_unit unit;
	const struct wm_story_function **function; /* per function of the unit */
};
/*
 * The instrumented functions of the story, in the order of its identities.  A call site that names a function has it as
 * its callee if exactly one function of the story has the callee's key.  The story and the arena must outlive the unit.
 */
void wm_unit_map_build(struct wm_unit_map *map, const struct wm_story *story, struct wm_arena *arena);

/* How often each block ran, by the paths of a story that a profile was joined to; edges have no weights.  The story must
 * be of the same binaries. */
struct wm_weights *wm_unit_map_counts(
	const struct wm_unit_map *map, const struct wm_story *counted, struct wm_arena *arena);

#endif
