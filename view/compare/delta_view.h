/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What changed between two sets of runs, as text, HTML and JSON. */
#ifndef WM_VIEW_COMPARE_DELTA_VIEW_H
#define WM_VIEW_COMPARE_DELTA_VIEW_H

#include "analysis/sides/delta.h"
#include "view/document/view_options.h"

/* `top`: how many of the ways that differ the text tells. */
void wm_delta_print(const struct wm_delta *delta, const struct wm_report_options *options, uint64_t top);
void wm_delta_json(const struct wm_delta *delta, const struct wm_report_options *options, FILE *out);

#endif
