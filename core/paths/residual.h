/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Residual marking: tells at the end of a path, from the sign of its sum, whether an
 * edge was taken that no tested path takes.  Not in the papers, which look every path
 * up (thesis07 section 3.5.1).
 *
 * Let B = 2^shift be at least the number of paths.  Marked edges weigh their acyclic
 * value - B.  Then the total is id - u·B for u marked edges: negative exactly when
 * u > 0, and id = total & (B - 1).  Arithmetic is signed in 64 bits; the total of a
 * whole path cannot overflow, partial sums under chord placement may wrap.
 *
 * Where the tested paths are *all* paths over tested edges (`edge_closed`), the sign
 * is the whole test; so it is at the end of paths of which this is true
 * (WM_MEMBER_CLEAN).  Otherwise a total that is not negative is an acyclic id to be
 * looked up: core/paths/perfect.h, or a packed preferential sum (core/paths/pack.h), which needs
 * no marks.
 */
#ifndef WM_CORE_RESIDUAL_H
#define WM_CORE_RESIDUAL_H

#include "core/paths/closed.h"
#include "core/paths/membership.h"

enum wm_residual_marks {
	WM_MARKS_ALL, /* every untested edge is marked */
	WM_MARKS_LEAVING, /* only those that leave a node of a tested path */
	WM_MARKS_NONE, /* neither fits 64 bits: every total must be looked up */
	WM_MARKS_STICKY, /* a bit of its own, which stays set: those that leave a core; see wm_residual_close */
};

struct wm_residual {
	enum wm_residual_marks marks;
	unsigned shift;
	bool edge_closed;
	bool *tested; /* per DAG edge: of tested paths, or of their core; `first` for placement */
	bool *marked; /* per DAG edge */
	int64_t *value; /* per DAG edge, for wm_place_values */
	uint64_t tested_edge_paths; /* paths over tested edges */
	struct wm_membership membership; /* of the tested paths */
	/* Tested paths to look up: those asked at WM_MEMBER_SOME or WM_MEMBER_CORE, and, for a lookup without
	 * marks, those asked at WM_MEMBER_CLEAN too.  Without marks no edge is CLEAN. */
	struct wm_path_set unclear, unmarked;
	uint64_t *
		outside; /* wm_residual_close only; per DAG edge where paths are asked: what tested paths outside the core weigh */
};
/* Paths are asked where that is cheapest (wm_membership_raise).  An empty set is allowed: every path is
 * untested.  O(groups); WM_TOO_MANY as wm_prefixes_make. */
enum wm_status wm_residual_make(struct wm_residual *residual, const struct wm_plan *plan,
	const struct wm_path_set *tested, const struct wm_asking *asking, struct wm_arena *arena);

/*
 * The other way round: marks that a tested path may carry.  Not all paths over tested edges are
 * tested, but all over the edges of their core are (core/paths/closed.h), and these are most of what runs.
 * Edges that leave the core are marked (wm_place_sums).  A total without the mark needs no lookup;
 * one with it is looked up, at WM_MEMBER_CORE and SOME, by its id.  `core` is that of the tested paths.
 */
enum wm_status wm_residual_close(struct wm_residual *residual, const struct wm_plan *plan, const struct wm_closed *core,
	const struct wm_asking *asking, struct wm_arena *arena);

#endif
