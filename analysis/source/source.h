/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lines of source files.  Each file is read once and kept.
 *
 * The names of the files come from a map, and so from whoever wrote the source or the binary; #line can name any
 * file.  Only regular files are read, without blocking and no further than their size, so that a FIFO or /proc/kmsg
 * does no harm.  HTML pages, which other people may read, are `confined`: they show only files below the current
 * directory or below a directory that the user named, with symbolic links resolved.
 */
#ifndef WM_ANALYSIS_SOURCE_SOURCE_H
#define WM_ANALYSIS_SOURCE_SOURCE_H

#include "analysis/source/tokens.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_SOURCE_DIRS = 32 };
/* In the order in which they are searched. */
struct wm_source_dirs {
	size_t count;
	const char *name[WM_SOURCE_DIRS];
};

/* Where the name of a file comes from. */
struct wm_map_module;
struct wm_source_origin {
	const char *binary; /* its path; NULL: unknown */
	const struct wm_map_module *module; /* which has the name; NULL: unknown */
};

/* Whether the lines of a file can be shown. */
enum wm_source_state {
	WM_SOURCE_SHOWN,
	WM_SOURCE_REFUSED, /* it is in no allowed directory */
	WM_SOURCE_ABSENT,
};

struct wm_source_file;
struct wm_sources {
	const struct wm_source_dirs *directories; /* searched first; NULL: none */
	bool off;	  /* wm_source_line always returns NULL */
	bool confined;
	size_t refused_count; /* files that were not read because they are in no allowed directory */
	char *refused; /* the first of them, where it was found */
	size_t absent_count; /* files that were not found */
	char *absent; /* the first of them */
	size_t count;
	struct wm_source_file *file; /* ascending names */
};

/* Returns a line without its end; *length receives its length.  NULL: the file or the line does not exist.  A file is
 * searched for
 *   - in the directories, with its name, then without the first directories of its name, the longest end first;
 *   - by its name, which is relative to the compilation directory, and to the current directory;
 *   - in the directories above the binary: one of them is the root of the tree that contains the compilation directory and
 *     the file, if that tree was moved with the binary.  The compilation directory must be there, too;
 *   - if a #line directive of the compiled file named it: from the directory of the compiled file. */
const char *wm_source_line(struct wm_sources *sources, const char *file, uint32_t line,
	const struct wm_source_origin *origin, size_t *length);
/* Whether the file, which is found in the same way, has this checksum, so that it is the file that was compiled.  False also if
 * the checksum is not known or not MD5. */
struct wm_map_checksum;
bool wm_source_is(struct wm_sources *sources, const char *file, const struct wm_map_checksum *checksum,
	const struct wm_source_origin *origin);
/* Of a file of which a line was asked for. */
enum wm_source_state wm_source_state(const struct wm_sources *sources, const char *file);
/* One sentence that says which option shows the file, which is refused or absent; heap. */
char *wm_source_advice(const struct wm_sources *sources, const char *file);
/* The tokens of a file, and in *at the token at a position, or WM_NO_TOKEN.  NULL: the file or the position does not exist. */
struct wm_map_line;
const struct wm_tokens *wm_source_tokens(struct wm_sources *sources, const char *file, const struct wm_map_line *place,
	const struct wm_source_origin *origin, size_t *at);
void wm_sources_release(struct wm_sources *sources);

#endif
