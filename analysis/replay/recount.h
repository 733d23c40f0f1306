/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The paths of a recording under a scheme: the walk of each thread is rebuilt, and the interpreter executes the probes along it. */
#ifndef WM_ANALYSIS_REPLAY_RECOUNT_H
#define WM_ANALYSIS_REPLAY_RECOUNT_H

#include "analysis/replay/recording_view.h"
#include "analysis/tally/tally.h"

/* The counts of a scheme of single functions.  Start from zeroes, view and scheme. */
struct wm_recount {
	const struct wm_wpp_view *view;
	const char *scheme;
	struct wm_arena arena;
	struct wm_tally_unit unit; /* of the functions of the recording; without a name: it has not been entered */
	struct wm_tallies tallies;
};
void wm_recount_take(struct wm_recount *recount);
void wm_recount_release(struct wm_recount *recount);

/* Gives all acyclic paths of the recording; `function` is an index of the table of the recording. */
typedef void wm_wpp_path(void *closure, uint32_t function, const struct wm_id_count *path);
void wm_wpp_acyclic(const struct wm_wpp_view *view, void *closure, wm_wpp_path *found);

/* Gives the sink, which has these activations, all walks; `lost` says what is missing if some began before the recording. */
void wm_wpp_count(const struct wm_wpp_view *view, const struct wm_sink *sink, const struct wm_activations *activations,
	const char *lost);

#endif
