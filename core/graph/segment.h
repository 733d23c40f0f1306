/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which parts of a sequence of subpaths, calls and returns are interprocedural path segments (thesis07, sections 3.4.1 and
 * 3.4.2).
 *
 * A segment is a sequence of subpaths with the calls and returns between them, P → (P | (P) | PP | ⟨f,p⟩.  A segment of
 * depth K spans at most K calls.  Here, as in the example of the thesis, a segment begins at every subpath that ends at a
 * call, and is as long as possible.  It ends
 *     before the call that would be call K + 1,
 *     where the activation in which it began returns,
 *     where the sequence is broken: by a path that ends at a back edge, at a cut edge or in an exit that neither returns nor
 *     calls, by an activation that an exception or a jump leaves, and by the end of the sequence.
 *
 * Recordings (core/walk/segments.h) and trails (core/trail/original.h) are such sequences.
 */
#ifndef WM_CORE_GRAPH_SEGMENT_H
#define WM_CORE_GRAPH_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_SEGMENT_MOST_CALLS 64u

/* Start from zeroes, most_calls, closure and found.  Positions are those of the user's list of subpaths, calls and returns. */
struct wm_segment_finder {
	uint32_t most_calls; /* K: 1 … WM_SEGMENT_MOST_CALLS */
	void *closure;
	/* A segment has ended: the positions from `first` to the one before `end`.  `number`: how many began before it. */
	void (*found)(void *closure, size_t number, size_t first, size_t end);
	/* All open segments end where the sequence is now.  At most K are open: each call begins one, and is counted by all.
	 * An older segment has as many calls as a younger one or more, and is as deep or deeper. */
	struct wm_open_segment {
		size_t number, first;
		uint32_t calls, depth;
	} open[WM_SEGMENT_MOST_CALLS]; /* oldest first */
	uint32_t open_count;
	size_t begun;
};

/* The item at position `at` is a call.  `begins`: the subpath that begins at `first` ends with it. */
void wm_segment_call(struct wm_segment_finder *finder, bool begins, size_t first, size_t at);
/* The item at position `at` is a return. */
void wm_segment_return(struct wm_segment_finder *finder, size_t at);
/* The sequence is broken before position `at`. */
void wm_segment_break(struct wm_segment_finder *finder, size_t at);

#endif
