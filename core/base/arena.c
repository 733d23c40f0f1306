/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/base/arena.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Under AddressSanitizer every object has its own block, so that an overrun is seen. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHUNK_SIZE 0
#endif
#endif
#ifndef CHUNK_SIZE
#define CHUNK_SIZE ((size_t)1 << 16)
#endif

struct wm_arena_block {
	struct wm_arena_block *next;
	size_t size, fill;
	_Alignas(16) unsigned char bytes[];
};

void wm_arena_init(struct wm_arena *arena)
{
	*arena = (struct wm_arena){0};
}

void wm_arena_set_limit(struct wm_arena *arena, size_t limit)
{
	arena->limit = limit;
}

/* calloc gives large blocks as untouched pages: memory never used is never paid for. */
static struct wm_arena_block *block_new(size_t size)
{
	struct wm_arena_block *block = calloc(1, sizeof *block + size);
	if (block)
		block->size = size;
	return block;
}

static void *take_from_block(struct wm_arena_block *block, size_t size)
{
	void *memory = block->bytes + block->fill;
	block->fill += size;
	return memory;
}

/* A large object goes after the current block, whose rest stays in use.  The first block is small: many arenas hold one path, and
 * to zero a block would take longer than to decode it. */
static void *add_block(struct wm_arena *arena, size_t size)
{
	size_t chunk = arena->blocks ? CHUNK_SIZE : CHUNK_SIZE / 16;
	int large = size > CHUNK_SIZE / 4;
	struct wm_arena_block *block = block_new(large || size > chunk ? size : chunk);
	if (!block)
		return NULL;
	if (large && arena->blocks) {
		block->next = arena->blocks->next;
		arena->blocks->next = block;
	} else {
		block->next = arena->blocks;
		arena->blocks = block;
	}
	return take_from_block(block, size);
}

void *wm_arena_alloc(struct wm_arena *arena, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - CHUNK_SIZE - 64)
		return NULL;
	bytes = bytes ? (bytes + 15) & ~(size_t)15 : 16;
	if (arena->limit && (bytes > arena->limit || arena->used > arena->limit - bytes))
		return NULL;
	struct wm_arena_block *block = arena->blocks;
	void *memory =
		block && block->size - block->fill >= bytes ? take_from_block(block, bytes) : add_block(arena, bytes);
	if (memory)
		arena->used += bytes;
	return memory;
}

void *wm_arena_grow(struct wm_arena *arena, void *array, uint32_t *capacity, uint32_t count, size_t size)
{
	if (count < *capacity)
		return array;
	if (*capacity > UINT32_MAX / 2)
		return NULL;
	uint32_t wanted = *capacity ? 2 * *capacity : 2;
	void *larger = wm_arena_alloc(arena, wanted, size);
	if (!larger)
		return NULL;
	if (count)
		memcpy(larger, array, count * size);
	*capacity = wanted;
	return larger;
}

void wm_arena_release(struct wm_arena *arena)
{
	while (arena->blocks) {
		struct wm_arena_block *next = arena->blocks->next;
		free(arena->blocks);
		arena->blocks = next;
	}
	arena->used = 0;
}
