/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/string_builder.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void wm_string_add(struct wm_string *string, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		wm_no_memory();
	size_t needed = string->length + (size_t)length + 1;
	if (needed > string->room) {
		string->room = needed > 2 * string->room ? needed : 2 * string->room;
		string->text = wm_xrealloc(string->text, string->room, 1);
	}
	vsnprintf(string->text + string->length, (size_t)length + 1, format, again);
	va_end(again);
	string->length += (size_t)length;
}

void wm_string_take(struct wm_string *string, char *text)
{
	wm_string_add(string, "%s", text);
	free(text);
}

char *wm_string_text(struct wm_string *string)
{
	return string->text ? string->text : wm_xstrdup("");
}
