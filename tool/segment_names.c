/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/segment_names.h"
#include "tool/tool.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *left, const void *right)
{
	const struct wm_map_function *a = *(const struct wm_map_function *const *)left;
	const struct wm_map_function *b = *(const struct wm_map_function *const *)right;
	int order = strcmp(a->name, b->name);
	return order ? order : (a->key > b->key) - (a->key < b->key);
}

void wm_segment_names_init(struct wm_segment_names *names, const struct wm_story *story)
{
	size_t kept = 0;
	*names = (struct wm_segment_names){
		.function = wm_xrealloc(NULL, story->function_count + 1, sizeof *names->function)};
	for (size_t i = 0; i < story->function_count; i++)
		if (story->function[i].map->status != WM_SKIPPED)
			names->function[names->count++] = story->function[i].map;
	qsort(names->function, names->count, sizeof *names->function, by_name);
	for (size_t i = 0; i < names->count; i++)
		if (!i || by_name(&names->function[kept - 1], &names->function[i]))
			names->function[kept++] = names->function[i];
	names->count = kept;
}

void wm_segment_names_release(struct wm_segment_names *names)
{
	free(names->function);
	*names = (struct wm_segment_names){0};
}

/* The index of the first function with this name; `count` if there is none. */
static size_t find(const struct wm_segment_names *names, const char *name)
{
	size_t low = 0, high = names->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(names->function[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < names->count && !strcmp(names->function[low]->name, name) ? low : names->count;
}

bool wm_segment_names_has(const struct wm_segment_names *names, const char *name)
{
	return find(names, name) < names->count;
}

char *wm_segment_name(const struct wm_segment_names *names, const struct wm_map_function *function)
{
	size_t first = find(names, function->name);
	bool shared = first + 1 < names->count && !strcmp(names->function[first + 1]->name, function->name);
	return shared ? wm_xprintf("%s@%" PRIx64, function->name, function->key) : wm_xstrdup(function->name);
}

char *wm_segment_block_name(const void *named_module, uint32_t function, uint32_t block)
{
	const struct wm_named_module *named = named_module;
	if (function >= named->module->function_count)
		return wm_origin_name(named->module, function, block);
	char *name = wm_segment_name(named->names, &named->module->function[function]);
	char *text = wm_xprintf("%s:%u", name, block);
	free(name);
	return text;
}
