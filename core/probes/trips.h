/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loops with one path.  An innermost natural loop whose body is a simple cycle counts its trips in a register, and
 * adds them to its counters when it is left.  Not in the papers.
 */
#ifndef WM_CORE_PROBES_TRIPS_H
#define WM_CORE_PROBES_TRIPS_H

#include "core/numbering/weights.h"
#include "core/probes/program.h"
#include "core/scheme/scheme.h"

/*
 * The first trip ends the path that entered the loop; every later trip ends one and the same path.  `may_not_return`, per
 * block, says that a call in the block may not return (NULL: none); a loop with such a block keeps counting every
 * trip, because the register might be lost.  Only loops that the weights expect to run are changed.  Needs
 * plan->events_are_edges. O(edges).
 */
enum wm_status wm_place_trips(const struct wm_plan *plan, const struct wm_loops *loops,
	const struct wm_weights *weights, const bool *may_not_return, struct wm_probe_program *program,
	struct wm_arena *arena);

#endif
