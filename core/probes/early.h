/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Counting a path before its end.  A path that is decided can be counted where it is decided:
 * what is still to be added up is then one constant, the same for all paths that pass.
 * Not in the papers.
 */
#ifndef WM_CORE_PROBES_EARLY_H
#define WM_CORE_PROBES_EARLY_H

#include "core/numbering/weights.h"
#include "core/probes/program.h"
#include "core/scheme/scheme.h"

/*
 * Moves counts up.  `counted`, per DAG edge, names one edge of every path, behind which there is one
 * way to End; that edge becomes the place of the count.  Needs plan->events_are_edges.  After
 * wm_place_regions and before wm_place_trips; if there are regions, a path that ends at a back edge
 * must be counted there.  WM_BAD_GRAPH: a path would have to be counted before it begins, or where it
 * is the only one.  O(edges).
 */
enum wm_status wm_place_early(
	const struct wm_plan *plan, const bool *counted, struct wm_probe_program *program, struct wm_arena *arena);
/*
 * Chooses `counted` for wm_place_early: an earlier place where that saves instructions by the weights.
 * A count that reads r takes `count` instructions, one that knows its id takes one.  `leaves`, per
 * block, names the blocks before which no path that goes through them may be counted (NULL: none).
 * Needs plan->events_are_edges, and a program without regions.  O(edges).
 */
enum wm_status wm_early_edges(const struct wm_plan *plan, const struct wm_weights *weights, const bool *leaves,
	double count, struct wm_probe_program *program, bool *counted);

#endif
