/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/source.h"
#include "profile/map.h"
#include "tool/tool.h"
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct wm_source_file {
	char *name;
	struct wm_buffer text;
	uint32_t line_count;
	size_t *start; /* line_count + 1 offsets */
	struct wm_tokens tokens; /* text NULL: not made yet */
};

/* The type of the file is checked before it is opened, because opening a device such as a tape may have an effect, and
 * again after it is opened, because the file may have been replaced in between. */
static int open_regular(const char *path, struct stat *info)
{
	if (stat(path, info) != 0 || !S_ISREG(info->st_mode))
		return -1;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, info) != 0 || !S_ISREG(info->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool read_open(struct wm_buffer *buffer, int fd, size_t size)
{
	size_t done = 0;
	ssize_t got = 1;
	uint8_t *data = wm_xmalloc(size + 1);
	while (got > 0 && done < size) {
		got = read(fd, data + done, size - done);
		done += got > 0 ? (size_t)got : 0;
	}
	if (got < 0) {
		free(data);
		return false;
	}
	data[done] = 0;
	*buffer = (struct wm_buffer){data, done};
	return true;
}

static bool is_below(const char *file, const char *directory)
{
	char *real = realpath(directory, NULL);
	size_t length = real ? strlen(real) : 0;
	bool below = real && strncmp(file, real, length) == 0 && (file[length] == '/' || length == 1);
	free(real);
	return below;
}

/* Checks the file that was opened, not its name, which may refer to another file by now. */
static bool is_allowed(const struct wm_sources *sources, int fd)
{
	char link[64], file[PATH_MAX + 1];
	if (!sources->confined)
		return true;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, file, PATH_MAX);
	file[length > 0 ? length : 0] = 0;
	bool allowed = is_below(file, ".");
	for (size_t i = 0; !allowed && sources->directories && i < sources->directories->count; i++)
		allowed = is_below(file, sources->directories->name[i]);
	return allowed;
}

enum found { FOUND, REFUSED, ABSENT };

static enum found read_regular(const struct wm_sources *sources, struct wm_buffer *buffer, const char *path)
{
	struct stat info;
	enum found found = ABSENT;
	int fd = open_regular(path, &info);
	if (fd < 0)
		return ABSENT;
	if (!is_allowed(sources, fd))
		found = REFUSED;
	else if (read_open(buffer, fd, (size_t)info.st_size))
		found = FOUND;
	close(fd);
	return found;
}

static enum found read_in(
	const struct wm_sources *sources, struct wm_buffer *buffer, const char *directory, int length, const char *name)
{
	char *path = wm_xprintf("%.*s/%s", length, directory, name);
	enum found found = read_regular(sources, buffer, path);
	free(path);
	return found;
}

static enum found search_directories(const struct wm_sources *sources, struct wm_buffer *buffer, const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	for (size_t i = 0; sources->directories && i < sources->directories->count; i++) {
		const char *directory = sources->directories->name[i];
		int length = (int)strlen(directory);
		if (read_in(sources, buffer, directory, length, name) == FOUND ||
			read_in(sources, buffer, directory, length, base) == FOUND)
			return FOUND;
	}
	return ABSENT;
}

static bool find_file(struct wm_sources *sources, struct wm_buffer *buffer, const char *name, const char *binary)
{
	const char *end = binary ? strrchr(binary, '/') : NULL;
	if (search_directories(sources, buffer, name) == FOUND)
		return true;
	enum found found = read_regular(sources, buffer, name);
	if (found == ABSENT && end && name[0] != '/')
		found = read_in(sources, buffer, binary, (int)(end - binary), name);
	if (found == REFUSED && !sources->refused_count++)
		sources->refused = wm_xstrdup(name);
	return found == FOUND;
}

static void index_lines(struct wm_source_file *file)
{
	const uint8_t *data = file->text.data, *end = data + file->text.size;
	for (const uint8_t *at = data; at < end;) {
		const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
		WM_XGROW(file->start, file->line_count);
		file->start[file->line_count++] = (size_t)(at - data);
		at = stop ? stop + 1 : end;
	}
	WM_XGROW(file->start, file->line_count);
	file->start[file->line_count] = file->text.size;
}

static struct wm_source_file *get(struct wm_sources *sources, const char *name, const char *binary)
{
	size_t low = 0, high = sources->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(sources->file[middle].name, name);
		if (order == 0)
			return &sources->file[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	WM_XGROW(sources->file, sources->count);
	struct wm_source_file *file = &sources->file[low];
	memmove(file + 1, file, (sources->count++ - low) * sizeof *file);
	*file = (struct wm_source_file){.name = wm_xstrdup(name)};
	if (find_file(sources, &file->text, name, binary))
		index_lines(file);
	return file;
}

const char *wm_source_line(
	struct wm_sources *sources, const char *name, uint32_t line, const char *binary, size_t *length)
{
	if (sources->off || !name || !line)
		return NULL;
	const struct wm_source_file *file = get(sources, name, binary);
	if (line > file->line_count)
		return NULL;
	size_t start = file->start[line - 1], end = file->start[line];
	while (end > start && strchr("\r\n\t ", file->text.data[end - 1]))
		end--;
	*length = end - start;
	return (const char *)file->text.data + start;
}

const struct wm_tokens *wm_source_tokens(
	struct wm_sources *sources, const char *name, const struct wm_map_line *place, const char *binary, size_t *at)
{
	if (sources->off || !name || !place->line)
		return NULL;
	struct wm_source_file *file = get(sources, name, binary);
	if (place->line > file->line_count)
		return NULL;
	if (!file->tokens.text)
		wm_tokens_make(&file->tokens, (const char *)file->text.data, file->text.size);
	size_t offset = file->start[place->line - 1] + place->column - 1;
	bool inside = place->column && offset < file->start[place->line];
	*at = inside ? wm_tokens_at(&file->tokens, offset) : WM_NO_TOKEN;
	return &file->tokens;
}

void wm_sources_release(struct wm_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		free(sources->file[i].name);
		free(sources->file[i].start);
		wm_tokens_release(&sources->file[i].tokens);
		wm_buffer_release(&sources->file[i].text);
	}
	free(sources->file);
	free(sources->refused);
	*sources = (struct wm_sources){0};
}
