/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * In a file, SEEK_DATA finds the pages that were written to: those whose blocks are only allocated, or are holes, count as
 * holes unless the page cache has the page.  Only file systems are trusted for which this is known to hold while the file
 * is mapped.
 *
 * In private memory, mincore tells the pages that exist, except those that were swapped out.  The cells are in private
 * memory between the start of the program and the constructor, and where there is no file, as with WAYMARK_FILE=/dev/null.
 */
#include "runtime/chunk/touched.h"

#include "runtime/state/state.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#define XFS_MAGIC 0x58465342
#define PAGES_AT_ONCE 512u /* the stack may be that of a signal handler */
#define FEW_PAGES 32u /* reading so many is quicker than asking */

struct wm_copy_of_cells wm_main_copy(int fd)
{
	return (struct wm_copy_of_cells){wm.object.cells, wm.image.mapped ? wm.image.header_size : 0, fd};
}

struct wm_copy_of_cells wm_thread_copy(const struct wm_chunk *chunk, int fd)
{
	uint64_t offset = chunk->offset ? chunk->offset + sizeof(struct wm_raw_chunk) : 0;
	return (struct wm_copy_of_cells){wm_thread_cells(chunk), offset, fd};
}

/* An overlay asks the file system below it, which may be any: whether that tells of a page that was written to just now. */
static bool tells_last_page(int fd)
{
	uint64_t at = wm_page_up(wm.object.file_span) - WM_PAGE;
	if (!wm.object.file_span)
		return false;
	__atomic_fetch_add((uint64_t *)(void *)(wm.object.cells + at), 0, __ATOMIC_RELAXED);
	return sys3(SYS_lseek, fd, (long)(wm.image.header_size + at), SEEK_DATA) == (long)(wm.image.header_size + at);
}

bool wm_tells_data(int fd)
{
	struct statfs status;
	if (fd < 0 || sys3(SYS_fstatfs, fd, (long)&status, 0))
		return false;
	switch (status.f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case TMPFS_MAGIC:
		return true;
	case OVERLAYFS_SUPER_MAGIC:
		return tells_last_page(fd);
	}
	return false;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static size_t all(struct wm_range *range)
{
	range[0] = (struct wm_range){0, wm.object.file_span};
	return wm.object.file_span != 0;
}

/* Joins the range with the one before it if they touch, or if there is no room for another one. */
static size_t append(struct wm_range *range, size_t count, size_t begin, size_t end)
{
	if (count && (range[count - 1].end >= begin || count == WM_MOST_RANGES)) {
		range[count - 1].end = end;
		return count;
	}
	range[count] = (struct wm_range){begin, end};
	return count + 1;
}

static long seek(int fd, uint64_t from, int what)
{
	return sys3(SYS_lseek, fd, (long)from, what);
}

static size_t touched_in_file(const struct wm_copy_of_cells *copy, struct wm_range *range)
{
	uint64_t at = copy->offset, end = copy->offset + wm.object.file_span;
	size_t count = 0;
	while (at < end) {
		long data = seek(copy->fd, at, SEEK_DATA);
		if (data == -ENXIO || (data >= 0 && (uint64_t)data >= end))
			return count;
		long hole = data < 0 ? data : seek(copy->fd, (uint64_t)data, SEEK_HOLE);
		if (hole < 0)
			return all(range);
		uint64_t stop = smaller((uint64_t)hole, end);
		uint64_t begin = (uint64_t)data > at ? (uint64_t)data : at;
		/* The cells of a thread do not begin a page of the file, but the pages of the file are whole. */
		count = append(range, count, begin - copy->offset & ~UINT64_C(7), stop - copy->offset);
		at = stop;
	}
	return count;
}

/* Whether /proc/self/status has this line, which is given with the line feeds around it. */
static bool status_has(const char *line)
{
	static char text[4096];
	int fd = sys_open("/proc/self/status", O_RDONLY, 0);
	long size = fd < 0 ? 0 : sys3(SYS_read, fd, (long)text, sizeof text);
	if (fd >= 0)
		sys_close(fd);
	for (long at = 0; at < size; at++) {
		long same = 0;
		while (line[same] && at + same < size && text[at + same] == line[same])
			same++;
		if (!line[same])
			return true;
	}
	return false;
}

/* Signals are blocked here, so that a process without other threads stays alone. */
static bool is_alone(void)
{
	return !wm.started || status_has("\nThreads:\t1\n");
}

static bool nothing_is_swapped(void)
{
	return status_has("\nVmSwap:\t       0 kB\n");
}

/* A page may have been swapped out when mincore was asked.  It then still is afterwards, because nobody else counts. */
static size_t touched_in_memory(const struct wm_copy_of_cells *copy, struct wm_range *range)
{
	unsigned char present[PAGES_AT_ONCE];
	size_t count = 0, span = wm.object.file_span;
	if (!is_alone())
		return all(range);
	for (size_t at = 0; at < span; at += PAGES_AT_ONCE * WM_PAGE) {
		size_t size = (size_t)smaller(span - at, PAGES_AT_ONCE * WM_PAGE);
		if (sys3(SYS_mincore, (long)(copy->cells + at), (long)size, (long)present))
			return all(range);
		for (size_t page = 0; page * WM_PAGE < size; page++)
			if (present[page] & 1)
				count = append(range, count, at + page * WM_PAGE, at + (page + 1) * WM_PAGE);
	}
	return nothing_is_swapped() ? count : all(range);
}

size_t wm_touched(const struct wm_copy_of_cells *copy, struct wm_range range[WM_MOST_RANGES])
{
	if (copy->offset && copy->fd >= 0 && wm.image.tells_data)
		return touched_in_file(copy, range);
	if (!copy->offset && wm.object.file_span > FEW_PAGES * WM_PAGE)
		return touched_in_memory(copy, range);
	return all(range);
}
