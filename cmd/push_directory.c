/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/push_directory.h"

#include "abi/abi.h"
#include "profile/raw/still_counting.h"
#include "support/buffer.h"
#include "support/directory.h"
#include "support/fail.h"
#include "support/xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Not in linux/magic.h of every kernel. */
#define CIFS_MAGIC 0xFF534D42u
#define SMB2_MAGIC 0xFE534D42u
#define CEPH_MAGIC 0x00C36400u

static bool is_network(uint32_t type)
{
	static const uint32_t known[] = {
		NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, CIFS_MAGIC, SMB2_MAGIC, CEPH_MAGIC, AFS_SUPER_MAGIC, V9FS_MAGIC};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (type == known[i])
			return true;
	return false;
}

void wm_push_directory_open(struct wm_push_directory *directory, const char *path)
{
	struct statfs info;
	*directory = (struct wm_push_directory){.path = path};
	directory->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory->fd < 0 || fstatfs(directory->fd, &info))
		wm_fail("cannot watch %s: %s", path, strerror(errno));
	if (is_network((uint32_t)info.f_type))
		wm_fail("cannot watch %s: it is on a network file system, where nobody can tell whether a program of "
			"another machine still writes to a file; let programs write to a local directory",
			path);
}

static void forget_files(struct wm_push_directory *directory)
{
	while (directory->count)
		free(directory->file[--directory->count].name);
	free(directory->file);
	directory->file = NULL;
	directory->strange = 0;
}

void wm_push_directory_close(struct wm_push_directory *directory)
{
	forget_files(directory);
	close(directory->fd);
}

/* Opening a device may do something: ask first. */
static bool is_strange(int directory, const char *name)
{
	struct stat info;
	return fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (!S_ISREG(info.st_mode) || info.st_uid != geteuid() || info.st_nlink != 1);
}

/* The file may have been exchanged since is_strange() looked at it. */
static int open_strictly(int directory, const char *name, struct stat *info)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, info) == 0 && S_ISREG(info->st_mode) && info->st_uid == geteuid() &&
		info->st_nlink == 1)
		return fd;
	if (fd < 0)
		return -1;
	close(fd);
	errno = EPERM;
	return -1;
}

static void take_header(struct wm_push_file *file, int fd)
{
	struct wm_raw_header header = {0};
	struct wm_profile_error error;
	ssize_t size = pread(fd, &header, sizeof header, 0);
	file->is_profile = size > 0 && !wm_raw_identify(&file->identity, (uint8_t *)&header, (size_t)size, &error);
	file->is_alive = file->is_profile && wm_file_counting(fd, &file->identity) != WM_COUNTING_NO;
}

/* Processes may add to it at any moment, and it has no run of its own. */
static void tell_of_pool(struct wm_push_directory *directory, const char *name)
{
	if (!directory->told_of_pool)
		wm_warn("%s is left alone, as all pools: add them up with `waymark merge` and store the sum, or let "
			"programs "
			"write a file for each process, with %%p in WAYMARK_FILE",
			name);
	directory->told_of_pool = true;
}

/* Where links are not supported, a program reserves a name by an empty file. */
static void add_file(struct wm_push_directory *directory, const char *name)
{
	struct stat info;
	if (is_strange(directory->fd, name)) {
		directory->strange++;
		return;
	}
	int fd = open_strictly(directory->fd, name, &info);
	if (fd < 0)
		return;
	struct wm_push_file file = {.device = info.st_dev,
		.inode = info.st_ino,
		.size = (uint64_t)info.st_blocks * 512,
		.changed = info.st_mtim};
	if (info.st_size)
		take_header(&file, fd);
	close(fd);
	if (file.identity.is_pool)
		tell_of_pool(directory, name);
	if (!info.st_size || file.identity.is_pool)
		return;
	WM_XGROW(directory->file, directory->count);
	file.name = wm_xstrdup(name);
	directory->file[directory->count++] = file;
}

