/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Annotated source: what the paths of a story say of each line of each source file.  Counts of lines and decisions are those of
 * analysis/coverage/coverage.h; here they get words, and what is known of lines without a count.
 */
#ifndef WM_ANALYSIS_COVERAGE_ANNOTATE_H
#define WM_ANALYSIS_COVERAGE_ANNOTATE_H

#include "analysis/coverage/coverage.h"
#include "analysis/source/decision.h"

enum wm_line_state {
	WM_LINE_RAN,
	WM_LINE_NEVER, /* it is in functions that were counted, and never ran */
	/* No completed path has it, but abandoned ones may have; or its code was inlined elsewhere, where it has no line. */
	WM_LINE_MAYBE,
	WM_LINE_UNCOUNTED, /* it is only in functions whose counts are not known */
};

struct wm_line {
	uint32_t line;
	enum wm_line_state state;
	uint64_t count;
};

struct wm_outcome {
	char text[WM_OUTCOME_MAX];
	uint64_t count;
	bool maybe; /* the count is 0, and it is not known whether it was taken: paths were abandoned */
};

struct wm_line_decision {
	const struct wm_covered_decision *covered;
	char condition[WM_CONDITION_MAX]; /* wm_decision.condition of the first outcome that has one */
	struct wm_outcome *outcome; /* covered->outcome_count */
	/* It was reached, and has an outcome that was never taken, as far as that is known. */
	bool half;
};

/* A call site, which ran as often as its block. */
struct wm_line_call {
	uint32_t line;
	uint32_t block;
	const struct wm_story_function *caller;
	const char *callee; /* linkage name; NULL: the call is indirect */
	const struct wm_story_function
		*target; /* of the story; NULL: the binaries do not have it, or it is not known */
	uint64_t count;
};

struct wm_file_sums {
	uint64_t lines, lines_ran, lines_unknown; /* all lines but UNCOUNTED ones; those that are RAN, and MAYBE */
	uint64_t blocks, blocks_ran; /* of the functions that are defined in the file, and were counted */
	uint64_t decisions, reached, half;
	uint64_t functions, functions_ran;
	uint64_t paths_ran;
	double paths_possible; /* may be infinite */
	uint64_t executions; /* of paths */
};

struct wm_annotated_file {
	char *name; /* absolute, as in struct wm_covered_file */
	const char *given; /* as the map of `origin` has it */
	const struct wm_story_function *origin; /* a function with code in the file */
	size_t line_count, decision_count, call_count, function_count;
	struct wm_line *line; /* ascending */
	struct wm_line_decision *decision; /* as in struct wm_covered_file */
	struct wm_line_call *call; /* ascending lines */
	uint32_t *function; /* the functions of the story that are defined in the file, by line */
	struct wm_file_sums sums;
};

struct wm_annotated {
	const struct wm_story *story;
	struct wm_flows flows;
	struct wm_coverage coverage;
	size_t file_count;
	struct wm_annotated_file *file; /* ascending names; all files with code of the functions that pass the filter */
};

/* The story must outlive the result.  Files have no decisions yet. */
void wm_annotate(struct wm_annotated *annotated, const struct wm_story *story, const struct wm_function_filter *filter);
/* Adds the decisions of a file, with the text of their conditions, and counts them.  Reads the file; once per file. */
void wm_annotate_decisions(
	const struct wm_annotated *annotated, struct wm_annotated_file *file, struct wm_sources *sources);
void wm_annotated_release(struct wm_annotated *annotated);

/* The entry of a line; NULL: it has no code. */
const struct wm_line *wm_annotated_line(const struct wm_annotated_file *file, uint32_t line);
/* The file with this name, which is absolute; NULL: it has no code. */
struct wm_annotated_file *wm_annotated_find(const struct wm_annotated *annotated, const char *name);
/* A line of the text of the file, as wm_source_line. */
const char *wm_annotated_text(
	struct wm_sources *sources, const struct wm_annotated_file *file, uint32_t line, size_t *length);
/* Adds the sums of a file. */
void wm_file_sums_add(struct wm_file_sums *into, const struct wm_file_sums *from);
const char *wm_line_state_text(enum wm_line_state state); /* ran, never, maybe, uncounted */

#endif
