/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The values of a single iteration of an iterated loop (core/scheme/kiter.h).  core/probes/iteration_window.h combines them
 * into the id of a path over k iterations.
 *
 * Two dense numberings are used: `rank` numbers the whole iterations, which end at a back edge of the loop, and
 * `left` numbers the ways from the head out of the loop.
 */
#ifndef WM_CORE_SCHEME_ITERATION_H
#define WM_CORE_SCHEME_ITERATION_H

#include "core/scheme/kiter.h"

struct wm_window_loop {
	uint32_t k;
	uint64_t iterations; /* the number of whole iterations that are possible: ways from the head to a back edge */
	uint64_t modulus; /* iterations^(k-1) */
	uint64_t base; /* value of the Start edge of the head */
	uint64_t last_paths; /* paths from the head in version k */
	uint64_t *paths; /* k-1 entries: paths from the head in version 2, 3 … k */
	/* The fields of r, lowest first: `last`, `skips`, `rank`. */
	unsigned skip_shift, rank_shift;
	bool single; /* only one iteration is possible, and no path starts inside it */
	bool trips; /* the loop counts its trips in a register: set by wm_window_count_trips */
	uint64_t only_left, only_last; /* if `single`: `left` and `last` of the only iteration */
	uint32_t end,
		again_end; /* indices in program->end of what counts a path at a PUSH, and the path of later trips; or WM_NONE */
};

/* What a control-flow edge does to a path over k iterations. */
struct wm_edge_role {
	uint32_t from, to; /* the iterated loops of its source and target, or WM_NONE */
	bool push; /* the edge is a back edge of the loop `from`: an iteration ends */
	bool stop; /* the path ends, and the next one begins */
	bool leave, enter; /* the path leaves or enters an iterated loop */
};
struct wm_edge_role wm_edge_role(const struct wm_plan *plan, uint32_t edge);

struct wm_iteration_values {
	const struct wm_plan *plan;
	const struct wm_iterations *iterations;
	struct wm_window_loop *loop; /* per iterated loop; base, modulus and paths are not filled in yet */
	/* Per block of an iterated loop: the ways from it to a back edge, and out of the loop. */
	uint64_t *whole, *left;
	/* Per control-flow edge whose source is such a block: what the edge adds to each sum. */
	uint64_t *rank, *last, *left_before;
	bool *skips; /* whether a back edge of the loop is an earlier sibling of the edge */
};
/* WM_TOO_MANY: the three sums of an iteration do not fit one register together, which needs a path count near 2^60.
 * O(edges · out-degree). */
enum wm_status wm_iteration_values_make(
	struct wm_iteration_values *values, const struct wm_plan *plan, struct wm_arena *arena);

#endif
