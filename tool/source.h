/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines of source files, read once each and kept. */
#ifndef WM_TOOL_SOURCE_H
#define WM_TOOL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_source_file;
struct wm_sources {
	const char *directory; /* searched first; NULL: none */
	bool off;	  /* answer NULL always */
	size_t count;
	struct wm_source_file *file; /* ascending names */
};

/* Line `line` without its end, length in *length; NULL when file or line is not
 * there.  Files are looked for as named, in `directory` with and without their
 * directories, and beside the binary. */
const char *wm_source_line(
	struct wm_sources *sources, const char *file, uint32_t line, const char *binary, size_t *length);
void wm_sources_release(struct wm_sources *sources);

#endif
