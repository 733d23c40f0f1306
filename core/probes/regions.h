/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loops with a numbering of their own, for functions with so many paths that their counters are
 * no array.  A region is a natural loop, as large as can be, in which few paths begin or come in
 * and end or go out.  Inside, a path has a small dense *local index*.  A path that began inside has
 * one id per local index and so a counter of its own; only paths that came in from outside need r.
 * Not in the papers.
 */
#ifndef WM_CORE_PROBES_REGIONS_H
#define WM_CORE_PROBES_REGIONS_H

#include "core/numbering/weights.h"
#include "core/probes/program.h"
#include "core/scheme/scheme.h"

struct wm_region_limits {
	uint32_t paths; /* of one region */
	uint32_t all_paths; /* of all together */
	uint32_t ends; /* at least so many, by the weights, for every path that comes in; 0: take what never runs too */
};
/*
 * Changes nothing in what is counted, whatever values were placed.  Before wm_place_silence and
 * wm_place_trips.  Needs plan->events_are_edges; without it, nothing is done.  Regions do not nest, so
 * there is one register l and one `outer`.
 */
enum wm_status wm_place_regions(const struct wm_plan *plan, const struct wm_loops *loops,
	const struct wm_weights *weights, const bool *leaves, struct wm_region_limits limits,
	struct wm_probe_program *program);

#endif
