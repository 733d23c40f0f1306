/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/suite/takers.h"
#include "core/base/search.h"
#include "profile/map/identity.h"
#include "support/xalloc.h"
#include <stdlib.h>

/* Which of the paths are of the same source does not follow from an order. */
static int compare(const struct wm_story_function *a, uint64_t id, const struct wm_suite_path *b)
{
	const uint64_t key[][2] = {
		{a->map->key, b->function->map->key}, {a->map->graph_hash, b->function->map->graph_hash}, {id, b->id}};
	for (size_t i = 0; i < sizeof key / sizeof *key; i++)
		if (key[i][0] != key[i][1])
			return key[i][0] < key[i][1] ? -1 : 1;
	return 0;
}

static int by_function(const void *left, const void *right, void *paths)
{
	const struct wm_suite_path *path = paths, *a = &path[*(const uint32_t *)left];
	return compare(a->function, a->id, &path[*(const uint32_t *)right]);
}

void wm_takers_build(struct wm_takers *takers, const struct wm_suite *suite)
{
	*takers = (struct wm_takers){.suite = suite};
	takers->order = wm_xmalloc((suite->path_count + 1) * sizeof *takers->order);
	for (size_t i = 0; i < suite->path_count; i++)
		if (suite->path[i].function && !wm_story_crosses_calls(suite->path[i].function))
			takers->order[takers->count++] = (uint32_t)i;
	qsort_r(takers->order, takers->count, sizeof *takers->order, by_function, suite->path);
}

void wm_takers_release(struct wm_takers *takers)
{
	free(takers->order);
	*takers = (struct wm_takers){0};
}

/* Functions of one program have one source; it is not known if their modules differ. */
static bool is_of_source(const struct wm_suite_path *path, const struct wm_story_function *function)
{
	return path->function->source == function->source || wm_same_source(path->function->source, function->source);
}

uint32_t wm_takers_path(const struct wm_takers *takers, const struct wm_story_function *function, uint64_t id)
{
	const struct wm_suite_path *path = takers->suite->path;
	size_t at;
	WM_LOWER_BOUND(at, 0, takers->count, compare(function, id, &path[takers->order[at]]) > 0);
	for (; at < takers->count && compare(function, id, &path[takers->order[at]]) == 0 &&
		!wm_story_crosses_calls(function);
		at++)
		if (is_of_source(&path[takers->order[at]], function))
			return takers->order[at];
	return WM_NONE;
}

bool wm_takers_complete(const struct wm_takers *takers, const struct wm_story_function *function)
{
	const struct wm_suite *suite = takers->suite;
	const struct wm_story *story = &suite->story;
	bool complete =
		!wm_story_crosses_calls(function) && !suite->unjudged && !suite->unread && !story->doubtful_runs;
	for (size_t i = 0; complete && i < story->refused_count; i++)
		complete = story->refused[i].key != function->map->key;
	return complete;
}
