/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which unfinished paths are tested: an activation of the field was left in a call.  The path so far is tested if a test took the same
 * blocks up to this call, on a path that it completed or that was left in this call or in a later one.  Of two calls of
 * a block of which the map does not list one, it is not known which is later: they do not stand for each other.
 */
#ifndef WM_ANALYSIS_UNTESTED_TESTED_PREFIXES_H
#define WM_ANALYSIS_UNTESTED_TESTED_PREFIXES_H

#include "analysis/join/story.h"

struct wm_tested_prefixes {
	const struct wm_story_function *tests;
	size_t count;
	uint64_t *id; /* of the paths that tests completed, ascending */
	const struct wm_story_unfinished **left; /* those of the tests, ascending sums */
};

/* tests: the function in the story of the tests, whose graph is that in the field; NULL: it is not there.  Must outlive the result.
 * O(n log n). */
void wm_tested_prefixes_init(struct wm_tested_prefixes *tested, const struct wm_story_function *tests);
void wm_tested_prefixes_release(struct wm_tested_prefixes *tested);

/* `left` is of `field`.  O(log n + length · unfinished paths of the tests that share the beginning). */
bool wm_tested_prefixes_have(const struct wm_tested_prefixes *tested, const struct wm_story_function *field,
	const struct wm_story_unfinished *left);

#endif
