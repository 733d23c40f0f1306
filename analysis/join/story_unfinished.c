/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The unfinished paths of a function: the lists of its records are summed, and each is decoded once, to see that it is a path. */
#include "abi/crash.h"
#include "analysis/join/story.h"
#include "core/probes/prefix_sums.h"
#include "profile/base/unfinished_paths.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>

uint32_t wm_story_site_block(const struct wm_story_function *function, uint32_t site)
{
	if (site & WM_SITE_BLOCK)
		return site & ~WM_SITE_BLOCK;
	return site && site <= function->map->call_count ? function->map->call[site - 1].block : WM_NONE;
}

uint32_t wm_story_site_call(uint32_t site)
{
	return site & WM_SITE_BLOCK ? WM_NONE : site - 1;
}

/* Whether it is the beginning of a path of the function. */
static bool take_path(struct wm_story_function *function, const struct wm_unfinished_path *counted)
{
	struct wm_story_unfinished *made = &function->unfinished[function->unfinished_count];
	struct wm_block_path path = {0};
	struct wm_arena arena;
	uint32_t block = wm_story_site_block(function, counted->site);
	wm_arena_init(&arena);
	enum wm_status status = WM_BAD_PATH;
	if (block < function->map->graph.block_count)
		status = wm_prefix_decode(wm_story_plan(function), block, counted->sum, &path, &arena);
	wm_arena_release(&arena);
	if (status == WM_NO_MEMORY)
		wm_no_memory();
	if (status != WM_OK)
		return false;
	*made = (struct wm_story_unfinished){counted->sum, counted->site, block,
		{.id = WM_STORY_UNFINISHED | function->unfinished_count,
			.count = counted->count,
			.start = (uint8_t)path.start,
			.end = WM_END_CALL}};
	function->unfinished_count++;
	return true;
}

static void forget(struct wm_story_function *function)
{
	free(function->unfinished);
	function->unfinished = NULL;
	function->unfinished_count = 0;
	function->balance.unfinished = 0;
}

/* They are a part of the abandoned paths.  If they make no sense, nothing is known of any. */
void wm_story_tell_unfinished(struct wm_story_function *function)
{
	struct wm_profile_function all = {0};
	bool sane = !wm_plan_has_pieces(wm_story_plan(function));
	for (size_t r = 0; sane && r < function->records.count; r++)
		for (size_t i = 0; i < function->records.record[r]->unfinished_count; i++)
			if (!wm_unfinished_append(&all, &function->records.record[r]->unfinished[i]))
				wm_no_memory();
	wm_unfinished_sort(&all);
	function->unfinished = wm_xmalloc((all.unfinished_count + 1) * sizeof *function->unfinished);
	for (size_t i = 0; i < all.unfinished_count && sane; i++) {
		sane = take_path(function, &all.unfinished[i]) &&
		       !__builtin_add_overflow(
			       function->balance.unfinished, all.unfinished[i].count, &function->balance.unfinished);
	}
	if (!sane || (!function->residual && function->balance.unfinished > function->balance.abandoned))
		forget(function);
	/* A residual build counts no entries. */
	if (function->unfinished_count)
		function->state = WM_STORY_RAN;
	wm_function_release(&all);
}

const struct wm_story_unfinished *wm_story_find_unfinished(
	const struct wm_story_function *function, uint32_t site, uint64_t sum)
{
	size_t low = 0, high = function->unfinished_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct wm_story_unfinished *at = &function->unfinished[middle];
		if (at->site == site && at->sum == sum)
			return at;
		if (at->site < site || (at->site == site && at->sum < sum))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

size_t wm_story_taken_count(const struct wm_story_function *function)
{
	return function->ran_count + function->unfinished_count;
}

const struct wm_story_path *wm_story_taken(const struct wm_story_function *function, size_t index)
{
	return index < function->ran_count ? &function->path[index]
					   : &function->unfinished[index - function->ran_count].path;
}

/* What a residual build abandons is not counted. */
uint64_t wm_balance_unknown(const struct wm_balance *balance)
{
	return balance->abandoned > balance->unfinished ? balance->abandoned - balance->unfinished : 0;
}

const struct wm_story_unfinished *wm_story_unfinished(const struct wm_story_function *function, uint64_t id)
{
	size_t index = (size_t)(id & ~WM_STORY_UNFINISHED);
	return id & WM_STORY_UNFINISHED && index < function->unfinished_count ? &function->unfinished[index] : NULL;
}
