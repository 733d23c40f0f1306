/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The hot core of a set of paths: edges such that every path over them is in the set.
 *
 * Not in the papers.  A set is seldom all paths over its edges: a function is entered once and its
 * loop goes round a thousand times, so the first round has taken few of the ways that later
 * ones have.  Without a few cold edges, what is left mostly is.  A path over core edges is known
 * to be a member; only one that leaves them must be looked up.
 *
 * Greedy: the heaviest path first, each with all its edges or not at all.  O(paths · edges) at most,
 * in practice a count of ways for every path that brings a new edge.
 */
#ifndef WM_CORE_CLOSED_H
#define WM_CORE_CLOSED_H

#include "core/paths/pathset.h"

struct wm_closed {
	const struct wm_path_set *set;
	const uint64_t *weight; /* per path of the set */
	bool *edge; /* per DAG edge: in the core */
	uint32_t paths; /* paths over core edges: so many of the set */
	bool *inside; /* per path of the set: it is one of them */
};
/* `weight`: per path of the set; both are kept.  WM_TOO_MANY when it would take too long or too much memory. */
enum wm_status wm_closed_make(struct wm_closed *closed, const struct wm_plan *plan, const struct wm_path_set *set,
	const uint64_t *weight, struct wm_arena *arena);

#endif
