/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The scope of reports: which functions belong to the project.
 *
 * The project is what lies below its root, without headers of the system, code of third parties and tests.  The root of a
 * binary is, in this order:
 *   - the nearest directory at or above the current directory with a file .waymark or .git, if a source of the binary is below
 *     it (a source is a file that was compiled, not one that was included);
 *   - the nearest such directory at or above the directory that all sources have in common;
 *   - the current directory, if all sources are below it;
 *   - the directory that all sources and headers have in common, or else all sources; if that is /, there is no root and
 *     everything is the project.
 * A binary of which a source is below the root of an earlier binary has the same root.
 *
 * The lists of directories that usually have code of third parties or tests (analysis/scope/usual.h) are not used for a root of
 * which they would leave out all functions.
 */
#ifndef WM_ANALYSIS_SCOPE_SCOPE_H
#define WM_ANALYSIS_SCOPE_SCOPE_H

#include "analysis/scope/project_file.h"
#include "elf/elf_object.h"

/* Why a function is not of the project. */
enum wm_scope_reason {
	WM_SCOPE_IN, /* it is */
	WM_SCOPE_SYSTEM, /* headers of the system */
	WM_SCOPE_OUTSIDE, /* not below the root */
	WM_SCOPE_THIRD_PARTY,
	WM_SCOPE_TEST,
	WM_SCOPE_EXCLUDED, /* by `include` or `exclude` of the configuration file */
	WM_SCOPE_IGNORED, /* by `ignore` */
	WM_SCOPE_REASONS
};

/* Of --scope.  Not asked means the project, except for questions about code that the user names otherwise. */
enum wm_scope_mode { WM_SCOPE_PROJECT, WM_SCOPE_ALL, WM_SCOPE_NOT_ASKED };

struct wm_scope_root {
	char *directory; /* normalised and absolute; NULL: none */
	struct wm_project_file file;
	bool usual; /* the usual lists are used */
};

/* A file in which functions are defined. */
struct wm_scope_file {
	const char *name; /* in a map; the address is the key */
	char *path; /* absolute, unless the compilation directory is not known; normalised */
	size_t root;
	enum wm_scope_reason reason;
};

/* Must be initialised with zeros. */
struct wm_scope {
	int mode; /* enum wm_scope_mode */
	size_t root_count;
	struct wm_scope_root *root; /* the first one is that of the first binary */
	size_t count;
	struct wm_scope_file *file; /* ascending names */
};

/* Adds binaries, which must outlive the scope.  Ends in wm_fail if a configuration file is refused. */
void wm_scope_add(struct wm_scope *scope, const struct wm_object *object, size_t count);
void wm_scope_release(struct wm_scope *scope);

/* The directory of the first root, and its configuration file; NULL: there is none. */
const char *wm_scope_directory(const struct wm_scope *scope);
const struct wm_project_file *wm_scope_project_file(const struct wm_scope *scope);

/* Of a file as a module names it: whether its functions are of the project, whatever the mode is; and its name relative to the
 * root, or without its first slash if it is not below the root. */
enum wm_scope_reason wm_scope_reason(const struct wm_scope *scope, const char *file);
const char *wm_scope_path(const struct wm_scope *scope, const char *file);
/* The functions that the configuration file of the project of this file ignores; NULL: none. */
const struct wm_globs *wm_scope_ignored(const struct wm_scope *scope, const char *file);

/* --file and --exclude. */
struct wm_file_filter {
	struct wm_globs only, without;
};
/* Whether the filter lets a file pass.  Globs with the absolute name of the file, or of a directory above it, match, too.  A
 * file that is not known (NULL) matches no glob; scope_or_null gives the root. */
bool wm_file_filter_passes(const struct wm_file_filter *filter, const struct wm_scope *scope_or_null, const char *file);

#endif
