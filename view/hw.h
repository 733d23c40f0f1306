/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_VIEW_HW_H
#define WM_VIEW_HW_H

#include "analysis/hw/hw.h"

/* Print the rows of a path of this binary.  A row whose source line is not known is printed only if it has outcomes,
 * because addresses alone say little. */
struct wm_html;
void wm_hw_print_rows(const struct wm_hw_rows *rows, struct wm_sources *sources, const char *binary, FILE *out);
void wm_hw_html_rows(struct wm_html *html, const struct wm_hw_rows *rows, const char *binary);
json_t *wm_hw_path_json(
	const struct wm_hw_story *story, const struct wm_hw_story_path *path, const struct wm_hw_rows *rows);

/* Each function prints the story; `feed` (or NULL) adds information about the run. */
void wm_hw_print_text(const struct wm_hw_story *story, const struct wm_hw_feed *feed, FILE *out);
void wm_hw_print_json(const struct wm_hw_story *story, const struct wm_hw_feed *feed);
void wm_hw_print_html(const struct wm_hw_story *story, const struct wm_hw_feed *feed, const char *directory);
void wm_hw_print(const struct wm_hw_story *story, const struct wm_hw_feed *feed);

#endif
