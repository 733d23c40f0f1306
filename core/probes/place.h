/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Placement: values on DAG edges become few, cold register updates.  This is Ball's event
 * counting: a maximum-weight spanning tree over the DAG closed by End → Start; values only on
 * its chords; the initialisation is pushed down into the first update, and the last update is
 * folded into the count (Ball and Larus 1996, figure 8).
 */
#ifndef WM_CORE_PROBES_PLACE_H
#define WM_CORE_PROBES_PLACE_H

#include "core/numbering/weights.h"
#include "core/probes/program.h"
#include "core/scheme/scheme.h"

/* Naive: every value on its own edge, r = 0 at every start.  Optimal needs weights.  Both give
 * the same profile. */
enum wm_placement { WM_PLACE_NAIVE, WM_PLACE_OPTIMAL };

/* What is added up along a path, modulo 2^64. */
struct wm_sums {
	const int64_t *value; /* per DAG edge */
	/* Per DAG edge, or NULL: edges that a spanning tree takes before all others, whatever their weights.  If
	 * they connect all their nodes, as the edges of a set of paths do, no value of another edge ever moves
	 * onto one of them. */
	const bool *first;
	/* Per DAG edge, or NULL: WM_MARK_BIT is set in the total of a path that takes a marked edge.  Once set it
	 * stays, because no sum of ids reaches it; so it takes one bit however many paths and marked edges there
	 * are.  `value` must then be that of the numbering, no edge to End is marked, and wm_place_regions must
	 * not follow, since its sums only add. */
	const bool *marked;
	const bool *adds; /* per DAG edge, or NULL: edges to End where an addition before the count is not free */
};
/*
 * O(edges · log edges).  WM_BAD_GRAPH for a plan with iterated loops, whose events stand for
 * several DAG edges: core/probes/window.h places those.
 */
enum wm_status wm_place_sums(const struct wm_plan *plan, const struct wm_sums *sums, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena);

#endif
