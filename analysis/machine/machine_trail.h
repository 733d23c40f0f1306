/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The trail (core/trail/trail.h) of a path of machine code, for reports that are the same as those of functions with a map.
 *
 * The functions of such a trail are the procedures of a binary (analysis/machine/procedures.h).
 */
#ifndef WM_ANALYSIS_MACHINE_MACHINE_TRAIL_H
#define WM_ANALYSIS_MACHINE_MACHINE_TRAIL_H

#include "analysis/machine/descriptor_walk.h"
#include "analysis/machine/procedures.h"
#include "core/trail/trail.h"

/* The trail of a path, with the calls that are part of it, in the arena; it has no steps if there is no code at the start.
 * Returns how the path ends. */
enum wm_hw_end wm_hw_trail(struct wm_hw_procedures *procedures, const struct wm_hw_path *path,
	const struct wm_hw_control *control, struct wm_trail *trail, struct wm_arena *arena);

#endif
