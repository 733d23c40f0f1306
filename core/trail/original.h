/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The trail of the original functions: a trail of functions into which calls were inlined (core/graph/origin.h), in which the
 * inlined calls and the calls that the path crosses are steps of the same kind.  So reports and segments are the same, whether
 * a callee was inlined or is one copy that all its callers share.
 */
#ifndef WM_CORE_TRAIL_ORIGINAL_H
#define WM_CORE_TRAIL_ORIGINAL_H

#include "core/graph/origin.h"
#include "core/graph/segment.h"
#include "core/trail/trail.h"

/* The origins of the functions of a trail. */
struct wm_trail_origins {
	const void *closure;
	const struct wm_origins *(*of)(const void *closure, uint32_t function); /* NULL: nothing was inlined */
};
/* The steps of the active part in terms of the original functions, in the arena.  A trail whose first block has no mark
 * begins in the frame of the first mark on it.  WM_NO_MEMORY. */
enum wm_status wm_trail_original(const struct wm_trail_origins *origins, const struct wm_trail *trail,
	struct wm_trail *original, struct wm_arena *arena);

/* The number of frames around a frame. */
uint32_t wm_trail_frame_depth(const struct wm_trail *original, uint32_t frame);

/* A segment of a path (core/graph/segment.h).  A subpath is a part of the path between calls and returns. */
struct wm_segment_range {
	/* Steps.  A segment that begins with a RETURN begins after that call.  A segment that begins where an exception is
	 * caught begins with the landing pad. */
	uint32_t first, end;
};
/* The segments of depth `depth`, at most WM_SEGMENT_MOST_CALLS, in the order in which they begin.  At most one segment begins
 * per step: segment[] must have room for original->count of them.  Returns how many there are. */
uint32_t wm_trail_segments(const struct wm_trail *original, uint32_t depth, struct wm_segment_range *segment);

#endif
