/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How sentences name the edges of a graph, and the places where paths part. */
#ifndef WM_ANALYSIS_TELL_EDGE_WORDS_H
#define WM_ANALYSIS_TELL_EDGE_WORDS_H

#include "analysis/source/decision.h"

/* "line 40", "line 40:7" if the line has several decisions and the text of the condition is not known, "other.h:40", or
 * "block 7"; before a condition, a comma follows. */
void wm_decision_place(const struct wm_story_function *function, uint32_t block, const struct wm_decision *decision,
	char *text, size_t size);
/* "line 40 false", "line 40, c == 3: false", "entry" for WM_NONE, or "line 12 to line 14" if the edge has no outcome; heap.
 * `sources` is for the text of the condition, or NULL. */
char *wm_edge_text(const struct wm_story_function *function, uint32_t edge, struct wm_sources *sources);

#endif
