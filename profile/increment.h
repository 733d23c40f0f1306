/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a run has counted since an earlier state of the same run.  A program that is still running can so be stored in parts:
 * the sum of the parts is the last state.
 *
 * In an increment the number of runs is 0, unless the earlier state was empty.  A function may be there for a new doubt only.
 * The time at which a path was first seen is that of the first part that has it: if two threads take an untested path for the
 * first time at once, a later state may have a time that is some microseconds earlier.
 */
#ifndef WM_PROFILE_INCREMENT_H
#define WM_PROFILE_INCREMENT_H

#include "profile/base/function_counts.h"

/* Takes out what the program has only half written: an untested path whose time is not there yet.  The next state has it. */
void wm_state_settle(struct wm_profile *state);

/* *increment = now - before, for two states of one run, of which `before` is empty or has no doubts (wm_state_is_certain).
 * A function about which a doubt has come up since then is kept apart with what it has counted since then.
 * `increment` must be initialised.  WM_PROFILE_OK; WM_PROFILE_REFUSED: a count has fallen, so that these are not two states of
 * one run, or `before` has doubts; WM_PROFILE_NO_MEMORY.  On failure `increment` is as it was.  O(size of both). */
enum wm_profile_status wm_increment(
	struct wm_profile *increment, const struct wm_profile *now, const struct wm_profile *before);

/* Whether no count is in doubt.  Only such a state may become a part while the program runs: a doubt may pass, because the
 * state was read while the program changed it, and a part cannot be taken back. */
bool wm_state_is_certain(const struct wm_profile *state);
/* Whether storing the increment would change nothing. */
bool wm_increment_is_empty(const struct wm_profile *increment);

#endif
