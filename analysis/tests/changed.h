/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a change of the source means for a suite: the paths of tests through changed lines, and the changed lines that are on no
 * such path.
 *
 * A path is *touched* if one of its steps is on a line that was changed, or beside which lines were removed.
 */
#ifndef WM_ANALYSIS_TESTS_CHANGED_H
#define WM_ANALYSIS_TESTS_CHANGED_H

#include "analysis/change/change.h"
#include "analysis/tests/suite.h"

/* A line that was added or modified and has code in an instrumented function. */
struct wm_changed_line {
	const struct wm_diff_file *file;
	uint32_t line;
	const struct wm_story_function *function; /* the first that has code there */
	bool executed; /* it is on a path of a test */
	bool known; /* the counts of a function that has code there are exact, so `executed` says the truth */
	bool abandoned; /* paths of such a function were abandoned, and the line may be on those */
};

/* Must be initialised with zeros. */
struct wm_changed {
	size_t path_count;
	uint32_t *path; /* the touched paths that tests take, as indices of suite->path, ascending */
	size_t line_count;
	struct wm_changed_line *line; /* ascending file, line */
	size_t executed, unexecuted, unknown; /* how many of the lines */
};

/* The suite has a story, whose binaries the change was joined with. */
void wm_changed_find(struct wm_changed *changed, const struct wm_suite *suite, const struct wm_change *change);
void wm_changed_release(struct wm_changed *changed);

#endif
