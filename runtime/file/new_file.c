/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Creates files that appear complete or not at all, and never replace another file by accident.  A file is created
 * without a name and linked when it is complete; where the file system does not support that, it has a temporary name
 * in the same directory.
 */
#include "runtime/file/new_file.h"

#include "runtime/file/family_file.h"
#include "runtime/file/name.h"
#include "runtime/state/state.h"

#include <errno.h>
#include <linux/fs.h>

#define SUFFIXES 1000000u
#define MODE 0600 /* the file contains the live counters of a process, which no other user may change */

static void directory_of(char out[WM_PATH], const char *path)
{
	size_t end = wm_length(path);
	while (end > 1 && path[end - 1] != '/')
		end--;
	wm_copy(out, path, end);
	out[end] = 0;
}

/* Creates only the last directory of the path, so that a mistyped path does not create many. */
static long make_directory(const char *path)
{
	static char directory[WM_PATH];
	directory_of(directory, path);
	long result = sys3(SYS_mkdir, (long)directory, 0777, 0);
	return result == -EEXIST ? 0 : result;
}

/* Fails if the path names a device, a directory or anything else that is not a regular file: the user did not mean a
 * file with a number beside it. */
static int check_name(const char *path)
{
	struct stat status;
	size_t length = wm_length(path);
	if (length && path[length - 1] == '/')
		return -EISDIR;
	if (sys3(SYS_lstat, (long)path, (long)&status, 0) || S_ISREG(status.st_mode))
		return 0;
	return S_ISDIR(status.st_mode) ? -EISDIR : -ENXIO;
}

static int open_unnamed(const char *path)
{
	static char directory[WM_PATH];
	directory_of(directory, path);
	return sys_open(directory, O_TMPFILE | O_RDWR, MODE);
}

static void name_temporary(struct wm_file *file)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t random = 0;
	size_t end = wm_length(file->path);
	sys3(SYS_getrandom, (long)&random, sizeof random, 0);
	wm_copy(file->temporary, file->path, end);
	wm_copy(file->temporary + end, ".tmp", 4);
	for (end += 4; random; random >>= 4)
		file->temporary[end++] = digits[random & 15];
	file->temporary[end] = 0;
}

static int open_named(struct wm_file *file)
{
	name_temporary(file);
	int fd = sys_open(file->temporary, O_CREAT | O_EXCL | O_RDWR, MODE);
	file->named = fd >= 0;
	return fd;
}

static int open_either(struct wm_file *file, bool named)
{
	int fd = named ? -EOPNOTSUPP : open_unnamed(file->path);
	bool retry = fd == -EOPNOTSUPP || fd == -EISDIR || fd == -EINVAL;
	return retry ? open_named(file) : fd;
}

int wm_file_create(struct wm_file *file, const char *path, bool named)
{
	size_t length = wm_length(path);
	file->named = false;
	wm_copy(file->path, path, length + 1);
	file->fd = check_name(path);
	if (file->fd)
		return file->fd;
	file->fd = open_either(file, named);
	if (file->fd == -ENOENT && make_directory(path) == 0)
		file->fd = open_either(file, named);
	return file->fd < 0 ? file->fd : 0;
}

static void to_unnamed(struct wm_file *file, char source[32])
{
	static const char prefix[] = "/proc/self/fd/";
	char digits[12];
	size_t count = 0, end = sizeof prefix - 1;
	for (int fd = file->fd; fd || !count; fd /= 10)
		digits[count++] = (char)('0' + fd % 10);
	wm_copy(source, prefix, end);
	while (count)
		source[end++] = digits[--count];
	source[end] = 0;
}

/* For file systems that support neither links nor RENAME_NOREPLACE: an empty file reserves the name. */
static long rename_reserved(struct wm_file *file, const char *path)
{
	int fd = sys_open(path, O_CREAT | O_EXCL | O_WRONLY, MODE);
	if (fd < 0)
		return fd;
	sys_close(fd);
	return sys3(SYS_rename, (long)file->temporary, (long)path, 0);
}

/* In a chroot there may be no /proc.  AT_EMPTY_PATH works without /proc, but needs a privilege or a newer kernel. */
static long link_unnamed(struct wm_file *file, const char *path)
{
	char source[32];
	to_unnamed(file, source);
	long result = sys6(SYS_linkat, AT_FDCWD, (long)source, AT_FDCWD, (long)path, AT_SYMLINK_FOLLOW, 0);
	return result == -ENOENT ? sys6(SYS_linkat, file->fd, (long)"", AT_FDCWD, (long)path, AT_EMPTY_PATH, 0)
				 : result;
}

static long give_name(struct wm_file *file, const char *path)
{
	if (!file->named)
		return link_unnamed(file, path);
	long result = sys6(SYS_renameat2, AT_FDCWD, (long)file->temporary, AT_FDCWD, (long)path, RENAME_NOREPLACE, 0);
	if (result == -EINVAL || result == -ENOSYS)
		result = rename_reserved(file, path);
	if (result == 0)
		file->named = false;
	return result;
}

static bool is_taken(const char *path, unsigned number)
{
	static char name[WM_PATH];
	struct stat status;
	return wm_name_suffix(name, path, number) == 0 && sys3(SYS_lstat, (long)name, (long)&status, 0) == 0;
}

/* The last of the consecutive numbers from `taken` on that are in use.  The search doubles its steps and then halves
 * them. */
static unsigned last_taken(const char *path, unsigned taken)
{
	unsigned step = 1;
	for (; is_taken(path, taken + step) && taken + step < SUFFIXES; step *= 2)
		taken += step;
	while (step /= 2)
		taken += is_taken(path, taken + step) ? step : 0;
	return taken;
}

int wm_file_publish(struct wm_file *file)
{
	static char path[WM_PATH];
	long result = give_name(file, file->path);
	for (unsigned taken = 0; result == -EEXIST && taken < SUFFIXES; taken++) {
		taken = last_taken(file->path, taken);
		result = wm_name_suffix(path, file->path, taken + 1);
		if (result == 0)
			result = give_name(file, path);
		if (result == 0)
			wm_copy(file->path, path, wm_length(path) + 1);
	}
	if (result == 0)
		wm_family_write(file->path);
	return (int)result;
}

int wm_file_publish_exactly(struct wm_file *file)
{
	return (int)give_name(file, file->path);
}

int wm_file_replace(struct wm_file *file)
{
	long result = sys3(SYS_rename, (long)file->temporary, (long)file->path, 0);
	if (result == 0)
		file->named = false;
	return (int)result;
}

void wm_file_discard(struct wm_file *file)
{
	if (file->named)
		sys_unlink(file->temporary);
	file->named = false;
	if (file->fd >= 0)
		sys_close(file->fd);
	file->fd = -1;
}
