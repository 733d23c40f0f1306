/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/check_names.h"
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"asserts", "sanitizers", "throws", "noreturn"};
enum { NAMES = sizeof names / sizeof *names };

uint8_t wm_check_named(const char *name, size_t length)
{
	for (unsigned i = 0; i < NAMES; i++)
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
			return (uint8_t)(1u << i);
	return 0;
}

const char *wm_check_names(uint8_t kinds, char text[WM_CHECK_NAMES_SIZE])
{
	size_t length = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < NAMES; i++)
		if (kinds >> i & 1)
			length += (size_t)snprintf(text + length, WM_CHECK_NAMES_SIZE - length, "%s%s",
				!length		   ? ""
				: kinds >> (i + 1) ? ", "
						   : " and ",
				names[i]);
	return text;
}
