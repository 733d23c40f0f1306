/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The pass that writes the end of each path: the actions that are executed with the path's total
 * (core/probes/action.h).
 *
 * An end contains no check whose result is known at compile time, either from the edge on which the path is checked
 * (core/paths/membership.h) or because the total is a constant.
 */
#ifndef WM_CORE_PROBES_ENDS_H
#define WM_CORE_PROBES_ENDS_H

#include "core/probes/counting.h"

/* Writes the end of every count of a program, and program->cold.  Runs after all other passes except
 * wm_spare_updates.  O(program + regions · ends). */
enum wm_status wm_ends_make(const struct wm_counting *counting, const struct wm_plan *plan,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena);

/*
 * Sets WM_SPARES on a count if the update after it is redundant whenever the first action of the end stops it.  This
 * is frequent: on the likely path often no chord is crossed, so the register still has the value with which the next
 * path begins.  O(program).
 */
void wm_spare_updates(
	const struct wm_counting *counting, const struct wm_graph *graph, struct wm_probe_program *program);

#endif
