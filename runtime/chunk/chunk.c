/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Chunks: memory for the cells of threads and for hash tables, at the end of the live file.
 *
 * When the file cannot grow, a chunk is private memory, which a kill would lose.  From then on every function that
 * counts in the chunk is recorded as having lost counts; the record is revoked when the chunk is moved into the file,
 * at the next growth or at the end.
 */
#include "runtime/chunk/chunk.h"

#include "runtime/chunk/hash_table.h"
#include "runtime/file/file_write.h"
#include "runtime/file/live.h"
#include "runtime/file/warn.h"
#include "runtime/state/header.h"
#include "runtime/state/state.h"
#include "runtime/state/unseen.h"

#include <errno.h>

/* Most pages of a chunk of this size are touched soon; image.c has the reason. */
#define EAGER_CHUNK (64u << 10)
#define LEAST_TABLE (sizeof(struct wm_hash_table) + 32 * sizeof(struct wm_hash_slot))

static struct wm_chunk first_chunks[8];

static bool reserve_chunk(void)
{
	if (!wm.image.chunk) {
		wm.image.chunk = first_chunks;
		wm.image.chunk_capacity = sizeof first_chunks / sizeof *first_chunks;
	}
	if (wm.image.chunk_count < wm.image.chunk_capacity)
		return true;
	size_t size = wm_page_up(2 * wm.image.chunk_capacity * sizeof *wm.image.chunk);
	struct wm_chunk *larger = (void *)sys_map_anonymous(size);
	if (!larger)
		return false;
	wm_copy(larger, wm.image.chunk, wm.image.chunk_count * sizeof *wm.image.chunk);
	if (wm.image.chunk != first_chunks)
		sys_unmap(wm.image.chunk, wm_page_up(wm.image.chunk_capacity * sizeof *wm.image.chunk));
	wm.image.chunk = larger;
	wm.image.chunk_capacity = size / sizeof *larger;
	return true;
}

/* Called only after the file has grown.  A kill between the two leaves a file that is longer than its header says,
 * which is valid.  After the release of an object there is no header, and the file is longer in the same way. */
void wm_note_file_size(void)
{
	if (wm.image.header)
		__atomic_store_n(&wm.image.shown->file_size, wm.image.file_end, __ATOMIC_RELEASE);
}

/* A truncated file must not grow again: it would look complete, with zeros in place of counts. */
bool wm_is_cut(int fd)
{
	struct stat status;
	return sys3(SYS_fstat, fd, (long)&status, 0) || (uint64_t)status.st_size < wm.image.file_end;
}

static int map_more(int fd, size_t size, char *at, int flags)
{
	if (wm_is_cut(fd))
		return -ENODATA;
	int error = (size <= EAGER_CHUNK ? wm_file_write_zeros : wm_file_allocate)(fd, wm.image.file_end, size);
	if (!error && !sys_map(at, size, MAP_SHARED | MAP_FIXED | flags, fd, wm.image.file_end))
		error = -ENOMEM;
	if (!error)
		sys3(SYS_madvise, (long)at, (long)size, MADV_RANDOM);
	if (error)
		sys3(SYS_ftruncate, fd, (long)wm.image.file_end, 0);
	return error;
}

int wm_extend_file(size_t size, char *at, int flags, uint64_t *offset)
{
	if (wm_forked_unseen())
		return -ECHILD;
	int fd = wm_live_open();
	if (fd < 0)
		return fd;
	int error = map_more(fd, size, at, flags);
	wm_live_close(fd);
	if (error)
		return error;
	*offset = wm.image.file_end;
	wm.image.file_end += size;
	wm_note_file_size();
	return 0;
}

/* The magic is written last: a reader ignores a chunk without it. */
static void write_chunk_header(char *memory, const struct wm_chunk *chunk, uint64_t size)
{
	struct wm_raw_chunk *header = (void *)memory;
	header->kind = chunk->kind;
	header->size = size;
	header->used = chunk->used;
	header->thread = chunk->kind == WM_CHUNK_CRASH ? (uint64_t)chunk->owner : 0;
	__atomic_store_n(&header->magic, WM_CHUNK_MAGIC, __ATOMIC_RELEASE);
}

