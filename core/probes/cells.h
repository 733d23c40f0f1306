/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assigns counters to paths that the compiler knows, in addition to those of a table: program->cells. */
#ifndef WM_CORE_PROBES_CELLS_H
#define WM_CORE_PROBES_CELLS_H

#include "core/probes/counting.h"

/*
 * A local path of a region is *settled* if its local index alone determines what to do: the path began inside the
 * region and ends there, and in a residual build it is tested.  With a hash table, paths whose id is a constant in
 * the program have cells too.  Only the pass `ends` may change the program afterwards.  O(program).
 */
enum wm_status wm_cells_make(const struct wm_counting *counting, const struct wm_plan *plan,
	struct wm_probe_program *program, struct wm_arena *arena);

#endif
