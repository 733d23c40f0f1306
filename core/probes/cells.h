/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters for paths that the compiler knows, besides those of a table: program->cells. */
#ifndef WM_CORE_PROBES_CELLS_H
#define WM_CORE_PROBES_CELLS_H

#include "core/probes/counting.h"

/*
 * Local paths of regions are *settled* if their index says all: the path began and ends inside, and
 * in a residual build it is tested.  In a hash, paths whose id is a constant of the program have
 * cells too.  When the program is final but for its ends.  O(program).
 */
enum wm_status wm_cells_make(const struct wm_counting *counting, const struct wm_plan *plan,
	struct wm_probe_program *program, struct wm_arena *arena);

#endif
