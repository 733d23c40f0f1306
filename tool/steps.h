/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A path in readable form: its source lines in order, with the outcome of every decision. */
#ifndef WM_TOOL_STEPS_H
#define WM_TOOL_STEPS_H

#include "tool/source.h"
#include "tool/story.h"

#define WM_OUTCOME_MAX 72

struct wm_step {
	uint32_t block;
	uint32_t position; /* of the block on the path */
	const char *file;	  /* NULL: unknown */
	uint32_t line, column; /* line 0: unknown; column only of decisions */
	char outcome[WM_OUTCOME_MAX]; /* "": nothing is decided here */
	char begins[24]; /* "": nothing; else what part of the path begins here: "iteration 2", "context" */
};

/* Must be initialised with zeros.  wm_steps_build may be called several times before wm_steps_release. */
struct wm_steps {
	size_t count;
	struct wm_step *step;
	uint32_t position; /* while building: of the block at work */
	size_t part; /* while building: steps before this are of an earlier part of the path */
	bool waiting; /* … and the part has no step yet */
};

/* Consecutive steps on one line are merged unless both have an outcome.  A block without known lines is one step with
 * line 0. */
void wm_steps_build(struct wm_steps *steps, const struct wm_story_function *function, const struct wm_block_path *path);
void wm_steps_release(struct wm_steps *steps);

/* The outcome of the decision at the end of `block` if edge `edge` is taken; "" if there is no decision. */
void wm_outcome_text(
	const struct wm_story_function *function, uint32_t block, uint32_t edge, char text[WM_OUTCOME_MAX]);

/* The first known line of a block; if it has none, that of the first block with a known line that follows it without a
 * decision; 0 if unknown. */
uint32_t wm_block_line(const struct wm_story_function *function, uint32_t block);

/*
 * A row is a sequence of steps on the same line, whose outcomes are joined by ", ".  `end` is the index after that of
 * the last step.
 */
struct wm_row {
	size_t first, end;
};
size_t wm_steps_rows(const struct wm_steps *steps, struct wm_row **rows); /* heap */
/* Removes rows without an outcome whose source line contains only braces: the position of a return is often the brace
 * that ends the function.  At least one row stays.  Returns the new count. */
size_t wm_rows_drop_braces(const struct wm_steps *steps, struct wm_row *rows, size_t count, struct wm_sources *sources,
	const char *binary);
/* Whether this row contains the decision at the end of the block at `position` of the path. */
bool wm_row_decides(const struct wm_steps *steps, const struct wm_row *row, uint32_t position);
/* The joined outcomes of a row, truncated to `size` bytes.  `returned` is left out if there is another outcome. */
void wm_row_outcome(const struct wm_steps *steps, const struct wm_row *row, char *text, size_t size);

#endif
