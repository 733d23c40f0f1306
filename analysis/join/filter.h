/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions of a story the user asks for. */
#ifndef WM_ANALYSIS_JOIN_FILTER_H
#define WM_ANALYSIS_JOIN_FILTER_H

#include "analysis/join/names.h"
#include "analysis/join/story.h"

struct wm_function_filter {
	const char *function; /* --function: a name or glob; NULL: all */
	struct wm_file_filter files; /* --file and --exclude */
};

/* Whether --file or --exclude was given. */
bool wm_filter_has_files(const struct wm_function_filter *filter);
bool wm_filter_passes(const struct wm_function_filter *filter, const struct wm_story_function *function);
/* Whether a function is not instrumented because it is in a system header. */
bool wm_in_system_header(const struct wm_story_function *function);

#endif
