/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Taking counts away, and with them every update that no other count reads.  Not in the papers.
 */
#ifndef WM_CORE_PROBES_SILENCE_H
#define WM_CORE_PROBES_SILENCE_H

#include "core/numbering/weights.h"
#include "core/probes/program.h"
#include "core/scheme/scheme.h"

/*
 * Removes the counts at the DAG edges that `silent` names, and every update of a register that no
 * action reads any more.  Where r is not read it may hold anything.  After wm_place_regions, which
 * reads what all paths count off the program, and before wm_place_trips.  Needs plan->events_are_edges:
 * where several edges of the DAG share an event, an update may be read for one of them and not for
 * another.  O(edges · depth of loops).
 */
enum wm_status wm_place_silence(
	const struct wm_plan *plan, const bool *silent, struct wm_probe_program *program, struct wm_arena *arena);

#endif
