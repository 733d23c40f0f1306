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

/* Whether a call of this function may execute a profiled one; NULL: the call is indirect. */
static bool reaches(const struct wm_segment_names *names, const char *callee)
{
	return !callee || wm_segment_names_has(names, callee) || wm_words_has(&names->callers, callee);
}

/* A function that could not be instrumented in the end has its calls in the map. */
static void find_callers(
	const struct wm_segment_names *names, const struct wm_map_module *module, struct wm_words *found)
{
	for (uint32_t i = 0; i < module->unseen_count; i++) {
		const struct wm_map_unseen_call *call = &module->unseen[i];
		const char *caller = wm_map_function_name(module, call->caller);
		if (!wm_words_has(&names->callers, caller) &&
			reaches(names, wm_map_function_name(module, call->callee)))
			wm_words_add(found, wm_xstrdup(caller));
	}
	for (uint32_t f = 0; f < module->function_count; f++) {
		const struct wm_map_function *function = &module->function[f];
		bool open = function->status == WM_SKIPPED && !wm_words_has(&names->callers, function->name);
		for (uint32_t i = 0; open && i < function->call_count; i++)
			if (reaches(names, wm_map_callee(module, &function->call[i])))
				wm_words_add(found, wm_xstrdup(function->name));
	}
}

/* Each round finds callers of those that the rounds before have found. */
static void close_callers(struct wm_segment_names *names, const struct wm_story *story)
{
	size_t before;
	do {
		struct wm_words found = {0};
		before = names->callers.count;
		for (size_t i = 0; i < story->object_count; i++)
			for (uint32_t m = 0; m < story->object[i].map.module_count; m++)
				find_callers(names, &story->object[i].map.module[m], &found);
		for (size_t i = 0; i < found.count; i++)
			wm_words_add(&names->callers, found.word[i]);
		free(found.word);
		wm_words_sort(&names->callers);
	} while (names->callers.count > before);
}

static void make_texts(struct wm_segment_names *names)
{
	const struct wm_map_function *const *f = names->function;
	names->text = wm_xrealloc(NULL, names->count + 1, sizeof *names->text);
	for (size_t i = 0; i < names->count; i++) {
		bool shared = (i && !strcmp(f[i - 1]->name, f[i]->name)) ||
			      (i + 1 < names->count && !strcmp(f[i]->name, f[i + 1]->name));
		names->text[i] = shared ? wm_xprintf("%s@%" PRIx64, f[i]->name, f[i]->key) : wm_xstrdup(f[i]->name);
	}
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
	make_texts(names);
	close_callers(names, story);
}

void wm_segment_names_release(struct wm_segment_names *names)
{
	wm_words_release(&names->callers);
	for (size_t i = 0; i < names->count; i++)
		free(names->text[i]);
	free(names->text);
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

bool wm_segment_names_reach(
	const struct wm_segment_names *names, const struct wm_map_module *module, const struct wm_call *call)
{
	return reaches(names, wm_map_callee(module, call));
}

const char *wm_segment_text(const struct wm_segment_names *names, const struct wm_map_function *function)
{
	size_t i = find(names, function->name);
	while (i < names->count && by_name(&names->function[i], &function) < 0)
		i++;
	return i < names->count && !by_name(&names->function[i], &function) ? names->text[i] : function->name;
}

char *wm_segment_name(const struct wm_segment_names *names, const struct wm_map_function *function)
{
	return wm_xstrdup(wm_segment_text(names, function));
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
