/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_TOOL_SHOW_H
#define WM_TOOL_SHOW_H

#include "tool/report.h"

/* `waymark show --path`: `path` is FUNCTION:ID; every function of that name which has
 * such a path is told.  wm_fail when there is none. */
void wm_show_path(struct wm_story *story, const char *path, const struct wm_report_options *options);

#endif
