/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/checksum.h"
#include "plugin/shim.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct wm_map_checksum checksum_of_descriptor(int descriptor)
{
	struct wm_map_checksum sum = {0};
	struct stat info;
	if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
		return sum;
	size_t size = (size_t)info.st_size;
	void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : "";
	if (data == MAP_FAILED)
		return sum;
	wm_shim_md5(data, size, sum.byte);
	sum.size = WM_SHIM_MD5_SIZE;
	if (size)
		munmap(data, size);
	return sum;
}

struct wm_map_checksum wm_checksum_of_path(const char *path)
{
	/* A pipe must not be waited for. */
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (descriptor < 0)
		return (struct wm_map_checksum){0};
	struct wm_map_checksum sum = checksum_of_descriptor(descriptor);
	close(descriptor);
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
