/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/image/packed_counts.h"

#include "abi/counts.h"
#include "abi/unfinished.h"
#include "runtime/chunk/hash_table.h"
#include "runtime/chunk/touched.h"
#include "runtime/file/live.h"
#include "runtime/state/header.h"
#include "runtime/state/state.h"
#include "runtime/thread/thread_cells.h"

#include <errno.h>

#define FIRST_SIZE (64u << 10)

static bool has_room(struct wm_counts_writer *writer, size_t room)
{
	size_t size = writer->size ? writer->size : FIRST_SIZE;
	while (size < writer->used + room)
		size *= 2;
	if (writer->error || size == writer->size)
		return !writer->error;
	long moved = writer->memory ? sys6(SYS_mremap, (long)writer->memory, (long)writer->size, (long)size,
					      MREMAP_MAYMOVE, 0, 0)
				    : (long)sys_map_anonymous(size);
	if (!moved || (moved < 0 && moved > -4096)) {
		writer->error = -ENOMEM;
		return false;
	}
	writer->memory = (char *)moved;
	writer->size = size;
	return true;
}

void wm_counts_put(struct wm_counts_writer *writer, uint64_t value)
{
	if (has_room(writer, WM_VARIABLE_MOST)) {
		uint8_t *at = (uint8_t *)writer->memory + writer->used;
		writer->used += (size_t)(wm_put_variable(at, value) - at);
	}
}

void wm_counts_copy(struct wm_counts_writer *writer, const void *chunks, size_t size)
{
	if (!has_room(writer, size))
		return;
	wm_copy(writer->memory + writer->used, chunks, size);
	writer->used += size;
}

void wm_counts_begin(struct wm_counts_writer *writer)
{
	writer->begin = writer->used;
	if (has_room(writer, sizeof(struct wm_raw_chunk)))
		writer->used += sizeof(struct wm_raw_chunk);
}

/* The memory after what was written has never been touched, so the rest of the chunk is zeros. */
bool wm_counts_end(struct wm_counts_writer *writer, enum wm_chunk_kind kind, uint64_t thread)
{
	size_t body = writer->used - writer->begin - sizeof(struct wm_raw_chunk);
	size_t size = wm_page_up(sizeof(struct wm_raw_chunk) + body);
	bool empty = !body && kind == WM_CHUNK_COUNTS;
	if (writer->error || empty || !has_room(writer, writer->begin + size - writer->used)) {
		writer->used = writer->begin;
		return false;
	}
	struct wm_raw_chunk *chunk = (void *)(writer->memory + writer->begin);
	*chunk = (struct wm_raw_chunk){.magic = WM_CHUNK_MAGIC,
		.kind = kind,
		.size = size,
		.used = body,
		.thread = thread,
		.sequence = wm_checksum(WM_CHECKSUM_INIT, (const void *)(chunk + 1), (body + 7) / 8)};
	writer->used = writer->begin + size;
	return true;
}

void wm_counts_release(struct wm_counts_writer *writer)
{
	if (writer->memory)
		sys_unmap(writer->memory, writer->size);
	*writer = (struct wm_counts_writer){NULL, 0, 0, 0, 0};
}

/* ---- Tables -------------------------------------------------------------------------- */

/* The count of a slot is read before its key, for the reason given at wm_table_fill. */
static void put_slots(struct wm_counts_writer *writer, const struct wm_table *table, bool timed)
{
	const uint64_t *word = (const void *)table->slot;
	uint64_t slots = wm_table_slots(table), any = 0;
	for (uint64_t i = 0; i < slots; i++) {
		uint64_t count = wm_load(&word[2 * i + 1]), key = wm_load(&word[2 * i]);
		if (!count)
			continue;
		if (!key) {
			wm_header_lose(table->func, 1);
			continue;
		}
		if (!any++) {
			wm_counts_put(writer, timed ? WM_GROUP_TIMED : WM_GROUP_TABLE);
			wm_counts_put(writer, table->func);
		}
		wm_counts_put(writer, count);
		wm_counts_put(writer, wm_hash_id(key));
		if (timed)
			wm_counts_put(writer, wm_load(&word[2 * slots + i]));
	}
	if (any)
		wm_counts_put(writer, 0);
}

static bool is_chosen(const struct wm_chunk *chunk, enum wm_threads threads)
{
	return chunk->kind == WM_CHUNK_THREAD && (threads == WM_THREADS_ALL || wm_is_own_cells(chunk));
}

/* The tables of the functions at a distance from the main cells. */
static void put_chains(struct wm_counts_writer *writer, int64_t delta, bool times)
{
	for (size_t i = 0; i < wm.object.func_count; i++) {
		const struct wm_func *f = &wm.object.func[i];
		if (f->flags & WM_FUNC_HASH)
			for (const struct wm_table *t = wm_newest(wm_hash_head_of(f, delta)); t; t = t->older)
				put_slots(writer, t, t->timed && times);
	}
}

