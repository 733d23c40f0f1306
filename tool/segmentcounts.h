/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of interprocedural path segments, by the blocks that they contain. */
#ifndef WM_TOOL_SEGMENTCOUNTS_H
#define WM_TOOL_SEGMENTCOUNTS_H

#include "core/graph/origin.h"

/* How a block of the function of a context is written; heap. */
struct wm_block_names {
	const void *closure;
	char *(*name)(const void *closure, uint32_t function, uint32_t block);
};
/* The words of the moves of a range, separated by blanks: FUNCTION:BLOCK, ( and ).  A range that begins with a return begins
 * behind a call: its first word is +FUNCTION:BLOCK.  `lone`: so does a return whose call is not on the path, as
 * )FUNCTION:BLOCK.  Heap. */
char *wm_moves_text(const struct wm_origins *origins, const struct wm_moves *moves, struct wm_segment_range range,
	const struct wm_block_names *names, bool lone);

struct wm_segment_count {
	char *text;
	uint64_t count;
};
/* Must be initialised with zeros. */
struct wm_segment_counts {
	size_t count;
	struct wm_segment_count *segment;
};
/* The segments of depth `depth` on a path that was taken `count` times. */
void wm_segment_counts_add(struct wm_segment_counts *counts, const struct wm_origins *origins,
	const struct wm_moves *moves, uint32_t depth, uint64_t count, const struct wm_block_names *names);
/* Sums up equal segments, and sorts them by descending count, then by text. */
void wm_segment_counts_finish(struct wm_segment_counts *counts);
void wm_segment_counts_release(struct wm_segment_counts *counts);

#endif
