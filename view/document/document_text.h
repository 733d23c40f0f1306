/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What Markdown has in common with the text form of a document. */
#ifndef WM_VIEW_DOCUMENT_DOCUMENT_TEXT_H
#define WM_VIEW_DOCUMENT_DOCUMENT_TEXT_H

#include "view/document/document.h"

/* Elements of struct wm_document_form. */
void wm_text_rows(struct wm_document *page, const struct wm_document_row *row, size_t count);
void wm_text_list(struct wm_document *page, const struct wm_told_list *list);
void wm_text_no_markup(struct wm_document *page, void (*write)(struct wm_document *page, void *closure), void *closure);
/* These two keep what wm_text_refused and wm_text_left_out print at the end. */
void wm_text_take_refused(struct wm_document *page, const struct wm_story_refusal *refused, size_t count);
void wm_text_take_left_out(struct wm_document *page, char *sentence);
void wm_text_refused(struct wm_document *page);
void wm_text_left_out(struct wm_document *page);

/* Where a path begins and ends, with lines where they are known. */
void wm_text_ends(const struct wm_path_ends *path, char *text, size_t size);
/* Which source files were not found; NULL if all were.  Heap. */
char *wm_text_absent(const struct wm_sources *sources);

#endif
