/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/segments/segment_names.h"
#include "core/base/search.h"
#include "profile/map/identity.h"
#include "support/xalloc.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *left, const void *right)
{
	const struct wm_segment_named *a = left, *b = right;
	int order = strcmp(a->map->name, b->map->name);
	if (!order)
		order = (a->map->key > b->map->key) - (a->map->key < b->map->key);
	return order ? order : (a->at > b->at) - (a->at < b->at);
}

static int by_map(const void *left, const void *right)
{
	const struct wm_map_function *a = (*(const struct wm_segment_named *const *)left)->map,
				     *b = (*(const struct wm_segment_named *const *)right)->map;
	return (a > b) - (a < b);
}

static bool is_one_key(const struct wm_segment_named *a, const struct wm_segment_named *b)
{
	return a->map->key == b->map->key && !strcmp(a->map->name, b->map->name);
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

static uint64_t own_source(const struct wm_segment_named *named)
{
	return wm_source_pack(named->map->own_source, named->map->own_code);
}

/* The graph does not matter: that of a build that inlines calls is another one, and its blocks have their origins. */
static bool is_one_function(const struct wm_segment_named *a, const struct wm_segment_named *b, bool any_program)
{
	const struct wm_function_identity x = {a->map->key, 0, own_source(a)}, y = {b->map->key, 0, own_source(b)};
	bool same_program =
		a->object == b->object || (*a->object->program && !strcmp(a->object->program, b->object->program));
	return wm_same_function(&x, &y, any_program || same_program);
}

/* Copies in several modules of a binary, from one file, need not be compared with each other. */
static struct wm_segment_named *find_copy(
	struct wm_segment_named **known, size_t count, const struct wm_segment_named *like)
{
	for (size_t i = 0; i < count; i++)
		if (known[i]->object == like->object && own_source(known[i]) == own_source(like))
			return known[i];
	return NULL;
}

static void replace_first(struct wm_segment_named *first, struct wm_segment_named *end, size_t old, size_t new)
{
	for (struct wm_segment_named *n = first; n < end; n++)
		n->first = n->first == old ? new : n->first;
}

/* Finds the functions among those of one name and key.  `first` of each becomes the smallest `at` of its function. */
static size_t find_functions(struct wm_segment_named *first, struct wm_segment_named *end, bool any_program)
{
	struct wm_segment_named **known = wm_xrealloc(NULL, (size_t)(end - first) + 1, sizeof *known);
	size_t count = 0, functions = 0;
	for (struct wm_segment_named *n = first; n < end; n++) {
		const struct wm_segment_named *copy = find_copy(known, count, n);
		n->first = copy ? copy->first : n->at;
		for (size_t i = 0; !copy && i < count; i++)
			if (known[i]->first != n->first && is_one_function(known[i], n, any_program)) {
				size_t a = known[i]->first, b = n->first;
				replace_first(first, n + 1, a > b ? a : b, a < b ? a : b);
			}
		if (!copy)
			known[count++] = n;
	}
	for (const struct wm_segment_named *n = first; n < end; n++)
		functions += n->first == n->at;
	free(known);
	return functions;
}

/* `keys`: other functions have this name too.  The program distinguishes functions of one key. */
static void make_texts(struct wm_segment_named *first, struct wm_segment_named *end, bool keys, bool any_program)
{
	bool programs = find_functions(first, end, any_program) > 1;
	for (struct wm_segment_named *n = first; n < end; n++) {
		const struct wm_segment_named *f = first;
		while (f->at != n->first)
			f++;
		char key[32] = "", *program = programs ? wm_xprintf("@%s", f->object->program) : wm_xstrdup("");
		if (keys)
			snprintf(key, sizeof key, "@%" PRIx64, n->map->key);
		n->text = wm_xprintf("%s%s%s", n->map->name, key, program);
		free(program);
	}
}

static void name_functions(struct wm_segment_names *names, bool any_program)
{
	struct wm_segment_named *n = names->named, *end = n + names->count;
	for (struct wm_segment_named *first = n, *next; first < end; first = next) {
		for (next = first; next < end && is_one_key(first, next); next++)
			;
		bool keys = (first > n && !strcmp(first[-1].map->name, first->map->name)) ||
			    (next < end && !strcmp(first->map->name, next->map->name));
		make_texts(first, next, keys, any_program);
	}
}

static void list_functions(struct wm_segment_names *names, const struct wm_object *object)
{
	for (uint32_t m = 0; m < object->map.module_count; m++)
		for (uint32_t f = 0; f < object->map.module[m].function_count; f++) {
			const struct wm_map_function *map = &object->map.module[m].function[f];
			if (map->status == WM_SKIPPED)
				continue;
			WM_XGROW(names->named, names->count);
			names->named[names->count] =
				(struct wm_segment_named){.map = map, .object = object, .at = names->count};
			names->count++;
		}
}

void wm_segment_names_init(struct wm_segment_names *names, const struct wm_story *story, bool any_program)
{
	*names = (struct wm_segment_names){0};
	for (size_t i = 0; i < story->object_count; i++)
		list_functions(names, &story->object[i]);
	if (names->count)
		qsort(names->named, names->count, sizeof *names->named, by_name);
	name_functions(names, any_program || (story->profile && story->profile->any_program));
	close_callers(names, story);
	names->by_map = wm_xrealloc(NULL, names->count + 1, sizeof *names->by_map);
	for (size_t i = 0; i < names->count; i++)
		names->by_map[i] = &names->named[i];
	if (names->count)
		qsort(names->by_map, names->count, sizeof *names->by_map, by_map);
}

void wm_segment_names_release(struct wm_segment_names *names)
{
	wm_words_release(&names->callers);
	for (size_t i = 0; i < names->count; i++)
		free(names->named[i].text);
	free(names->named);
	free(names->by_map);
	*names = (struct wm_segment_names){0};
}

/* The index of the first function with this name; `count` if there is none. */
static size_t find_name(const struct wm_segment_names *names, const char *name)
{
	size_t i;
	WM_LOWER_BOUND(i, 0, names->count, strcmp(names->named[i].map->name, name) < 0);
	return i < names->count && !strcmp(names->named[i].map->name, name) ? i : names->count;
}

bool wm_segment_names_has(const struct wm_segment_names *names, const char *name)
{
	return find_name(names, name) < names->count;
}

bool wm_segment_names_reach(
	const struct wm_segment_names *names, const struct wm_map_module *module, const struct wm_call *call)
{
	return reaches(names, wm_map_callee(module, call));
}

const char *wm_segment_text(const struct wm_segment_names *names, const struct wm_map_function *function)
{
	const struct wm_segment_named like = {.map = function}, *pointer = &like;
	struct wm_segment_named *const *found =
		names->count ? bsearch(&pointer, names->by_map, names->count, sizeof pointer, by_map) : NULL;
	return found ? (*found)->text : function->name;
}

char *wm_segment_block_name(const void *bodies, const struct wm_trail_frame *frame, uint32_t block)
{
	const struct wm_segment_bodies *of = bodies;
	const struct wm_story_function *compiled = of->body[frame->function];
	const struct wm_map_function *function = compiled->map;
	if (frame->context) {
		uint32_t index = compiled->map->inlined->origins.context[frame->context].function;
		if (index >= compiled->module->function_count)
			return wm_story_block_name(of->body, frame, block);
		function = &compiled->module->function[index];
	}
	return wm_xprintf("%s:%u", wm_segment_text(of->names, function), block);
}
