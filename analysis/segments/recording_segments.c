/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/segments/recording_segments.h"
#include "analysis/replay/recording_walk.h"
#include "support/xalloc.h"

void wm_wpp_find_segments(const struct wm_wpp_view *view, uint32_t most_calls, struct wm_segment_counts *counts)
{
	struct wm_segments segments;
	const struct wm_sink sink = wm_segment_counts_sink(counts, &segments, most_calls);
	counts->orphans += wm_wpp_walk(view, &sink);
	wm_segment_counts_finish(&segments);
}

char *wm_wpp_orphans_text(const struct wm_segment_counts *counts)
{
	return counts->orphans ? wm_xprintf("%u process%s forked from a process that is not in the recording; segments "
					    "that began before the fork are missing: give the raw profiles of all "
					    "processes",
					 counts->orphans, counts->orphans == 1 ? " was" : "es were")
			       : NULL;
}
