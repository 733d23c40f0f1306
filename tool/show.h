/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_TOOL_SHOW_H
#define WM_TOOL_SHOW_H

#include "tool/report.h"

/* `waymark show --path`: `path` is FUNCTION:ID.  Prints the path for every function of that name that has it; ends in
 * wm_fail if there is none. */
void wm_show_path(struct wm_story *story, const char *path, const struct wm_report_options *options);

/* `waymark show --interesting`: delta of the paths of a profile, per function. */
void wm_show_interesting(
	char *profile_path, struct wm_object *objects, size_t object_count, const struct wm_report_options *options);

/* The probe programs of the functions that the options name. */
void wm_show_probes(const struct wm_story *story, const struct wm_report_options *options);

#endif
