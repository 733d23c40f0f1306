/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Annotated source: what the paths of a story say of each line of each source file.
 *
 * The count of a line is, in one function, that of the block with code on the line that ran most often, so that
 * `for (i = 0; i < n; i++)` counts as often as its condition was evaluated; over several functions with code on the line
 * (instances of a template, inlined calls, several binaries), the sum.  Counts of blocks and edges are those of
 * analysis/story/flow.h.
 *
 * Files are told apart by the names that the maps have for them.
 */
#ifndef WM_ANALYSIS_SOURCE_ANNOTATE_H
#define WM_ANALYSIS_SOURCE_ANNOTATE_H

#include "analysis/source/decision.h"
#include "analysis/story/filter.h"
#include "analysis/story/flow.h"

enum wm_line_state {
	WM_LINE_RAN,
	WM_LINE_NEVER, /* it is in functions that were counted, and never ran */
	/* No completed path has it, but abandoned ones may have; or its code was inlined elsewhere, where it has no line. */
	WM_LINE_MAYBE,
	WM_LINE_UNCOUNTED, /* it is only in functions that were not counted, or were refused */
};

struct wm_line {
	uint32_t line;
	enum wm_line_state state;
	uint8_t weight; /* of several states that bodies give a line, the one with the largest weight counts */
	uint64_t count;
};

struct wm_outcome {
	char text[WM_OUTCOME_MAX];
	uint32_t edge; /* of the graph of the body */
	uint64_t count;
};

/* What a block of a body decides.  A call that may throw is a decision only if it threw.  A decision that several bodies have,
 * or that a body has several times because of inlined calls, is one decision with the sums of their counts. */
struct wm_line_decision {
	uint32_t line, column; /* column 0: unknown */
	uint32_t flow; /* in wm_annotated.flows: the first body that has it */
	uint32_t block;
	uint32_t rank; /* among the decisions of a body at the same place */
	char condition[WM_CONDITION_MAX]; /* wm_decision.condition of the first outcome that has one */
	uint32_t outcome_count;
	struct wm_outcome *outcome;
	uint64_t count; /* of all outcomes */
	bool whole; /* an outcome without a count was never taken */
	/* It was reached, and has an outcome that was never taken.  False unless `whole`: paths were abandoned, or only untested
	 * paths were counted. */
	bool half;
};

/* A call site in a block of a body, which ran as often as the block. */
struct wm_line_call {
	uint32_t line;
	uint32_t flow, block;
	const char *callee; /* linkage name; NULL: the call is indirect */
	uint32_t target; /* the flow of the callee; WM_NONE: it is not in the binaries, or not known */
	uint64_t count;
};

struct wm_file_sums {
	uint64_t lines, lines_ran; /* of lines that were counted: all but UNCOUNTED */
	uint64_t blocks, blocks_ran; /* of the functions that are defined in the file, and were counted */
	uint64_t decisions, reached, half;
	uint64_t functions, functions_ran;
	uint64_t paths_ran;
	double paths_possible; /* may be infinite */
	uint64_t executions; /* of paths */
};

struct wm_annotated_file {
	const char *name;
	const struct wm_story_function *origin; /* a function with code in the file, for wm_source_origin */
	size_t line_count, decision_count, call_count, function_count;
	struct wm_line *line; /* ascending */
	struct wm_line_decision *decision; /* ascending lines, columns, ranks */
	struct wm_line_call *call; /* ascending lines, flows, blocks */
	uint32_t *function; /* the flows of the functions that are defined in the file, by line */
	struct wm_file_sums sums;
};

struct wm_annotated {
	const struct wm_story *story;
	struct wm_flows flows;
	size_t file_count;
	struct wm_annotated_file *file; /* ascending names; all files with code of the functions that pass the filter */
};

/* The story must outlive the result.  `sources` is for the text of conditions. */
void wm_annotate(struct wm_annotated *annotated, const struct wm_story *story, const struct wm_function_filter *filter,
	struct wm_sources *sources);
void wm_annotated_release(struct wm_annotated *annotated);

/* The entry of a line; NULL: it has no code. */
const struct wm_line *wm_annotated_line(const struct wm_annotated_file *file, uint32_t line);
/* A line of the text of the file, as wm_source_line. */
const char *wm_annotated_text(
	struct wm_sources *sources, const struct wm_annotated_file *file, uint32_t line, size_t *length);
/* Adds the sums of a file. */
void wm_file_sums_add(struct wm_file_sums *into, const struct wm_file_sums *from);
const char *wm_line_state_text(enum wm_line_state state); /* ran, never, maybe, uncounted */

#endif
