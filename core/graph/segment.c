/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/segment.h"
#include <string.h>

/* Ends `count` open segments. */
static void close_segments(struct wm_segment_finder *finder, uint32_t from, uint32_t count, size_t at)
{
	struct wm_open_segment *open = finder->open;
	for (uint32_t i = from; i < from + count; i++)
		finder->found(finder->closure, open[i].number, open[i].first, at);
	finder->open_count -= count;
	memmove(open + from, open + from + count, (finder->open_count - from) * sizeof *open);
}

void wm_segment_call(struct wm_segment_finder *finder, bool begins, size_t first, size_t at)
{
	uint32_t full = 0;
	while (full < finder->open_count && finder->open[full].calls == finder->most_calls)
		full++;
	close_segments(finder, 0, full, at);
	for (uint32_t i = 0; i < finder->open_count; i++) {
		finder->open[i].calls++;
		finder->open[i].depth++;
	}
	if (begins)
		finder->open[finder->open_count++] = (struct wm_open_segment){finder->begun++, first, 1, 1};
}

void wm_segment_return(struct wm_segment_finder *finder, size_t at)
{
	uint32_t kept = finder->open_count;
	while (kept && !finder->open[kept - 1].depth) /* began in the activation that returns */
		kept--;
	close_segments(finder, kept, finder->open_count - kept, at);
	for (uint32_t i = 0; i < kept; i++)
		finder->open[i].depth--;
}

void wm_segment_break(struct wm_segment_finder *finder, size_t at)
{
	close_segments(finder, 0, finder->open_count, at);
}
