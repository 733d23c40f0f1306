/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tests/process_family.h"
#include "abi/family.h"
#include "support/buffer.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct reader {
	const char *at, *end;
};

static bool read_number(struct reader *reader, char after, uint64_t *number)
{
	size_t digits = 0;
	*number = 0;
	for (; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9' && digits < 19;
		reader->at++, digits++)
		*number = *number * 10 + (uint64_t)(*reader->at - '0');
	if (!digits || reader->at == reader->end || *reader->at != after)
		return false;
	reader->at++;
	return true;
}

static char *copy_text(const char *text, size_t size)
{
	char *copy = wm_xmalloc(size + 1);
	memcpy(copy, text, size);
	copy[size] = 0;
	return copy;
}

/* Each word ends with a NUL; the last one may be cut off. */
static void read_words(struct wm_relative *member, const char *text, size_t size)
{
	while (size) {
		size_t length = strnlen(text, size), step = length < size ? length + 1 : length;
		WM_XGROW(member->word, member->word_count);
		member->word[member->word_count++] = copy_text(text, length);
		text += step;
		size -= step;
	}
	WM_XGROW(member->word, member->word_count);
	member->word[member->word_count] = NULL;
}

static bool read_member(struct reader *reader, struct wm_relative *member)
{
	uint64_t command, directory;
	if (!read_number(reader, ' ', &member->pid) || !read_number(reader, ' ', &member->start) ||
		!read_number(reader, ' ', &command) || !read_number(reader, '\n', &directory))
		return false;
	uint64_t left = (uint64_t)(reader->end - reader->at);
	if (command > WM_FAMILY_COMMAND || directory > left || command + directory >= left ||
		reader->at[command + directory] != '\n')
		return false;
	read_words(member, reader->at, (size_t)command);
	member->directory = copy_text(reader->at + command, (size_t)directory);
	reader->at += command + directory + 1;
	return true;
}

void wm_family_parse(struct wm_family *family, const char *text, size_t size)
{
	struct reader reader = {text, text + size};
	struct wm_relative member = {0};
	*family = (struct wm_family){0};
	while (family->count < WM_FAMILY_MOST && read_member(&reader, &member)) {
		WM_XGROW(family->member, family->count);
		family->member[family->count++] = member;
		member = (struct wm_relative){0};
	}
}

void wm_family_read(struct wm_family *family, const char *path)
{
	struct wm_buffer buffer;
	char *name = wm_xprintf("%s%s", path, WM_FAMILY_SUFFIX);
	*family = (struct wm_family){0};
	if (wm_buffer_read(&buffer, name)) {
		wm_family_parse(family, (const char *)buffer.data, buffer.size);
		wm_buffer_release(&buffer);
	}
	free(name);
}

void wm_family_release(struct wm_family *family)
{
	for (size_t i = 0; i < family->count; i++) {
		for (size_t w = 0; w < family->member[i].word_count; w++)
			free(family->member[i].word[w]);
		free(family->member[i].word);
		free(family->member[i].directory);
	}
	free(family->member);
	*family = (struct wm_family){0};
}
