/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a hash table is: its description, its place in a chunk, and its copies. */
#ifndef WM_RUNTIME_CHUNK_HASH_TABLE_H
#define WM_RUNTIME_CHUNK_HASH_TABLE_H

#include "runtime/state/state.h"

/* The description of a hash table, in private memory. */
struct wm_table {
	struct wm_hash_slot *slot;
	uint64_t shift, used; /* used: the number of occupied slots */
	uint64_t away; /* calls for ids that were not in their home slot */
	struct wm_table *older; /* the next older table of the same head */
	size_t func;
	bool timed; /* WM_TABLE_TIMES */
};

/* The descriptions of the tables of a chunk. */
struct wm_table *wm_tables_of(const struct wm_chunk *chunk);
void wm_table_write_header(struct wm_hash_table *header, const struct wm_table *table);
void wm_table_fill(char *to, struct wm_table *table, enum wm_counts counts);

static inline uint64_t wm_table_slots(const struct wm_table *table)
{
	return 1ull << (64 - table->shift);
}

/* The times of a timed table, one per slot. */
static inline uint64_t *wm_times_of(const struct wm_table *table)
{
	return (uint64_t *)(table->slot + wm_table_slots(table));
}

/* The head of a WM_FUNC_HASH function; `delta` is the offset of the heads of a thread. */
static inline struct wm_hash_head *wm_hash_head_of(const struct wm_func *f, int64_t delta)
{
	return (struct wm_hash_head *)(void *)((char *)(uintptr_t)f + f->head + delta);
}

static inline struct wm_table *wm_newest(const struct wm_hash_head *head)
{
	return __atomic_load_n(&head->newest, __ATOMIC_ACQUIRE);
}

#endif
