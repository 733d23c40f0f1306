/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_VIEW_RECORDING_SEGMENTS_VIEW_H
#define WM_VIEW_RECORDING_SEGMENTS_VIEW_H

#include "analysis/segments/set.h"
#include "view/document/view_options.h"

struct wm_segments_shown {
	uint64_t depth; /* the most calls in a segment */
	uint64_t rows; /* how many segments the text shows */
};
/* Prints the segments, or what is left of them without those of the tests, in the format that the options select.  `untested`
 * NULL: they were not compared with tests. */
void wm_segments_print(const struct wm_segment_set *set, const struct wm_untested_segments *untested,
	const struct wm_segments_shown *shown, const struct wm_report_options *options);
/* Writes a page to options->html.  `head` is sentences, one per line, on the heap; it is freed. */
void wm_segments_html(const struct wm_segment_set *set, char *head, const struct wm_report_options *options);

#endif
