/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counting a path before its end.  A path may be counted on any edge on which it is decided: the rest of its sum is
 * then a constant, the same for all paths that take the edge.  Not in the papers.
 */
#ifndef WM_CORE_PROBES_EARLY_H
#define WM_CORE_PROBES_EARLY_H

#include "core/probes/program.h"
#include "core/scheme/scheme.h"

/*
 * Moves the counts of paths to the DAG edges that `counted` names.  Every path must take exactly one such edge, and
 * must be decided on it.  If there are regions, a path that ends at a back edge must be counted on that edge.  Needs
 * plan->events_are_edges.  Runs after wm_place_regions and before wm_place_trips.  WM_BAD_GRAPH: a path would be
 * counted before it begins, or before an edge that sets r.  O(edges).
 */
enum wm_status wm_place_early(
	const struct wm_plan *plan, const bool *counted, struct wm_probe_program *program, struct wm_arena *arena);

#endif
