/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Files are read and not mapped: if a profile were truncated while it is mapped, access to it would raise SIGBUS, and a hole
 * that is touched through a mapping takes pages of the page cache.
 */
#include "profile/raw/sparse.h"

#include "core/base/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 5 };

/* Where the file system does not tell holes, all is data.  False: no memory. */
static bool find_extents(struct wm_extent **extent, size_t *count, int fd, off_t size)
{
	for (off_t at = 0; at < size;) {
		off_t data = lseek(fd, at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			return true;
		off_t hole = data < 0 ? size : lseek(fd, data, SEEK_HOLE);
		data = data < 0 ? at : data;
		hole = hole < 0 || hole > size ? size : hole;
		if (data >= hole)
			return true;
		if (!WM_GROW(*extent, *count))
			return false;
		(*extent)[(*count)++] = (struct wm_extent){(uint64_t)data, (uint64_t)hole};
		at = hole;
	}
	return true;
}

/* Memory for a sparse file is not reserved, so what will be used of it must be small enough. */
static bool fits_memory(const struct wm_extent *extent, size_t count)
{
	uint64_t sum = 0, pages = (uint64_t)sysconf(_SC_PHYS_PAGES), page = (uint64_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < count; i++)
		sum += extent[i].end - extent[i].begin;
	return sum / page < pages;
}

/* Returns where the file ends: it may have become shorter. */
static ssize_t read_extent(uint8_t *data, int fd, const struct wm_extent *extent)
{
	uint64_t at = extent->begin;
	while (at < extent->end) {
		ssize_t got = pread(fd, data + at, extent->end - at, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		at += (uint64_t)got;
	}
	return (ssize_t)at;
}

static bool read_extents(struct wm_sparse_file *file, uint8_t *data, int fd)
{
	for (size_t i = 0; i < file->image.extent_count; i++) {
		ssize_t end = read_extent(data, fd, &file->image.extent[i]);
		if (end < 0)
			return false;
		if ((uint64_t)end == file->image.extent[i].end)
			continue;
		((struct wm_extent *)file->image.extent)[i].end = file->image.size = (size_t)end;
		file->image.extent_count = i + ((uint64_t)end > file->image.extent[i].begin);
		return true;
	}
	return true;
}

static bool read_sparse(struct wm_sparse_file *file, int fd, off_t size)
{
	struct wm_extent *extent = NULL;
	size_t count = 0;
	bool found = WM_GROW(extent, 0) && find_extents(&extent, &count, fd, size);
	*file = (struct wm_sparse_file){{.size = (size_t)size, .extent = extent, .extent_count = count}, 0};
	if (!size || !found || !fits_memory(extent, count)) {
		errno = ENOMEM;
		return found && !size;
	}
	void *data =
		mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (data == MAP_FAILED)
		return false;
	file->image.data = data;
	file->mapped = (size_t)size;
	return read_extents(file, data, fd);
}

/* A program may have made the file longer while it was read.  What was read is then older than the size in its header. */
bool wm_sparse_read(struct wm_sparse_file *file, int fd)
{
	struct stat before, after;
	for (int i = 0; i < ATTEMPTS; i++) {
		*file = (struct wm_sparse_file){{0}, 0};
		bool ok = !fstat(fd, &before) && read_sparse(file, fd, before.st_size) && !fstat(fd, &after);
		if (ok && (after.st_size <= before.st_size || i + 1 == ATTEMPTS))
			return true;
		int error = errno;
		wm_sparse_release(file);
		errno = error;
		if (!ok)
			return false;
	}
	return false;
}

void wm_sparse_release(struct wm_sparse_file *file)
{
	if (file->mapped)
		munmap((void *)file->image.data, file->mapped);
	free((void *)file->image.extent);
	*file = (struct wm_sparse_file){{0}, 0};
}
