/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_VIEW_RESIDUAL_H
#define WM_VIEW_RESIDUAL_H

#include "analysis/tests/untested.h"
#include "view/report.h"

void wm_untested_text(const struct wm_untested *untested, const struct wm_report_options *options, FILE *out);
void wm_untested_json(const struct wm_untested *untested, const struct wm_report_options *options, FILE *out);
void wm_untested_html(const struct wm_untested *untested, const struct wm_report_options *options);

#endif
