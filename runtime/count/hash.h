/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting in hash tables. */
#ifndef WM_RUNTIME_COUNT_HASH_H
#define WM_RUNTIME_COUNT_HASH_H

#include "runtime/chunk/hash_memory.h"
#include "runtime/thread/thread_cells.h"

/* Finds the slot of `id`.  If there is none, TAKE occupies one while a quarter of the table is empty, LAST_RESORT while
 * any slot is empty.  NULL: there is no slot. */
enum wm_find { WM_FIND_KNOWN, WM_FIND_TAKE, WM_FIND_LAST_RESORT };
struct wm_hash_slot *wm_hash_find(struct wm_table *table, uint64_t id, enum wm_find how);
/* With the lock held: puts a larger table in front of `seen`, unless another thread already has.  False: out of
 * memory. */
bool wm_hash_grow(const struct wm_func *f, struct wm_hash_head *head, struct wm_table *seen);
void wm_hash_lose(const struct wm_func *f, uint64_t amount);
/* The value of a key that is not a count.  If the newest table does not have the key, its value becomes `value`.
 * 0: out of memory. */
uint64_t wm_hash_keep(const struct wm_func *f, struct wm_hash_head *head, uint64_t key, uint64_t value);
__attribute__((preserve_most, visibility("hidden"))) void __wm_hash_add(
	const struct wm_func *f, struct wm_hash_head *head, uint64_t id, uint64_t amount);

/* The head of this thread, given the one that compiled code passes. */
static inline struct wm_hash_head *wm_own_head(const struct wm_func *f, struct wm_hash_head *head)
{
	if (WM_FUNC_UPDATE(f->flags) != WM_UPDATE_GS)
		return head;
	return (struct wm_hash_head *)(void *)((char *)head + wm_thread_distance());
}

/* One instruction, so that a signal handler that counts the same path loses nothing. */
static inline void wm_add_alone(uint64_t *cell, uint64_t amount)
{
	__asm__("addq %1, %0" : "+m"(*cell) : "er"(amount) : "cc");
}

/* Adds to the count of a slot whose key is set. */
static inline void wm_count(const struct wm_func *f, struct wm_hash_slot *slot, uint64_t amount)
{
	if (WM_FUNC_UPDATE(f->flags) == WM_UPDATE_ATOMIC)
		wm_add(&slot->count, amount);
	else
		wm_add_alone(&slot->count, amount);
}

#endif
