/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Storing the image in a file, and moving it there.  The layout of a file is
 *     header | cells | ids | chunks in their order | marks | base
 * When the process ends, a chunk without zeros follows and replaces the cells and most other chunks (abi/counts.h).
 * A move stores the image in a new file, gives the file its name, and then maps the new pages over the old ones.  If
 * counts start at zero, nothing that is counted in between is lost: it was added to the old file.
 */
#include "runtime/image/image.h"

#include "runtime/chunk/chunk.h"
#include "runtime/chunk/hash_memory.h"
#include "runtime/chunk/ids.h"
#include "runtime/chunk/touched.h"
#include "runtime/file/file_write.h"
#include "runtime/file/live.h"
#include "runtime/file/name.h"
#include "runtime/file/new_file.h"
#include "runtime/image/base.h"
#include "runtime/image/packed_counts.h"
#include "runtime/image/pool_file.h"
#include "runtime/image/test_marks.h"
#include "runtime/state/header.h"
#include "runtime/state/state.h"
#include "runtime/state/unseen.h"
#include "runtime/thread/thread_cells.h"

#include <errno.h>
#include <linux/falloc.h>
#include <sys/vfs.h>

/* The kernel allocates the pages of a write all at once, which takes a fifth of the time that it takes to allocate them one
 * after another when they are touched.  The cells of small functions, of which most programs touch many pages, are written at
 * once, but not more than so many bytes. */
#define MOST_EAGER (512u << 10)

#define MUCH_SPACE (64u << 20)

struct stored {
	char *memory; /* the whole file */
	uint64_t size;
	int fd; /* < 0: private memory instead of a file */
};

static uint64_t cells_size(void)
{
	return wm_page_up(wm.object.file_span);
}

/* A snapshot has no marks. */
static size_t marks_of(const struct wm_raw_header *header, enum wm_counts counts, const char **marks)
{
	size_t size = wm_test_marks_waiting(marks);
	return counts == WM_COUNTS_KEEP && !(header->flags & WM_RAW_SNAPSHOT) ? size : 0;
}

static uint64_t total_size(const struct wm_raw_header *header, enum wm_counts counts, const struct wm_base *base)
{
	const char *marks;
	uint64_t size = wm.image.header_size + cells_size() + wm.object.ids_size;
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		size += wm_chunk_file_size(&wm.image.chunk[i]);
	return size + marks_of(header, counts, &marks) + base->size;
}

/* Writes what is not mapped afterwards, or is long: the kernel copies faster than it maps page after page. */
static int write_at(const struct stored *stored, uint64_t offset, const void *data, size_t size)
{
	if (stored->fd >= 0)
		return wm_file_write(stored->fd, offset, data, size);
	wm_copy(stored->memory + offset, data, size);
	return 0;
}

/* After a fork, parent and child share the pages of the private table until one of them writes. */
static void clear_losses(struct wm_raw_func *table)
{
	if (!wm.image.header->lost)
		return;
	for (size_t i = 0; i < wm.object.func_count; i++)
		if (wm.image.table[i].lost)
			table[i].lost = 0;
}

static void fill_header(const struct stored *stored, const struct wm_raw_header *header, enum wm_counts counts)
{
	struct wm_raw_header *copy = (void *)stored->memory;
	struct wm_raw_func *table = (void *)(copy + 1);
	wm_copy(copy, header, sizeof *copy);
	if (counts == WM_COUNTS_ZERO) {
		clear_losses(table);
		copy->lost = 0;
	}
	copy->condensed = 0;
	copy->file_size = stored->size;
	wm_seal(copy);
}

static uint64_t chunks_offset(void)
{
	return wm.image.header_size + cells_size() + wm.object.ids_size;
}

static void fill_chunks(char *at, enum wm_counts counts, bool tables)
{
	for (size_t i = 0; i < wm.image.chunk_count; i++) {
		if ((wm.image.chunk[i].kind == WM_CHUNK_TABLES) == tables)
			wm_chunk_fill(at, &wm.image.chunk[i], counts);
		at += wm_chunk_file_size(&wm.image.chunk[i]);
	}
}

