/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a recording says of its processes: how long they waited, how they ended, and what it lacks. */
#ifndef WM_ANALYSIS_REPLAY_SUMMARY_H
#define WM_ANALYSIS_REPLAY_SUMMARY_H

#include "analysis/join/stopped.h"
#include "analysis/replay/recording_view.h"

/* The microseconds that all threads waited for the spooler; 2^64 - 1 if they are more. */
uint64_t wm_wpp_waited(const struct wm_wpp_view *view);
/* Sentences for a reader about the waits and about processes that did not end by exit; heap, NULL if there is nothing to
 * say. */
char *wm_wpp_wait_text(const struct wm_wpp_view *view);
char *wm_wpp_ending_text(const struct wm_wpp_view *view);
/* Why the answer lacks something: the recording ends before the program did, or the user has interrupted the command. */
struct wm_stops wm_wpp_stops(const struct wm_wpp_view *view);
bool wm_wpp_stopped(const struct wm_wpp_view *view);
/* The same as a sentence; heap, NULL if nothing was stopped. */
char *wm_wpp_stopped_text(const struct wm_wpp_view *view);

#endif
