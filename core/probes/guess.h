/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Guesses: where paths are asked and one of the known paths makes up more than half of what
 * ran there, the total is compared with that path's total before, or instead of, a lookup.
 */
#ifndef WM_CORE_PROBES_GUESS_H
#define WM_CORE_PROBES_GUESS_H

#include "core/probes/counting.h"

/* Fills counting->guesses and ->guess for the places that counting->membership.asked names.
 * Without counting->weight only ends with one possible member have a guess.  O(paths · length). */
enum wm_status wm_guesses_make(struct wm_counting *counting, const struct wm_plan *plan, struct wm_arena *arena);

#endif
