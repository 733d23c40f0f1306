/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which functions of a story a report is about: those of the project (analysis/scope/project_scope.h), or those that the user asks for,
 * whether they are of the project or not.
 */
#ifndef WM_ANALYSIS_JOIN_FILTER_H
#define WM_ANALYSIS_JOIN_FILTER_H

#include "analysis/join/names.h"
#include "analysis/join/story.h"
#include "analysis/scope/project_scope.h"

struct wm_function_filter {
	const char *function; /* --function: a name or glob; NULL: all */
	struct wm_file_filter files; /* --file, which replaces the scope, and --exclude */
	struct wm_scope *scope; /* --scope; NULL: everything.  The binaries of each story must have been added. */
};

/* Whether --file or --exclude was given. */
bool wm_filter_has_files(const struct wm_function_filter *filter);
bool wm_filter_passes(const struct wm_function_filter *filter, const struct wm_story_function *function);
/* Whether a function is not instrumented because it is in a system header. */
bool wm_in_system_header(const struct wm_story_function *function);

/* Totals of the functions that pass and, with --function, of all others that would pass without it. */
struct wm_story_totals wm_filter_totals(const struct wm_function_filter *filter, const struct wm_story *story);

/* How many functions are left out because they are not of the project, for each reason; those of WM_SCOPE_IN are 0. */
struct wm_unscoped {
	size_t count; /* sum */
	size_t of[WM_SCOPE_REASONS];
};
void wm_unscoped_add(struct wm_unscoped *left, const struct wm_function_filter *filter, const struct wm_story *story);
/* "12 functions of system headers and tests are left out (--scope=all shows them)"; heap, NULL: none is left out. */
char *wm_unscoped_text(const struct wm_unscoped *left);

#endif
