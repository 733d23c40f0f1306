/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_CMD_CMD_SHOW_H
#define WM_CMD_CMD_SHOW_H

#include "analysis/join/units.h"
#include "cmd/report_options.h"

/* `waymark show --path`: `path` is FUNCTION:ID.  Prints the path for every function of that name that has it; ends in
 * wm_fail if there is none. */
void wm_show_path(struct wm_story *story, const char *path, const struct wm_report_options *options);

/* `waymark show --interesting`: delta of the paths of a profile, per function. */
void wm_show_interesting(
	char *profile_path, struct wm_object *objects, size_t object_count, const struct wm_report_options *options);

/* For options whose profile must have counts of single functions: wm_fail if paths of the story cross calls. */
void wm_show_refuse_across(const struct wm_story *story, const char *option);

/* The probe programs of the functions that the options name. */
void wm_show_probes(const struct wm_story *story, const struct wm_report_options *options);

/* show_calls.c: the call sites of a function and, in schemes of paths across calls, what became of them. */
void wm_show_calls(const struct wm_story_function *function, const struct wm_units *units);
json_t *wm_show_calls_json(const struct wm_story_function *function, const struct wm_units *units);
/* The inlined calls of a function of a build that inlines calls. */
json_t *wm_show_inlined_json(const struct wm_story_function *function);
/* Whether the binary was numbered whole or file by file, and how many of its calls are crossed; nothing without units. */
void wm_show_numbering(const struct wm_object *object, const struct wm_units *units);
/* "numbered": "whole" or "alone", for functions of units. */
void wm_show_numbering_json(json_t *object, const struct wm_story_function *function, const struct wm_units *units);

/* `waymark show --calls --scheme`: which calls a scheme of paths across calls would cross. */
struct wm_show_preview {
	const struct wm_report_options *common;
	const char *scheme;
	const char *weights; /* the profile whose counts decide what is crossed; NULL: estimated weights do */
	const char *profile; /* the profile that says how often each call ran; NULL: `weights` */
};
void wm_show_preview(struct wm_story *story, const struct wm_show_preview *options);

#endif
