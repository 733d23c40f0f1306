/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/xalloc.h"
#include "core/base/grow.h"
#include "support/fail.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *wm_xmalloc(size_t size)
{
	return wm_xrealloc(NULL, size, 1);
}

void *wm_xrealloc(void *old, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		wm_no_memory();
	void *memory = realloc(old, bytes ? bytes : 1);
	if (!memory)
		wm_no_memory();
	return memory;
}

void wm_xgrow(void *array, size_t count, size_t size)
{
	if (!wm_grow(array, count, size))
		wm_no_memory();
}

char *wm_xstrdup(const char *text)
{
	size_t size = strlen(text) + 1;
	return memcpy(wm_xmalloc(size), text, size);
}

char *wm_xprintf(const char *format, ...)
{
	char *text;
	va_list arguments;
	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	text = length < 0 ? NULL : wm_heap_adopt(text);
	if (!text)
		wm_no_memory();
	return text;
}
