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

/*
 * The path without the reports of sanitizers from which it came back: a way over edges that only such a report takes
 * (`failure` as in wm_remainder_find) is replaced by the way that remains between its ends.  `edge` is that of
 * wm_remaining_edges; straight->edge has room for as many edges as the DAG has nodes.  False: all of the path remains,
 * some other part of it does not, or several ways remain.  O(length · out-degrees).
 */
bool wm_remaining_straighten(struct wm_path *straight, const struct wm_path *path, const struct wm_plan *plan,
	const bool *edge, const uint8_t *failure);

#endif
