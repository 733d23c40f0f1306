/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A path in readable form: its source lines in order, with the outcome of every decision.  Rows are in rows.c. */
#ifndef WM_ANALYSIS_TELL_STEPS_H
#define WM_ANALYSIS_TELL_STEPS_H

#include "analysis/source/decision.h"
#include "analysis/tell/trails.h"

#define WM_BEGINS_MAX 96
#define WM_ROW_MAX 1024 /* the outcomes of a row */

/* How control comes to a step, or where a part of a path begins that is told by itself. */
enum wm_way {
	WM_WAY_ON, /* from the step before it */
	WM_WAY_CALL,
	WM_WAY_BACK, /* a return from a call on the path */
	WM_WAY_RETURN, /* from a call that is not on the path */
	WM_WAY_INSIDE, /* the path begins inside a call that was inlined */
	WM_WAY_FROM_ENTRY,
	WM_WAY_FROM_LOOP,
	WM_WAY_FROM_CUT,
	WM_WAY_AFTER_CALL,
};

struct wm_source_step {
	uint32_t block;
	uint32_t position; /* of the block on the path */
	const char *file;	  /* NULL: unknown */
	uint32_t line, column; /* line 0: unknown; column only of decisions */
	uint64_t address; /* of machine code: where the line begins or, without a line, of the branch; else 0 */
	struct wm_decision decision; /* outcome "": nothing is decided here */
	char begins[WM_BEGINS_MAX]; /* "": nothing; else what part of the path begins here: "iteration 2", "calls f" */
	enum wm_way way; /* the last that `begins` tells */
	const struct wm_story_function *function;
	uint32_t depth; /* calls that the path has crossed and not returned from */
};

/* Where a path begins and ends. */
struct wm_path_ends {
	uint8_t start, end; /* enum wm_start, enum wm_end */
	const struct wm_story_function *first, *last; /* the functions in which its active part begins, and it ends */
	uint32_t block; /* of `first`: where the active part begins */
	uint32_t edge; /* of `last`: the back edge or cut edge with which it ends; WM_NONE: none */
	uint32_t call; /* of `last`: the call site in which it ends; WM_NONE: none */
};
/* "call", or "in the call of finish at 9" for the call in which an unfinished path stands. */
enum { WM_CALL_WORDS = 160 };
void wm_path_call_words(const struct wm_path_ends *ends, char text[WM_CALL_WORDS]);

/* Whether the step is on a line, which is known. */
bool wm_step_stands_at(const struct wm_source_step *step, const char *file, uint32_t line);

/* Must be initialised with zeros.  Steps may be built several times before wm_steps_release. */
struct wm_steps {
	struct wm_sources *sources; /* for the text of conditions; NULL: without it */
	size_t count;
	struct wm_source_step *step;
	uint32_t position; /* while building: of the block at work */
	size_t part; /* while building: steps before this are of an earlier part of the path */
	char announced[WM_BEGINS_MAX]; /* … what begins with the next step */
	enum wm_way way; /* … and how control comes to it */
	uint32_t depth; /* … of the block at work */
};

/* Decodes a path, inside one function or across calls, and builds its steps.  Consecutive steps on one line are folded unless
 * both decide something.  A block of which no line is known is one step with line 0. */
void wm_steps_tell(
	struct wm_steps *steps, const struct wm_story_function *function, uint64_t id, struct wm_path_ends *ends);
/* The same for a part of a path: a range, which is not empty, of the steps of the original functions (wm_story_original). */
void wm_steps_tell_segment(
	struct wm_steps *steps, const struct wm_story_function *function, uint64_t id, struct wm_segment_range range);

/* The way to the first step of a segment that begins there. */
enum wm_way wm_segment_way(enum wm_start start);

/* The same for a trail, which need not have an id, of these functions.  The pointers to them must stay. */
void wm_steps_build(struct wm_steps *steps, const struct wm_story_function *const *body, const struct wm_trail *trail);
/* Removes all steps; appends those of such a trail, `depth` calls deep, to which control comes in this way.  Inlined calls are
 * not told. */
void wm_steps_clear(struct wm_steps *steps);
void wm_steps_append(struct wm_steps *steps, const struct wm_story_function *function, const struct wm_trail *trail,
	uint32_t depth, enum wm_way way);
void wm_steps_release(struct wm_steps *steps);

/*
 * A row is a sequence of steps on the same line, whose outcomes are joined by ", ".  `end` is the index after that of
 * the last step.
 */
struct wm_row {
	size_t first, end;
};
size_t wm_steps_rows(const struct wm_steps *steps, struct wm_row **rows); /* heap */
/* Removes rows without an outcome that tell nothing: their source line contains only braces, because the position of a return is
 * often the brace that ends the function; or control comes back to a line to finish a statement that spans lines; or the block has
 * no line, as where nested ifs join, and other rows have lines.  At least
 * one row stays.  Returns the new count. */
size_t wm_rows_tidy(const struct wm_steps *steps, struct wm_row *rows, size_t count, struct wm_sources *sources,
	const struct wm_story_function *function);
/* The source line of a step, as wm_source_line; `function` is one of the binary. */
const char *wm_step_source(struct wm_sources *sources, const struct wm_source_step *step,
	const struct wm_story_function *function, size_t *length);
/* Whether this row contains the decision at the end of the block at `position` of the path. */
bool wm_row_decides(const struct wm_steps *steps, const struct wm_row *row, uint32_t position);
/* The joined outcomes of a row, truncated to `size` bytes.  `returned` is left out if there is another outcome. */
void wm_row_outcome(const struct wm_steps *steps, const struct wm_row *row, char *text, size_t size);

#endif
