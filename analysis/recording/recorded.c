/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/recording/recorded.h"
#include <stdlib.h>

enum wm_status wm_recorded_plan(
	struct wm_walk_function *function, const struct wm_map_function *map, struct wm_arena *arena)
{
	struct wm_unit_function *in_unit = WM_NEW(arena, struct wm_unit_function, 1);
	struct wm_parts *parts = WM_NEW(arena, struct wm_parts, 1);
	struct wm_plan *plan = WM_NEW(arena, struct wm_plan, 1);
	if (!in_unit || !parts || !plan)
		return WM_NO_MEMORY;
	*in_unit = (struct wm_unit_function){map->name, &map->graph, map->call_count, map->call};
	enum wm_status status = wm_subpath_plan(plan, parts, in_unit, arena);
	if (status == WM_OK)
		*function = (struct wm_walk_function){plan, parts, map->has_resumed || wm_parts_has_frames(parts)};
	return status;
}

/* The recorded functions of a map, by key and graph hash. */
struct index {
	const struct wm_map_function **item;
	size_t count;
};

static int compare(uint64_t key, uint64_t hash, const struct wm_map_function *f)
{
	if (key != f->key)
		return key < f->key ? -1 : 1;
	return hash < f->graph_hash ? -1 : hash > f->graph_hash;
}

static int by_key(const void *a, const void *b)
{
	const struct wm_map_function *x = *(const struct wm_map_function *const *)a;
	return compare(x->key, x->graph_hash, *(const struct wm_map_function *const *)b);
}

static bool is_recorded(const struct wm_map_function *f)
{
	struct wm_scheme_choice choice;
	return f->status != WM_SKIPPED && wm_scheme_parse(f->scheme, &choice) == WM_OK && choice.scheme->at_calls;
}

static enum wm_status list(struct index *index, const struct wm_map *map, struct wm_arena *arena)
{
	size_t total = 0;
	for (uint32_t m = 0; m < map->module_count; m++)
		total += map->module[m].function_count;
	*index = (struct index){.item = WM_NEW(arena, const struct wm_map_function *, total)};
	if (!index->item)
		return WM_NO_MEMORY;
	for (uint32_t m = 0; m < map->module_count; m++)
		for (uint32_t i = 0; i < map->module[m].function_count; i++)
			if (is_recorded(&map->module[m].function[i]))
				index->item[index->count++] = &map->module[m].function[i];
	if (index->count)
		qsort(index->item, index->count, sizeof *index->item, by_key);
	return WM_OK;
}

static const struct wm_map_function *find(const struct index *index, uint64_t key, uint64_t hash)
{
	size_t low = 0, high = index->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(key, hash, index->item[middle]);
		if (!order)
			return index->item[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

enum wm_status wm_recorded_make(struct wm_recorded *recorded, const struct wm_raw_recording *recording,
	const struct wm_map *map, struct wm_arena *arena)
{
	struct index index;
	struct wm_recorded made = {0};
	if (recording->func_count > WM_STREAM_MAX_FUNCTION)
		return WM_TOO_MANY;
	made.count = (uint32_t)recording->func_count;
	made.function = WM_NEW(arena, struct wm_walk_function, made.count);
	made.map = WM_NEW(arena, const struct wm_map_function *, made.count);
	enum wm_status status = made.function && made.map ? list(&index, map, arena) : WM_NO_MEMORY;
	for (uint32_t i = 0; i < made.count && status == WM_OK; i++) {
		const struct wm_raw_func *func = &recording->func[i];
		bool streams = func->flags & WM_FUNC_STREAM;
		made.map[i] = streams ? find(&index, func->key, func->graph_hash) : NULL;
		made.unknown += streams && !made.map[i];
		if (made.map[i])
			status = wm_recorded_plan(&made.function[i], made.map[i], arena);
	}
	if (status == WM_OK)
		*recorded = made;
	return status;
}
