/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Guesses.  On an edge where paths are checked, the total may be compared with that of a single known path before, or
 * instead of, a lookup.  A guess is made if the edge admits only one member, or if one path makes up more than half
 * of the recorded executions on an edge that needs a lookup.
 */
#ifndef WM_CORE_PROBES_GUESS_H
#define WM_CORE_PROBES_GUESS_H

#include "core/probes/counting.h"

/* Fills in counting->has_guess and counting->guess for the edges in counting->membership.checked.  Without
 * counting->weight, only edges of class WM_MEMBER_ONE have a guess.  O(paths · length). */
enum wm_status wm_guesses_make(struct wm_counting *counting, const struct wm_plan *plan, struct wm_arena *arena);

#endif
