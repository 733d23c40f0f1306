/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/cache.h"
#include "hardware/model/bits.h"
#include <string.h>

#define EMPTY UINT64_MAX
#define MAX_BLOCKS (UINT32_C(1) << 24)

static bool config_valid(const struct wm_hw_cache_config *config)
{
	if (!wm_hw_is_power(config->block) || !config->ways || config->size % config->block)
		return false;
	uint32_t blocks = config->size / config->block;
	return blocks <= MAX_BLOCKS && blocks % config->ways == 0 && wm_hw_is_power(blocks / config->ways);
}

enum wm_hw_status wm_hw_cache_init(
	struct wm_hw_cache *cache, const struct wm_hw_cache_config *config, struct wm_arena *arena)
{
	if (!config_valid(config))
		return WM_HW_BAD_CONFIG;
	uint32_t blocks = config->size / config->block;
	struct wm_hw_cache_line *line = WM_NEW(arena, struct wm_hw_cache_line, blocks);
	if (!line)
		return WM_HW_NO_MEMORY;
	for (uint32_t i = 0; i < blocks; i++)
		line[i].tag = EMPTY;
	*cache = (struct wm_hw_cache){
		.line = line,
		.set_mask = blocks / config->ways - 1,
		.ways = config->ways,
		.block_bits = wm_hw_log2(config->block),
	};
	return WM_HW_OK;
}

/* Drops line `way` of `set` and puts `line` first. */
static void move_to_front(struct wm_hw_cache_line *set, uint32_t way, struct wm_hw_cache_line line)
{
	if (way)
		memmove(set + 1, set, way * sizeof *set);
	*set = line;
}

static struct wm_hw_cache_result replace_line(
	struct wm_hw_cache *cache, struct wm_hw_cache_line *set, struct wm_hw_cache_line line)
{
	struct wm_hw_cache_line old = set[cache->ways - 1];
	struct wm_hw_cache_result result = {.line = set, .miss = true};
	cache->misses++;
	if (old.tag != EMPTY && old.tag & 1) {
		cache->writebacks++;
		result.writeback = true;
		result.victim = old.tag >> 1 << cache->block_bits;
	}
	move_to_front(set, cache->ways - 1, line);
	return result;
}

static struct wm_hw_cache_line *set_of(const struct wm_hw_cache *cache, uint64_t block)
{
	return cache->line + (size_t)(block & cache->set_mask) * cache->ways;
}

struct wm_hw_cache_result wm_hw_cache_access(struct wm_hw_cache *cache, uint64_t address, bool write)
{
	uint64_t block = address >> cache->block_bits, tag = block << 1;
	struct wm_hw_cache_line *set = set_of(cache, block);
	cache->accesses++;
	for (uint32_t way = 0; way < cache->ways; way++) {
		struct wm_hw_cache_line line = set[way];
		if ((line.tag | 1) != (tag | 1))
			continue;
		line.tag |= write;
		move_to_front(set, way, line);
		return (struct wm_hw_cache_result){.line = set};
	}
	return replace_line(cache, set, (struct wm_hw_cache_line){.tag = tag | write});
}
