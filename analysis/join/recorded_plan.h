/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_ANALYSIS_JOIN_RECORDED_PLAN_H
#define WM_ANALYSIS_JOIN_RECORDED_PLAN_H

#include "core/walk/walk.h"
#include "profile/map/map.h"

/* The plan of a recorded function of a map.  Everything is in the arena.  WM_NO_MEMORY; WM_TOO_MANY as wm_subpath_plan. */
enum wm_status wm_recorded_plan(
	struct wm_walk_function *function, const struct wm_map_function *map, struct wm_arena *arena);

#endif
