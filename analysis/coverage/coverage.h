/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Coverage: the flow of a story per source file, as coverage tools want it.
 *
 * The count of a line is that of the block with code on the line that was executed most.  A line of several functions, such as
 * the instances of a template, has the sum over the functions, and over the copies of an inlined function.  The line of the
 * definition of a function has at least the number of its entries.  Blocks that no path reaches are left out, and so are
 * functions whose counts are not known, and lines and outcomes that only abandoned paths may have executed.
 */
#ifndef WM_ANALYSIS_COVERAGE_COVERAGE_H
#define WM_ANALYSIS_COVERAGE_COVERAGE_H

#include "analysis/join/filter.h"
#include "analysis/tell/flow.h"

struct wm_covered_line {
	uint32_t line;
	uint64_t count;
};

struct wm_covered_function {
	const struct wm_story_function *function; /* the first of those of this name and line */
	uint32_t line;
	uint64_t entries;
};

/* A branch or switch.  Those of several functions, or of copies of a function, are one if they are at the same position, in
 * the block with the same index, and have the same outcomes. */
struct wm_covered_decision {
	const struct wm_story_function *function; /* the first of them */
	uint32_t block; /* its block in this function, for wm_decision_tell */
	uint32_t line, column; /* column 0: unknown */
	uint64_t reached; /* how often the block was executed */
	bool of_operand; /* the last operand of the condition, for wm_decision_tell_operand */
	uint32_t outcome_count;
	bool *maybe; /* per outcome: it is not known whether it was taken */
	uint64_t *outcome; /* per outcome of the block, true first, cases in the order of the edges */
	uint32_t *edge; /* per outcome: the edge in this function */
};

struct wm_covered_file {
	char *name; /* absolute, unless the compilation directory is not known */
	size_t line_count, function_count, decision_count;
	struct wm_covered_line *line; /* ascending */
	struct wm_covered_function *covered_function; /* by line, then by name */
	struct wm_covered_decision *decision; /* by line, column and block */
};

struct wm_coverage {
	struct wm_arena arena;
	size_t file_count;
	struct wm_covered_file *file; /* ascending names; files without lines are left out */
	size_t unknown_count; /* functions that are left out because their counts are not known */
	const struct wm_story_function *unknown; /* the first of them, or NULL */
	size_t inexact_count; /* functions whose lines may have been executed more often */
	const struct wm_story_function *inexact;
	uint64_t maybe_lines, maybe_outcomes; /* lines that are left out, and outcomes of which nothing is known */
};

/* Only functions that pass the filter.  The flows must outlive the coverage. */
void wm_coverage_build(
	struct wm_coverage *coverage, const struct wm_flows *flows, const struct wm_function_filter *filter);
void wm_coverage_release(struct wm_coverage *coverage);

/* How many lines, functions or known outcomes of decisions the file has, and how many of them were executed. */
struct wm_covered {
	uint64_t all, hit;
};
struct wm_covered wm_covered_lines(const struct wm_covered_file *file);
struct wm_covered wm_covered_functions(const struct wm_covered_file *file);
struct wm_covered wm_covered_outcomes(const struct wm_covered_file *file);

/* The absolute name of a file of a module, as the debug information has it; heap. */
char *wm_absolute_file(const struct wm_map_module *module, uint32_t file);

#endif
