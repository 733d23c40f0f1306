/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Storing the image in a file, and moving it there.  The layout of a file is
 *     header | cells | ids | chunks in their order | base
 * A move stores the image in a new file, gives the file its name, and then maps the new pages over the old ones.  If
 * counts start at zero, nothing that is counted in between is lost: it was added to the old file.
 */
#include "runtime/image.h"

#include "runtime/base.h"
#include "runtime/chunk.h"
#include "runtime/file.h"
#include "runtime/header.h"
#include "runtime/ids.h"
#include "runtime/live.h"
#include "runtime/name.h"
#include "runtime/object.h"
#include "runtime/state.h"

#include <errno.h>
#include <linux/falloc.h>

struct stored {
	char *memory; /* the whole file */
	uint64_t size;
};

static uint64_t cells_size(void)
{
	return wm_page_up(wm.object.file_span);
}

static uint64_t total_size(const struct wm_base *base)
{
	uint64_t size = wm.image.header_size + cells_size() + wm.object.ids_size;
	for (size_t i = 0; i < wm.image.chunk_count; i++)
		size += wm_chunk_file_size(&wm.image.chunk[i]);
	return size + base->size;
}

static void fill_header(char *to, const struct wm_raw_header *header, enum wm_counts counts)
{
	struct wm_raw_header *copy = (void *)to;
	struct wm_raw_func *table = (void *)(copy + 1);
	wm_copy(copy, header, sizeof *copy);
	wm_copy(table, wm.image.table, wm.object.func_count * sizeof *table);
	if (counts == WM_COUNTS_ZERO)
		copy->lost = 0;
	for (size_t i = 0; counts == WM_COUNTS_ZERO && i < wm.object.func_count; i++)
		table[i].lost = 0;
	wm_seal(copy, wm.image.table);
}

/* Copies hash tables before cells, so that ends of paths are read before entries, as in wm_cells_fill. */
static void fill_image(char *to, const struct wm_raw_header *header, enum wm_counts counts, const struct wm_base *base)
{
	for (int pass = 0; pass < 2; pass++) {
		char *at = to + wm.image.header_size + cells_size() + wm.object.ids_size;
		for (size_t i = 0; i < wm.image.chunk_count; i++) {
			if ((wm.image.chunk[i].kind == WM_CHUNK_TABLES) == (pass == 0))
				wm_chunk_fill(at, &wm.image.chunk[i], counts);
			at += wm_chunk_file_size(&wm.image.chunk[i]);
		}
		if (pass == 1)
			wm_copy(at, base->memory, base->size);
	}
	wm_ids_fill(to + wm.image.header_size + cells_size());
	wm_cells_fill(to + wm.image.header_size, wm.object.cells, counts);
	fill_header(to, header, counts);
}

/* fd < 0: private memory instead of a file. */
static int store_image(struct stored *stored, int fd, const struct wm_raw_header *header, enum wm_counts counts,
	const struct wm_base *base)
{
	stored->size = total_size(base);
	int error = fd < 0 ? 0 : wm_file_allocate(fd, 0, stored->size);
	if (error)
		return error;
	stored->memory = fd < 0 ? sys_map_anonymous(stored->size) : sys_map(NULL, stored->size, MAP_SHARED, fd, 0);
	if (!stored->memory)
		return -ENOMEM;
	fill_image(stored->memory, header, counts, base);
	((struct wm_raw_header *)(void *)stored->memory)->file_size = stored->size;
	return 0;
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
	wm_copy(wm.path, file->path, wm_length(file->path) + 1);
}

static int create(struct wm_file *file, enum wm_publish publish)
{
	static char path[WM_PATH];
	if (publish == WM_PUBLISH_REPLACE)
		return wm_file_create(file, wm.path, true);
	int error = wm_name_expand(path);
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
	struct stored stored = {NULL, 0};
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
	struct stored stored;
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
	*base = (struct wm_base){NULL, 0};
}

/* Makes `next` the header of the image, and keeps the losses and the second thread that were recorded before. */
static void take_header(const struct wm_raw_header *next, enum wm_counts counts, bool moved)
{
	uint64_t lost = counts == WM_COUNTS_ZERO ? 0 : wm.image.header->lost;
	wm_copy(wm.image.header, next, sizeof *next);
	wm.image.header->lost = lost;
	for (size_t i = 0; counts == WM_COUNTS_ZERO && i < wm.object.func_count; i++)
		wm.image.table[i].lost = 0;
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
	struct stored stored = {NULL, 0};
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

static void zero_cells(char *cells)
{
	for (size_t i = 0; i < wm.object.func_count; i++) {
		uint64_t *cell = (void *)(cells + wm_cells_of(i));
		for (uint32_t j = 0; j < wm.object.func[i].cell_count; j++)
			wm_store(&cell[j], 0);
		wm_store(&wm.image.table[i].lost, 0);
	}
}

static void zero(void)
{
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
	wm_seal(wm.image.header, wm.image.table);
}

bool wm_image_in_place(void)
{
	int fd = wm_live_reopen();
	if (fd >= 0)
		sys_close(fd);
	return fd >= 0;
}

/* ---- Saving space ------------------------------------------------------------------ */

static bool is_zero_page(const char *page)
{
	const uint64_t *word = (const void *)page;
	uint64_t any = 0;
	for (size_t i = 0; i < WM_PAGE / sizeof *word; i++)
		any |= wm_load(&word[i]);
	return !any;
}

static void punch_holes(int fd, const char *memory, uint64_t size, uint64_t offset)
{
	uint64_t begin = 0;
	for (uint64_t at = 0; at <= size; at += WM_PAGE) {
		if (at < size && is_zero_page(memory + at))
			continue;
		if (at > begin)
			sys6(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (long)(offset + begin),
				(long)(at - begin), 0, 0);
		begin = at + WM_PAGE;
	}
}

static void punch_all(int fd)
{
	punch_holes(fd, wm.object.cells, cells_size(), wm.image.header_size);
	for (size_t i = 0; i < wm.image.chunk_count; i++) {
		const struct wm_chunk *chunk = &wm.image.chunk[i];
		if (chunk->offset)
			punch_holes(fd, chunk->memory, chunk->size, chunk->offset);
	}
}

/*
 * Disk space was allocated for all cells, so that counting never fails on a full disk.  Most programs are short and touch few
 * of them.  If another thread may still count, or another process may have taken the file, nothing is given back.  Code
 * that runs after this and touches a new page allocates it again.
 */
void wm_image_trim(void)
{
	if (!wm.image.mapped || !wm_is_alone())
		return;
	int fd = wm_live_open();
	if (fd < 0)
		return;
	if (!wm_is_cut(fd))
		punch_all(fd);
	wm_live_close(fd);
}
