/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A recording together with the binary that made it: what the index of a function in its entries means. */
#ifndef WM_ANALYSIS_RECORDING_RECORDED_H
#define WM_ANALYSIS_RECORDING_RECORDED_H

#include "core/scheme/walk.h"
#include "elf/object.h"
#include "profile/raw_recording.h"

struct wm_recorded {
	uint32_t count; /* functions of the recording */
	/* Per function: its plan for wm_walk_init; plan NULL if the binary has no such function, or another graph of it. */
	struct wm_walk_function *function;
	const struct wm_map_function **map; /* per function, or NULL */
	uint32_t unknown; /* functions without a plan */
};

/* The plan of a recorded function of a map.  WM_TOO_MANY as wm_subpath_plan. */
enum wm_status wm_recorded_plan(
	struct wm_walk_function *function, const struct wm_map_function *map, struct wm_arena *arena);
/* Everything is in the arena.  WM_NO_MEMORY, WM_TOO_MANY. */
enum wm_status wm_recorded_make(struct wm_recorded *recorded, const struct wm_raw_recording *recording,
	const struct wm_map *map, struct wm_arena *arena);

#endif
