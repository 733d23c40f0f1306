/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The most compact preferential numbering there is (popl07, Problem A), by integer
 * programming: for small sets, to measure how far core/preferential/preferential.h and linear.h are from it.
 */
#ifndef WM_TEST_OPTIMAL_H
#define WM_TEST_OPTIMAL_H

#include "core/preferential/preferential.h"

#define OPTIMAL_PATHS 16

/* WM_TOO_MANY: more than OPTIMAL_PATHS paths.  WM_UNKNOWN: no proof within `seconds`
 * for some span.  Exponential.  Values on chords are integers of at most a million. */
enum wm_status preferential_optimal(struct wm_preferential *preferential, const struct wm_plan *plan,
	const struct wm_path_set *set, unsigned seconds, struct wm_arena *arena);

#endif
