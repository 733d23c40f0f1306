/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Interprocedural path segments of a recording (thesis07, section 3.4.2). */
#ifndef WM_ANALYSIS_SEGMENTS_RECORDING_SEGMENTS_H
#define WM_ANALYSIS_SEGMENTS_RECORDING_SEGMENTS_H

#include "analysis/counts/segment_counts.h"
#include "analysis/replay/recording_view.h"

/* Adds the path segments that span at most `most_calls` calls. */
void wm_wpp_find_segments(const struct wm_wpp_view *view, uint32_t most_calls, struct wm_segment_counts *counts);
/* That processes were forked from others which the recording lacks; heap, NULL if there are none. */
char *wm_wpp_orphans_text(const struct wm_segment_counts *counts);

#endif
