/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leaves failures of checks out of a story (core/graph/checks.h): they are no outcomes of decisions, and paths through them are
 * possible only if they ran.  Counts do not change.  What control never does is left out, too. */
#ifndef WM_ANALYSIS_JOIN_STORY_CHECKS_H
#define WM_ANALYSIS_JOIN_STORY_CHECKS_H

#include "analysis/join/filter.h"

/*
 * Leaves out failures of these kinds, once for a finished story: sets wm_story_function.remainder and `possible`, and the totals
 * of possible paths.  Functions without a path that remains are left as they are.  Of paths across calls, `possible`
 * stays.  Takes O(edges + paths that ran · length) for each function with failures.
 */
void wm_story_leave_out(struct wm_story *story, uint8_t kinds);

/* Whether an edge remains. */
bool wm_story_remains(const struct wm_story_function *function, uint32_t edge);
/* Whether an edge is an outcome of a decision: it remains, and so does another one of its block, which is no operand of a check. */
bool wm_story_is_outcome(const struct wm_story_function *function, uint32_t edge);
/* Whether control never takes an edge: it is that on which a call returns that does not, such as a throw expression. */
bool wm_story_never(const struct wm_story_function *function, uint32_t edge);
/* Whether the branch of a block only evaluates an operand of a check that is left out. */
bool wm_story_is_check_operand(const struct wm_story_function *function, uint32_t block);

/* What is left out of the possible paths of the functions that pass. */
struct wm_left_out {
	uint64_t outcomes;
	uint64_t paths; /* that ran; they are among the possible ones */
};
struct wm_left_out wm_story_left_out(const struct wm_story *story, const struct wm_function_filter *filter);
/* "3 outcomes that fail asserts and sanitizers are left out"; heap, or NULL if `count` is 0. */
char *wm_story_left_out_text(const struct wm_story *story, uint64_t count);

#endif
