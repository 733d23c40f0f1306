/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The data that the scripts of pages load.  A page that was opened as a file cannot load JSON, so the file is a script, too. */
#ifndef WM_VIEW_REPORT_PAGE_DATA_H
#define WM_VIEW_REPORT_PAGE_DATA_H

#include "view/document/document.h"

/* JSON values: a number, as a string if JavaScript cannot hold it; a text, in which control characters are visible. */
json_t *wm_data_count(uint64_t count);
json_t *wm_data_text(const char *text);
/* Adds an integer to a list. */
void wm_data_add(json_t *list, int64_t number);
/* Writes NAME.js, which pages load: a call of waymark() with one object, which is released.  The object is JSON, compressed by zlib and
 * written in base64, because most of it is source text. */
void wm_data_write(struct wm_document *document, const char *name, json_t *object);

#endif
