/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/pathmap.h"
#include <stdlib.h>
#include <string.h>

/* Most slots are free, so that a search rarely meets another path, which a processor cannot predict. */
enum { FIRST_SLOT_BITS = 14, SLOTS_PER_PATH = 8 };

enum wm_hw_status wm_hw_pathmap_init(struct wm_hw_pathmap *map)
{
	uint32_t *slot = calloc((size_t)1 << FIRST_SLOT_BITS, sizeof(*slot));
	if (!slot)
		return WM_HW_NO_MEMORY;
	*map = (struct wm_hw_pathmap){.slot = slot, .slot_bits = FIRST_SLOT_BITS};
	return WM_HW_OK;
}

void wm_hw_pathmap_release(struct wm_hw_pathmap *map)
{
	free(map->path);
	free(map->slot);
	*map = (struct wm_hw_pathmap){0};
}

void wm_hw_pathmap_clear(struct wm_hw_pathmap *map)
{
	memset(map->slot, 0, sizeof(*map->slot) << map->slot_bits);
	map->count = 0;
}

static inline size_t home(const struct wm_hw_path *path, uint32_t bits)
{
	uint64_t mixed = path->start * 0x9E3779B97F4A7C15ull;
	mixed ^= ((uint64_t)path->length << 32 | path->outcomes) * 0xC2B2AE3D27D4EB4Full;
	mixed ^= mixed >> 29;
	return (size_t)(mixed * 0x9E3779B97F4A7C15ull >> (64 - bits));
}

/* The slot that holds the path, or the free one where it belongs. */
static inline uint32_t *probe(const struct wm_hw_pathmap *map, const struct wm_hw_path *path)
{
	size_t mask = ((size_t)1 << map->slot_bits) - 1, at = home(path, map->slot_bits);
	while (map->slot[at] && !wm_hw_path_equal(&map->path[map->slot[at] - 1].path, path))
		at = (at + 1) & mask;
	return &map->slot[at];
}

static bool grow_slots(struct wm_hw_pathmap *map)
{
	uint32_t *slot = calloc((size_t)2 << map->slot_bits, sizeof(*slot));
	if (!slot)
		return false;
	free(map->slot);
	map->slot = slot;
	map->slot_bits++;
	for (size_t i = 0; i < map->count; i++)
		*probe(map, &map->path[i].path) = (uint32_t)i + 1;
	return true;
}

static bool grow_paths(struct wm_hw_pathmap *map)
{
	size_t capacity = map->capacity ? 2 * map->capacity : 1024;
	if (capacity > UINT32_MAX)
		return false;
	struct wm_hw_finished *path = realloc(map->path, capacity * sizeof(*path));
	if (!path)
		return false;
	map->path = path;
	map->capacity = capacity;
	return true;
}

static enum wm_hw_status insert_path(struct wm_hw_pathmap *map, const struct wm_hw_finished *finished)
{
	if (map->count == map->capacity && !grow_paths(map))
		return WM_HW_NO_MEMORY;
	if (SLOTS_PER_PATH * map->count >= (size_t)1 << map->slot_bits && !grow_slots(map))
		return WM_HW_NO_MEMORY;
	*probe(map, &finished->path) = (uint32_t)map->count + 1;
	map->path[map->count++] = *finished;
	return WM_HW_OK;
}

enum wm_hw_status wm_hw_pathmap_add(struct wm_hw_pathmap *map, const struct wm_hw_finished *finished)
{
	uint32_t index = *probe(map, &finished->path);
	if (!index)
		return insert_path(map, finished);
	struct wm_hw_events *sum = &map->path[index - 1].events;
	if (map->plain) {
		sum->count[WM_HW_FREQUENCY] += finished->events.count[WM_HW_FREQUENCY];
		sum->count[WM_HW_INSTRUCTIONS] += finished->events.count[WM_HW_INSTRUCTIONS];
	} else {
		wm_hw_events_add(sum, &finished->events);
	}
	return WM_HW_OK;
}

uint64_t wm_hw_pathmap_total(const struct wm_hw_pathmap *map, enum wm_hw_metric metric)
{
	uint64_t total = 0;
	for (size_t i = 0; i < map->count; i++)
		total += map->path[i].events.count[metric];
	return total;
}

const struct wm_hw_finished *wm_hw_pathmap_find(const struct wm_hw_pathmap *map, const struct wm_hw_path *path)
{
	uint32_t index = *probe(map, path);
	return index ? &map->path[index - 1] : NULL;
}

struct key {
	uint64_t count;
	const struct wm_hw_path *path;
	uint32_t index;
};

static int compare_keys(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return wm_hw_path_compare(a->path, b->path);
}

uint32_t *wm_hw_pathmap_order(const struct wm_hw_pathmap *map, enum wm_hw_metric metric)
{
	uint32_t *order = malloc((map->count + 1) * sizeof(*order));
	struct key *key = malloc((map->count + 1) * sizeof(*key));
	if (!order || !key) {
		free(order);
		free(key);
		return NULL;
	}
	for (size_t i = 0; i < map->count; i++)
		key[i] = (struct key){map->path[i].events.count[metric], &map->path[i].path, (uint32_t)i};
	qsort(key, map->count, sizeof(*key), compare_keys);
	for (size_t i = 0; i < map->count; i++)
		order[i] = key[i].index;
	free(key);
	return order;
}
