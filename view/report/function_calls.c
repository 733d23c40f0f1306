/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The callers and callees of a function in the data of its page. */
#include "core/base/search.h"
#include "support/xalloc.h"
#include "view/report/page_data.h"
#include "view/report/source_pages.h"
#include <stdlib.h>

/* The calls of all files. */
struct wm_call_site {
	size_t file;
	const struct wm_line_call *call;
	const void *of; /* the callee, or the map of the caller */
};

static int by_owner(const void *left, const void *right)
{
	const struct wm_call_site *a = left, *b = right;
	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	return (a->call > b->call) - (a->call < b->call);
}

static struct wm_call_sites collect_sites(const struct wm_annotated *annotated, bool callers)
{
	struct wm_call_sites sites = {0};
	for (size_t f = 0; f < annotated->file_count; f++)
		for (size_t i = 0; i < annotated->file[f].call_count; i++) {
			const struct wm_line_call *call = &annotated->file[f].call[i];
			const void *of = callers ? (const void *)call->target : (const void *)call->caller->map;
			WM_XGROW(sites.site, sites.count);
			if (of)
				sites.site[sites.count++] = (struct wm_call_site){f, call, of};
		}
	if (sites.count)
		qsort(sites.site, sites.count, sizeof *sites.site, by_owner);
	return sites;
}

void wm_page_calls_make(struct wm_page_calls *calls, const struct wm_annotated *annotated)
{
	*calls = (struct wm_page_calls){collect_sites(annotated, true), collect_sites(annotated, false)};
}

void wm_page_calls_release(struct wm_page_calls *calls)
{
	free(calls->callers.site);
	free(calls->callees.site);
}

/* The function at the other side of a call; NULL: it is not of the report. */
static const struct wm_story_function *other_side(const struct wm_line_call *call, bool callers)
{
	return callers ? call->caller : call->target;
}

/* [COUNT, NAME, NUMBER, PAGE, FILE, LINE] */
static json_t *call_json(
	struct wm_document *d, const struct wm_story *story, const struct wm_call_site *site, bool callers)
{
	const struct wm_line_call *call = site->call;
	const struct wm_story_function *other = other_side(call, callers);
	const char *name = other ? other->brief : call->callee ? call->callee : "";
	size_t number = other ? (size_t)(other - story->function) : SIZE_MAX;
	bool paged = number < story->function_count && other->state == WM_STORY_RAN;
	return wm_json_checked(json_pack("[o, o, I, I, I, I]", wm_data_count(call->count), wm_data_text(name),
		paged ? (json_int_t)number : -1, paged ? (json_int_t)wm_html_function_page(d, other, number) : -1,
		(json_int_t)site->file, (json_int_t)call->line));
}

static json_t *calls_json(struct wm_document *d, const struct wm_story *story, const struct wm_call_sites *sites,
	const void *of, bool callers)
{
	enum { MOST = 200 };
	json_t *list = wm_json_checked(json_array());
	size_t at, first;
	WM_LOWER_BOUND(first, 0, sites->count, sites->site[first].of < of);
	for (at = first; at < sites->count && sites->site[at].of == of; at++)
		if (at - first < MOST)
			json_array_append_new(list, call_json(d, story, &sites->site[at], callers));
	json_array_insert_new(list, 0, json_integer((json_int_t)(at - first)));
	return list;
}

void wm_page_calls_add(json_t *object, struct wm_document *d, const struct wm_story *story,
	const struct wm_page_calls *calls, const struct wm_story_function *function)
{
	json_object_set_new(object, "callers", calls_json(d, story, &calls->callers, function, true));
	json_object_set_new(object, "callees", calls_json(d, story, &calls->callees, function->map, false));
}
