/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The base: the sum of everything that was counted before a fork or reset, as one BASE chunk of cells and at most one
 * hash table per function, however long the chain of forks.  The time at which a path was first seen stays in the file
 * that counted it.
 */
#include "runtime/base.h"

#include "runtime/hash.h"
#include "runtime/state.h"
#include "runtime/table.h"
#include "runtime/thread.h"

#include <errno.h>

/* A cursor over the tables of the old base, which are in the order of functions. */
struct old_tables {
	char *at, *end;
};

static struct old_tables old_tables(void)
{
	size_t cells = wm_page_up(sizeof(struct wm_raw_chunk) + wm.object.file_span);
	if (wm.image.base.size <= cells)
		return (struct old_tables){NULL, NULL};
	struct wm_raw_chunk *chunk = (void *)(wm.image.base.memory + cells);
	char *first = (char *)(chunk + 1);
	return (struct old_tables){first, first + chunk->used};
}

/* A base is private memory, so the headers of its tables can be trusted. */
static struct wm_table described(struct wm_hash_table *table)
{
	return (struct wm_table){.slot = (void *)(table + 1), .shift = table->shift, .func = table->func};
}

/* False: the old base has no table of the function. */
static bool next_old(struct old_tables *old, uint64_t func, struct wm_table *table)
{
	struct wm_hash_table *header = (void *)old->at;
	if (old->at == old->end || header->func != func)
		return false;
	*table = described(header);
	old->at += wm_table_size(wm_table_slots(table), header->flags);
	return true;
}

typedef void visit_table(const struct wm_table *table, void *data);

static void visit_chain(int64_t delta, size_t func, visit_table *visit, void *data)
{
	for (const struct wm_table *table = wm_newest(wm_hash_head_of(&wm.object.func[func], delta)); table;
		table = table->older)
		visit(table, data);
}

static bool is_chosen(const struct wm_chunk *chunk, enum wm_threads threads)
{
	if (chunk->kind != WM_CHUNK_THREAD)
		return false;
	return threads == WM_THREADS_ALL || wm_is_own_cells(chunk);
}

static void visit_tables(size_t func, enum wm_threads threads, struct old_tables *old, visit_table *visit, void *data)
{
	struct wm_table table;
	if (next_old(old, func, &table))
		visit(&table, data);
	visit_chain(0, func, visit, data);
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		if (is_chosen(&wm.image.chunk[i], threads))
			visit_chain(wm_thread_cells(&wm.image.chunk[i]) - wm.object.cells, func, visit, data);
}

static void count_slots(const struct wm_table *table, void *data)
{
	const struct wm_hash_slot *slot = table->slot;
	uint64_t *count = data, slots = wm_table_slots(table);
	for (uint64_t i = 0; i < slots; i++)
		*count += wm_load(&slot[i].count) != 0;
}

/* At least half of the table stays empty, which leaves room for keys that other threads insert in the meantime. */
static uint64_t slots_for(uint64_t count)
{
	uint64_t slots = 16;
	while (slots < 2 * count)
		slots *= 2;
	return count ? slots : 0;
}

static void add_count(const struct wm_table *table, uint64_t key, uint64_t count)
{
	struct wm_hash_slot *slot = table->slot;
	uint64_t slots = wm_table_slots(table), home = key >> table->shift;
	for (uint64_t i = 0; i < slots; i++) {
		struct wm_hash_slot *s = &slot[(home + i) & (slots - 1)];
		if (s->key && s->key != key)
			continue;
		s->key = key;
		s->count += count;
		return;
	}
}

static void add_table(const struct wm_table *from, void *data)
{
	const struct wm_hash_slot *slot = from->slot;
	uint64_t slots = wm_table_slots(from);
	for (uint64_t i = 0; i < slots; i++) {
		uint64_t count = wm_load(&slot[i].count), key = wm_load(&slot[i].key);
		if (count && key)
			add_count(data, key, count);
	}
}

static uint64_t count_func(size_t func, enum wm_threads threads, struct old_tables *old)
{
	uint64_t count = 0;
	if (wm.object.func[func].flags & WM_FUNC_HASH)
		visit_tables(func, threads, old, count_slots, &count);
	return count;
}

