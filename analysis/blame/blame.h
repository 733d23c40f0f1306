/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which paths go with runs that fail (thesis07, sections 2.3.2 and 6.2.2).
 *
 * The runs that passed and those that failed are the two sides of a comparison (analysis/sides/delta.h), so that they may
 * even be of different builds.  The ways that a failed run takes are ranked by a measure of suspicion.  Ways of equal
 * suspicion share their ranks; among them, those with the largest Increase are listed first.
 */
#ifndef WM_ANALYSIS_BLAME_BLAME_H
#define WM_ANALYSIS_BLAME_BLAME_H

#include "analysis/blame/measure.h"
#include "analysis/sides/delta.h"

enum { WM_PASSED = WM_OLD, WM_FAILED = WM_NEW };

/* Where a path parts from the nearest path that a passed run takes. */
struct wm_parting {
	bool known; /* there is such a path, and it is comparable */
	uint64_t nearest; /* its id */
	size_t runs; /* passed runs that take it */
	const struct wm_story_function *function; /* in which they part; NULL: they begin or end in different places */
	uint32_t block, position; /* whose decision parts them, and its place on the path */
	uint32_t edge, nearest_edge; /* that the two paths take there */
};

struct wm_blame_path {
	size_t way; /* in delta.way */
	struct wm_spectrum spectrum;
	double score;
	size_t first_rank, last_rank; /* of the paths with equal score, counted from 1 */
	bool untested; /* no test takes it; only if there are tests */
	struct wm_parting parting;
};

struct wm_blame {
	struct wm_delta delta; /* of the passed and the failed runs */
	enum wm_measure measure;
	struct wm_suite tests; /* of --tested; test_count 0: none */
	size_t path_count;
	struct wm_blame_path
		*path; /* ways that a failed run takes, the most suspicious first; untested ones before all others */
	size_t untested;
};

/* delta and measure must be set as for wm_delta_build, and the files of `tests` added.  O(paths · log paths) plus the time of
 * core/paths/nearest.h for each path. */
void wm_blame_build(struct wm_blame *blame, const struct wm_operands *operands, const char *debug_dir, bool any_program,
	const struct wm_function_filter *filter);
void wm_blame_release(struct wm_blame *blame);

const struct wm_delta_way *wm_blame_way(const struct wm_blame *blame, const struct wm_blame_path *path);
/* A sentence that says where the path parts from the nearest passing one; heap, or NULL if nothing is known:
 *   "line 40, n > 3: true, where the nearest path of passed runs (path 8, in 20 of them) has false" */
char *wm_blame_parting_text(
	const struct wm_parting *parting, const struct wm_story_function *function, struct wm_sources *sources);

/* parting.c: where a path of a function parts from the nearest of other paths, whose ids ascend. */
struct wm_parting wm_parting_find(
	const struct wm_story_function *function, uint64_t id, const uint64_t *other, size_t count);

#endif
