/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which tests of a suite take a path of a function of another story of the same binaries, such as that of a report.  Functions
 * are the same if key, graph and source are.  Of functions whose paths cross calls nothing is known.
 */
#ifndef WM_ANALYSIS_SUITE_TAKERS_H
#define WM_ANALYSIS_SUITE_TAKERS_H

#include "analysis/suite/suite.h"

struct wm_takers {
	const struct wm_suite *suite; /* with binaries */
	uint32_t *order; /* the paths of the suite by function, then by id */
	size_t count;
};

/* The suite must outlive the takers. */
void wm_takers_build(struct wm_takers *takers, const struct wm_suite *suite);
void wm_takers_release(struct wm_takers *takers);
/* The number of a path in the suite; WM_NONE: no test takes it.  O(log paths). */
uint32_t wm_takers_path(const struct wm_takers *takers, const struct wm_story_function *function, uint64_t id);
/* Whether a path of the function that wm_takers_path() does not find was taken by no test.  False: counts of the tests were left
 * out, which may be of this function.  O(refused functions). */
bool wm_takers_complete(const struct wm_takers *takers, const struct wm_story_function *function);

#endif
