/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Annotated source (analysis/coverage/annotate.h) as text, JSON and pages. */
#ifndef WM_VIEW_REPORT_ANNOTATED_SOURCE_H
#define WM_VIEW_REPORT_ANNOTATED_SOURCE_H

#include "analysis/coverage/annotate.h"
#include "view/document/document.h"

/* What wm_report_source (view/document/view_options.h) prints of its file. */
void wm_source_text(
	struct wm_document *document, const struct wm_annotated *annotated, const struct wm_annotated_file *file);
void wm_source_json(const struct wm_annotated_file *file, FILE *out);

/* "18 of 24 lines with code ran (75.0%)", and how many did not and how many are not known, if that is not the rest. */
void wm_print_lines_ran(FILE *out, const struct wm_file_sums *sums);

/* What is not known of the counts of a function, as one clause, or NULL: paths were abandoned, only untested paths were
 * counted, or it was not counted at all. */
const char *wm_flow_doubt(const struct wm_flow *flow);

#endif