/* Copies hash tables before cells, so that ends of paths are read before entries, as in wm_cells_fill. */
static int fill_image(const struct stored *stored, const struct wm_raw_header *header, enum wm_counts counts,
	const struct wm_base *base)
{
	const char *marks;
	size_t marks_size = marks_of(header, counts, &marks);
	int error = write_at(stored, stored->size - base->size, base->memory, base->size);
	if (!error)
		error = write_at(stored, stored->size - base->size - marks_size, marks, marks_size);
	fill_chunks(stored->memory + chunks_offset(), counts, true);
	fill_chunks(stored->memory + chunks_offset(), counts, false);
	wm_ids_fill(stored->memory + wm.image.header_size + cells_size());
	if (counts == WM_COUNTS_KEEP) {
		int fd = wm.image.mapped ? wm_live_open() : -1;
		struct wm_copy_of_cells copy = wm_main_copy(fd);
		wm_cells_fill(stored->memory + wm.image.header_size, &copy);
		if (fd >= 0)
			wm_live_close(fd);
	}
	fill_header(stored, header, counts);
	return error;
}

/* The first page, the rest of the function table, and the cells are written separately: the kernel keeps what is written at
 * once in large pieces, and a piece with a part of the first page could not be given back when the process ends. */
static int write_table(const struct stored *stored)
{
	const char *table = (const void *)wm.image.table;
	size_t size = wm.object.func_count * sizeof *wm.image.table, first = WM_PAGE - sizeof(struct wm_raw_header);
	first = size < first ? size : first;
	int error = write_at(stored, sizeof(struct wm_raw_header), table, first);
	return error ? error : write_at(stored, WM_PAGE, table + first, size - first);
}

/* The table is written later and need not reach the end of the header's last page, which may be the end of the file. */
static int end_header(const struct stored *stored)
{
	static const uint64_t zero;
	return wm_file_write(stored->fd, wm.image.header_size - sizeof zero, &zero, sizeof zero);
}

static int allocate(const struct stored *stored)
{
	uint64_t small = wm_page_up((uint64_t)(__start_wm_large_cells - __start_wm_cells));
	uint64_t cells = small < MOST_EAGER ? small : MOST_EAGER;
	uint64_t at = wm.image.header_size + cells;
	int error = end_header(stored);
	if (!error)
		error = wm_file_write_zeros(stored->fd, wm.image.header_size, cells);
	return error || at == stored->size ? error : wm_file_allocate(stored->fd, at, stored->size - at);
}

/* Without MADV_RANDOM, the kernel would read many pages around each one that is touched. */
static char *map_stored(const struct stored *stored)
{
	if (stored->fd < 0)
		return sys_map_anonymous(stored->size);
	char *memory = sys_map(NULL, stored->size, MAP_SHARED, stored->fd, 0);
	if (memory)
		sys3(SYS_madvise, (long)memory, (long)stored->size, MADV_RANDOM);
	return memory;
}

/* fd < 0: private memory instead of a file. */
static int store_image(struct stored *stored, int fd, const struct wm_raw_header *header, enum wm_counts counts,
	const struct wm_base *base)
{
	stored->size = total_size(header, counts, base);
	stored->fd = fd;
	int error = fd < 0 ? 0 : allocate(stored);
	if (error)
		return error;
	stored->memory = map_stored(stored);
	if (!stored->memory)
		return -ENOMEM;
	error = write_table(stored);
	return error ? error : fill_image(stored, header, counts, base);
}

/* Moves the stored pages to the addresses of the image.  False: the kernel refused to move some of them, so the image
 * consists of pages of two files. */
