/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The values of one iteration of an iterated loop (core/scheme/kiter.h), from which the
 * id of a path over k iterations is made up.  core/probes/window.h says how.
 *
 * The ids of iterations are dense twice: `rank` numbers the whole iterations, which end at
 * a back edge of the loop, and `left` the ways out of the loop.
 */
#ifndef WM_CORE_SCHEME_ITERATION_H
#define WM_CORE_SCHEME_ITERATION_H

#include "core/scheme/kiter.h"

struct wm_window_loop {
	uint32_t k;
	uint64_t iterations; /* whole ones that are possible: back edges reached from the head */
	uint64_t modulus; /* iterations^(k-1) */
	uint64_t base; /* value of the Start edge of the head */
	uint64_t last_paths; /* paths from the head in version k */
	uint64_t *paths; /* k-1: paths from the head in version 2, 3 … k */
	/* r, from the low end: `last`, `skips`, `rank` */
	unsigned skip_shift, rank_shift;
	bool single; /* one iteration is possible, and no path starts inside of it */
	bool trips; /* wm_window_count_trips chose it */
	uint64_t only_left, only_last; /* single: `left` and `last` of the iteration */
	uint32_t end, again_end; /* the ends of paths that the loop counts (core/probes/program.h), or WM_NONE */
};

/* What a control-flow edge does to a path over k iterations. */
struct wm_edge_role {
	uint32_t from, to; /* iterated loops of its ends, or WM_NONE */
	bool push; /* it is a back edge of the loop `from`: an iteration ends */
	bool stop; /* the path ends, and the next one begins */
	bool leave, enter; /* the path leaves or enters an iterated loop */
};
struct wm_edge_role wm_edge_role(const struct wm_plan *plan, uint32_t edge);

struct wm_iteration_values {
	const struct wm_plan *plan;
	const struct wm_iterations *iterations;
	struct wm_window_loop *loop; /* per iterated loop; base, modulus and paths are not filled in yet */
	/* Per block of an iterated loop: whole iterations from it, ways out of the loop. */
	uint64_t *whole, *left;
	/* Per control-flow edge out of such a block. */
	uint64_t *rank, *last, *left_before;
	bool *skips; /* it passes by a back edge of its loop */
};
/* WM_TOO_MANY when the sums of an iteration do not fit one register together, which needs a path
 * count near 2^60.  O(edges · out-degree). */
enum wm_status wm_iteration_values_make(
	struct wm_iteration_values *values, const struct wm_plan *plan, struct wm_arena *arena);

#endif
