/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_VIEW_SEGMENTS_H
#define WM_VIEW_SEGMENTS_H

#include "analysis/segments/set.h"
#include "view/report.h"

/* Prints the functions that a segment goes through: "main ( parse ) main". */
void wm_segment_print_way(FILE *out, const struct wm_projected_segment *segment);
/* Writes a page to options->html.  `head` is sentences, each of which ends with a newline. */
void wm_segments_html(
	const struct wm_segment_set *set, const char *title, const char *head, const struct wm_report_options *options);

#endif
