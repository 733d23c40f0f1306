/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lines of source files.  Each file is read once and kept.
 *
 * The names of the files come from a map, and so from whoever wrote the source or the binary; #line can name any
 * file.  Only regular files are read, without blocking and no further than their size, so that a FIFO or /proc/kmsg
 * does no harm.  HTML pages, which other people may read, are `confined`: they show only files below the current
 * directory or below a directory that the user named, with symbolic links resolved.
 */
#ifndef WM_TOOL_SOURCE_H
#define WM_TOOL_SOURCE_H

#include "tool/tokens.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_SOURCE_DIRS = 32 };
/* In the order in which they are searched. */
struct wm_source_dirs {
	size_t count;
	const char *name[WM_SOURCE_DIRS];
};

struct wm_source_file;
struct wm_sources {
	const struct wm_source_dirs *directories; /* searched first; NULL: none */
	bool off;	  /* wm_source_line always returns NULL */
	bool confined;
	size_t refused_count; /* files that were not read because they are in no allowed directory */
	char *refused; /* the first of them */
	size_t count;
	struct wm_source_file *file; /* ascending names */
};

/* Returns a line without its end; *length receives its length.  NULL: the file or the line does not exist.  A file is
 * searched for in the directories, with and without the directories of its name; then by its name; then in the
 * directory of the binary. */
const char *wm_source_line(
	struct wm_sources *sources, const char *file, uint32_t line, const char *binary, size_t *length);
/* The tokens of a file, and in *at the token at a position, or WM_NO_TOKEN.  NULL: the file or the position does not exist. */
struct wm_map_line;
const struct wm_tokens *wm_source_tokens(
	struct wm_sources *sources, const char *file, const struct wm_map_line *place, const char *binary, size_t *at);
void wm_sources_release(struct wm_sources *sources);

#endif
