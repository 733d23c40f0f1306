/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files gaps*.c share: a function while its gaps are sought. */
#ifndef WM_ANALYSIS_TESTS_GAPS_WORK_H
#define WM_ANALYSIS_TESTS_GAPS_WORK_H

#include "analysis/tests/gaps.h"

struct wm_gap_work {
	struct wm_gaps *gaps;
	struct wm_gap_function *f;
	const struct wm_story_function *function;
	const struct wm_graph *graph;
	size_t owner; /* of its paths in the suite */
	const bool *taken; /* per control-flow edge; the last one is the entry */
	const uint64_t *id; /* PATH: of the tested paths, ascending */
	const struct wm_baseline_function *before; /* NULL: the function is not in the baseline, or there is none */
	char **label; /* if there is `before` */
	struct wm_arena arena;
};

/* Memory that must not be NULL. */
void *wm_gap_need(void *memory);
/* Whether the question is about paths through the block, and whether it leaves out this edge, which may be WM_NONE. */
bool wm_gap_touches(const struct wm_gap_work *work, uint32_t block);
bool wm_gap_is_left_out(const struct wm_gap_work *work, uint32_t edge);
/* Whether the edge, which may be WM_NONE, leads from a call to where control goes when the call throws. */
bool wm_gap_throws(const struct wm_gap_work *work, uint32_t edge);
/* Whether the baseline lacks this outcome. */
bool wm_gap_is_new(const struct wm_gap_work *work, uint32_t edge);
/* Fills in which tests take the path; nothing in a suite of one test. */
void wm_gap_name_tests(const struct wm_gap_work *work, struct wm_gap *gap, uint64_t id);

/* gaps_paths.c: finds the untested paths. */
void wm_gap_find_paths(struct wm_gap_work *work);

#endif
