/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The family of a process that wrote a raw profile under `waymark test` (abi/family.h). */
#ifndef WM_ANALYSIS_TESTS_PROCESS_FAMILY_H
#define WM_ANALYSIS_TESTS_PROCESS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_relative {
	uint64_t pid, start;
	size_t word_count;
	char **word; /* of the command line, without those that were cut off; NULL at the end */
	char *directory; /* the current directory; "": not known */
};

struct wm_family {
	size_t count;
	struct wm_relative *member; /* the process itself, its parent, and so on */
};

/* Hostile input.  Reads as many members as are well formed; memory is on the heap. */
void wm_family_parse(struct wm_family *family, const char *text, size_t size);
/* The family of a raw profile, by the path of the profile; empty if there is none. */
void wm_family_read(struct wm_family *family, const char *path);
void wm_family_release(struct wm_family *family);

#endif