static bool adopt(struct stored *stored, bool in_file)
{
	uint64_t at = wm.image.header_size;
	bool moved = sys_move_pages(stored->memory + at, cells_size(), wm.object.cells);
	at += cells_size();
	if (wm.object.ids_size)
		sys_unmap(stored->memory + at, wm.object.ids_size);
	at += wm.object.ids_size;
	for (size_t i = 0; i < wm.image.chunk_count; i++) {
		struct wm_chunk *chunk = &wm.image.chunk[i];
		moved &= sys_move_pages(stored->memory + at, chunk->size, chunk->memory);
		chunk->offset = in_file ? at : 0;
		at += chunk->size;
	}
	sys_unmap(stored->memory + at, stored->size - at);
	wm.image.file_end = stored->size;
	moved &= sys_move_pages(stored->memory, wm.image.header_size, wm.image.shown);
	wm.image.mapped = in_file;
	wm_header_store();
	return moved;
}

static void remember_file(const struct wm_file *file)
{
	struct stat status;
	if (sys3(SYS_fstat, file->fd, (long)&status, 0))
		return;
	wm.image.device = status.st_dev;
	wm.image.inode = status.st_ino;
	wm.image.tells_data = wm_tells_data(file->fd);
	wm_copy(wm.path, file->path, wm_length(file->path) + 1);
}

static int create(struct wm_file *file, enum wm_publish publish)
{
	if (publish == WM_PUBLISH_REPLACE)
		return wm_file_create(file, wm.path, true);
	const char *path;
	int error = wm_name_expand(&path);
	return error ? error : wm_file_create(file, path, false);
}

static int publish_file(struct wm_file *file, enum wm_publish publish)
{
	return publish == WM_PUBLISH_REPLACE ? wm_file_replace(file) : wm_file_publish(file);
}

static int move_to_file(const struct wm_raw_header *header, enum wm_counts counts, const struct wm_base *base,
	enum wm_publish publish, bool *moved)
{
	static struct wm_file file;
	struct stored stored = {NULL, 0, -1};
	int error = create(&file, publish);
	if (error)
		return error;
	error = store_image(&stored, file.fd, header, counts, base);
	if (!error)
		error = publish_file(&file, publish);
	if (!error) {
		wm_live_drop();
		*moved = adopt(&stored, true);
		remember_file(&file);
		if (publish == WM_PUBLISH_NEW)
			wm_pool_remember();
		wm_live_keep(file.fd);
	} else if (stored.memory) {
		sys_unmap(stored.memory, stored.size);
	}
	wm_file_discard(&file);
	return error;
}

static int move_to_memory(
	const struct wm_raw_header *header, enum wm_counts counts, const struct wm_base *base, bool *moved)
{
	struct stored stored = {NULL, 0, -1};
	int error = store_image(&stored, -1, header, counts, base);
	if (error)
		return error;
	wm_live_drop();
	*moved = adopt(&stored, false);
	return 0;
}

static void take_base(struct wm_base *base)
{
	if (base == &wm.image.base)
		return;
	wm_base_release(&wm.image.base);
	wm.image.base = *base;
	*base = (struct wm_base){NULL, 0, 0};
}

/* Makes `next` the header of the image, and keeps the losses and the second thread that were recorded before. */
static void take_header(const struct wm_raw_header *next, enum wm_counts counts, bool moved)
{
	uint64_t lost = counts == WM_COUNTS_ZERO ? 0 : wm.image.header->lost;
	if (counts == WM_COUNTS_ZERO)
		clear_losses(wm.image.table);
	wm_copy(wm.image.header, next, sizeof *next);
	wm.image.header->lost = lost;
	if (!moved)
		wm_header_lose_all();
	if (wm.threads.second)
		wm_header_set_flags(WM_RAW_SECOND_THREAD);
}

