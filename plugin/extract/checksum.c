/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/extract/checksum.h"
#include "plugin/llvm/shim.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The size of a regular file; -1: it is none. */
static off_t size_of(int descriptor)
{
	struct stat info;
	return descriptor >= 0 && fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : -1;
}

/* Whether the file can be read. */
static bool map_text(struct wm_source_text *text, const char *path)
{
	/* A pipe must not be waited for. */
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	off_t size = size_of(descriptor);
	void *data = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, descriptor, 0) : NULL;
	*text = (struct wm_source_text){0};
	if (descriptor >= 0)
		close(descriptor);
	if (size < 0 || data == MAP_FAILED)
		return false;
	*text = (struct wm_source_text){data, (size_t)size};
	return true;
}

void wm_source_text_open(struct wm_source_text *text, const char *path)
{
	map_text(text, path);
}

void wm_source_text_close(struct wm_source_text *text)
{
	if (text->data)
		munmap((void *)(uintptr_t)text->data, text->size);
	*text = (struct wm_source_text){0};
}

struct wm_map_checksum wm_checksum_of_path(const char *path)
{
	struct wm_map_checksum sum = {0};
	struct wm_source_text text;
	if (!map_text(&text, path))
		return sum;
	wm_shim_md5(text.data, text.size, sum.byte);
	sum.size = WM_SHIM_MD5_SIZE;
	wm_source_text_close(&text);
	return sum;
}

/* -1: not a hexadecimal digit. */
static int digit(char c)
{
	const char *all = "0123456789abcdef", *found = c ? strchr(all, c) : NULL;
	return found ? (int)(found - all) : -1;
}

static struct wm_map_checksum from_text(const char *text, size_t length)
{
	struct wm_map_checksum sum = {0};
	if (length % 2 || length / 2 > WM_MAP_CHECKSUM_MAX)
		return sum;
	for (size_t i = 0; i < length; i += 2) {
		int high = digit(text[i]), low = digit(text[i + 1]);
		if (high < 0 || low < 0)
			return (struct wm_map_checksum){0};
		sum.byte[i / 2] = (uint8_t)(high << 4 | low);
	}
	sum.size = (uint8_t)(length / 2);
	return sum;
}

struct wm_map_checksum wm_checksum_of_file(LLVMMetadataRef file, const char *path)
{
	size_t length;
	const char *text = wm_shim_file_checksum(file, &length);
	struct wm_map_checksum sum = from_text(text, length);
	return sum.size ? sum : wm_checksum_of_path(path);
}