static size_t tables_size(enum wm_threads threads)
{
	struct old_tables old = old_tables();
	size_t size = 0;
	for (size_t i = 0; i < wm.object.func_count; i++) {
		uint64_t count = count_func(i, threads, &old);
		size += count ? wm_table_size(slots_for(count), WM_TABLE_BASE) : 0;
	}
	return size;
}

/* False: the tables need more space than was measured before. */
static bool sum_tables(struct wm_raw_chunk *chunk, enum wm_threads threads, size_t limit)
{
	struct old_tables count_old = old_tables(), old = old_tables();
	for (size_t i = 0; i < wm.object.func_count; i++) {
		uint64_t slots = slots_for(count_func(i, threads, &count_old));
		if (!slots)
			continue;
		if (chunk->used + wm_table_size(slots, WM_TABLE_BASE) > limit)
			return false;
		struct wm_hash_table *table = (void *)((char *)(chunk + 1) + chunk->used);
		table->shift = 64 - (uint64_t)__builtin_ctzll(slots);
		table->func = i;
		table->flags = WM_TABLE_BASE;
		table->magic = WM_TABLE_MAGIC;
		struct wm_table target = described(table);
		visit_tables(i, threads, &old, add_table, &target);
		chunk->used += wm_table_size(slots, WM_TABLE_BASE);
	}
	return true;
}

/* Adds cells from the last to the first, for the reason given at wm_cells_fill. */
static uint64_t add_cells(uint64_t *to, const uint64_t *from, size_t count)
{
	uint64_t any = 0;
	while (count-- > 0) {
		uint64_t value = wm_load(&from[count]);
		any |= value;
		if (value)
			to[count] += value;
	}
	return any;
}

/* If the cells have the same layout in memory and in the file, all cells are added in one pass, so that cells that
 * several records share are added once.  Returns whether any cell was not zero. */
static bool add_all_cells(char *to, const char *from)
{
	uint64_t any = 0;
	if (wm.object.page_exact)
		return add_cells((void *)to, (const void *)from, wm.object.file_span / 8);
	for (size_t i = wm.object.func_count; i-- > 0;)
		any |= add_cells((void *)(to + wm.image.table[i].cells_offset), (const void *)(from + wm_cells_of(i)),
			wm.image.table[i].cell_count);
	return any;
}

static bool sum_cells(char *to, enum wm_threads threads)
{
	bool any = false;
	if (wm.image.base.memory) {
		wm_copy(to, wm.image.base.memory + sizeof(struct wm_raw_chunk), wm.object.file_span);
		any = true;
	}
	any |= add_all_cells(to, wm.object.cells);
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		if (is_chosen(&wm.image.chunk[i], threads))
			any |= add_all_cells(to, wm_thread_cells(&wm.image.chunk[i]));
	return any;
}

static void set_chunk(struct wm_raw_chunk *chunk, enum wm_chunk_kind kind, size_t size)
{
	chunk->magic = WM_CHUNK_MAGIC;
	chunk->kind = kind;
	chunk->size = size;
}

static int build_base(struct wm_base *base, enum wm_threads threads)
{
	size_t cells = wm_page_up(sizeof(struct wm_raw_chunk) + wm.object.file_span);
	size_t tables = tables_size(threads);
	size_t size = cells + (tables ? wm_page_up(tables + tables / 4 + WM_PAGE) : 0);
	*base = (struct wm_base){sys_map_anonymous(size), size};
	if (!base->memory)
		return -ENOMEM;
	struct wm_raw_chunk *chunk = (void *)base->memory, *second = (void *)(base->memory + cells);
	set_chunk(chunk, WM_CHUNK_BASE, cells);
	if (tables) {
		set_chunk(second, WM_CHUNK_TABLES, size - cells);
		if (!sum_tables(second, threads, size - cells - sizeof *second)) {
			wm_base_release(base);
			return -EAGAIN;
		}
	}
	if (!sum_cells((char *)(chunk + 1), threads) && !tables)
		wm_base_release(base);
	return 0;
}

/* Other threads may insert keys between the measurement of the tables and their summation; then the measurement is
 * repeated. */
int wm_base_build(struct wm_base *base, enum wm_threads threads)
{
	int error = -EAGAIN;
	for (int tries = 0; error == -EAGAIN && tries < 8; tries++)
		error = build_base(base, threads);
	return error;
}

void wm_base_release(struct wm_base *base)
{
	if (base->memory)
		sys_unmap(base->memory, base->size);
	*base = (struct wm_base){NULL, 0};
}