static void put_all_tables(struct wm_counts_writer *writer, bool times)
{
	for (size_t i = 0; i < wm.image.chunk_count; i++) {
		const struct wm_chunk *chunk = &wm.image.chunk[i];
		const struct wm_table *table = wm_tables_of(chunk);
		for (size_t j = 0; j < chunk->table_count; j++)
			put_slots(writer, &table[j], table[j].timed && times);
	}
}

/* A table does not know its thread.  If the tables of some threads are not wanted, those of the others are found from
 * the heads of all functions. */
static void put_tables(struct wm_counts_writer *writer, enum wm_threads threads, bool times)
{
	bool every = true;
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		every &= wm.image.chunk[i].kind != WM_CHUNK_THREAD || is_chosen(&wm.image.chunk[i], threads);
	if (every) {
		put_all_tables(writer, times);
		return;
	}
	put_chains(writer, 0, times);
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		if (is_chosen(&wm.image.chunk[i], threads))
			put_chains(writer, wm_thread_cells(&wm.image.chunk[i]) - wm.object.cells, times);
}

/* ---- Unfinished paths ------------------------------------------------------------------ */

static struct wm_unfinished *records_of(const struct wm_chunk *chunk, size_t *count)
{
	*count = chunk->kind == WM_CHUNK_UNFINISHED ? chunk->used / sizeof(struct wm_unfinished) : 0;
	return (void *)(chunk->memory + sizeof(struct wm_raw_chunk));
}

/* Other processes may write to the records. */
static bool counts_something(const struct wm_unfinished *record)
{
	return record->function && record->function <= wm.object.func_count && record->count && record->site;
}

static void put_record(struct wm_counts_writer *writer, const struct wm_unfinished *record)
{
	wm_counts_put(writer, WM_GROUP_UNFINISHED);
	wm_counts_put(writer, record->function - 1);
	wm_counts_put(writer, record->count);
	wm_counts_put(writer, record->site);
	wm_counts_put(writer, record->sum);
	wm_counts_put(writer, 0);
}

static void put_unfinished(struct wm_counts_writer *writer)
{
	for (size_t i = 0; i < wm.image.chunk_count; i++) {
		size_t count;
		const struct wm_unfinished *record = records_of(&wm.image.chunk[i], &count);
		for (size_t j = 0; j < count; j++) {
			const struct wm_unfinished copy = record[j];
			if (counts_something(&copy))
				put_record(writer, &copy);
		}
	}
}

/* ---- Cells --------------------------------------------------------------------------- */

void wm_counts_put_cell(struct wm_cells_group *group, uint64_t index, uint64_t value)
{
	if (!group->begun)
		wm_counts_put(group->writer, WM_GROUP_CELLS);
	group->begun = true;
	wm_counts_put(group->writer, group->next - index);
	wm_counts_put(group->writer, value);
	group->next = index;
}

/* `index`: that of the first of these cells in a file. */
static void put_cells(struct wm_cells_group *group, const uint64_t *cell, size_t count, uint64_t index)
{
	while (count-- > 0) {
		uint64_t value = wm_load(&cell[count]);
		if (value)
			wm_counts_put_cell(group, index + count, value);
	}
}

/* If the cells have the same layout in memory and in the file, cells that several records share are written once. */
static void put_copy(struct wm_counts_writer *writer, const struct wm_copy_of_cells *copy)
{
	static struct wm_range range[WM_MOST_RANGES];
	struct wm_cells_group group = {writer, wm.object.file_span / 8, false};
	if (wm.object.page_exact)
		for (size_t i = wm_touched(copy, range); i-- > 0;)
			put_cells(&group, (const void *)(copy->cells + range[i].begin),
				(range[i].end - range[i].begin) / 8, range[i].begin / 8);
	for (size_t i = wm.object.page_exact ? 0 : wm.object.func_count; i-- > 0;)
		put_cells(&group, (const void *)(copy->cells + wm_cells_of(i)), wm.image.table[i].cell_count,
			wm.image.table[i].cells_offset / 8);
	if (group.begun)
		wm_counts_put(writer, 0);
}

bool wm_counts_collect(struct wm_counts_writer *writer, enum wm_threads threads, enum wm_collect what)
{
	int fd = wm.image.mapped ? wm_live_open() : -1;
	struct wm_copy_of_cells copy = wm_main_copy(fd);
	wm_counts_begin(writer);
	if (what != WM_COLLECT_BASE)
		put_unfinished(writer);
	put_tables(writer, threads, what == WM_COLLECT_ALL);
	put_copy(writer, &copy);
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		if (is_chosen(&wm.image.chunk[i], threads)) {
			copy = wm_thread_copy(&wm.image.chunk[i], fd);
			put_copy(writer, &copy);
		}
	if (fd >= 0)
		wm_live_close(fd);
	return wm_counts_end(writer, WM_CHUNK_COUNTS, what == WM_COLLECT_BASE ? WM_COUNTS_BASE : 0);
}
