/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The paths of a plan that remain when failures of checks are left out (core/graph/checks.h): those all of whose blocks and edges
 * remain.  Ids do not change. */
#ifndef WM_CORE_SCHEME_REMAINING_H
#define WM_CORE_SCHEME_REMAINING_H

#include "core/graph/checks.h"
#include "core/scheme/scheme.h"

/* Fills in, per edge of the DAG, whether paths over it may remain.  A path remains if this holds for all its edges. */
void wm_remaining_edges(bool *edge, const struct wm_plan *plan, const struct wm_remainder *remainder);

struct wm_remaining_paths {
	uint64_t count; /* of the ids of the plan */
	double log10; /* of the number of paths of the uncut graph; −infinity: none remains */
};
/* Counts them, for plans of single functions.  WM_NO_MEMORY.  O(edges). */
enum wm_status wm_remaining_count(struct wm_remaining_paths *paths, const struct wm_plan *plan,
	const struct wm_remainder *remainder, struct wm_arena *arena);

#endif
