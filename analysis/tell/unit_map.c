/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tell/unit_map.h"
#include "analysis/tell/trails.h"
#include "support/fail.h"
#include <stdlib.h>

#define NEW(arena, type, count) ((type *)need_memory(WM_NEW(arena, type, count)))

static void *need_memory(void *memory)
{
	if (!memory)
		wm_no_memory();
	return memory;
}

static int by_identity(const void *left, const void *right)
{
	return wm_story_identity(
		*(const struct wm_story_function *const *)left, *(const struct wm_story_function *const *)right);
}

static int by_key(const void *left, const void *right)
{
	uint64_t key = *(const uint64_t *)left;
	uint64_t other = (*(const struct wm_story_function *const *)right)->map->key;
	return key < other ? -1 : key > other;
}

static uint64_t callee_key(const struct wm_map_module *module, const struct wm_call *call)
{
	if (call->callee < module->function_count)
		return module->function[call->callee].key;
	return wm_function_key(wm_map_callee(module, call), NULL);
}

/* The functions are sorted by key: two of one key are neighbours. */
static uint32_t find_callee(const struct wm_unit_map *map, uint64_t key)
{
	const struct wm_story_function **found =
		bsearch(&key, map->function, map->unit.function_count, sizeof *map->function, by_key);
	if (!found)
		return WM_NONE;
	uint32_t index = (uint32_t)(found - map->function);
	bool before = index && map->function[index - 1]->map->key == key;
	bool after = index + 1 < map->unit.function_count && map->function[index + 1]->map->key == key;
	return before || after ? WM_NONE : index;
}

static void fill_function(struct wm_unit_map *map, uint32_t index, struct wm_arena *arena)
{
	const struct wm_story_function *function = map->function[index];
	struct wm_unit_function *into = &map->unit.function[index];
	*into = (struct wm_unit_function){.name = function->map->name,
		.graph = &function->map->graph,
		.call_count = function->map->call_count,
		.call = NEW(arena, struct wm_call, function->map->call_count)};
	for (uint32_t i = 0; i < into->call_count; i++) {
		into->call[i] = function->map->call[i];
		if (into->call[i].callee != WM_NONE)
			into->call[i].callee = find_callee(map, callee_key(function->module, &into->call[i]));
	}
}

void wm_unit_map_build(struct wm_unit_map *map, const struct wm_story *story, struct wm_arena *arena)
{
	*map = (struct wm_unit_map){.function = NEW(arena, const struct wm_story_function *, story->function_count)};
	for (size_t i = 0; i < story->function_count; i++)
		if (story->function[i].map->status != WM_SKIPPED)
			map->function[map->unit.function_count++] = &story->function[i];
	qsort(map->function, map->unit.function_count, sizeof *map->function, by_identity);
	map->unit.function = NEW(arena, struct wm_unit_function, map->unit.function_count);
	for (uint32_t f = 0; f < map->unit.function_count; f++)
		fill_function(map, f, arena);
}

static void add_counts(const struct wm_story_function *function, struct wm_weights *weights)
{
	struct wm_arena arena;
	wm_arena_init(&arena);
	for (size_t i = 0; i < wm_story_taken_count(function); i++) {
		struct wm_trail trail;
		wm_story_decode(function, wm_story_taken(function, i)->id, &trail, &arena);
		for (uint32_t s = trail.fresh; s < trail.count; s++)
			weights->block[trail.step[s].block] += (double)wm_story_taken(function, i)->count;
	}
	weights->entry = weights->block[0];
	wm_arena_release(&arena);
}

struct wm_weights *wm_unit_map_counts(
	const struct wm_unit_map *map, const struct wm_story *counted, struct wm_arena *arena)
{
	struct wm_weights *weights = NEW(arena, struct wm_weights, map->unit.function_count);
	for (uint32_t f = 0; f < map->unit.function_count; f++)
		weights[f].block = NEW(arena, double, map->unit.function[f].graph->block_count);
	for (size_t i = 0; i < counted->function_count; i++) {
		const struct wm_story_function *function = &counted->function[i];
		const struct wm_story_function **found =
			bsearch(&function, map->function, map->unit.function_count, sizeof *map->function, by_identity);
		if (found && function->state == WM_STORY_RAN)
			add_counts(function, &weights[found - map->function]);
	}
	return weights;
}
