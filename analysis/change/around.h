/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Changed lines of which the paths of tests do not say who executes them, and the functions whose tests are selected for them:
 *
 *   - A line inside a function without code of its own, such as a declaration: the function around it.
 *   - A line outside of every function (a macro, a type, a global variable), or of a function whose counts are not known: what
 *     uses it cannot be known in general, so all functions of the translation units that use the file (analysis/change/users.h).
 *   - A line of a function with abandoned activations, which may have executed it: the function, for the tests in which some of
 *     its activations were abandoned.
 *
 * Blank lines and comments are none of them, where the file on the disk is the one that was compiled.
 */
#ifndef WM_ANALYSIS_CHANGE_AROUND_H
#define WM_ANALYSIS_CHANGE_AROUND_H

#include "analysis/change/change.h"
#include "analysis/suite/suite.h"

enum wm_around_kind {
	WM_AROUND_FUNCTION,
	WM_AROUND_FILE,
	WM_AROUND_ABANDONED,
};

struct wm_around_line {
	const struct wm_diff_file *file;
	uint32_t line;
	enum wm_around_kind kind;
	const struct wm_story_function *function; /* the first of them; FILE: NULL */
};

/* A line that was added or modified and has code in an instrumented function. */
struct wm_changed_line {
	const struct wm_diff_file *file;
	uint32_t line;
	const struct wm_story_function *function; /* the first that has code there */
	bool executed; /* it is on a path of a test */
	bool known; /* the counts of a function that has code there are exact, so `executed` says the truth */
	bool abandoned; /* paths of such a function were abandoned, and the line may be on those */
};

/* Must be initialised with zeros. */
struct wm_around {
	size_t count, idle; /* lines; changed lines that are blank or comments */
	struct wm_around_line *line; /* ascending file, line */
	bool *function; /* per function of the story: all tests that execute it are selected */
	bool *abandoned; /* … those that abandoned activations of it are */
	bool *test; /* per test of the suite: selected, by activations that need not have completed a path */
};

/* coded: changed lines with code, one for each function that has code there; ascending file, line. */
void wm_around_find(struct wm_around *around, const struct wm_suite *suite, const struct wm_change *change,
	const struct wm_changed_line *coded, size_t coded_count);
/* Whether a path of the suite is one of a function that is selected with all its tests. */
bool wm_around_has_path(const struct wm_around *around, const struct wm_suite *suite, size_t path);
/* How many of the lines are of a kind. */
size_t wm_around_count(const struct wm_around *around, enum wm_around_kind kind);
void wm_around_release(struct wm_around *around);

#endif
