/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/recorded_plan.h"

enum wm_status wm_recorded_plan(
	struct wm_walk_function *function, const struct wm_map_function *map, struct wm_arena *arena)
{
	struct wm_unit_function *in_unit = WM_NEW(arena, struct wm_unit_function, 1);
	struct wm_parts *parts = WM_NEW(arena, struct wm_parts, 1);
	struct wm_plan *plan = WM_NEW(arena, struct wm_plan, 1);
	if (!in_unit || !parts || !plan)
		return WM_NO_MEMORY;
	*in_unit = (struct wm_unit_function){map->name, &map->graph, map->call_count, map->call};
	enum wm_status status = wm_subpath_plan(plan, parts, in_unit, arena);
	if (status == WM_OK)
		*function = (struct wm_walk_function){plan, parts, map->has_resumed || wm_parts_has_frames(parts)};
	return status;
}
