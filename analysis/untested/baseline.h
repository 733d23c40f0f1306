/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A baseline: what tests took at some time, so that only what has become untested since then is reported.
 *
 * An outcome of a decision is identified by its function and by its *label*, the text of the source: the line of the decision, the
 * condition and the outcome, as in "if (coupon): true".  The second outcome of a function with the same label has "#2" at its end.
 * Labels do not change when lines move.  Without the source, a label is the line relative to the function, and the
 * column.
 *
 * An untested outcome is in the baseline if its function had an outcome of this label then, which no test took.  An untested
 * path is in the baseline if all its outcomes had labels of the function then; but not if the graph is the same and a test
 * took the path then.
 */
#ifndef WM_ANALYSIS_UNTESTED_BASELINE_H
#define WM_ANALYSIS_UNTESTED_BASELINE_H

#include "analysis/join/story.h"
#include "analysis/source/source.h"

struct wm_baseline_outcome {
	char *label;
	bool tested;
};

struct wm_baseline_function {
	char *name; /* linkage name */
	uint64_t key, graph; /* wm_map_function.key; wm_story_hash() */
	bool entered; /* by a test */
	size_t outcome_count, path_count;
	struct wm_baseline_outcome *outcome; /* ascending labels */
	uint64_t *path; /* ascending ids; tested paths, of functions whose paths do not cross calls */
};

struct wm_baseline {
	size_t count;
	struct wm_baseline_function *function; /* ascending key, graph */
};

/* Sorts functions, outcomes and paths after they were filled in. */
void wm_baseline_sort(struct wm_baseline *baseline);
void wm_baseline_release(struct wm_baseline *baseline);
/* The same function: that with the same graph, or else with the same key; NULL: none. */
const struct wm_baseline_function *wm_baseline_find(
	const struct wm_baseline *baseline, const struct wm_story_function *function);
/* The outcome with this label; NULL: none. */
const struct wm_baseline_outcome *wm_baseline_outcome(const struct wm_baseline_function *function, const char *label);

/* Per control-flow edge its label, or NULL if it is no outcome of a decision; heap. */
char **wm_labels_make(const struct wm_story_function *function, struct wm_sources *sources);
void wm_labels_release(char **label, const struct wm_story_function *function);
/* A hash of the name of the function and the labels of a path; or, if `edge` is not WM_NONE, of this outcome alone. */
uint64_t wm_labels_hash(char *const *label, const struct wm_story_function *function, uint64_t id, uint32_t edge);

#endif
