/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_VIEW_RECORDING_CRASH_PRINT_H
#define WM_VIEW_RECORDING_CRASH_PRINT_H

#include "analysis/crash/crash_story.h"
#include "view/document/view_options.h"

void wm_crash_text(const struct wm_crash *crash, const struct wm_report_options *options, FILE *out);
void wm_crash_json(const struct wm_crash *crash);

#endif