static int move_image(
	const struct wm_raw_header *header, enum wm_counts counts, struct wm_base *base, enum wm_publish publish)
{
	struct wm_raw_header next;
	bool moved = true;
	if (!wm.object.page_exact)
		return -ENOTSUP;
	wm_copy(&next, header, sizeof next);
	next.flags &= ~(uint64_t)(WM_RAW_INHERITED | WM_RAW_KILL_SAFE);
	next.flags |= (base->size ? WM_RAW_INHERITED : 0) | (publish == WM_PUBLISH_NEVER ? 0 : WM_RAW_KILL_SAFE);
	int error = publish == WM_PUBLISH_NEVER ? move_to_memory(&next, counts, base, &moved)
						: move_to_file(&next, counts, base, publish, &moved);
	if (error)
		return error;
	take_header(&next, counts, moved);
	take_base(base);
	if (wm.image.mapped && counts == WM_COUNTS_KEEP)
		wm_test_marks_stored();
	return 0;
}

int wm_image_move(
	const struct wm_raw_header *header, enum wm_counts counts, struct wm_base *base, enum wm_publish publish)
{
	int error = move_image(header, counts, base, publish);
	if (error)
		wm.image.not_mapped_error = error;
	return error;
}

int wm_image_write(const struct wm_raw_header *header)
{
	static struct wm_file file;
	struct stored stored = {NULL, 0, -1};
	int error = create(&file, WM_PUBLISH_NEW);
	if (error)
		return error;
	error = store_image(&stored, file.fd, header, WM_COUNTS_KEEP, &wm.image.base);
	if (!error)
		error = wm_file_publish(&file);
	if (stored.memory)
		sys_unmap(stored.memory, stored.size);
	wm_file_discard(&file);
	return error;
}

/* Cells that are zero are left alone: writing them would allocate pages that nothing has touched. */
static void zero_words(char *cells, size_t begin, size_t end)
{
	for (size_t at = begin; at < end; at += 8) {
		uint64_t *cell = (void *)(cells + at);
		if (wm_load(cell))
			wm_store(cell, 0);
	}
}

/* `memory`: cells in private memory. */
static void zero_cells(char *memory)
{
	static struct wm_range range[WM_MOST_RANGES];
	struct wm_copy_of_cells copy = {memory, 0, -1};
	for (size_t i = wm.object.page_exact ? wm_touched(&copy, range) : 0; i-- > 0;)
		zero_words(memory, range[i].begin, range[i].end);
	for (size_t i = 0; !wm.object.page_exact && i < wm.object.func_count; i++)
		zero_words(memory, wm_cells_of(i), wm_cells_of(i) + 8 * (size_t)wm.object.func[i].cell_count);
}

static void zero_lost(void)
{
	for (size_t i = 0; i < wm.object.func_count; i++)
		if (wm_load(&wm.image.table[i].lost))
			wm_store(&wm.image.table[i].lost, 0);
}

/* Of an image in memory. */
static void zero(void)
{
	zero_lost();
	zero_cells(wm.object.cells);
	for (size_t i = 0; i < wm.image.chunk_count; i++) {
		struct wm_chunk *chunk = &wm.image.chunk[i];
		if (chunk->kind == WM_CHUNK_THREAD)
			zero_cells(wm_thread_cells(chunk));
		else
			wm_chunk_fill(chunk->memory, chunk, WM_COUNTS_ZERO);
	}
}

void wm_image_restart(const struct wm_raw_header *header, struct wm_base *base)
{
	zero();
	take_base(base);
	wm_copy(wm.image.header, header, sizeof *header);
	wm.image.header->lost = 0;
	wm.image.header->flags &= ~(uint64_t)(WM_RAW_INHERITED | WM_RAW_KILL_SAFE);
	wm.image.header->flags |= wm.image.base.size ? WM_RAW_INHERITED : 0;
	wm_seal(wm.image.header);
}

bool wm_image_in_place(void)
{
	int fd = wm_live_reopen();
	if (fd >= 0)
		sys_close(fd);
	return fd >= 0;
}

/* ---- Saving space ------------------------------------------------------------------ */

static void punch(int fd, uint64_t offset, uint64_t size)
{
	if (size)
		sys6(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (long)offset, (long)size, 0, 0);
}

