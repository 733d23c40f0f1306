/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file that is written piece by piece: a temporary file, which gets its name when it is complete.  If the command ends
 * before that, the temporary file is removed. */
#ifndef WM_TOOL_OUTPUT_H
#define WM_TOOL_OUTPUT_H

#include <stdio.h>

struct wm_output {
	const char *path;
	char *temporary;
	FILE *file; /* NULL: it is not open */
	struct wm_output *next; /* of those that are open */
};

/* Each function ends in wm_fail on failure.  An output stays where it is while it is open. */
void wm_output_open(struct wm_output *output, const char *path);
void wm_output_close(struct wm_output *output);
/* For a write that failed; errno gives the reason. */
_Noreturn void wm_output_fail(struct wm_output *output);

#endif
