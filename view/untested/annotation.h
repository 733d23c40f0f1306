/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Workflow commands of GitHub, which annotate lines of a change: ::warning file=src/a.c,line=8,title=...::message */
#ifndef WM_VIEW_UNTESTED_ANNOTATION_H
#define WM_VIEW_UNTESTED_ANNOTATION_H

#include <stdint.h>
#include <stdio.h>

struct wm_annotation {
	const char *level; /* notice, warning or error */
	const char *file; /* NULL: not known */
	uint32_t line, column; /* 0: not known */
	const char *title, *message;
};

/* Prints the command on a line; whatever the texts contain, it is one command. */
void wm_annotation_print(const struct wm_annotation *annotation, FILE *out);

#endif
