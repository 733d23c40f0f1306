/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The option -fwaymark-k, which gives single loops their own number of iterations.  A list is FUNCTION:LINE:K,
 * FUNCTION:LINE:K …, separated by commas or white space; @FILE names a file with such a list, in which # begins a
 * comment. FUNCTION is a linkage name or a glob pattern.  An item refers to the loop whose head is on the line, or
 * else to the first one after it.
 */
#ifndef WM_POLICY_CHOSEN_LOOPS_H
#define WM_POLICY_CHOSEN_LOOPS_H

#include "profile/map/map.h"

struct wm_loop_choice {
	const char *function;
	uint32_t line, k;
};
struct wm_loop_choices {
	char *text;
	size_t count;
	struct wm_loop_choice *choice;
};
/* Takes ownership of `text`, which malloc returned.  On failure returns false, *error is one sentence, and `choices`
 * must still be released. */
bool wm_loop_choices_parse(struct wm_loop_choices *choices, char *text, char error[300]);
void wm_loop_choices_release(struct wm_loop_choices *choices);

/*
 * The text of the scheme for a function whose graph and lines are known: `scheme` followed by ",HEAD:K" for each loop
 * that the list names.  NULL: out of memory.  *missed receives the first item for this function to which no loop
 * corresponds, or NULL.
 */
const char *wm_loop_choices_scheme(const struct wm_loop_choices *choices, const char *scheme,
	const struct wm_map_function *function, const struct wm_loop_choice **missed, struct wm_arena *arena);

#endif
