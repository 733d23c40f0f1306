/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profile/raw/still_counting.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/vfs.h>

/* Not in linux/magic.h of every kernel. */
enum { XFS_MAGIC = 0x58465342 };

/* Whether the file system is one of those whose leases tell. */
static bool has_leases(int fd)
{
	static const uint32_t known[] = {EXT4_SUPER_MAGIC, XFS_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, TMPFS_MAGIC};
	struct statfs info;
	if (fstatfs(fd, &info))
		return false;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if ((uint32_t)info.f_type == known[i])
			return true;
	return false;
}

static bool has_process(uint64_t pid)
{
	return pid && pid <= INT32_MAX && (getpgid((pid_t)pid) >= 0 || errno != ESRCH);
}

/* Whoever opens the file for writing during the moment of the lease makes the kernel send a signal: by default SIGIO, which
 * would end the process; SIGURG does nothing. */
static bool get_lease(int fd)
{
	fcntl(fd, F_SETSIG, SIGURG);
	if (fcntl(fd, F_SETLEASE, F_RDLCK))
		return false;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return true;
}

enum wm_counting wm_file_counting(int fd, const struct wm_raw_identity *identity)
{
	bool granted = get_lease(fd);
	if (!granted && errno == EAGAIN)
		return WM_COUNTING_YES;
	bool known = granted && has_leases(fd) && !identity->is_snapshot;
	return !known && has_process(identity->pid) ? WM_COUNTING_PERHAPS : WM_COUNTING_NO;
}
