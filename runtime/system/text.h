/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text that is written into a buffer of a fixed size, and ends with a zero byte. */
#ifndef WM_RUNTIME_SYSTEM_TEXT_H
#define WM_RUNTIME_SYSTEM_TEXT_H

#include "runtime/system/sys.h"

struct wm_text {
	char *text;
	size_t size, room;
	bool full;
};

static inline void wm_put(struct wm_text *buffer, char c)
{
	if (buffer->size >= buffer->room - 1)
		buffer->full = true;
	else
		buffer->text[buffer->size++] = c;
	buffer->text[buffer->size] = 0;
}

static inline void wm_put_text(struct wm_text *buffer, const char *text)
{
	while (*text)
		wm_put(buffer, *text++);
}

static inline void wm_put_number(struct wm_text *buffer, uint64_t number)
{
	char digits[20];
	int count = 0;
	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count)
		wm_put(buffer, digits[--count]);
}

#endif
