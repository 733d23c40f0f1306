/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A set-associative cache of blocks: least-recently-used replacement, write-back, allocation
 * on every miss.  It holds no data, only which blocks are present, which of them are dirty,
 * and one word per block for its owner: the memory hierarchy keeps the cycle at which the
 * block arrives, the branch target buffer keeps the target.
 */
#ifndef WM_HARDWARE_CACHE_H
#define WM_HARDWARE_CACHE_H

#include "core/base/arena.h"
#include "hardware/model/path.h"
#include <stdbool.h>
#include <stdint.h>

struct wm_hw_cache_config {
	uint32_t size; /* in bytes */
	uint32_t ways; /* size / block: fully associative */
	uint32_t block; /* in bytes */
};

struct wm_hw_cache_line {
	uint64_t tag; /* block number << 1 | dirty; all ones: empty */
	uint64_t value; /* of the cache's owner; 0 in a block that has just been brought in */
};

struct wm_hw_cache {
	struct wm_hw_cache_line *line; /* sets × ways; each set from the most to the least recently used */
	uint32_t set_mask, ways, block_bits;
	uint64_t accesses, misses, writebacks;
};

/* What one access did. */
struct wm_hw_cache_result {
	struct wm_hw_cache_line *line; /* of the block accessed; valid until the next access */
	bool miss;
	bool writeback; /* the miss replaced a dirty block … */
	uint64_t victim; /* … which starts at this address */
};

/* WM_HW_BAD_CONFIG unless block and the number of sets are powers of two, every way has a block in
 * every set, and there are at most 2^24 blocks; WM_HW_NO_MEMORY. */
enum wm_hw_status wm_hw_cache_init(
	struct wm_hw_cache *cache, const struct wm_hw_cache_config *config, struct wm_arena *arena);

/* Accesses the block that contains `address`.  The block at the end of the address space
 * must not be accessed, and blocks of 1 byte ignore the highest bit of an address.  Takes time
 * proportional to the position of the block in its set. */
struct wm_hw_cache_result wm_hw_cache_access(struct wm_hw_cache *cache, uint64_t address, bool write);

#endif