static int compare_words(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_ages(const struct wm_push_file *a, const struct wm_push_file *b)
{
	int order = compare_words((uint64_t)a->changed.tv_sec, (uint64_t)b->changed.tv_sec);
	if (!order)
		order = compare_words((uint64_t)a->changed.tv_nsec, (uint64_t)b->changed.tv_nsec);
	return order ? order : strcmp(a->name, b->name);
}

static int compare_runs(const struct wm_push_file *a, const struct wm_push_file *b)
{
	int order = a->is_profile - b->is_profile;
	if (!order)
		order = compare_words(a->identity.run_id_high, b->identity.run_id_high);
	if (!order)
		order = compare_words(a->identity.run_id_low, b->identity.run_id_low);
	return order ? order : compare_words(a->identity.epoch, b->identity.epoch);
}

bool wm_push_file_same_run(const struct wm_push_file *a, const struct wm_push_file *b)
{
	return a->is_profile && b->is_profile && compare_runs(a, b) == 0;
}

static int by_run(const void *a, const void *b)
{
	const struct wm_push_file *x = a, *y = b;
	int order = compare_runs(x, y);
	return order ? order : compare_ages(x, y);
}

void wm_push_directory_scan(struct wm_push_directory *directory)
{
	forget_files(directory);
	int fd = openat(directory->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	if (!stream)
		wm_fail("cannot read the directory %s: %s", directory->path, strerror(errno));
	for (struct dirent *entry; (entry = readdir(stream));)
		if (entry->d_name[0] != '.' && wm_is_raw_name(entry->d_name))
			add_file(directory, entry->d_name);
	closedir(stream);
	if (directory->count)
		qsort(directory->file, directory->count, sizeof *directory->file, by_run);
}

static int open_same(const struct wm_push_directory *directory, const struct wm_push_file *file, struct stat *info)
{
	int fd = open_strictly(directory->fd, file->name, info);
	if (fd < 0 || (info->st_dev == file->device && info->st_ino == file->inode))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

bool wm_push_file_read(
	const struct wm_push_directory *directory, const struct wm_push_file *file, struct wm_buffer *buffer)
{
	struct stat info;
	int fd = open_same(directory, file, &info);
	bool fits = fd >= 0 && (!directory->longest || (uint64_t)info.st_size <= directory->longest);
	bool ok = fits && wm_buffer_read_fd(buffer, fd);
	int error = fd >= 0 && !fits ? EFBIG : errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return ok;
}

/* Whoever can exchange the file between this and the next call may remove both files anyway. */
static bool is_same(const struct wm_push_directory *directory, const struct wm_push_file *file)
{
	struct stat info;
	int fd = open_same(directory, file, &info);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool wm_push_file_remove(const struct wm_push_directory *directory, const struct wm_push_file *file)
{
	return is_same(directory, file) && unlinkat(directory->fd, file->name, 0) == 0;
}

/* What lies between two holes. */
static bool copy_bytes(int to, int from, off_t at, off_t end)
{
	char block[1 << 16];
	while (at < end) {
		size_t most = end - at < (off_t)sizeof block ? (size_t)(end - at) : sizeof block;
		ssize_t size = pread(from, block, most, at);
		ssize_t written = size > 0 ? pwrite(to, block, (size_t)size, at) : size;
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		at += written;
	}
	return true;
}

/* Holes stay holes: a file may be longer than the disk. */
static bool copy_sparsely(int to, int from, off_t size)
{
	off_t end = 0;
	bool ok = ftruncate(to, size) == 0;
	while (ok && end < size) {
		off_t at = lseek(from, end, SEEK_DATA);
		if (at < 0 && errno == ENXIO)
			break;
		end = at < 0 ? at : lseek(from, at, SEEK_HOLE);
		ok = end >= 0 && copy_bytes(to, from, at, end);
	}
	return ok && fsync(to) == 0;
}

/* The copy is on the disk before the file is removed. */
static bool copy_as(
	const struct wm_push_directory *directory, const struct wm_push_file *file, int to, const char *name)
{
	struct stat info;
	int from = open_same(directory, file, &info);
	if (from < 0)
		return false;
	int fd = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool copied = fd >= 0 && copy_sparsely(fd, from, info.st_size) && fsync(to) == 0;
	bool moved = copied && wm_push_file_remove(directory, file);
	int error = errno;
	close(from);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && !moved)
		unlinkat(to, name, 0);
	errno = error;
	return moved;
}

static bool move_as(
	const struct wm_push_directory *directory, const struct wm_push_file *file, int to, const char *name)
{
	if (renameat2(directory->fd, file->name, to, name, RENAME_NOREPLACE) == 0)
		return true;
	return errno == EXDEV && copy_as(directory, file, to, name);
}

bool wm_push_file_move(const struct wm_push_directory *directory, const struct wm_push_file *file, int to)
{
	enum { NUMBERS = 10000 };
	bool moved = is_same(directory, file) && move_as(directory, file, to, file->name);
	for (int i = 1; !moved && errno == EEXIST && i < NUMBERS; i++) {
		char *name = wm_xprintf("%d-%s", i, file->name);
		moved = move_as(directory, file, to, name);
		int error = errno;
		free(name);
		errno = error;
	}
	return moved;
}
