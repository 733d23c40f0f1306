/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The core of a set of paths: a set of DAG edges such that every path over these edges is in the set.  Not in the
 * papers.
 *
 * A set of tested paths seldom contains all paths over its edges.  For example, a function may be entered once while
 * its loop iterates a thousand times; its first iterations have then taken few of the ways that later iterations
 * took.  If a few rarely executed edges are left out, the set often does contain all paths over the rest.  A path
 * that takes only core edges is known to be in the set; only a path that leaves the core must be looked up.
 *
 * The algorithm is greedy.  It tries the paths in descending order of weight.  All edges of a path are added to the
 * core if the core keeps its property, else none.  It stops after 2^27 steps; the core found so far is then used.
 * Each path that would add an edge costs O(edges) for counting paths, plus O(1) for each path of the set over a new
 * edge.
 */
#ifndef WM_CORE_PATHS_CLOSED_CORE_H
#define WM_CORE_PATHS_CLOSED_CORE_H

#include "core/paths/pathset.h"

struct wm_core {
	const struct wm_path_set *set;
	const uint64_t *weight; /* per path of the set: how often it ran */
	bool *edge; /* per DAG edge: whether it is in the core */
	uint32_t paths; /* the number of paths over core edges, all of which are in the set */
	bool *inside; /* per path of the set: whether it takes only core edges */
};
/* `weight`, per path of the set, is how often the path ran; the result keeps `set` and `weight`.  WM_TOO_MANY: the paths have more than 2^24 edges
 * together. */
enum wm_status wm_core_make(struct wm_core *core, const struct wm_plan *plan, const struct wm_path_set *set,
	const uint64_t *weight, struct wm_arena *arena);

#endif
