/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/file_names.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The end of `out`, which is before `end` or NULL, without its last component; NULL: there is none that could be removed. */
static char *without_last(char *out, char *end)
{
	char *start = end;
	while (start > out && start[-1] != '/')
		start--;
	bool parent = end - start == 2 && !strncmp(start, "..", 2);
	return start == end || parent ? NULL : start > out ? start - 1 : start;
}

void wm_file_name_normalise(char *path)
{
	bool absolute = path[0] == '/';
	char *out = path + absolute, *end = out;
	for (const char *at = out; *at;) {
		size_t length = strcspn(at, "/");
		bool here = !length || (length == 1 && *at == '.'), up = length == 2 && !strncmp(at, "..", 2);
		char *shorter = up ? without_last(out, end) : NULL;
		if (shorter) {
			end = shorter;
		} else if (!here && !(up && absolute)) {
			if (end > out)
				*end++ = '/';
			memmove(end, at, length);
			end += length;
		}
		at += length;
		at += *at == '/';
	}
	if (end == path)
		*end++ = '.';
	*end = 0;
}

static char *join_path(const char *directory, const char *name)
{
	bool alone = name[0] == '/' || !*directory;
	size_t size = strlen(directory) + strlen(name) + 2;
	char *path = malloc(size);
	if (path)
		snprintf(path, size, "%s%s%s", alone ? "" : directory, alone ? "" : "/", name);
	return path;
}

char *wm_file_name_join(const char *directory, const char *name)
{
	char *path = join_path(directory, name);
	if (path)
		wm_file_name_normalise(path);
	return path;
}

static bool is_same_file(const char *left, const char *right)
{
	struct stat a, b;
	return stat(left, &a) != 0 || (stat(right, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

char *wm_file_name_settle(const char *directory, const char *name)
{
	char *written = join_path(directory, name), *path = wm_file_name_join(directory, name), *real = NULL;
	if (written && path && strstr(written, "..") && !is_same_file(written, path))
		real = realpath(written, NULL);
	free(written);
	if (real)
		free(path);
	return real ? real : path;
}

bool wm_file_name_is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);
	if (!length || !strcmp(directory, "."))
		return path[0] != '/' && strncmp(path, "../", 3) != 0;
	return !strncmp(path, directory, length) &&
	       (directory[length - 1] == '/' || path[length] == '/' || !path[length]);
}

bool wm_file_name_ends_as(const char *path, const char *name, size_t length)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	while (length && memchr(name, '/', length)) {
		name++;
		length--;
	}
	return strlen(last) == length && !memcmp(last, name, length);
}

char *wm_file_name_relative(const char *path, const char *directory)
{
	size_t common = 0, up = 0, at = 0;
	for (; path[at] && path[at] == directory[at]; at++)
		if (path[at] == '/')
			common = at + 1;
	if (!directory[at] && path[at] == '/' && at)
		common = at + 1;
	const char *rest = common <= strlen(directory) ? directory + common : "";
	for (const char *c = rest; *c; c++)
		up += c == rest || c[-1] == '/';
	char *relative = malloc(3 * up + strlen(path + common) + 1);
	for (size_t i = 0; relative && i < up; i++)
		memcpy(relative + 3 * i, "../", 3);
	if (relative)
		memcpy(relative + 3 * up, path + common, strlen(path + common) + 1);
	return relative;
}
