/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How many runs of each side execute each block, control-flow edge and source line of the functions of the failed runs.
 *
 * A run executes what is on its paths, as executions are counted (core/trail/executions.h).  Blocks of functions whose graph the
 * other side has changed are compared as analysis/sides/match.h matches them; a line is executed with its block.  Functions that
 * cannot be compared and those that the filter leaves out have no counts.  Nor has what a run did on paths that were not
 * completed.
 */
#ifndef WM_ANALYSIS_BLAME_EXECUTED_H
#define WM_ANALYSIS_BLAME_EXECUTED_H

#include "analysis/sides/delta.h"

/* A line of a block: `index` is wm_map_block.line_count for that of the decision. */
struct wm_executed_place {
	size_t function; /* of the story of the failed runs */
	uint32_t block, index;
};

struct wm_executed {
	const struct wm_story *story; /* of the failed runs */
	/* Per function of the story: the item of its first block; those of its edges follow those of its blocks.  SIZE_MAX: the
	 * function has no counts. */
	size_t *first;
	size_t item_count;
	uint32_t *runs[WM_SIDES]; /* per item */
	size_t place_count;
	struct wm_executed_place *place; /* ascending by file and line; then in the order of the story */
	size_t line_count;
	size_t *first_place; /* per line: its places are from first_place[l] to first_place[l + 1] */
	uint32_t *line_runs[WM_SIDES]; /* per line */
	uint64_t abandoned; /* activations of these functions, in all runs, that were left inside a call */
};

/* Takes O(paths · length + runs · paths of each · length). */
void wm_executed_count(
	struct wm_executed *executed, struct wm_delta *delta, const struct wm_function_filter *filter, uint32_t failed);
void wm_executed_release(struct wm_executed *executed);

/* The item of a block or edge of a function that has counts. */
size_t wm_executed_block(const struct wm_executed *executed, size_t function, uint32_t block);
size_t wm_executed_edge(const struct wm_executed *executed, size_t function, uint32_t edge);
/* The line of a place. */
const struct wm_map_line *wm_executed_line(const struct wm_executed *executed, const struct wm_executed_place *place);

#endif
