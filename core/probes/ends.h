/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ends of paths: what an end of a path does with its total, as actions (core/probes/action.h).
 *
 * What the last edge of a path tells of it (core/paths/membership.h) is not asked at run time;
 * nor is what the compiler knows of it, when its total is a constant.
 */
#ifndef WM_CORE_PROBES_ENDS_H
#define WM_CORE_PROBES_ENDS_H

#include "core/probes/counting.h"

/* Gives every count of a program its end, and the program its cold end.  After all other passes but
 * wm_spare_updates.  O(program + regions · ends). */
enum wm_status wm_ends_make(const struct wm_counting *counting, const struct wm_plan *plan,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena);

/*
 * Marks with WM_SPARES the counts behind which an update is not needed where the first action of
 * the end stops it.  The likely path often ends with the register holding what the next path begins
 * with, because no chord was crossed.  O(program).
 */
void wm_spare_updates(
	const struct wm_counting *counting, const struct wm_graph *graph, struct wm_probe_program *program);

#endif
