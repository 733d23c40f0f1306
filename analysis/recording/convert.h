/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the answers that follow the walk of each thread share: the entries of a stream after those of its parents; and the
 * file with a profile that is computed from a recording. */
#ifndef WM_ANALYSIS_RECORDING_CONVERT_H
#define WM_ANALYSIS_RECORDING_CONVERT_H

#include "analysis/recording/view.h"
#include "profile/profile.h"

/* Takes entries of a stream.  WM_BAD_PATH: the entry names no subpath of the binaries. */
struct wm_wpp_listener {
	void *closure;
	enum wm_status (*take)(void *closure, uint64_t entry);
	/* Called once per stream: all entries before it were written in the process from which this one was forked. */
	void (*inherit)(void *closure);
};
/* Gives the entries of a stream, after those that the streams had from which it was forked.  Warns of entries that `take`
 * refused.  False: the stream continues one that is not in the recording. */
bool wm_wpp_read_stream(const struct wm_wpp_view *view, uint32_t stream, const struct wm_wpp_listener *listener);

struct wm_wpp_visitor {
	void *closure;
	void (*take)(void *closure, const struct wm_walk_event *event);
	/* Called once per stream: all events before it happened in the process from which this one was forked. */
	void (*inherit)(void *closure);
};
/* Rebuilds the walk of a thread.  Warns of what is not exact. */
void wm_wpp_convert_stream(
	const struct wm_wpp_view *view, uint32_t stream, const struct wm_wpp_visitor *visitor, struct wm_arena *arena);

/* Adds an object, whose functions are in any order, to an initialised profile, and takes over what it points to. */
void wm_wpp_convert_object(struct wm_profile *into, struct wm_profile_object *from);
/* Writes the profile and releases it. */
void wm_wpp_convert_write(struct wm_profile *profile, uint64_t runs, const char *path);

#endif
