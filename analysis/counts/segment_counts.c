/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/counts/segment_counts.h"
#include "abi/stream.h"
#include "support/fail.h"

static void count_segment(void *closure, const uint64_t *item, uint32_t length)
{
	struct wm_segment_counts *counts = closure;
	wm_id_counts_add(&counts->counts, wm_sequences_index(&counts->names, item, length), 1);
}

struct wm_sink wm_segment_counts_sink(
	struct wm_segment_counts *counts, struct wm_segments *segments, uint32_t most_calls)
{
	*segments = (struct wm_segments){.most_calls = most_calls, .closure = counts, .found = count_segment};
	return wm_segments_sink(segments);
}

void wm_segment_counts_finish(struct wm_segments *segments)
{
	if (segments->status != WM_OK)
		wm_no_memory();
	wm_segments_release(segments);
}

void wm_segment_counts_release(struct wm_segment_counts *counts)
{
	wm_sequences_release(&counts->names);
	wm_id_counts_release(&counts->counts);
}

/* Whether a subpath that begins after a call begins with the landing pad of the call. */
static bool is_caught(const struct wm_parts *parts, const struct wm_block_path *path)
{
	uint32_t part = path->block[0], edge = parts->graph.first_edge[part + 1] - 1;
	return path->length > 1 && parts->behind[part] != WM_NONE && parts->graph.edge_to[edge] == path->block[1] &&
	       wm_parts_unwinds(parts, edge);
}

static void tell_subpath(
	uint64_t item, bool first, const struct wm_walk_function *function, const struct wm_segment_teller *teller)
{
	struct wm_arena arena;
	struct wm_block_path path = {0};
	uint32_t f = wm_stream_function(item);
	const struct wm_parts *parts = function[f].parts;
	wm_arena_init(&arena);
	if (wm_plan_decode(function[f].plan, wm_stream_id(item), &path, &arena) != WM_OK)
		wm_bug("a subpath cannot be decoded");
	first &= !is_caught(parts, &path);
	for (uint32_t i = 0; i < path.length; i++)
		if (first || i || parts->behind[path.block[i]] == WM_NONE)
			teller->block(teller->closure, f, parts->block[path.block[i]]);
	wm_arena_release(&arena);
}

void wm_segment_tell(const struct wm_sequence_name *segment, const struct wm_walk_function *function,
	const struct wm_segment_teller *teller)
{
	for (uint32_t i = 0; i < segment->length; i++) {
		uint64_t item = segment->piece[i];
		if (item == WM_SEGMENT_CALL || item == WM_SEGMENT_RETURN)
			teller->text(teller->closure, item == WM_SEGMENT_CALL ? "(" : ")");
		else
			tell_subpath(item, i == 0, function, teller);
	}
}
