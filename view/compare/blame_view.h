/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which outcomes of decisions, lines and paths go with failed runs, as text, HTML and JSON. */
#ifndef WM_VIEW_COMPARE_BLAME_VIEW_H
#define WM_VIEW_COMPARE_BLAME_VIEW_H

#include "analysis/blame/blame.h"
#include "view/document/view_options.h"

/* `top`: how many outcomes, lines and paths the text tells. */
void wm_blame_print(const struct wm_blame *blame, const struct wm_report_options *options, uint64_t top);
void wm_blame_json(const struct wm_blame *blame, const struct wm_report_options *options, FILE *out);

#endif
