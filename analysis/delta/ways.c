/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/delta/delta.h"
#include "support/tool.h"

static uint32_t *new_words(struct wm_delta *delta, size_t count)
{
	uint32_t *word = WM_NEW(&delta->arena, uint32_t, count);
	if (!word)
		wm_bug("out of memory");
	return word;
}

void wm_delta_find_way(struct wm_delta *delta, struct wm_delta_item *item, size_t *pair[WM_SIDES])
{
	uint64_t id = delta->side[item->side].suite.path[item->path].id;
	uint32_t *word = new_words(delta, 3);
	(void)pair;
	word[0] = (uint32_t)id;
	word[1] = (uint32_t)(id >> 32);
	bool same = delta->function[item->pair].graph == WM_DELTA_SAME;
	word[2] = same ? WM_SIDES : item->side;
	item->word = word;
	item->word_count = 3;
	item->code_changed = !same;
}
