/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Turns the pattern in WAYMARK_FILE into a path.  The letters are those of clang:
 *     %p  process id                 %m  signature of the object, 16 hex digits
 *     %h  host name                  %b  build-id in hex
 *     %t  $TMPDIR and a slash        %%  %
 * A relative path is relative to the directory that was current when the pattern was set.
 */
#include "runtime/internal.h"

#include <errno.h>
#include <sys/utsname.h>

#define DEFAULT_PATTERN "waymark-%p.wmraw"

/* environ, under a reserved name of the C library, which the program cannot define. */
extern char **__environ;

struct buffer {
	char *text;
	size_t size, room;
	bool full;
};

static void put(struct buffer *buffer, char c)
{
	if (buffer->size >= buffer->room - 1)
		buffer->full = true;
	else
		buffer->text[buffer->size++] = c;
	buffer->text[buffer->size] = 0;
}

static void put_text(struct buffer *buffer, const char *text)
{
	while (*text)
		put(buffer, *text++);
}

static void put_number(struct buffer *buffer, uint64_t number)
{
	char digits[20];
	int count = 0;
	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count)
		put(buffer, digits[--count]);
}

static void put_byte(struct buffer *buffer, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	put(buffer, digits[byte >> 4]);
	put(buffer, digits[byte & 15]);
}

/* getenv is not called, because the program may define a function with this name. */
const char *wm_environment(const char *name)
{
	size_t length = wm_length(name);
	for (char **entry = __environ; entry && *entry; entry++) {
		size_t i = 0;
		while (i < length && (*entry)[i] == name[i])
			i++;
		if (i == length && (*entry)[i] == '=')
			return *entry + length + 1;
	}
	return NULL;
}

static void put_host(struct buffer *buffer)
{
	struct utsname name;
	if (sys3(SYS_uname, (long)&name, 0, 0) == 0)
		put_text(buffer, name.nodename);
}

static void put_build_id(struct buffer *buffer)
{
	const uint8_t *bytes = (const void *)wm.object.build_id;
	for (uint64_t i = 0; i < wm.object.build_id_size; i++)
		put_byte(buffer, bytes[i]);
}

static int put_temporary(struct buffer *buffer, char next)
{
	const char *directory = wm_environment("TMPDIR");
	if (!directory || !*directory)
		return -ENOENT;
	put_text(buffer, directory);
	if (buffer->text[buffer->size - 1] != '/' && next != '/')
		put(buffer, '/');
	return 0;
}

/* Returns 1 if there is no such letter. */
static int put_letter(struct buffer *buffer, char letter, char next)
{
	switch (letter) {
	case 'p':
		put_number(buffer, (uint64_t)wm.pid);
		return 0;
	case 'h':
		put_host(buffer);
		return 0;
	case 'm':
		for (int i = 7; i >= 0; i--)
			put_byte(buffer, (uint8_t)(wm.object.signature >> (8 * i)));
		return 0;
	case 'b':
		put_build_id(buffer);
		return 0;
	case 't':
		return put_temporary(buffer, next);
	case '%':
		put(buffer, '%');
		return 0;
	}
	return 1;
}

static int expand(struct buffer *buffer, const char *pattern)
{
	for (; *pattern; pattern++) {
		int result = *pattern == '%' && pattern[1] ? put_letter(buffer, pattern[1], pattern[2]) : 1;
		if (result < 0)
			return result;
		if (result == 0)
			pattern++;
		else
			put(buffer, *pattern);
	}
	return buffer->full ? -ENAMETOOLONG : 0;
}

int wm_name_expand(char path[WM_PATH])
{
	static char name[WM_PATH];
	struct buffer relative = {name, 0, WM_PATH, false}, whole = {path, 0, WM_PATH, false};
	int result = expand(&relative, wm.pattern);
	if (result)
		return result;
	if (name[0] != '/') {
		put_text(&whole, wm.directory);
		put(&whole, '/');
	}
	put_text(&whole, name);
	/* room for a suffix and a temporary name */
	return whole.full || whole.size > WM_PATH - 16 ? -ENAMETOOLONG : 0;
}

/* Whether the pattern contains %t (`temporary`) or an unknown letter (otherwise). */
static bool has_letter(const char *pattern, bool temporary)
{
	static const char known[] = "phmbt%";
	for (; *pattern; pattern++) {
		if (*pattern != '%')
			continue;
		const char *k = known;
		while (*k && *k != pattern[1])
			k++;
		if (temporary ? *k == 't' : !*k)
			return true;
		pattern += pattern[1] != 0;
	}
	return false;
}

