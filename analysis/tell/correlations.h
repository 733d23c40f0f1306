/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The correlated decisions (core/paths/correlation.h) of a function of a story. */
#ifndef WM_ANALYSIS_TELL_CORRELATIONS_H
#define WM_ANALYSIS_TELL_CORRELATIONS_H

#include "analysis/join/story.h"
#include "core/paths/correlation.h"

struct wm_correlations {
	const char *reason; /* NULL, or why the function is not analysed: one clause */
	size_t count;
	struct wm_correlation *correlation; /* edges are those of function->map->graph */
	struct wm_arena arena;
};

void wm_correlations_analyse(struct wm_correlations *correlations, const struct wm_story_function *function);
void wm_correlations_release(struct wm_correlations *correlations);

#endif
