/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Chunks: memory for thread regions and hash tables, at the end of the live file.
 *
 * When the file cannot grow, a chunk is private memory.  A kill would lose it, so
 * from then on every function carries a loss, which is taken back once the chunk
 * has found its way into the file: at the next growth or at the end.
 *
 * The file is opened anew for each chunk.  A descriptor kept open would be a number
 * the program does not expect, and a daemon that closes all descriptors would make
 * it somebody else's file.
 */
#include "runtime/internal.h"

#define FIRST_TABLES (64u << 10)
#define MOST_TABLES (1u << 20)

static struct wm_segment first_segments[8];

static bool reserve_segment(void)
{
	if (!wm.segment) {
		wm.segment = first_segments;
		wm.segment_capacity = sizeof first_segments / sizeof *first_segments;
	}
	if (wm.segment_count < wm.segment_capacity)
		return true;
	size_t size = wm_page_up(2 * wm.segment_capacity * sizeof *wm.segment);
	struct wm_segment *larger = (void *)sys_map_anonymous(size);
	if (!larger)
		return false;
	wm_copy(larger, wm.segment, wm.segment_count * sizeof *wm.segment);
	if (wm.segment != first_segments)
		sys_unmap(wm.segment, wm_page_up(wm.segment_capacity * sizeof *wm.segment));
	wm.segment = larger;
	wm.segment_capacity = size / sizeof *larger;
	return true;
}

