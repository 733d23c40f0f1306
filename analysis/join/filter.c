/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/filter.h"
#include "policy/system_headers.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include <math.h>
#include <string.h>

bool wm_filter_has_files(const struct wm_function_filter *filter)
{
	return filter->files.only.count || filter->files.without.count;
}

bool wm_in_system_header(const struct wm_story_function *function)
{
	return function->state == WM_STORY_SKIPPED && strcmp(function->map->reason, WM_SYSTEM_REASON) == 0;
}

static bool is_ignored(const struct wm_scope *scope, const struct wm_story_function *function)
{
	const struct wm_globs *names = wm_scope_ignored(scope, wm_story_file(function));
	for (size_t i = 0; names && i < names->count; i++)
		if (wm_story_name_matches(function, names->glob[i]))
			return true;
	return false;
}

/* Whether and why the scope leaves the function out. */
static enum wm_scope_reason reason_of(const struct wm_function_filter *filter, const struct wm_story_function *function)
{
	const struct wm_scope *scope = filter->scope;
	if (!scope || scope->mode == WM_SCOPE_ALL)
		return WM_SCOPE_IN;
	if (wm_in_system_header(function))
		return WM_SCOPE_SYSTEM;
	enum wm_scope_reason reason = wm_scope_reason(scope, wm_story_file(function));
	return reason == WM_SCOPE_IN && is_ignored(scope, function) ? WM_SCOPE_IGNORED : reason;
}

static bool has_name(const struct wm_function_filter *filter, const struct wm_story_function *function)
{
	return filter->function && wm_story_name_matches(function, filter->function);
}

static bool has_file(const struct wm_function_filter *filter, const struct wm_story_function *function)
{
	return wm_file_filter_passes(&filter->files, filter->scope, wm_story_file(function));
}

/* What the user names is not left out by the scope. */
static bool is_covered(const struct wm_function_filter *filter, const struct wm_story_function *function)
{
	return has_file(filter, function) &&
	       (filter->files.only.count || reason_of(filter, function) == WM_SCOPE_IN || has_name(filter, function));
}

bool wm_filter_passes(const struct wm_function_filter *filter, const struct wm_story_function *function)
{
	return filter->function ? has_name(filter, function) && has_file(filter, function)
				: is_covered(filter, function);
}

struct wm_story_totals wm_filter_totals(const struct wm_function_filter *filter, const struct wm_story *story)
{
	struct wm_story_totals totals = wm_story_no_totals;
	for (size_t i = 0; i < story->function_count; i++)
		if (is_covered(filter, &story->function[i]))
			wm_story_totals_add(&totals, &story->function[i]);
	return totals;
}

/* ---- What is left out -------------------------------------------------------------------------- */

void wm_unscoped_add(struct wm_unscoped *left, const struct wm_function_filter *filter, const struct wm_story *story)
{
	if (filter->function || filter->files.only.count)
		return;
	for (size_t i = 0; i < story->function_count; i++) {
		enum wm_scope_reason reason = reason_of(filter, &story->function[i]);
		bool left_out = reason != WM_SCOPE_IN && has_file(filter, &story->function[i]);
		left->of[reason] += left_out;
		left->count += left_out;
	}
}

static const char *reason_words(enum wm_scope_reason reason)
{
	switch (reason) {
	case WM_SCOPE_IN:
	case WM_SCOPE_REASONS:
		break;
	case WM_SCOPE_SYSTEM:
		return "system headers";
	case WM_SCOPE_OUTSIDE:
		return "other directories";
	case WM_SCOPE_THIRD_PARTY:
		return "third-party code";
	case WM_SCOPE_TEST:
		return "tests";
	case WM_SCOPE_EXCLUDED:
		return "files that " WM_PROJECT_FILE " excludes";
	case WM_SCOPE_IGNORED:
		return "those that " WM_PROJECT_FILE " ignores";
	}
	return "";
}

char *wm_unscoped_text(const struct wm_unscoped *left)
{
	struct wm_string text = {0};
	size_t kinds = 0, told = 0;
	if (!left->count)
		return NULL;
	for (size_t r = 0; r < WM_SCOPE_REASONS; r++)
		kinds += left->of[r] != 0;
	wm_string_add(&text, "%s function%s of", wm_thousands(left->count), left->count == 1 ? "" : "s");
	for (size_t r = 0; r < WM_SCOPE_REASONS; r++)
		if (left->of[r]) {
			told++;
			wm_string_add(&text, "%s %s",
				told == 1	? ""
				: told == kinds ? " and"
						: ",",
				reason_words((enum wm_scope_reason)r));
		}
	wm_string_add(&text, " %s left out (--scope=all shows %s)", left->count == 1 ? "is" : "are",
		left->count == 1 ? "it" : "them");
	return wm_string_text(&text);
}
