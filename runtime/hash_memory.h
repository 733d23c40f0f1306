/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of hash tables. */
#ifndef WM_RUNTIME_HASH_MEMORY_H
#define WM_RUNTIME_HASH_MEMORY_H

#include "runtime/chunk.h"

/* The description of a hash table, in private memory. */
struct wm_table {
	struct wm_hash_slot *slot;
	uint64_t shift, used; /* used: the number of occupied slots */
	uint64_t away; /* calls for ids that were not in their home slot */
	struct wm_table *older; /* the next older table of the same head */
	size_t func;
	bool timed; /* WM_TABLE_TIMES */
};

/* Makes an empty table in a chunk.  NULL: out of memory. */
struct wm_table *wm_table_new(uint64_t slots, size_t func, struct wm_table *older);
/* Makes room for the first tables of the functions, so that they need no system call later. */
void wm_tables_reserve(void);
struct wm_table *wm_tables_of(const struct wm_chunk *chunk);
/* The next count of each function that has tables makes a new one. */
void wm_tables_forget(void);
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

#endif
