/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/base/grow.h"
#include "support/attempt.h"
#include "support/tool.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *wm_xmalloc(size_t size)
{
	return wm_xrealloc(NULL, size, 1);
}

void *wm_xrealloc(void *old, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		wm_no_memory();
	void *memory = realloc(old, bytes ? bytes : 1);
	if (!memory)
		wm_no_memory();
	return memory;
}

void wm_xgrow(void *array, size_t count, size_t size)
{
	if (!wm_grow(array, count, size))
		wm_no_memory();
}

char *wm_xstrdup(const char *text)
{
	size_t size = strlen(text) + 1;
	return memcpy(wm_xmalloc(size), text, size);
}

char *wm_xprintf(const char *format, ...)
{
	char *text;
	va_list arguments;
	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	text = length < 0 ? NULL : wm_heap_adopt(text);
	if (!text)
		wm_no_memory();
	return text;
}

void wm_string_add(struct wm_string *string, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		wm_no_memory();
	size_t needed = string->length + (size_t)length + 1;
	if (needed > string->room) {
		string->room = needed > 2 * string->room ? needed : 2 * string->room;
		string->text = wm_xrealloc(string->text, string->room, 1);
	}
	vsnprintf(string->text + string->length, (size_t)length + 1, format, again);
	va_end(again);
	string->length += (size_t)length;
}

char *wm_string_text(struct wm_string *string)
{
	return string->text ? string->text : wm_xstrdup("");
}

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

const char *wm_exe_dir(void)
{
	static char directory[PATH_MAX];
	if (directory[0])
		return directory;
	ssize_t length = readlink("/proc/self/exe", directory, sizeof directory - 1);
	if (length <= 0)
		wm_bug("cannot find the running executable: %s", strerror(errno));
	directory[length] = 0;
	*strrchr(directory, '/') = 0;
	return directory;
}

char *wm_resource(const char *name)
{
	static const char *const places[] = {"", "../lib/waymark/", "../share/waymark/"};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		char *path = wm_xprintf("%s/%s%s", wm_exe_dir(), places[i], name);
		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	wm_fail("%s is missing beside %s/waymark; install Waymark again", name, wm_exe_dir());
}
