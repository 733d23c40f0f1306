/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/buffer.h"
#include "support/attempt.h"
#include "support/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files are read and not mapped: if a profile were truncated while it is mapped, access to it would raise SIGBUS. */
static bool read_all(struct wm_buffer *buffer, int fd, size_t expected)
{
	size_t capacity = expected + 1;
	uint8_t *data = wm_xmalloc(capacity);
	size_t size = 0;
	for (;;) {
		if (size + 1 >= capacity) {
			capacity += capacity / 2 + 4096;
			data = wm_xrealloc(data, capacity, 1);
		}
		ssize_t got = read(fd, data + size, capacity - size - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(data);
			return false;
		}
		if (got == 0)
			break;
		size += (size_t)got;
	}
	data[size] = 0;
	*buffer = (struct wm_buffer){.data = data, .size = size};
	return true;
}

bool wm_buffer_read_fd(struct wm_buffer *buffer, int fd)
{
	return read_all(buffer, fd, 0);
}

bool wm_buffer_read(struct wm_buffer *buffer, const char *path)
{
	if (strcmp(path, "-") == 0)
		return wm_buffer_read_fd(buffer, STDIN_FILENO);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	struct stat info;
	struct wm_guard guard;
	size_t expected = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? (size_t)info.st_size + 1 : 0;
	wm_guard_begin_fd(&guard, &fd);
	bool ok = read_all(buffer, fd, expected);
	int error = errno;
	wm_guard_end(&guard);
	errno = error;
	return ok;
}

void wm_buffer_release(struct wm_buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct wm_buffer){0};
}