/* Whether the file system has so much free space that what is given back can be had again a moment later. */
static bool has_much_space(int fd)
{
	struct statfs status;
	return sys3(SYS_fstatfs, fd, (long)&status, 0) == 0 &&
	       (uint64_t)status.f_bavail >= MUCH_SPACE / (uint64_t)status.f_bsize;
}

/* Clears a copy of the cells in memory, which never fails, and gives back the pages between those that were touched, or all. */
static void clear_copy(const struct wm_copy_of_cells *copy, bool all_pages)
{
	static struct wm_range range[WM_MOST_RANGES];
	size_t count = wm_touched(copy, range), end = 0;
	for (size_t i = 0; i < count; i++) {
		zero_words((char *)(uintptr_t)copy->cells, range[i].begin, range[i].end);
		if (!all_pages)
			punch(copy->fd, copy->offset + end, range[i].begin - end);
		end = range[i].end;
	}
	if (all_pages)
		end = 0;
	punch(copy->fd, copy->offset + end, wm.object.file_span - end);
}

/* Gives up the chunks whose counts are in the new chunk.  The next count that needs one gets a new one; the cells of this
 * thread stay, because the thread counts in them without asking. */
static void clear_chunks(int fd, bool all_pages)
{
	wm_tables_forget();
	for (size_t i = wm.image.chunk_count; i-- > 0;) {
		struct wm_chunk *chunk = &wm.image.chunk[i];
		if (chunk->kind == WM_CHUNK_THREAD) {
			struct wm_copy_of_cells copy = wm_thread_copy(chunk, fd);
			clear_copy(&copy, all_pages);
			if (!wm_is_own_cells(chunk))
				wm_chunk_remove(i);
		} else if (chunk->kind == WM_CHUNK_TABLES || chunk->kind == WM_CHUNK_UNFINISHED) {
			zero_words(chunk->memory + sizeof(struct wm_raw_chunk), 0, chunk->used);
			punch(fd, chunk->offset, chunk->size);
			wm_chunk_remove(i);
		}
	}
}

/* Appends the chunks to the file.  The space after the end of a file is allocated as it is written, so a full disk is an
 * error here and not later. */
static int append(int fd, const struct wm_counts_writer *writer)
{
	int error = wm_file_write(fd, wm.image.file_end, writer->memory, writer->used);
	if (error) {
		sys3(SYS_ftruncate, fd, (long)wm.image.file_end, 0);
		return error;
	}
	wm.image.file_end += writer->used;
	wm_note_file_size();
	return 0;
}

/* See abi/counts.h for the order. */
static void condense(int fd)
{
	struct wm_counts_writer writer = {NULL, 0, 0, 0, 0};
	struct wm_copy_of_cells copy = wm_main_copy(fd);
	uint64_t offset = wm.image.file_end;
	bool all_pages = has_much_space(fd);
	wm_counts_collect(&writer, WM_THREADS_ALL, WM_COLLECT_ALL);
	if (!writer.error && !writer.used) {
		clear_copy(&copy, all_pages);
	} else if (!writer.error && append(fd, &writer) == 0) {
		__atomic_store_n(&wm.image.shown->condensed, offset, __ATOMIC_RELEASE);
		clear_copy(&copy, all_pages);
		clear_chunks(fd, all_pages);
		wm_header_set_flags(WM_RAW_CLEARED);
		wm.condensed = true;
	}
	wm_counts_release(&writer);
}

/*
 * Disk space was allocated for all cells, so that counting never fails on a full disk.  Most programs are short and touch few
 * of them.  If another thread may still count, or another process may have taken the file, nothing is given back.  Code
 * that runs after this and touches a page that was given back allocates it again: pages in use are given back only where there is
 * much space.
 */
void wm_image_condense(void)
{
	if (!wm.image.mapped || wm.image.not_stored || !wm.object.page_exact || !wm_unseen_none())
		return;
	int fd = wm_live_open();
	if (fd < 0)
		return;
	if (!wm_is_cut(fd))
		condense(fd);
	wm_live_close(fd);
}
