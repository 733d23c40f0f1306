/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the tests of one commit after the other take: text, a page with charts, JSON, and a badge. */
#ifndef WM_VIEW_UNTESTED_TREND_VIEW_H
#define WM_VIEW_UNTESTED_TREND_VIEW_H

#include "analysis/untested/trend.h"
#include "view/document/view_options.h"

/* Prints text or JSON to standard output, or writes a page, as the options select. */
void wm_trend_print(const struct wm_trend *trend, const struct wm_report_options *options);
/* Writes an SVG that says which part of the outcomes the tests of the last known commit take. */
void wm_trend_badge(const struct wm_trend *trend, const char *file);

#endif
