/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file of a baseline: a JSON document with the schema waymark.baseline/1 (doc/formats.md). */
#ifndef WM_VIEW_UNTESTED_BASELINE_FILE_H
#define WM_VIEW_UNTESTED_BASELINE_FILE_H

#include "analysis/join/filter.h"
#include "analysis/untested/baseline.h"

/* Reads the text of a file, which is hostile input.  False: `error` says why, and the baseline is empty. */
struct wm_baseline_error {
	char text[256]; /* one clause */
};
bool wm_baseline_parse(struct wm_baseline *baseline, const char *text, size_t size, struct wm_baseline_error *error);
/* Ends in wm_fail if the file cannot be read or is no baseline. */
void wm_baseline_read(struct wm_baseline *baseline, const char *file);
/* Writes what the tests of the story take in the functions that the filter selects. */
void wm_baseline_write(const struct wm_story *story, const struct wm_function_filter *filter,
	struct wm_sources *sources, const char *file);

#endif
