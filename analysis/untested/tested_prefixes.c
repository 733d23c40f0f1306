/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/untested/tested_prefixes.h"
#include "core/base/search.h"
#include "core/probes/prefix_sums.h"
#include "support/fail.h"
#include "support/xalloc.h"

#include <stdlib.h>

static int by_number(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

static int by_sum(const void *left, const void *right)
{
	const struct wm_story_unfinished *a = *(const struct wm_story_unfinished *const *)left;
	const struct wm_story_unfinished *b = *(const struct wm_story_unfinished *const *)right;
	return (a->sum > b->sum) - (a->sum < b->sum);
}

void wm_tested_prefixes_init(struct wm_tested_prefixes *tested, const struct wm_story_function *tests)
{
	size_t left = tests ? tests->unfinished_count : 0;
	*tested = (struct wm_tested_prefixes){.tests = tests, .count = tests ? tests->ran_count : 0};
	tested->id = wm_xmalloc((tested->count + 1) * sizeof *tested->id);
	tested->left = wm_xmalloc((left + 1) * sizeof *tested->left);
	for (size_t i = 0; i < tested->count; i++)
		tested->id[i] = tests->path[i].id;
	for (size_t i = 0; i < left; i++)
		tested->left[i] = &tests->unfinished[i];
	qsort(tested->id, tested->count, sizeof *tested->id, by_number);
	qsort(tested->left, left, sizeof *tested->left, by_sum);
}

void wm_tested_prefixes_release(struct wm_tested_prefixes *tested)
{
	free(tested->id);
	free(tested->left);
	*tested = (struct wm_tested_prefixes){0};
}

static void check(enum wm_status status, const struct wm_story_function *function)
{
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	if (status != WM_OK)
		wm_bug("an unfinished path of %s cannot be decoded", function->map->name);
}

static bool completed(const struct wm_tested_prefixes *tested, const struct wm_id_run *ids)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, tested->count, tested->id[i] < ids->first);
	return i < tested->count && tested->id[i] - ids->first < ids->count;
}

/* Whether whoever stands in the call `later` of a block has come to the other call of the block.  Sites are in the order of the calls. */
static bool comes_to(uint32_t later, uint32_t site)
{
	bool listed = wm_story_site_call(later) != WM_NONE && wm_story_site_call(site) != WM_NONE;
	return later == site || (listed && later > site);
}

static bool left_later(const struct wm_story_function *field, const struct wm_story_unfinished *tests,
	const struct wm_story_unfinished *left, struct wm_arena *arena)
{
	const struct wm_prefix prefix = {left->block, left->sum}, longer = {tests->block, tests->sum};
	bool begins;
	check(wm_prefix_begins(wm_story_plan(field), &prefix, &longer, &begins, arena), field);
	return begins && (tests->block != left->block || comes_to(tests->site, left->site));
}

bool wm_tested_prefixes_have(const struct wm_tested_prefixes *tested, const struct wm_story_function *field,
	const struct wm_story_unfinished *left)
{
	size_t count = tested->tests ? tested->tests->unfinished_count : 0, i;
	const struct wm_prefix prefix = {left->block, left->sum};
	struct wm_id_run ids;
	struct wm_arena arena;
	wm_arena_init(&arena);
	check(wm_prefix_completions(wm_story_plan(field), &prefix, &ids, &arena), field);
	bool have = completed(tested, &ids);
	WM_LOWER_BOUND(i, 0, count, tested->left[i]->sum < ids.first);
	for (; !have && i < count && tested->left[i]->sum - ids.first < ids.count; i++)
		have = left_later(field, tested->left[i], left, &arena);
	wm_arena_release(&arena);
	return have;
}
