/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Probes for paths over k iterations.  The paper uses k accumulators.  Here, r is computed for one iteration at a
 * time, and `sum` is the contribution of the preceding iterations to the id.
 *
 * Inside an iterated loop r has three fields, each of which is a sum along the current iteration; one addition
 * updates all:
 *     rank   how many whole iterations precede this one in numbering order.  On a way out of the loop it may be the
 *            number of all whole iterations
 *     last   the value of the iteration in version k (core/scheme/kiter.h)
 *     skips  how many back edges of the loop were earlier siblings of the edges taken (used by `left`)
 * From these, left = last - rank + skips + a constant of the last edge.  It is the number of ways out of the loop
 * that precede this iteration in versions below k, where a back edge is numbered among its siblings in successor
 * order instead of after them.  The value of an iteration in version i < k is rank · (paths from the head in version
 * i+1) + left.  In the versions of paths that began at the head, from which no edge leaves the loop, the ranks of the
 * iterations are the digits of a number to the base `iterations`.
 *
 *     ENTER   sum = r; done = 0; window = 0; r = after
 *     PUSH    at a back edge of the loop:
 *             if (done < k - 1) { sum += rank * paths[done] + left; ++done; window = window * iterations + rank; }
 *             else { ++count[sum + last]; window = (window * iterations + rank) % modulus;
 *                    sum = base + window * last_paths; }
 *             r = after
 *     LEAVE   on an edge out of the loop:
 *             r = sum + (done < k - 1 ? rank * paths[done] + left : last) + after
 *
 * Each step first adds `before` to r, or uses `before` in place of r if `known`.
 *
 * A loop with one possible iteration may count its trips instead (`trips`), as core/probes/trips.c does for acyclic
 * paths; nothing is counted before such a loop is left:
 *
 *     PUSH    ++done
 *     LEAVE   if (done < k) r = sum + done * only_left + (done < k - 1 ? rank * paths[done] + left : last) + after
 *             else { ++count[sum + (k - 1) * only_left + only_last]; count[base + only_last] += done - k;
 *                    r = base + last + after; }
 *
 * Outside iterated loops r is the sum of the values, as in the acyclic scheme.  For k = 2, `window` is just the rank.
 */
#ifndef WM_CORE_PROBES_ITERATION_WINDOW_H
#define WM_CORE_PROBES_ITERATION_WINDOW_H

#include "core/probes/place.h"
#include "core/scheme/iteration.h"

struct wm_window_step {
	uint32_t loop;
	bool known; /* r is not read: `before` is used in its place */
	int64_t before, after;
	int64_t left; /* the constant of the last edge in `left` */
};
struct wm_window_fields {
	uint64_t rank, last, left;
};
struct wm_window_fields wm_window_split(
	const struct wm_window_loop *loop, const struct wm_window_step *step, uint64_t r);

/* Places the values of a plan with iterated loops. */
enum wm_status wm_window_place(const struct wm_plan *plan, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena);

/*
 * Makes loops with one possible iteration count their trips in a register, under the conditions of wm_place_trips.
 * O(edges).
 */
enum wm_status wm_window_count_trips(const struct wm_plan *plan, const struct wm_weights *weights,
	const bool *may_not_return, struct wm_probe_program *program, struct wm_arena *arena);

#endif
