/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths across calls and their ids (unit_scheme.h).
 *
 * A path is a list of steps: edges of the DAGs of its functions, and between them the calls that it crosses and
 * the returns.  The steps in each function that the path enters begin with an edge from Start.  In a callee of a context
 * path this edge may lead to a restart; how the callee reached that loop is then not part of the path.  A piecewise path
 * that began at a restart may return to callers whose calls are not part of it.
 */
#ifndef WM_CORE_SCHEME_UNIT_PATH_H
#define WM_CORE_SCHEME_UNIT_PATH_H

#include "core/scheme/unit_scheme.h"

enum wm_step_kind {
	WM_STEP_EDGE, /* index: of an edge of the function's DAG */
	WM_STEP_CALL, /* index: of a call site of the function, which is crossed */
	WM_STEP_RETURN, /* index: of the call site after which the function goes on */
	/* Of schemes with cuts: */
	WM_STEP_CUT, /* index: of the call site before which the path ends */
	WM_STEP_BEHIND, /* index: of the call site after which the path begins, instead of an edge from Start */
	/* Of schemes with pending paths: */
	WM_STEP_PENDING, /* index: of the call site in which the path ends, because the call has not returned */
};
struct wm_step {
	enum wm_step_kind kind;
	uint32_t function, index;
};
struct wm_unit_path {
	uint32_t length, capacity;
	struct wm_step *step;
};

/* Decodes an id.  Replaces the steps of *path, which are in the arena.  WM_BAD_PATH: id >= path_count.
 * O(length · log out-degree); in schemes with cuts, plus the number of calls of every function that the path enters. */
enum wm_status wm_unit_path_decode(
	const struct wm_unit_plan *plan, uint64_t id, struct wm_unit_path *path, struct wm_arena *arena);
/* The inverse of wm_unit_path_decode.  WM_BAD_PATH: the steps are not a path of the plan.  O(length + functions + callers). */
enum wm_status wm_unit_path_encode(
	const struct wm_unit_plan *plan, const struct wm_unit_path *path, uint64_t *id, struct wm_arena *arena);

#endif
