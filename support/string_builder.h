/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_SUPPORT_STRING_BUILDER_H
#define WM_SUPPORT_STRING_BUILDER_H

#include <stddef.h>

/* A text that grows.  Must be initialised with zeros; `text` is NULL while nothing was added, and is released with free. */
struct wm_string {
	char *text;
	size_t length, room;
};
void wm_string_add(struct wm_string *string, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a text of the heap, and frees it. */
void wm_string_take(struct wm_string *string, char *text);
/* The text, which is "" if nothing was added, on the heap. */
char *wm_string_text(struct wm_string *string);

#endif
