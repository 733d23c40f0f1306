/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_VIEW_RESIDUAL_H
#define WM_VIEW_RESIDUAL_H

#include "analysis/tests/untested.h"
#include "view/report.h"

/* Prints the comparison in the formats that the options select. */
void wm_untested_print(const struct wm_untested *untested, const struct wm_report_options *options);
void wm_untested_json(const struct wm_untested *untested, const struct wm_report_options *options, FILE *out);

#endif
