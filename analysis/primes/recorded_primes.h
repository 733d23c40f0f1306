/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Prime path coverage from a recording: all counts are exact, because the recording has the walk of every activation.  Only of
 * functions with an activation that began before the recording, or to which longjmp or an exception returned in the middle of a
 * block, counts are lower bounds.
 */
#ifndef WM_ANALYSIS_PRIMES_RECORDED_PRIMES_H
#define WM_ANALYSIS_PRIMES_RECORDED_PRIMES_H

#include "analysis/primes/primes.h"
#include "analysis/replay/recording_view.h"

/* Per function of view->story, finished; heap. */
struct wm_prime_function *wm_primes_recorded(const struct wm_wpp_view *view);
void wm_primes_recorded_release(struct wm_prime_function *recorded, const struct wm_wpp_view *view);

#endif
