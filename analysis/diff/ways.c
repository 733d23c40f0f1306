/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/diff/diff.h"
#include "support/tool.h"

static uint32_t *new_words(struct wm_diff *diff, size_t count)
{
	uint32_t *word = WM_NEW(&diff->arena, uint32_t, count);
	if (!word)
		wm_bug("out of memory");
	return word;
}

void wm_diff_find_way(struct wm_diff *diff, struct wm_diff_item *item, size_t *pair[WM_SIDES])
{
	uint64_t id = diff->side[item->side].suite.path[item->path].id;
	uint32_t *word = new_words(diff, 3);
	(void)pair;
	word[0] = (uint32_t)id;
	word[1] = (uint32_t)(id >> 32);
	bool same = diff->function[item->pair].graph == WM_GRAPH_SAME;
	word[2] = same ? WM_SIDES : item->side;
	item->word = word;
	item->word_count = 3;
	item->code_changed = !same;
}
