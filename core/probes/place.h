/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Placement turns values on DAG edges into few, cold register updates.  It is Ball's event counting: only the chords
 * of a maximum-weight spanning tree of the DAG with an added edge End → Start carry values; the initialisation of the
 * register is merged into the first update, and the last update is folded into the count (Ball and Larus 1996, figure
 * 8).
 */
#ifndef WM_CORE_PROBES_PLACE_H
#define WM_CORE_PROBES_PLACE_H

#include "core/numbering/weights.h"
#include "core/probes/program.h"
#include "core/scheme/scheme.h"

/* NAIVE puts every value on its own edge and sets r = 0 where a path begins.  OPTIMAL needs weights.  Both give the
 * same profile. */
enum wm_placement { WM_PLACE_NAIVE, WM_PLACE_OPTIMAL };

/* What is summed along a path, modulo 2^64. */
struct wm_sums {
	const int64_t *value; /* per DAG edge */
	/* Per DAG edge, or NULL: edges that the spanning tree takes before all others, whatever their weights.  If these
	 * edges are connected, as the edges of a set of paths are, no value of another edge moves onto one of them. */
	const bool *first;
	/* Per DAG edge, or NULL: sticky marks (core/paths/residual_marks.h).  The total of a path that takes a marked edge has
	 * WM_MARK_BIT set.  Ids are below that bit, so one bit is enough for any number of marked edges.  Then `value`
	 * must be that of the numbering, no edge to End may be marked, and wm_place_regions must not run, because it
	 * assumes that actions only add. */
	const bool *sticky;
	const bool *adds; /* per DAG edge, or NULL: edges where an addition before the count costs an instruction */
};
/*
 * O(edges · log edges).  WM_BAD_GRAPH: the plan has iterated loops, for which one event stands for several DAG edges;
 * core/probes/iteration_window.h places these.
 */
enum wm_status wm_place_sums(const struct wm_plan *plan, const struct wm_sums *sums, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena);

#endif
