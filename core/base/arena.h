/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An arena: memory that is freed all at once.  Every structure of core/ is allocated from an arena that the
 * caller passes in.  The plugin uses one arena per function.
 */
#ifndef WM_CORE_ARENA_H
#define WM_CORE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct wm_arena {
	struct wm_arena_block *blocks;
	size_t limit, used; /* limit 0: none */
};

void wm_arena_init(struct wm_arena *arena);
/* Allocations that would raise the total above `limit` bytes fail.  For tests. */
void wm_arena_set_limit(struct wm_arena *arena, size_t limit);
/* Returns zeroed memory for `count` objects of `size` bytes, aligned to 16.  Returns NULL when memory is exhausted
 * or the product overflows.  A count of 0 gives a valid pointer. */
void *wm_arena_alloc(struct wm_arena *arena, size_t count, size_t size);
/* An array in the arena that holds `count` of `*capacity` elements of `size` bytes: a copy with at least twice the
 * room, the rest zeroed, where it is full; the array itself where it is not.  NULL: no memory, nothing has changed. */
void *wm_arena_grow(struct wm_arena *arena, void *array, uint32_t *capacity, uint32_t count, size_t size);
void wm_arena_release(struct wm_arena *arena);

#define WM_NEW(arena, type, count) ((type *)wm_arena_alloc((arena), (count), sizeof(type)))

#endif
