/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark store trend: what the tests of each commit in a store take. */
#ifndef WM_CMD_STORE_TREND_H
#define WM_CMD_STORE_TREND_H

#include <stdbool.h>

struct wm_trend_options {
	bool json;
	int scope; /* enum wm_scope_mode */
	const char *html, *badge; /* NULL, or a directory and a file to be written */
};
/* The operands are a store and binaries.  Returns the exit code. */
int wm_store_trend(const struct wm_trend_options *options, char **operand, int count);

#endif
