/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Open addressing with linear probing.  A removal moves later entries back, so that there are no marks of removed ones. */
#include "core/base/heap.h"
#include <stdbool.h>
#include <stdint.h>

#undef malloc
#undef calloc
#undef realloc
#undef free
#undef strdup
#undef realpath

enum { FEWEST = 64 };

static _Thread_local struct wm_heap *used;

struct wm_heap *wm_heap_use(struct wm_heap *heap)
{
	struct wm_heap *before = used;
	used = heap;
	return before;
}

void wm_heap_release(struct wm_heap *heap)
{
	for (size_t i = 0; i < heap->capacity; i++)
		free(heap->slot[i]);
	free(heap->slot);
	*heap = (struct wm_heap){0};
}

/* ---- The set -------------------------------------------------------------------------- */

/* Where a search for the pointer begins. */
static size_t home_of(const struct wm_heap *heap, const void *memory)
{
	uint64_t mixed = ((uint64_t)(uintptr_t)memory >> 4) * UINT64_C(0x9E3779B97F4A7C15);
	return (size_t)(mixed >> 32) & (heap->capacity - 1);
}

static size_t next_slot(const struct wm_heap *heap, size_t slot)
{
	return (slot + 1) & (heap->capacity - 1);
}

/* The slot of the pointer, or the empty one where it belongs. */
static size_t slot_of(const struct wm_heap *heap, const void *memory)
{
	size_t slot = home_of(heap, memory);
	while (heap->slot[slot] && heap->slot[slot] != memory)
		slot = next_slot(heap, slot);
	return slot;
}

static bool is_in(const struct wm_heap *heap, const void *memory)
{
	return memory && heap->capacity && heap->slot[slot_of(heap, memory)] == memory;
}

static bool make_room(struct wm_heap *heap)
{
	struct wm_heap larger = {.capacity = heap->capacity ? 2 * heap->capacity : FEWEST, .count = heap->count};
	if (2 * (heap->count + 1) <= heap->capacity)
		return true;
	larger.slot = calloc(larger.capacity, sizeof *larger.slot);
	if (!larger.slot)
		return false;
	for (size_t i = 0; i < heap->capacity; i++)
		if (heap->slot[i])
			larger.slot[slot_of(&larger, heap->slot[i])] = heap->slot[i];
	free(heap->slot);
	*heap = larger;
	return true;
}

/* There is room for it. */
static void insert_pointer(struct wm_heap *heap, void *memory)
{
	heap->slot[slot_of(heap, memory)] = memory;
	heap->count++;
}

/* An entry is moved into the gap unless its search begins behind the gap, seen around the table. */
static void remove_pointer(struct wm_heap *heap, const void *memory)
{
	size_t gap = slot_of(heap, memory), mask = heap->capacity - 1;
	for (size_t i = next_slot(heap, gap); heap->slot[i]; i = next_slot(heap, i)) {
		size_t from_home = (i - home_of(heap, heap->slot[i])) & mask, from_gap = (i - gap) & mask;
		if (from_home < from_gap)
			continue;
		heap->slot[gap] = heap->slot[i];
		gap = i;
	}
	heap->slot[gap] = NULL;
	heap->count--;
}

/* ---- Allocation ----------------------------------------------------------------------- */

void *wm_heap_adopt(void *memory)
{
	if (!used || !memory)
		return memory;
	if (!make_room(used)) {
		free(memory);
		return NULL;
	}
	insert_pointer(used, memory);
	return memory;
}

void *wm_heap_malloc(size_t size)
{
	return wm_heap_adopt(malloc(size));
}

void *wm_heap_calloc(size_t count, size_t size)
{
	return wm_heap_adopt(calloc(count, size));
}

/* The new pointer takes the slot of the old one, so the insertion cannot fail. */
void *wm_heap_realloc(void *old, size_t size)
{
	if (!old)
		return wm_heap_malloc(size);
	if (!used || !is_in(used, old))
		return realloc(old, size);
	remove_pointer(used, old);
	void *memory = realloc(old, size ? size : 1); /* a size of 0 may free it */
	insert_pointer(used, memory ? memory : old);
	return memory;
}

void wm_heap_free(void *memory)
{
	if (used && is_in(used, memory))
		remove_pointer(used, memory);
	free(memory);
}

char *wm_heap_strdup(const char *text)
{
	return wm_heap_adopt(strdup(text));
}

char *wm_heap_realpath(const char *path, char *resolved)
{
	char *real = realpath(path, resolved);
	return resolved ? real : wm_heap_adopt(real);
}
