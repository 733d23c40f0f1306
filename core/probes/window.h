/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Probes for paths over k iterations.  Not the paper's k accumulators: the register r
 * goes through one iteration after the other, and what the iterations before mean for
 * the id is one number, `sum`.
 *
 * Inside an iterated loop r holds three sums along the current iteration, side by
 * side, that an edge adds to at once:
 *     rank   how many whole iterations come before this one in numbering order: on a
 *            way out of the loop, possibly all
 *     last   its value in version k
 *     skips  how many back edges of the loop it passed by (see `left`)
 * From these, left = last - rank + skips + a constant of the last edge: how many ways
 * out of the loop come before this iteration in versions below k, where a back edge
 * stands among its siblings in successor order and not behind them.  The value of an
 * iteration in version i < k is rank · (paths from the head in version i+1) + left;
 * in versions of paths that started at the head, from which nothing leaves, the
 * values of the iterations are the digits of a number to the base `iterations`.
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
 * A loop with one possible iteration may count its trips instead (`trips`), as
 * core/probes/trips.c does for acyclic paths; then nothing is counted before it is left:
 *
 *     PUSH    ++done
 *     LEAVE   if (done < k) r = sum + done * only_left + (done < k - 1 ? rank * paths[done] + left : last) + after
 *             else { ++count[sum + (k - 1) * only_left + only_last]; count[base + only_last] += done - k;
 *                    r = base + last + after; }
 *
 * each with `before` added to r first, or in place of it.  Outside of iterated loops
 * r is the sum of the values as in the acyclic scheme, and so is `sum` plus the value
 * of the current iteration inside of them.  For k = 2 `window` is rank alone.
 */
#ifndef WM_CORE_WINDOW_H
#define WM_CORE_WINDOW_H

#include "core/probes/place.h"
#include "core/scheme/iteration.h"

struct wm_window_step {
	uint32_t loop;
	bool known; /* r is not read: `before` is all of it */
	int64_t before, after;
	int64_t left; /* the constant in `left` */
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
 * Lets loops with one possible iteration count their trips in a register, under the
 * conditions of wm_place_trips.  O(edges).
 */
enum wm_status wm_window_count_trips(const struct wm_plan *plan, const struct wm_weights *weights, const bool *leaves,
	struct wm_probe_program *program, struct wm_arena *arena);

#endif
