/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_VIEW_HW_HW_VIEW_H
#define WM_VIEW_HW_HW_VIEW_H

#include "analysis/hw/hw.h"
#include "view/document/document.h"

/* The lines of document->steps, which wm_hw_story_tell has made; nothing if there are none. */
void wm_hw_tell_rows(struct wm_document *document);
/* `steps` is working memory. */
json_t *wm_hw_path_json(const struct wm_hw_story *story, const struct wm_hw_story_path *path, struct wm_steps *steps);

/* Prints the story in the formats that its view selects; `feed` (or NULL) adds information about the run. */
void wm_hw_print(const struct wm_hw_story *story, const struct wm_hw_feed *feed);
void wm_hw_print_json(const struct wm_hw_story *story, const struct wm_hw_feed *feed);

#endif
