/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/sides/delta.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* A rule by which functions are paired: an order in which functions that may be a pair are equal. */
typedef int compare_functions(const struct wm_story_function *a, const struct wm_story_function *b);

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_key(const struct wm_story_function *a, const struct wm_story_function *b)
{
	return by_number(a->map->key, b->map->key);
}

static int by_graph(const struct wm_story_function *a, const struct wm_story_function *b)
{
	int order = by_key(a, b);
	return order ? order : by_number(wm_story_hash(a), wm_story_hash(b));
}

static int by_program(const struct wm_story_function *a, const struct wm_story_function *b)
{
	int order = by_key(a, b);
	return order ? order : strcmp(a->object->program, b->object->program);
}

static int by_graph_and_program(const struct wm_story_function *a, const struct wm_story_function *b)
{
	int order = by_graph(a, b);
	return order ? order : strcmp(a->object->program, b->object->program);
}

static const char *file_of(const struct wm_story_function *function)
{
	const char *file = wm_story_file(function), *slash = file ? strrchr(file, '/') : NULL;
	return !file ? "" : slash ? slash + 1 : file;
}

static int by_name(const struct wm_story_function *a, const struct wm_story_function *b)
{
	int order = strcmp(a->map->name, b->map->name);
	return order ? order : strcmp(file_of(a), file_of(b));
}

static const struct rule {
	compare_functions *compare;
	bool unique; /* only functions are paired that are equal to no other of their side */
} rules[] = {{by_graph_and_program, false}, {by_graph, false}, {by_program, false}, {by_key, false}, {by_name, true}};

/* The functions of a side that have no partner. */
struct single {
	const struct wm_story_function *function;
	compare_functions *compare;
};
struct singles {
	size_t count;
	struct single *single;
};

static int by_rule(const void *left, const void *right)
{
	const struct single *a = left, *b = right;
	int order = a->compare(a->function, b->function);
	return order ? order : by_number((uintptr_t)a->function, (uintptr_t)b->function);
}

static struct singles list_functions(const struct wm_story *story)
{
	struct singles list = {0, wm_xmalloc((story->function_count + 1) * sizeof *list.single)};
	for (size_t i = 0; i < story->function_count; i++)
		if (story->function[i].state != WM_STORY_SKIPPED)
			list.single[list.count++] = (struct single){&story->function[i], NULL};
	return list;
}

static void sort(struct singles *list, compare_functions *compare)
{
	for (size_t i = 0; i < list->count; i++)
		list->single[i].compare = compare;
	qsort(list->single, list->count, sizeof *list->single, by_rule);
}

static size_t end_of_equals(const struct singles *list, size_t first)
{
	size_t end = first;
	while (end < list->count &&
		list->single[end].compare(list->single[end].function, list->single[first].function) == 0)
		end++;
	return end;
}

struct pairing {
	struct wm_delta *delta;
	size_t **pair;
};

static void add_pair(struct pairing *pairing, const struct wm_story_function *old, const struct wm_story_function *new)
{
	struct wm_delta *delta = pairing->delta;
	struct wm_delta_function pair = {.function = {old, new}};
	bool same = old && new && old->map->graph_hash == new->map->graph_hash;
	pair.graph = !old ? WM_DELTA_ONLY_NEW : !new ? WM_DELTA_ONLY_OLD : same ? WM_DELTA_SAME : WM_DELTA_CHANGED;
	pair.same_ids = old && new && wm_story_hash(old) == wm_story_hash(new);
	for (int s = 0; s < WM_SIDES; s++)
		if (pair.function[s])
			pairing->pair[s][pair.function[s] - delta->side[s].suite.story.function] =
				delta->function_count;
	WM_XGROW(delta->function, delta->function_count);
	delta->function[delta->function_count++] = pair;
}

/* Pairs by one rule what is left, and keeps the rest. */
static void apply(struct pairing *pairing, const struct rule *rule, struct singles list[WM_SIDES])
{
	size_t at[WM_SIDES] = {0}, kept[WM_SIDES] = {0}, end[WM_SIDES];
	for (int s = 0; s < WM_SIDES; s++)
		sort(&list[s], rule->compare);
	while (at[WM_OLD] < list[WM_OLD].count || at[WM_NEW] < list[WM_NEW].count) {
		int order = at[WM_OLD] == list[WM_OLD].count   ? 1
			    : at[WM_NEW] == list[WM_NEW].count ? -1
							       : rule->compare(list[WM_OLD].single[at[WM_OLD]].function,
									 list[WM_NEW].single[at[WM_NEW]].function);
		for (int s = 0; s < WM_SIDES; s++)
			end[s] = order == 0 || (order < 0) == (s == WM_OLD) ? end_of_equals(&list[s], at[s]) : at[s];
		bool clear = !rule->unique || (end[WM_OLD] - at[WM_OLD] == 1 && end[WM_NEW] - at[WM_NEW] == 1);
		while (clear && at[WM_OLD] < end[WM_OLD] && at[WM_NEW] < end[WM_NEW])
			add_pair(pairing, list[WM_OLD].single[at[WM_OLD]++].function,
				list[WM_NEW].single[at[WM_NEW]++].function);
		for (int s = 0; s < WM_SIDES; s++)
			while (at[s] < end[s])
				list[s].single[kept[s]++] = list[s].single[at[s]++];
	}
	for (int s = 0; s < WM_SIDES; s++)
		list[s].count = kept[s];
}

void wm_delta_pair(struct wm_delta *delta, size_t *pair[WM_SIDES])
{
	struct pairing pairing = {delta, pair};
	struct singles list[WM_SIDES];
	for (int s = 0; s < WM_SIDES; s++)
		list[s] = list_functions(&delta->side[s].suite.story);
	for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
		apply(&pairing, &rules[r], list);
	for (size_t i = 0; i < list[WM_OLD].count; i++)
		add_pair(&pairing, list[WM_OLD].single[i].function, NULL);
	for (size_t i = 0; i < list[WM_NEW].count; i++)
		add_pair(&pairing, NULL, list[WM_NEW].single[i].function);
	for (int s = 0; s < WM_SIDES; s++)
		free(list[s].single);
}
