/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which outcomes of decisions, source lines and paths go with runs that fail (thesis07, sections 2.3.2 and 6.2.2).
 *
 * The runs that passed and those that failed are the two sides of a comparison (analysis/sides/delta.h), so that they may
 * even be of different builds.  The ways that a failed run takes are ranked by a measure of suspicion.  Ways of equal
 * suspicion share their ranks; among them, those with the largest Increase are listed first.
 *
 * A failure that is reached by a different path in each failed run has no path that goes with failing, but an outcome of a
 * decision, or a line, that all these paths have.  Outcomes and lines are ranked by the same measure; where suspicion is
 * equal, what is executed first is listed first (analysis/blame/cause_order.h).
 */
#ifndef WM_ANALYSIS_BLAME_BLAME_H
#define WM_ANALYSIS_BLAME_BLAME_H

#include "analysis/blame/executed.h"
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
	struct wm_suspect suspect; /* tie: the smallest has the largest Increase */
	size_t way; /* in delta.way */
	struct wm_parting parting;
};

/* An outcome of a decision: an edge out of a block with several.  Runs that executed the block came near it. */
struct wm_blame_outcome {
	struct wm_suspect suspect;
	const struct wm_story_function *function; /* of the failed runs */
	uint32_t block, edge;
	/* An outcome that every walk to this decision takes, and that the same runs take; an edge of the function, the last one before
	 * it.  WM_NONE: there is none. */
	uint32_t follows;
	/* It follows from another outcome, or is that of an operand of a condition, and an operand before it in the same line
	 * has an outcome that goes as well with failing: text leaves it out. */
	bool folded;
	size_t like; /* of one that is not folded: how many are folded because of it */
};

/* A source line.  Runs that entered the function came near it. */
struct wm_blame_line {
	struct wm_suspect suspect;
	const struct wm_story_function
		*function; /* the first that has code of the line and that failed runs executed */
	struct wm_map_line place; /* the column is that of the first code of the line */
};

struct wm_blame {
	struct wm_delta delta; /* of the passed and the failed runs */
	enum wm_measure measure;
	struct wm_suite tests; /* of --tested; test_count 0: none */
	size_t path_count;
	struct wm_blame_path
		*path; /* ways that a failed run takes, the most suspicious first; untested ones before all others */
	size_t untested;
	size_t outcome_count, line_count;
	struct wm_blame_outcome *outcome; /* that failed runs take, the most suspicious first */
	struct wm_blame_line *line; /* likewise */
	uint64_t abandoned; /* activations that were left inside a call: what they did is not counted */
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

/* suspects.c: fills in the outcomes and lines. */
void wm_blame_find_suspects(struct wm_blame *blame, const struct wm_function_filter *filter);
/* The lines that are executed after an outcome and before the next decision, in their order, each once; memory in the arena. */
size_t wm_blame_leads_to(
	const struct wm_blame_outcome *outcome, const struct wm_map_line ***line, struct wm_arena *arena);

/* parting.c: where a path of a function parts from the nearest of other paths, whose ids ascend. */
struct wm_parting wm_parting_find(
	const struct wm_story_function *function, uint64_t id, const uint64_t *other, size_t count);

#endif
