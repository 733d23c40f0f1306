/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hash tables.  The slots of a table are in a chunk; its description is in private memory before the chunk. */
#include "runtime/chunk/hash_table.h"

struct wm_table *wm_tables_of(const struct wm_chunk *chunk)
{
	return (struct wm_table *)(void *)(chunk->memory - chunk->front);
}

/* The magic is written last: a reader ignores a table without it. */
void wm_table_write_header(struct wm_hash_table *header, const struct wm_table *table)
{
	header->shift = table->shift;
	header->func = table->func;
	header->flags = table->timed ? WM_TABLE_TIMES : 0;
	__atomic_store_n(&header->magic, WM_TABLE_MAGIC, __ATOMIC_RELEASE);
}

/* The count of a slot is read before its key: if the count is not zero, the key is set, or it was lost in the race that
 * add_in in hash.c describes, and then the copy must show that too.  Times belong to the process: a
 * reset keeps them, but a forked child begins without them.  It keeps the keys, because the code that a signal handler
 * interrupted, and forked, may have found its slot and not yet counted in it. */
void wm_table_fill(char *to, struct wm_table *table, enum wm_counts counts)
{
	uint64_t slots = wm_table_slots(table), used = 0;
	uint64_t *target = (void *)(to + sizeof(struct wm_hash_table)), *source = (void *)table->slot;
	for (uint64_t i = 0; i < slots; i++) {
		uint64_t count = wm_load(&source[2 * i + 1]), key = wm_load(&source[2 * i]);
		if (!key && !count)
			continue;
		used += key != 0;
		target[2 * i] = key;
		target[2 * i + 1] = counts == WM_COUNTS_KEEP ? count : 0;
		if (table->timed)
			target[2 * slots + i] = wm.fork.in_child ? 0 : wm_load(&source[2 * slots + i]);
	}
	/* Threads of the parent may have taken slots after the fork, in pages that the child shared until now. */
	if (wm.fork.in_child)
		table->used = used;
	wm_table_write_header((void *)to, table);
}
