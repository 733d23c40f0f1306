/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/document/view_options.h"
#include "support/fail.h"

void wm_report_options_init(struct wm_report_options *options)
{
	*options = (struct wm_report_options){
		.functions = 10, .paths = 5, .ignored = WM_CHECKS_LEFT_OUT, .scope = {.mode = WM_SCOPE_NOT_ASKED}};
	options->filter.scope = &options->scope;
}

uint8_t wm_report_ignored(const struct wm_report_options *options)
{
	return options->checks ? 0 : options->ignored;
}

/* Whether the profile has an object before object `i` that belongs to the same binary. */
static bool has_owner_before(const struct wm_story *story, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (story->owner[j].kind <= WM_OWNER_LIKELY && story->owner[j].binary == story->owner[i].binary)
			return true;
	return false;
}

struct wm_report_runs wm_report_runs(const struct wm_story *story)
{
	struct wm_report_runs used = {0};
	for (size_t i = 0; i < story->profile->object_count; i++) {
		const struct wm_profile_object *object = &story->profile->object[i];
		if (!object->runs)
			return (struct wm_report_runs){story->profile->runs, story->object_count};
		if (story->owner[i].kind == WM_OWNER_NONE || story->owner[i].kind == WM_OWNER_UNCLEAR)
			continue;
		used.runs += object->runs;
		used.objects += story->owner[i].kind == WM_OWNER_ANY || !has_owner_before(story, i);
	}
	return used;
}

void wm_report_need_wanted(const struct wm_story *story, const struct wm_report_options *options)
{
	if (!options->filter.function && !wm_filter_has_files(&options->filter))
		return;
	for (size_t i = 0; i < story->function_count; i++)
		if (wm_filter_passes(&options->filter, &story->function[i]))
			return;
	if (!options->filter.function)
		wm_fail("no function is in a file that --file and --exclude let pass; `waymark show` lists the "
			"functions "
			"and their files");
	wm_fail("no function is called '%s'%s here; `waymark show` lists the names", options->filter.function,
		wm_filter_has_files(&options->filter) ? " in a file that --file and --exclude let pass" : "");
}

bool wm_report_wants_document(const struct wm_report_options *options)
{
	return options->html || !options->json;
}

void wm_report_warn_refused(size_t count, const struct wm_report_options *options)
{
	if (count && (options->json || options->html))
		wm_warn("%zu %s refused; the report says which and why", count,
			count == 1 ? "function is" : "functions are");
}
