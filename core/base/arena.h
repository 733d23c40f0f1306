/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory that is freed all at once.  One arena per function under work; every
 * structure of core/ lives in an arena its caller passes in.
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
/* Fails every allocation that would bring the total above `limit` bytes: tests use it. */
void wm_arena_set_limit(struct wm_arena *arena, size_t limit);
/* Zeroed memory for `count` objects of `size`, aligned to 16; NULL when there is
 * none or the product overflows.  A zero count gives a valid pointer. */
void *wm_arena_alloc(struct wm_arena *arena, size_t count, size_t size);
/* An array in the arena that holds `count` of `*capacity` elements of `size` bytes: a copy with at least twice the
 * room, the rest zeroed, where it is full; the array itself where it is not.  NULL: no memory, nothing has changed. */
void *wm_arena_grow(struct wm_arena *arena, void *array, uint32_t *capacity, uint32_t count, size_t size);
void wm_arena_release(struct wm_arena *arena);

#define WM_NEW(arena, type, count) ((type *)wm_arena_alloc((arena), (count), sizeof(type)))

#endif
