/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/chunk/hash_memory.h"

#include "runtime/chunk/chunk.h"
#include "runtime/state/header.h"
#include "runtime/state/state.h"

#define FIRST_TABLES (64u << 10)
#define MOST_TABLES (1u << 20)
#define RESERVE (256u << 10)
#define RESERVE_OF_FUNCTION 1024u
#define MOST_RESERVE (8u << 20)

/* Only heads that have a table are written to: the others may be on pages that nobody has touched. */
static void forget_heads(int64_t delta)
{
	for (size_t i = 0; i < wm.object.func_count; i++) {
		const struct wm_func *f = &wm.object.func[i];
		struct wm_hash_head *head = f->flags & WM_FUNC_HASH ? wm_hash_head_of(f, delta) : NULL;
		if (head && wm_newest(head))
			*head = (struct wm_hash_head){0, NULL};
	}
}

static bool has_tables(void)
{
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		if (wm.image.chunk[i].table_count)
			return true;
	return false;
}

void wm_tables_forget(void)
{
	if (!has_tables())
		return;
	forget_heads(0);
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		if (wm.image.chunk[i].kind == WM_CHUNK_THREAD)
			forget_heads(wm_thread_cells(&wm.image.chunk[i]) - wm.object.cells);
}

/* Returns a chunk with room for `size` bytes.  Each new chunk is larger than the one before, up to MOST_TABLES. */
static struct wm_chunk *chunk_with_room(size_t size)
{
	size_t chunk_size = FIRST_TABLES, whole = sizeof(struct wm_raw_chunk) + size;
	for (size_t i = wm.image.chunk_count; i-- > 0;) {
		struct wm_chunk *chunk = &wm.image.chunk[i];
		if (chunk->kind != WM_CHUNK_TABLES)
			continue;
		if (chunk->used + whole <= chunk->size)
			return chunk;
		if (chunk_size < MOST_TABLES)
			chunk_size *= 2;
	}
	whole = wm_page_up(whole);
	return wm_chunk_new(WM_CHUNK_TABLES, whole > chunk_size ? whole : chunk_size, whole);
}

static bool some_function_counts_in_tables(void)
{
	for (size_t i = 0; i < wm.object.func_count; i++)
		if (wm.object.func[i].flags & WM_FUNC_HASH)
			return true;
	return false;
}

void wm_tables_reserve(void)
{
	size_t size = RESERVE + wm.object.func_count * RESERVE_OF_FUNCTION;
	if (wm.image.header && some_function_counts_in_tables())
		wm_chunk_new(WM_CHUNK_TABLES, size < MOST_RESERVE ? wm_page_up(size) : MOST_RESERVE, FIRST_TABLES);
}

struct wm_table *wm_table_new(uint64_t slots, size_t func, struct wm_table *older)
{
	bool timed = __start_wm_funcs[func].flags & WM_FUNC_RESIDUAL;
	size_t size = wm_table_size(slots, timed ? WM_TABLE_TIMES : 0);
	struct wm_chunk *chunk = chunk_with_room(size);
	if (!chunk)
		return NULL;
	struct wm_table *table = &wm_tables_of(chunk)[chunk->table_count++];
	char *at = chunk->memory + sizeof(struct wm_raw_chunk) + chunk->used;
	*table = (struct wm_table){.slot = (void *)(at + sizeof(struct wm_hash_table)),
		.shift = 64 - (uint64_t)__builtin_ctzll(slots),
		.older = older,
		.func = func,
		.timed = timed};
	chunk->used += size;
	wm_table_write_header((void *)at, table);
	__atomic_store_n(&((struct wm_raw_chunk *)(void *)chunk->memory)->used, chunk->used, __ATOMIC_RELEASE);
	if (wm.image.mapped && !chunk->offset)
		wm_header_doubt(func, 1);
	return table;
}
