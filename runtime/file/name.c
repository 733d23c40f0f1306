/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Turns the pattern in WAYMARK_FILE into a path.  The letters are those of clang:
 *     %p  process id                 %m  signature of the object, 16 hex digits
 *     %h  host name                  %b  build-id in hex
 *     %t  $TMPDIR and a slash        %%  %
 *     %4m  the same, an underscore and a number below 4
 * A pattern with %m or %4m and without %p names a pool (abi/pool.h); the process has a file beside it, with its id before
 * the extension.
 * A relative path is relative to the directory that was current when the pattern was set.
 */
#include "runtime/file/name.h"

#include "runtime/file/warn.h"
#include "runtime/state/state.h"
#include "runtime/system/text.h"

#include <errno.h>
#include <sys/utsname.h>

#define DEFAULT_PATTERN "waymark-%p.wmraw"

/* environ, under a reserved name of the C library, which the program cannot define. */
extern char **__environ;

static void put_byte(struct wm_text *buffer, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	wm_put(buffer, digits[byte >> 4]);
	wm_put(buffer, digits[byte & 15]);
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

static void put_host(struct wm_text *buffer)
{
	struct utsname name;
	if (sys3(SYS_uname, (long)&name, 0, 0) == 0)
		wm_put_text(buffer, name.nodename);
}

static void put_build_id(struct wm_text *buffer)
{
	const uint8_t *bytes = (const void *)wm.object.build_id;
	for (uint64_t i = 0; i < wm.object.build_id_size; i++)
		put_byte(buffer, bytes[i]);
}

static int put_temporary(struct wm_text *buffer, char next)
{
	const char *directory = wm_environment("TMPDIR");
	if (!directory || !*directory)
		return -ENOENT;
	wm_put_text(buffer, directory);
	if (buffer->text[buffer->size - 1] != '/' && next != '/')
		wm_put(buffer, '/');
	return 0;
}

/* Returns how many characters after the % are the name of a pool, and stores the number of files, 0 if there is none.  0: they
 * are something else. */
static size_t pool_letter(const char *at, uint64_t *files)
{
	size_t digits = 0;
	for (*files = 0; digits < 4 && at[digits] >= '0' && at[digits] <= '9'; digits++)
		*files = *files * 10 + (uint64_t)(at[digits] - '0');
	return at[digits] == 'm' && (*files || !digits) ? digits + 1 : 0;
}

static void put_signature(struct wm_text *buffer, uint64_t files)
{
	for (int i = 7; i >= 0; i--)
		put_byte(buffer, (uint8_t)(wm.object.signature >> (8 * i)));
	if (!files)
		return;
	wm_put(buffer, '_');
	/* The ids of processes that a script starts are often all even. */
	wm_put_number(buffer, ((uint64_t)wm.pid * WM_HASH_FACTOR >> 32) % files);
}

/* Returns 1 if there is no such letter. */
static int put_letter(struct wm_text *buffer, char letter, char next)
{
	switch (letter) {
	case 'p':
		wm_put_number(buffer, (uint64_t)wm.pid);
		return 0;
	case 'h':
		put_host(buffer);
		return 0;
	case 'b':
		put_build_id(buffer);
		return 0;
	case 't':
		return put_temporary(buffer, next);
	case '%':
		wm_put(buffer, '%');
		return 0;
	}
	return 1;
}

static int expand(struct wm_text *buffer, const char *pattern)
{
	for (; *pattern; pattern++) {
		uint64_t files;
		size_t length = *pattern == '%' ? pool_letter(pattern + 1, &files) : 0;
		if (length) {
			put_signature(buffer, files);
			pattern += length;
			continue;
		}
		int result = *pattern == '%' && pattern[1] ? put_letter(buffer, pattern[1], pattern[2]) : 1;
		if (result < 0)
			return result;
		if (result == 0)
			pattern++;
		else
			wm_put(buffer, *pattern);
	}
	return buffer->full ? -ENAMETOOLONG : 0;
}

static bool is_pooled(const char *pattern)
{
	bool pooled = false;
	uint64_t files;
	for (; *pattern; pattern++) {
		if (*pattern != '%' || !pattern[1])
			continue;
		if (*++pattern == 'p')
			return false;
		size_t length = pool_letter(pattern, &files);
		pooled |= length;
		pattern += length ? length - 1 : 0;
	}
	return pooled;
}

static int expand_path(char path[WM_PATH])
{
	static char name[WM_PATH];
	struct wm_text relative = {name, 0, WM_PATH, false}, whole = {path, 0, WM_PATH, false};
	int result = expand(&relative, wm.pattern);
	if (result)
		return result;
	if (name[0] != '/') {
		wm_put_text(&whole, wm.directory);
		wm_put(&whole, '/');
	}
	wm_put_text(&whole, name);
	/* room for a process id, a suffix and a temporary name */
	return whole.full || whole.size > WM_PATH - 32 ? -ENAMETOOLONG : 0;
}

static char pool[WM_PATH];
static char tried[WM_PATH]; /* the path that was expanded last; "": none was */

static int expand_all(void)
{
	pool[0] = 0;
	int error = expand_path(tried);
	if (error || !is_pooled(wm.pattern))
		return error;
	wm_copy(pool, tried, wm_length(tried) + 1);
	return wm_name_suffix(tried, pool, (unsigned)wm.pid);
}

int wm_name_expand(const char **path)
{
	int error = expand_all();
	if (error)
		tried[0] = 0;
	*path = tried;
	return error;
}

const char *wm_name_told(void)
{
	return wm.image.mapped ? wm.path : tried[0] ? tried : wm.pattern;
}

const char *wm_name_pool(void)
{
	return pool;
}

/* Whether the pattern contains %t (`temporary`) or an unknown letter (otherwise). */
static bool has_letter(const char *pattern, bool temporary)
{
	static const char known[] = "phbt%";
	for (uint64_t files; *pattern; pattern++) {
		size_t length = *pattern == '%' ? pool_letter(pattern + 1, &files) : 0;
		pattern += length;
		if (length || *pattern != '%')
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
	struct wm_text buffer = {out, 0, WM_PATH, false};
	size_t length = wm_length(path), dot = length;
	for (size_t i = length; i-- > 0 && path[i] != '/';) {
		if (path[i] == '.' && i > 0 && path[i - 1] != '/') {
			dot = i;
			break;
		}
	}
	for (size_t i = 0; i < dot; i++)
		wm_put(&buffer, path[i]);
	wm_put(&buffer, '.');
	wm_put_number(&buffer, number);
	wm_put_text(&buffer, path + dot);
	return buffer.full ? -ENAMETOOLONG : 0;
}
