/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "runtime/file/file_write.h"

#include "runtime/system/sys.h"

#include <errno.h>
#include <sys/uio.h>

void wm_take_back_xfsz(void)
{
	uint64_t set = 1ull << (SIGXFSZ - 1);
	struct {
		long seconds, nanoseconds;
	} now = {0, 0};
	sys6(SYS_rt_sigtimedwait, (long)&set, 0, (long)&now, sizeof set, 0, 0);
}

int wm_file_write(int fd, uint64_t offset, const void *data, uint64_t size)
{
	const char *from = data;
	while (size) {
		long done = sys6(SYS_pwrite64, fd, (long)from, (long)size, (long)offset, 0, 0);
		if (done == -EFBIG)
			wm_take_back_xfsz();
		if (done <= 0)
			return done ? (int)done : -ENOSPC;
		offset += (uint64_t)done;
		from += done;
		size -= (uint64_t)done;
	}
	return 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int wm_file_write_zeros(int fd, uint64_t offset, uint64_t size)
{
	static const char zeros[4096];
	struct iovec part[64];
	while (size) {
		uint64_t count = 0, planned = 0;
		for (; count < sizeof part / sizeof *part && planned < size; count++) {
			part[count] = (struct iovec){(void *)(uintptr_t)zeros, smaller(size - planned, sizeof zeros)};
			planned += part[count].iov_len;
		}
		long done = sys6(SYS_pwritev, fd, (long)part, (long)count, (long)offset, 0, 0);
		if (done == -EFBIG)
			wm_take_back_xfsz();
		if (done <= 0)
			return done ? (int)done : -ENOSPC;
		offset += (uint64_t)done;
		size -= (uint64_t)done;
	}
	return 0;
}

int wm_file_allocate(int fd, uint64_t offset, uint64_t size)
{
	long result = sys6(SYS_fallocate, fd, 0, (long)offset, (long)size, 0, 0);
	if (result == -EOPNOTSUPP || result == -ENOSYS || result == -EINVAL)
		return wm_file_write_zeros(fd, offset, size);
	if (result == -EFBIG)
		wm_take_back_xfsz();
	return (int)result;
}
