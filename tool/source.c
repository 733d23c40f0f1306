/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/source.h"
#include "tool/tool.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct wm_source_file {
	char *name;
	struct wm_buffer text;
	uint32_t line_count;
	size_t *start; /* line_count + 1 offsets */
};

static bool read_regular(struct wm_buffer *buffer, const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && S_ISREG(info.st_mode) && wm_buffer_read(buffer, path);
}

static bool read_in(struct wm_buffer *buffer, const char *directory, int length, const char *name)
{
	char *path = wm_xprintf("%.*s/%s", length, directory, name);
	bool found = read_regular(buffer, path);
	free(path);
	return found;
}

static bool find_file(struct wm_sources *sources, struct wm_buffer *buffer, const char *name, const char *binary)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	const char *directory = sources->directory;
	if (directory && (read_in(buffer, directory, (int)strlen(directory), name) ||
				 read_in(buffer, directory, (int)strlen(directory), base)))
		return true;
	if (read_regular(buffer, name))
		return true;
	const char *end = binary ? strrchr(binary, '/') : NULL;
	return end && name[0] != '/' && read_in(buffer, binary, (int)(end - binary), name);
}

static void index_lines(struct wm_source_file *file)
{
	const uint8_t *data = file->text.data, *end = data + file->text.size;
	size_t capacity = 1024;
	file->start = wm_xmalloc(capacity * sizeof *file->start);
	for (const uint8_t *at = data; at < end;) {
		const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
		if (file->line_count + 2 > capacity)
			file->start = wm_xrealloc(file->start, capacity *= 2, sizeof *file->start);
		file->start[file->line_count++] = (size_t)(at - data);
		at = stop ? stop + 1 : end;
	}
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
	sources->file = wm_xrealloc(sources->file, sources->count + 1, sizeof *sources->file);
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

void wm_sources_release(struct wm_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		free(sources->file[i].name);
		free(sources->file[i].start);
		wm_buffer_release(&sources->file[i].text);
	}
	free(sources->file);
	*sources = (struct wm_sources){0};
}
