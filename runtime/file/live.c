/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Opens the live file again when it has to grow.  Its path may be unreachable by then: the program may have called
 * chroot, dropped its privileges or removed the directory.  Objects that may need chunks therefore keep a
 * descriptor.  It must not disturb the program: where the limits allow it, its number is above those that open()
 * returns, and it is used only if it still refers to the file, because the program may have closed it and opened
 * something else with that number.  A process with very many objects keeps descriptors for some of them, because it needs
 * numbers of its own.
 */
#include "runtime/file/live.h"

#include "runtime/state/state.h"

#include <errno.h>
#include <sys/resource.h>

#define FIRST_NUMBER 1024u
#define MOST_NUMBERS 64u /* of all objects of the process; the others open their files by the path */

struct wm_file_identity wm_file_identity_of(int fd)
{
	struct stat status;
	if (fd < 0 || sys3(SYS_fstat, fd, (long)&status, 0))
		return (struct wm_file_identity){0, 0, false};
	return (struct wm_file_identity){status.st_dev, status.st_ino, true};
}

static bool is_live(int fd)
{
	struct wm_file_identity stream = wm_file_identity_of(fd);
	return stream.open && stream.device == wm.image.device && stream.inode == wm.image.inode;
}

static long limit_files(const struct rlimit *new, struct rlimit *old)
{
	return sys6(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)new, (long)old, 0, 0);
}

static int duplicate(int fd, uint64_t least)
{
	int number = (int)sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, (long)least);
	if (number < 0 || (uint64_t)number < least + MOST_NUMBERS)
		return number;
	sys_close(number);
	return -1;
}

/* A descriptor stays valid when the limit falls below its number, so the limit is raised for one call of fcntl.  If
 * the limit cannot be raised, the descriptor gets the highest number below the limit. */
static int move_up(int fd)
{
	struct rlimit limit;
	if (limit_files(NULL, &limit) || !limit.rlim_cur)
		return -1;
	uint64_t least = limit.rlim_cur < FIRST_NUMBER ? limit.rlim_cur : FIRST_NUMBER;
	struct rlimit raised = {
		least + MOST_NUMBERS < limit.rlim_max ? least + MOST_NUMBERS : limit.rlim_max, limit.rlim_max};
	if (limit.rlim_cur > least)
		return duplicate(fd, least);
	if (raised.rlim_cur <= least || limit_files(&raised, NULL))
		return duplicate(fd, least - 1);
	int moved = duplicate(fd, least);
	limit_files(&limit, NULL);
	return moved;
}

void wm_live_keep(int fd)
{
	wm.image.live_fd = wm.object.grows ? move_up(fd) : -1;
}

void wm_live_drop(void)
{
	if (is_live(wm.image.live_fd))
		sys_close(wm.image.live_fd);
	wm.image.live_fd = -1;
}

int wm_live_reopen(void)
{
	int fd = sys_open(wm.path, O_RDWR | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0 || is_live(fd))
		return fd;
	sys_close(fd);
	return -ENOENT;
}

int wm_live_open(void)
{
	return is_live(wm.image.live_fd) ? wm.image.live_fd : wm_live_reopen();
}

void wm_live_close(int fd)
{
	if (fd != wm.image.live_fd)
		sys_close(fd);
}