/* Changes the doubt of all functions that count in a chunk. */
static void doubt_chunk(const struct wm_chunk *chunk, int64_t by)
{
	for (size_t i = 0; i < chunk->table_count; i++)
		wm_header_doubt(wm_tables_of(chunk)[i].func, by);
	enum wm_update update = chunk->placed ? WM_UPDATE_GS : WM_UPDATE_DELTA;
	for (size_t i = 0; chunk->kind == WM_CHUNK_THREAD && i < wm.object.func_count; i++)
		if (WM_FUNC_UPDATE(wm.object.func[i].flags) == update)
			wm_header_doubt(i, by);
}

static void set_not_stored(const struct wm_chunk *chunk, int error)
{
	wm_header_clear_flags(WM_RAW_KILL_SAFE);
	wm.image.not_stored++;
	wm.image.not_stored_error = error;
	doubt_chunk(chunk, 1);
}

static void set_stored(struct wm_chunk *chunk, uint64_t offset)
{
	chunk->offset = offset;
	doubt_chunk(chunk, -1);
	if (!--wm.image.not_stored)
		wm_header_set_flags(WM_RAW_KILL_SAFE);
}

static bool is_full(int error)
{
	return error == -ENOSPC || error == -EDQUOT || error == -EFBIG;
}

/* Extends the file by as much as is possible, at least by `least`.  On failure the chunk stays private memory. */
static int extend_with(struct wm_chunk *chunk, size_t least)
{
	int error = wm_not_mapped_error();
	for (size_t size = chunk->size; wm.image.mapped && size >= least; size = wm_page_up(size / 2)) {
		error = wm_extend_file(size, chunk->memory, 0, &chunk->offset);
		if (!error) {
			sys_unmap(chunk->memory + size, chunk->size - size);
			chunk->size = size;
		}
		if (!is_full(error) || size == WM_PAGE)
			break;
	}
	return error;
}

static size_t front_size(enum wm_chunk_kind kind, size_t size)
{
	if (kind == WM_CHUNK_THREAD)
		return wm.object.page_exact ? wm.object.before : 0;
	if (kind == WM_CHUNK_CRASH || kind == WM_CHUNK_UNFINISHED)
		return 0;
	return wm_page_up((size / LEAST_TABLE + 1) * sizeof(struct wm_table));
}

static struct wm_chunk *add_chunk(struct wm_chunk chunk, size_t least)
{
	int error = extend_with(&chunk, least);
	write_chunk_header(chunk.memory, &chunk, chunk.size);
	if (wm.image.mapped && error)
		set_not_stored(&chunk, error);
	wm.image.chunk[wm.image.chunk_count] = chunk;
	return &wm.image.chunk[wm.image.chunk_count++];
}

struct wm_chunk *wm_chunk_new(enum wm_chunk_kind kind, size_t size, size_t least)
{
	if (!reserve_chunk())
		return NULL;
	wm_chunks_store();
	struct wm_chunk chunk = {.size = size, .front = front_size(kind, size), .kind = kind};
	char *memory = sys_map_anonymous(chunk.front + size);
	if (!memory)
		return NULL;
	chunk.memory = memory + chunk.front;
	return add_chunk(chunk, least);
}

struct wm_chunk *wm_chunk_place(const struct wm_chunk *place)
{
	if (!reserve_chunk())
		return NULL;
	wm_chunks_store();
	return add_chunk(*place, place->size);
}

void wm_chunk_remove(size_t index)
{
	struct wm_chunk *chunk = &wm.image.chunk[index];
	sys_unmap(chunk->memory - chunk->front, chunk->front + chunk->size);
	*chunk = wm.image.chunk[--wm.image.chunk_count];
}

void wm_chunks_drop(void)
{
	while (wm.image.chunk_count)
		wm_chunk_remove(wm.image.chunk_count - 1);
	if (wm.image.chunk && wm.image.chunk != first_chunks)
		sys_unmap(wm.image.chunk, wm_page_up(wm.image.chunk_capacity * sizeof *wm.image.chunk));
	wm.image.chunk = NULL;
}