int wm_reopen(void)
{
	struct stat status;
	int fd = sys_open(wm.path, O_RDWR | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	if (sys3(SYS_fstat, fd, (long)&status, 0) == 0 && status.st_dev == wm.device && status.st_ino == wm.inode)
		return fd;
	sys_close(fd);
	return -2 /* ENOENT */;
}

/* Only once the file is that long: a kill in between leaves a longer file, which is whole.
 * A released object has no header to note it in, and leaves the same. */
static void note_file_size(void)
{
	if (wm.head)
		__atomic_store_n(&wm.head->file_size, wm.file_end, __ATOMIC_RELEASE);
}

/* `size` more bytes of the live file; NULL: not to be had. */
static char *extend_file(size_t size, uint64_t *offset)
{
	if (!wm.mapped || wm_forked_unseen())
		return NULL;
	int fd = wm_reopen();
	if (fd < 0)
		return NULL;
	char *memory = NULL;
	if (wm_file_allocate(fd, wm.file_end, size) == 0)
		memory = sys_map(NULL, size, MAP_SHARED, fd, wm.file_end);
	else
		sys3(SYS_ftruncate, fd, (long)wm.file_end, 0);
	sys_close(fd);
	if (!memory)
		return NULL;
	*offset = wm.file_end;
	wm.file_end += size;
	note_file_size();
	return memory;
}

/* The magic is last: a reader takes a chunk without it as not yet born. */
static void write_chunk_header(char *memory, uint64_t kind, uint64_t size, uint64_t used)
{
	struct wm_raw_chunk *chunk = (void *)memory;
	chunk->kind = kind;
	chunk->size = size;
	chunk->used = used;
	__atomic_store_n(&chunk->magic, WM_CHUNK_MAGIC, __ATOMIC_RELEASE);
}

void wm_doubt_all(int64_t by)
{
	if (!wm.head)
		return;
	for (size_t i = 0; i < wm.func_count; i++)
		wm_add(&wm.table[i].lost, (uint64_t)by);
	wm_add(&wm.head->lost, (uint64_t)by);
}

static void set_doubted(bool doubted)
{
	if (!wm.mapped || wm.doubted == doubted)
		return;
	wm.doubted = doubted;
	if (!wm.head)
		return;
	if (doubted)
		__atomic_fetch_and(&wm.head->flags, ~(uint64_t)WM_RAW_KILL_SAFE, __ATOMIC_RELAXED);
	wm_doubt_all(doubted ? 1 : -1);
	if (!doubted)
		__atomic_fetch_or(&wm.head->flags, WM_RAW_KILL_SAFE, __ATOMIC_RELAXED);
}

struct wm_segment *wm_segment_new(enum wm_chunk_kind kind, size_t size)
{
	uint64_t offset = 0;
	if (!reserve_segment())
		return NULL;
	wm_segments_settle();
	char *memory = extend_file(size, &offset);
	if (!memory) {
		memory = sys_map_anonymous(size);
		if (!memory)
			return NULL;
		set_doubted(true);
	}
	write_chunk_header(memory, kind, size, 0);
	struct wm_segment *segment = &wm.segment[wm.segment_count++];
	*segment = (struct wm_segment){memory, size, offset, kind, 0};
	return segment;
}

void wm_segment_remove(size_t index)
{
	sys_unmap(wm.segment[index].memory, wm.segment[index].size);
	wm.segment[index] = wm.segment[--wm.segment_count];
}

void wm_segments_drop(void)
{
	while (wm.segment_count)
		wm_segment_remove(wm.segment_count - 1);
	if (wm.segment && wm.segment != first_segments)
		sys_unmap(wm.segment, wm_page_up(wm.segment_capacity * sizeof *wm.segment));
	wm.segment = NULL;
}

void wm_segments_settle(void)
{
	if (!wm.doubted)
		return;
	for (size_t i = 0; i < wm.segment_count; i++) {
		struct wm_segment *segment = &wm.segment[i];
		uint64_t offset;
		if (segment->offset)
			continue;
		char *memory = extend_file(segment->size, &offset);
		if (!memory)
			return;
		wm_segment_fill(memory, segment, WM_COUNTS_KEEP);
		if (!sys_move_pages(memory, segment->size, segment->memory))
			return;
		segment->offset = offset;
	}
	set_doubted(false);
}

/* In a file a region is as long as the functions need, which without the linker
 * script is less than what lies between the first and the last cell. */
uint64_t wm_segment_file_size(const struct wm_segment *segment)
{
	return segment->kind == WM_CHUNK_THREAD ? wm_page_up(sizeof(struct wm_raw_chunk) + wm.file_span)
						: segment->size;
}

/* In a forked child the cells still are the parent's, whose threads go on: its newer
 * tables are not there in the child. */
static uint64_t hash_head(size_t func, const char *region)
{
	uint32_t cell = wm_head_cell(func);
	if (!wm.in_child)
		return wm_load((const uint64_t *)(const void *)(region + wm_cells_of(func)) + cell);
	return wm.fork_heads ? wm.fork_heads[2 * func + (region != wm.cells)] : 0;
}

/* From the last cell to the first: completed paths are read before the entries they
 * belong to, so that a copy of running counters never shows more ends than starts. */
void wm_region_fill(char *to, const char *from, enum wm_counts counts)
{
	for (size_t i = wm.func_count; i-- > 0;) {
		const struct wm_raw_func *func = &wm.table[i];
		const uint64_t *source = (const void *)(from + wm_cells_of(i));
		uint64_t *target = (void *)(to + func->cells_offset);
		uint32_t head = wm_head_cell(i);
		for (uint32_t j = func->cell_count; j-- > 0;) {
			uint64_t value = j == head		    ? hash_head(i, from)
					 : counts == WM_COUNTS_KEEP ? wm_load(&source[j])
								    : 0;
			if (value)
				target[j] = value;
		}
	}
}

/* Counts before keys: a slot whose count is seen has its key, or has lost it in the race
 * that hash.c describes, and then the copy must tell so too.  Times outlive a reset, being
 * the process's; a forked child is another process. */
static void fill_table(struct wm_hash_table *to, struct wm_hash_table *from, enum wm_counts counts)
{
	uint64_t slots = wm_table_slots(from), timed = from->flags & WM_TABLE_TIMES;
	uint64_t *target = (void *)(to + 1), *source = (void *)(from + 1);
	wm_copy(to, from, sizeof *to);
	for (uint64_t i = 0; i < slots; i++) {
		uint64_t count = wm_load(&source[2 * i + 1]), key = wm_load(&source[2 * i]);
		if (!key && !count)
			continue;
		target[2 * i] = key;
		target[2 * i + 1] = counts == WM_COUNTS_KEEP ? count : 0;
		if (timed)
			wm_times_of(to)[i] = wm.in_child ? 0 : wm_load(&wm_times_of(from)[i]);
	}
}

/* `to` is zero, or may be the segment's own memory if counts become zero. */
void wm_segment_fill(char *to, const struct wm_segment *segment, enum wm_counts counts)
{
	const struct wm_raw_chunk *chunk = (void *)segment->memory;
	uint64_t used = chunk->used;
	if (segment->kind == WM_CHUNK_THREAD)
		wm_region_fill(to + sizeof *chunk, wm_region(segment), counts);
	for (uint64_t at = 0; at < used;) {
		struct wm_hash_table *table = (void *)(wm_region(segment) + at);
		fill_table((void *)(to + sizeof *chunk + at), table, counts);
		at += wm_table_size(wm_table_slots(table), table->flags);
	}
	write_chunk_header(to, segment->kind, wm_segment_file_size(segment), used);
}

static struct wm_segment *segment_with_room(size_t size)
{
	size_t chunk_size = FIRST_TABLES;
	for (size_t i = wm.segment_count; i-- > 0;) {
		struct wm_segment *segment = &wm.segment[i];
		if (segment->kind != WM_CHUNK_TABLES)
			continue;
		if (((struct wm_raw_chunk *)segment->memory)->used + sizeof(struct wm_raw_chunk) + size <=
			segment->size)
			return segment;
		if (chunk_size < MOST_TABLES)
			chunk_size *= 2;
	}
	size = wm_page_up(size + sizeof(struct wm_raw_chunk));
	return wm_segment_new(WM_CHUNK_TABLES, size > chunk_size ? size : chunk_size);
}

struct wm_hash_table *wm_table_new(uint64_t slots, uint64_t func, struct wm_hash_table *older)
{
	uint64_t flags = __start_wm_funcs[func].flags & WM_FUNC_RESIDUAL ? WM_TABLE_TIMES : 0;
	size_t size = wm_table_size(slots, flags);
	struct wm_segment *segment = segment_with_room(size);
	if (!segment)
		return NULL;
	struct wm_raw_chunk *chunk = (void *)segment->memory;
	struct wm_hash_table *table = (void *)(wm_region(segment) + chunk->used);
	table->shift = 64 - (uint64_t)__builtin_ctzll(slots);
	table->func = func;
	table->flags = flags;
	table->older = (uintptr_t)older;
	__atomic_store_n(&table->magic, WM_TABLE_MAGIC, __ATOMIC_RELEASE);
	__atomic_store_n(&chunk->used, chunk->used + size, __ATOMIC_RELEASE);
	return table;
}
