/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Interprocedural path segments of a recording.  core/graph/segment.h defines segments.  The sequence of a recording is
 * broken after a subpath that ends at a back edge, at a cut edge or in an exit that neither returns nor calls, where an
 * activation is left by an exception or a jump, and where the recording ends.
 *
 * A call that does not return is a call: handlers of errors are reached by such calls.
 *
 * The thesis records every function.  Here, a call during which no recorded function runs does not count as a call: the
 * subpaths before and after it are joined to one, also if the call is left by an exception that the caller catches.  If the
 * callee is not recorded but calls recorded functions, these count as called by the caller.
 */
#ifndef WM_CORE_WALK_SEGMENTS_H
#define WM_CORE_WALK_SEGMENTS_H

#include "core/graph/segment.h"
#include "core/walk/event.h"

/* The items of a segment are subpaths, as entries of the stream, and these two. */
#define WM_SEGMENT_CALL UINT64_C(1)
#define WM_SEGMENT_RETURN UINT64_C(2)

struct wm_segments {
	uint32_t most_calls; /* K: 1 … WM_SEGMENT_MOST_CALLS */
	void *closure;
	/* Called when a segment ends in this process.  The segment may have begun in the parent, before the fork. */
	void (*found)(void *closure, const uint64_t *item, uint32_t count);
	/* State. */
	enum wm_status status; /* WM_NO_MEMORY: segments are missing */
	bool own; /* the events are of this process, not of the one that forked it */
	struct wm_segment_state {
		bool called, behind, calls, returns; /* what the present subpath did */
		bool empty_call; /* the last subpath ended at a call in which nothing has run yet */
	} state;
	uint64_t *item; /* from malloc */
	size_t item_count, item_capacity;
	size_t path; /* where the last path begins: a subpath, or several that are one */
	struct wm_segment_finder finder; /* of items */
};

/* Start from zeroes, most_calls, closure and found.  The sink takes the walks of recordings.  `segments->status` tells
 * whether all segments were found. */
struct wm_sink wm_segments_sink(struct wm_segments *segments);
void wm_segments_release(struct wm_segments *segments);

#endif