/* The pages of the file are filled before they replace the private pages. */
static int store_chunk(struct wm_chunk *chunk)
{
	uint64_t offset = 0;
	char *memory = sys_map_anonymous(chunk->size);
	if (!memory)
		return -ENOMEM;
	int error = wm_extend_file(chunk->size, memory, 0, &offset);
	if (error) {
		sys_unmap(memory, chunk->size);
		return error;
	}
	wm_chunk_fill(memory, chunk, WM_COUNTS_KEEP);
	if (!sys_move_pages(memory, chunk->size, chunk->memory))
		return -ENOMEM;
	set_stored(chunk, offset);
	return 0;
}

int wm_chunks_store(void)
{
	int error = 0;
	for (size_t i = 0;
		wm.image.header && wm.image.mapped && wm.image.not_stored && i < wm.image.chunk_count && !error; i++)
		if (!wm.image.chunk[i].offset)
			error = store_chunk(&wm.image.chunk[i]);
	return error;
}

void wm_warn_not_stored(void)
{
	if (wm.image.not_stored && !(wm.warned & WM_WARN_GROWTH))
		wm_warn(WM_WARN_GROWTH, "some counts stay in memory until the file can grow:", wm.path,
			wm.image.not_stored_error);
}

/* In a file, the cells of a thread have only the size that the functions need.  Without the linker script this is
 * less than the distance between the first and the last cell in memory. */
uint64_t wm_chunk_file_size(const struct wm_chunk *chunk)
{
	return chunk->kind == WM_CHUNK_THREAD ? wm_page_up(sizeof(struct wm_raw_chunk) + wm.object.file_span)
					      : chunk->size;
}

/* Cells are copied from the last to the first, so that completed paths are read before the entries that they belong
 * to.  A copy of counters that other threads change therefore never contains more ends of paths than entries. */
static void fill(uint64_t *to, const uint64_t *from, size_t count)
{
	while (count-- > 0) {
		uint64_t value = wm_load(&from[count]);
		if (value)
			to[count] = value;
	}
}

void wm_cells_fill(char *to, const struct wm_copy_of_cells *copy)
{
	static struct wm_range range[WM_MOST_RANGES];
	if (wm.object.page_exact) {
		for (size_t i = wm_touched(copy, range); i-- > 0;)
			fill((void *)(to + range[i].begin), (const void *)(copy->cells + range[i].begin),
				(range[i].end - range[i].begin) / 8);
		return;
	}
	for (size_t i = wm.object.func_count; i-- > 0;)
		fill((void *)(to + wm.image.table[i].cells_offset), (const void *)(copy->cells + wm_cells_of(i)),
			wm.image.table[i].cell_count);
}

static void fill_thread(char *to, const struct wm_chunk *chunk)
{
	int fd = chunk->offset ? wm_live_open() : -1;
	struct wm_copy_of_cells copy = wm_thread_copy(chunk, fd);
	wm_cells_fill(to + sizeof(struct wm_raw_chunk), &copy);
	if (fd >= 0)
		wm_live_close(fd);
}

/* A path is unfinished in the process that has left it, so a forked child begins without records. */
static void fill_unfinished(char *to, const struct wm_chunk *chunk, enum wm_counts counts)
{
	size_t at = sizeof(struct wm_raw_chunk);
	if (counts == WM_COUNTS_KEEP && to != chunk->memory)
		wm_copy(to + at, chunk->memory + at, chunk->used);
	else if (counts == WM_COUNTS_ZERO)
		wm_zero(to + at, chunk->used);
}

/* `to` contains zeros.  If counts become zero, `to` may be the memory of the chunk itself. */
void wm_chunk_fill(char *to, const struct wm_chunk *chunk, enum wm_counts counts)
{
	struct wm_table *table = wm_tables_of(chunk);
	if (chunk->kind == WM_CHUNK_THREAD && counts == WM_COUNTS_KEEP)
		fill_thread(to, chunk);
	for (size_t i = 0; i < chunk->table_count; i++) {
		const char *header = (const char *)table[i].slot - sizeof(struct wm_hash_table);
		wm_table_fill(to + (header - chunk->memory), &table[i], counts);
	}
	if (chunk->kind == WM_CHUNK_CRASH && to != chunk->memory)
		wm_copy(to, chunk->memory, chunk->size);
	if (chunk->kind == WM_CHUNK_UNFINISHED)
		fill_unfinished(to, chunk, counts);
	write_chunk_header(to, chunk, wm_chunk_file_size(chunk));
}
