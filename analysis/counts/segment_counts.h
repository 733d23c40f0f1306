/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often each interprocedural path segment (core/walk/segments.h) occurs. */
#ifndef WM_ANALYSIS_COUNTS_SEGMENT_COUNTS_H
#define WM_ANALYSIS_COUNTS_SEGMENT_COUNTS_H

#include "analysis/counts/idcounts.h"
#include "analysis/counts/sequences.h"
#include "core/walk/segments.h"
#include "core/walk/walk.h"

/* Start from zeroes.  The id of a segment is the index of its name. */
struct wm_segment_counts {
	struct wm_sequences names;
	struct wm_id_counts counts;
	uint32_t orphans; /* streams that continue one that is not in the recording */
};
/* A sink that counts the segments of walks here.  `segments` is its memory, until wm_segment_counts_finish. */
struct wm_sink wm_segment_counts_sink(
	struct wm_segment_counts *counts, struct wm_segments *segments, uint32_t most_calls);
void wm_segment_counts_finish(struct wm_segments *segments);
void wm_segment_counts_release(struct wm_segment_counts *counts);

/* A segment is told item by item: subpaths, "(" and ")". */
struct wm_segment_teller {
	void *closure;
	void (*text)(void *closure, const char *text);
	void (*block)(void *closure, uint32_t function, uint32_t block);
};
/* Blocks in the order in which they are entered; a block is not repeated after its calls.  A segment that begins after a call
 * begins with the block of the call; one that begins where an exception is caught begins with the landing pad. */
void wm_segment_tell(const struct wm_sequence_name *segment, const struct wm_walk_function *function,
	const struct wm_segment_teller *teller);

#endif