static const char *pattern_from_environment(void)
{
	const char *pattern = wm_environment("WAYMARK_FILE");
	return pattern && *pattern ? pattern : DEFAULT_PATTERN;
}

/* NULL: the pattern of the environment.  As in clang, a pattern with %t stands for the default pattern if TMPDIR is not
 * set.  A program that runs with more rights than its caller writes no file, because the caller chooses its directory
 * and its environment. */
int wm_name_set(const char *pattern)
{
	if (wm.object.secure && pattern)
		return -EPERM;
	if (wm.object.secure)
		pattern = "/dev/null";
	if (!pattern)
		pattern = pattern_from_environment();
	if (has_letter(pattern, true) && !wm_environment("TMPDIR"))
		pattern = DEFAULT_PATTERN;
	size_t length = wm_length(pattern);
	if (length >= WM_PATH)
		return -ENAMETOOLONG;
	wm_copy(wm.pattern, pattern, length + 1);
	long size = sys3(SYS_getcwd, (long)wm.directory, WM_PATH, 0);
	if (size <= 0 || wm.directory[0] != '/') {
		wm.directory[0] = '.';
		wm.directory[1] = 0;
	}
	wm.discard = wm_equal(pattern, "/dev/null");
	return 0;
}

void wm_name_check(void)
{
	if (has_letter(wm.pattern, false))
		wm_warn(WM_WARN_NAME, "unknown letter after % kept in", wm.pattern, 0);
}

int wm_name_suffix(char out[WM_PATH], const char *path, unsigned number)
{
	struct buffer buffer = {out, 0, WM_PATH, false};
	size_t length = wm_length(path), dot = length;
	for (size_t i = length; i-- > 0 && path[i] != '/';) {
		if (path[i] == '.' && i > 0 && path[i - 1] != '/') {
			dot = i;
			break;
		}
	}
	for (size_t i = 0; i < dot; i++)
		put(&buffer, path[i]);
	put(&buffer, '.');
	put_number(&buffer, number);
	put_text(&buffer, path + dot);
	return buffer.full ? -ENAMETOOLONG : 0;
}

static const char *error_text(int error)
{
	switch (-error) {
	case EACCES:
	case EPERM:
		return "permission denied";
	case ENOENT:
		return "no such directory";
	case ENOSPC:
	case EDQUOT:
		return "no space left";
	case EROFS:
		return "read-only file system";
	case EFBIG:
		return "file size limit";
	case EMFILE:
	case ENFILE:
		return "too many open files";
	case ENOMEM:
		return "out of memory";
	case ENAMETOOLONG:
		return "name too long";
	case ENODATA:
		return "it was truncated";
	case ENOTDIR:
		return "not a directory";
	case EISDIR:
		return "it is a directory";
	case ENXIO:
		return "it is not a regular file";
	case ENOTSUP:
		return "linked without waymark.ld";
	}
	return "system error";
}

struct claim {
	int warning;
	bool first;
};

static int claim_warning(const struct wm_control *control, void *data)
{
	struct claim *claim = data;
	if (__atomic_fetch_or(control->warned, claim->warning, __ATOMIC_RELAXED) & claim->warning)
		claim->first = false;
	return 0;
}

static bool is_error_stream(int fd)
{
	struct wm_stream now = wm_stream_of(fd);
	return now.open && wm.error_stream.open && now.device == wm.error_stream.device &&
	       now.inode == wm.error_stream.inode;
}

/* The stream may be a file that has reached its size limit. */
static void write_warning(const char *text, size_t size)
{
	uint64_t mask;
	sys_block_signals(&mask);
	long written = sys3(SYS_write, 2, (long)text, (long)size);
	if (written == -EFBIG || (written >= 0 && (size_t)written < size))
		wm_take_back_xfsz();
	sys_restore_signals(&mask);
}

void wm_warn(enum wm_warning warning, const char *what, const char *which, int error)
{
	char text[512];
	struct buffer line = {text, 0, sizeof text - 1, false};
	struct claim claim = {warning, true};
	if (warning == WM_WARN_GROWTH)
		claim_warning(&__wm_control, &claim);
	else
		wm_each_control(claim_warning, &claim);
	if (!claim.first || !is_error_stream(2))
		return;
	put_text(&line, "waymark: ");
	put_text(&line, what);
	put(&line, ' ');
	put_text(&line, which);
	if (error) {
		put_text(&line, ": ");
		put_text(&line, error_text(error));
	}
	text[line.size++] = '\n';
	write_warning(text, line.size);
}
