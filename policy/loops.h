/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * -fwaymark-k: loops with a number of iterations of their own, by function and line.
 * A list is FUNCTION:LINE:K, FUNCTION:LINE:K …, separated by commas or white space; @FILE
 * is a file of the same, with # before comments.  FUNCTION is a linkage name or a glob.
 * A loop is meant whose head stands on that line or is the first behind it.
 */
#ifndef WM_POLICY_LOOPS_H
#define WM_POLICY_LOOPS_H

#include "profile/map.h"

struct wm_loop_choice {
	const char *function;
	uint32_t line, k;
};
struct wm_loop_choices {
	char *text;
	size_t count;
	struct wm_loop_choice *choice;
};
/* Takes over `text`, from malloc.  false: *error is one sentence; release all the same. */
bool wm_loop_choices_parse(struct wm_loop_choices *choices, char *text, char error[300]);
void wm_loop_choices_release(struct wm_loop_choices *choices);

/*
 * The scheme's text for a function whose graph and lines are known: `scheme`, with
 * ",HEAD:K" behind it for each loop that the list names.  NULL: out of memory.
 * `*missed` becomes the first choice for the function that found no loop, or NULL.
 */
const char *wm_loop_choices_scheme(const struct wm_loop_choices *choices, const char *scheme,
	const struct wm_map_function *function, const struct wm_loop_choice **missed, struct wm_arena *arena);

#endif
