/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a change of the source means for a suite: the paths of tests through changed lines, and the changed lines that are on no
 * such path.
 *
 * A path is *touched* if one of its steps is on a line that was changed, or beside which lines were removed.  For lines of which no
 * path says who executes them, further tests are selected (analysis/change/around.h).
 */
#ifndef WM_ANALYSIS_CHANGE_CHANGED_H
#define WM_ANALYSIS_CHANGE_CHANGED_H

#include "analysis/change/around.h"

/* Must be initialised with zeros. */
struct wm_changed {
	size_t path_count;
	/* The touched paths that tests take, and those of the functions around lines that no path is known to go through, as
	 * indices of suite->path, ascending. */
	uint32_t *path;
	size_t line_count;
	struct wm_changed_line *line; /* ascending file, line */
	size_t executed, unexecuted, unknown; /* how many of the lines */
	struct wm_around around;
};

/* The suite has a story, whose binaries the change was joined with. */
void wm_changed_find(struct wm_changed *changed, const struct wm_suite *suite, const struct wm_change *change);
void wm_changed_release(struct wm_changed *changed);

#endif
