/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/recording/segments.h"
#include "analysis/recording/convert.h"

struct finder {
	struct wm_segments segments;
	struct wm_segment_counts *counts;
	bool live; /* segments end in this process, not in the one that forked it */
};

static enum wm_status count(void *closure, const uint64_t *item, uint32_t length)
{
	const struct finder *finder = closure;
	if (finder->live)
		wm_segment_counts_add(finder->counts, item, length);
	return WM_OK;
}

static enum wm_status take(void *closure, uint64_t entry)
{
	struct finder *finder = closure;
	return wm_segments_take(&finder->segments, entry);
}

/* Segments that are open where a process forks go on in both. */
static void inherit(void *closure)
{
	struct finder *finder = closure;
	finder->live = true;
}

static void take_stream(const struct wm_wpp_view *view, uint32_t stream, struct finder *finder)
{
	const struct wm_wpp_listener listener = {finder, take, inherit};
	struct wm_arena arena;
	wm_arena_init(&arena);
	finder->live = false;
	if (wm_segments_init(&finder->segments, view->function, view->wpp.table.function_count, &arena) != WM_OK)
		wm_bug("out of memory");
	finder->counts->orphans += !wm_wpp_read_stream(view, stream, &listener);
	if (wm_segments_finish(&finder->segments) != WM_OK)
		wm_bug("out of memory");
	wm_segments_release(&finder->segments);
	wm_arena_release(&arena);
}

void wm_wpp_find_segments(const struct wm_wpp_view *view, uint32_t most_calls, struct wm_segment_counts *counts)
{
	struct finder finder = {.counts = counts};
	finder.segments.most_calls = most_calls;
	finder.segments.closure = &finder;
	finder.segments.found = count;
	for (uint32_t s = 0; s < view->wpp.table.stream_count; s++)
		take_stream(view, s, &finder);
}

char *wm_wpp_orphans_text(const struct wm_segment_counts *counts)
{
	return counts->orphans ? wm_xprintf("%u process%s forked from a process that is not in the recording; segments "
					    "that began before the fork are missing: give the raw profiles of all "
					    "processes",
					 counts->orphans, counts->orphans == 1 ? " was" : "es were")
			       : NULL;
}
