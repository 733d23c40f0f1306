/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/filter.h"
#include "policy/system_headers.h"
#include <string.h>

bool wm_filter_has_files(const struct wm_function_filter *filter)
{
	return filter->files.only.count || filter->files.without.count;
}

bool wm_filter_passes(const struct wm_function_filter *filter, const struct wm_story_function *function)
{
	return (!filter->function || wm_story_name_matches(function, filter->function)) &&
	       wm_file_filter_passes(&filter->files, wm_story_file(function));
}

bool wm_in_system_header(const struct wm_story_function *function)
{
	return function->state == WM_STORY_SKIPPED && strcmp(function->map->reason, WM_SYSTEM_REASON) == 0;
}
