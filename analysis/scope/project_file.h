/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The configuration file of a project, `.waymark` in its root: lines KEY = VALUE, read by libinih.  Values that are lists are
 * separated by blanks or commas, and may be continued on lines that begin with a blank.
 *
 *     include = GLOB...          the project is only these files
 *     exclude = GLOB...          the project is not these files
 *     tests = GLOB...            these files are test code, instead of those that usually are
 *     ignore = WORD...           functions by name or glob, and failures of checks (policy/check_names.h)
 *     budget = N|FILE            as --budget of `waymark untested`; the file is relative to the root
 *     base = BRANCH              what `--changed ...` compares with
 *
 * Globs are those of analysis/scope/path_globs.h.
 */
#ifndef WM_ANALYSIS_SCOPE_PROJECT_FILE_H
#define WM_ANALYSIS_SCOPE_PROJECT_FILE_H

#include "analysis/scope/path_globs.h"
#include "core/base/arena.h"
#include <stdint.h>

#define WM_PROJECT_FILE ".waymark"

struct wm_project_file {
	struct wm_arena arena; /* of all texts */
	bool has_tests;
	uint8_t checks; /* whose failures are ignored: a set of enum wm_check (core/graph/checks.h) */
	struct wm_globs include, exclude, tests;
	struct wm_globs ignored; /* functions */
	const char *budget, *base; /* NULL: not given */
};

struct wm_project_file_error {
	size_t line;
	char text[256];
};

/* Reads the text of a file.  False: the text is refused, *error says where and why, and nothing needs to be released. */
bool wm_project_file_parse(
	struct wm_project_file *file, const char *text, size_t size, struct wm_project_file_error *error);
/* Reads the file of a directory.  False: there is none.  Ends in wm_fail if the file cannot be read or is refused. */
bool wm_project_file_read(struct wm_project_file *file, const char *directory);
void wm_project_file_release(struct wm_project_file *file);

#endif
