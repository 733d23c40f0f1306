/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Residual marks: how a residual build tells, mostly from the sign of its total, whether a path is tested.  Not in
 * the papers, which look up every path (thesis07 section 3.5.1).
 *
 * *Added marks* (wm_residual_make).  Edges that no tested path takes are marked.  Let B = 2^shift be at least the
 * number of paths.  The value of a marked edge is its acyclic value minus B.  If a path takes u marked edges, its
 * total is id - u·B: it is negative exactly when u > 0, and id = total & (B - 1).  Arithmetic is signed in 64 bits;
 * the total of a whole path cannot overflow, while partial sums under chord placement may wrap around.
 *
 * A negative total means that the path is untested.  What a total that is not negative means depends on the class of
 * the edge on which the path is checked (core/paths/membership.h).  If the class is WM_MEMBER_CLEAN, the path is
 * tested.  If the class is WM_MEMBER_SOME, the path may be untested although it took only tested edges, so it is
 * looked up: by a perfect hash of the total (core/preferential/perfect.h), in which a negative total is never found, or,
 * without marks, by a packed total (core/preferential/pack.h).  If all paths over tested edges of the function are tested (`edge_closed`), no edge has the
 * class SOME.
 *
 * *Sticky marks* (wm_residual_from_core).  Edges that leave the core (core/paths/closed_core.h) are marked, even if tested
 * paths take them, except edges to End and edges on which paths are checked: the class of such an edge already says
 * that the path left the core.  Taking a marked edge sets the highest bit of the register, WM_MARK_BIT, which then
 * stays set.  On an edge of class WM_MEMBER_CORE or WM_MEMBER_CLEAN, a total without the bit is that of a tested path.
 * A path whose total has the bit must be looked up by its id.  This pays when most executions stay in the core.
 *
 * At the end of a path, the action SIGN tests the sign and LOOKUP looks up (core/probes/action.h); core/probes/ends.c
 * chooses them by the class.
 */
#ifndef WM_CORE_PATHS_RESIDUAL_MARKS_H
#define WM_CORE_PATHS_RESIDUAL_MARKS_H

#include "core/paths/closed_core.h"
#include "core/paths/membership.h"

enum wm_residual_marks {
	WM_MARKS_ALL, /* added marks on every untested edge */
	WM_MARKS_LEAVING, /* added marks only on untested edges out of a node that is on a tested path */
	WM_MARKS_NONE, /* neither fits 64 bits: every path must be looked up */
	WM_MARKS_STICKY, /* sticky marks on edges that leave the core */
};

struct wm_residual {
	enum wm_residual_marks marks;
	unsigned shift;
	bool edge_closed;
	bool *tested; /* per DAG edge: a tested path takes it; with sticky marks: it is in the core.  For wm_sums.first */
	bool *marked; /* per DAG edge */
	int64_t *value; /* per DAG edge, for wm_sums.value */
	uint64_t tested_edge_paths; /* the number of paths over the edges in `tested` */
	struct wm_membership membership; /* of the tested paths */
	/* The tested paths that a lookup table must contain.  `unclear`: with marks, the paths that are checked on edges of
	 * class SOME or CORE.  `unmarked`: without marks, those of class CLEAN too. */
	struct wm_path_set unclear, unmarked;
	/* Sticky marks only.  Per DAG edge on which paths are checked: the executions of tested paths that left the core. */
	uint64_t *left_core;
};
/* Added marks.  Paths are checked where that is cheapest (wm_membership_raise).  `tested` may be empty: every path is
 * untested then.  O(groups).  WM_TOO_MANY as for wm_prefixes_make. */
enum wm_status wm_residual_make(struct wm_residual *residual, const struct wm_plan *plan,
	const struct wm_path_set *tested, const struct wm_checking *checking, struct wm_arena *arena);

/* Sticky marks for the given core of the tested paths.  wm_place_sums places them.   O(groups + paths · length).  WM_TOO_MANY as for wm_prefixes_make. */
enum wm_status wm_residual_from_core(struct wm_residual *residual, const struct wm_plan *plan,
	const struct wm_core *core, const struct wm_checking *checking, struct wm_arena *arena);

#endif
