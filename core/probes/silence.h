/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Removes counts, and every update that no remaining count reads.  Not in the papers. */
#ifndef WM_CORE_PROBES_SILENCE_H
#define WM_CORE_PROBES_SILENCE_H

#include "core/numbering/weights.h"
#include "core/probes/program.h"
#include "core/scheme/scheme.h"

/*
 * Removes the counts on the DAG edges in `silent`, and every register update that no action reads any more.  Runs
 * after wm_place_regions, which executes the program and so needs every count, and before wm_place_trips.  Needs
 * plan->events_are_edges, because otherwise an update might be read for one DAG edge of its event and not for
 * another. O(edges · depth of loops).
 */
enum wm_status wm_place_silence(
	const struct wm_plan *plan, const bool *silent, struct wm_probe_program *program, struct wm_arena *arena);

#endif
