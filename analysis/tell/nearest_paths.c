/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tell/nearest_paths.h"
#include "analysis/tell/trails.h"
#include "core/base/search.h"
#include "support/attempt.h"

/* Ids are in the order of the edges, so that one of the two neighbours of an id shares the longest beginning. */
static void find_across(
	const struct wm_story_function *function, const uint64_t *set, size_t set_count, struct wm_nearest *query)
{
	struct wm_arena arena;
	struct wm_trail own, other;
	size_t at, first;
	WM_LOWER_BOUND(at, 0, set_count, set[at] < query->id);
	wm_arena_init(&arena);
	wm_story_decode(function, query->id, &own, &arena);
	first = at ? at - 1 : 0;
	for (size_t i = first; i <= at && i < set_count; i++) {
		wm_story_decode(function, set[i], &other, &arena);
		uint32_t common = wm_trail_common(&own, &other);
		if (i == first || common > query->common)
			*query = (struct wm_nearest){query->id, set[i], common, own.count + other.count - 2 * common};
	}
	wm_arena_release(&arena);
}

/* Unfinished paths have no ids among those of the others: every path of the set is looked at. */
static void find_unfinished(
	const struct wm_story_function *function, const uint64_t *set, size_t set_count, struct wm_nearest *query)
{
	struct wm_arena arena;
	struct wm_trail own, other;
	wm_arena_init(&arena);
	for (size_t i = 0; i < set_count; i++) {
		wm_story_decode(function, query->id, &own, &arena);
		wm_story_decode(function, set[i], &other, &arena);
		uint32_t common = wm_trail_common(&own, &other), distance = own.count + other.count - 2 * common;
		if (!i || common > query->common || (common == query->common && distance < query->distance))
			*query = (struct wm_nearest){query->id, set[i], common, distance};
		wm_arena_release(&arena);
	}
}

static bool has_unfinished(const uint64_t *set, size_t set_count, const struct wm_nearest *query, size_t query_count)
{
	bool has = set[set_count - 1] & WM_STORY_UNFINISHED;
	for (size_t i = 0; i < query_count; i++)
		has |= (query[i].id & WM_STORY_UNFINISHED) != 0;
	return has;
}

static void find_inside(const struct wm_story_function *function, const uint64_t *set, size_t set_count,
	struct wm_nearest *query, size_t query_count)
{
	struct wm_arena arena;
	wm_arena_init(&arena);
	enum wm_status status = wm_nearest_find(wm_story_plan(function), set, set_count, query, query_count, &arena);
	wm_arena_release(&arena);
	if (status != WM_OK)
		wm_fail_as(wm_failure_of(status), "function %s: %s", function->map->name, wm_status_text(status));
}

void wm_story_find_nearest(const struct wm_story_function *function, const uint64_t *set, size_t set_count,
	struct wm_nearest *query, size_t query_count)
{
	bool across = wm_story_crosses_calls(function);
	bool unfinished = !across && has_unfinished(set, set_count, query, query_count);
	if (!across && !unfinished)
		find_inside(function, set, set_count, query, query_count);
	for (size_t i = 0; (across || unfinished) && i < query_count; i++)
		(across ? find_across : find_unfinished)(function, set, set_count, &query[i]);
}
