/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entries of a recording, and the walks of its threads: the source of events for all answers that follow them. */
#ifndef WM_ANALYSIS_REPLAY_RECORDING_WALK_H
#define WM_ANALYSIS_REPLAY_RECORDING_WALK_H

#include "analysis/replay/recording_view.h"

struct wm_wpp_reading {
	const char *what; /* "reading entry", for the display of progress */
	void *closure;
	void (*take)(void *closure, uint64_t position, uint64_t entry);
};
/* Gives the entries at the positions from `from` up to and without `to`, until the user interrupts the command. */
void wm_wpp_entries(const struct wm_wpp_view *view, uint64_t from, uint64_t to, const struct wm_wpp_reading *reading);

/* Gives the sink the walks of all threads, each after the walk of the threads from which its process was forked
 * (core/walk/event.h).  Warns of what is not exact, once per stream of the view.  Returns how many streams continue one that is not in the recording. */
uint32_t wm_wpp_walk(const struct wm_wpp_view *view, const struct wm_sink *sink);

#endif
