/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths across calls and their ids (interprocedural.h).
 *
 * A path is a list of steps: edges of the DAGs of its functions, and between them the calls that it crosses and
 * the returns.  It begins with an edge from Start, as does every callee that it goes into; a context path may
 * begin in a callee with a restart, the way into the callee's loop being no part of it.  A piecewise path that
 * began at a restart may return into callers whose calls it does not have.
 */
#ifndef WM_CORE_SCHEME_UNIT_PATH_H
#define WM_CORE_SCHEME_UNIT_PATH_H

#include "core/scheme/interprocedural.h"

enum wm_step_kind {
	WM_STEP_EDGE, /* index: of an edge of the function's DAG */
	WM_STEP_CALL, /* index: of a call site of the function, which is crossed */
	WM_STEP_RETURN, /* index: of the call site behind which the function goes on */
	/* Of schemes with cuts: */
	WM_STEP_CUT, /* index: of the call site before which the path ends */
	WM_STEP_BEHIND, /* index: of the call site behind which the path begins, instead of an edge from Start */
	/* Of schemes with pending paths: */
	WM_STEP_PENDING, /* index: of the call site in which the path ends, the call not having returned */
};
struct wm_step {
	enum wm_step_kind kind;
	uint32_t function, index;
};
struct wm_unit_path {
	uint32_t length, capacity;
	struct wm_step *step;
};

/* The path with this id.  Replaces the steps of *path, which the arena holds.  WM_BAD_PATH if id >= path_count.
 * O(length · log out-degree); schemes with cuts: and the calls of every function that it enters. */
enum wm_status wm_unit_path_decode(
	const struct wm_unit_plan *plan, uint64_t id, struct wm_unit_path *path, struct wm_arena *arena);
/* Its inverse.  WM_BAD_PATH if this is no path of the plan.  O(length + functions + callers). */
enum wm_status wm_unit_path_encode(
	const struct wm_unit_plan *plan, const struct wm_unit_path *path, uint64_t *id, struct wm_arena *arena);

#endif
