/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Regions: small loops with a numbering of their own, in functions that have too many paths for an array.  A region
 * is a natural loop, as large as possible, through which few different partial paths lead.  Inside a region a path
 * has a small dense *local index*.  A path that began inside the region has one id per local index, and so may have a
 * counter of its own; only paths that entered from outside need r.  Not in the papers.
 */
#ifndef WM_CORE_PROBES_REGIONS_H
#define WM_CORE_PROBES_REGIONS_H

#include "core/numbering/weights.h"
#include "core/probes/program.h"
#include "core/scheme/scheme.h"

struct wm_region_limits {
	uint32_t paths; /* the most local paths of one region */
	uint32_t all_paths; /* the most local paths of all regions together */
	uint32_t ends; /* paths that must end in the region per entry, by the weights; 0: no limit */
};
/*
 * Finds regions and rewrites the probes inside them.  Every path is counted as before, whatever values were placed.
 * `may_not_return`, per block, says that a call in the block may not return (NULL: none).  Runs before wm_place_silence and
 * wm_place_trips.  Does nothing without plan->events_are_edges.  Regions do not nest, so there is one register l and
 * one register `outer`.
 */
enum wm_status wm_place_regions(const struct wm_plan *plan, const struct wm_loops *loops,
	const struct wm_weights *weights, const bool *may_not_return, struct wm_region_limits limits,
	struct wm_probe_program *program);

#endif
