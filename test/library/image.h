/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files in memory for the functions of the library, which take names: binaries that are only a map, and profiles. */
#ifndef TEST_LIBRARY_IMAGE_H
#define TEST_LIBRARY_IMAGE_H

#include "profile/base/function_counts.h"

/* A file without a place in a directory.  Closing the descriptor removes it. */
struct image {
	int fd;
	char path[64];
};
void image_open(struct image *image, const void *data, size_t size);
void image_close(struct image *image);

/* An ELF file with a map section of these contents. */
void image_open_binary(struct image *image, const uint8_t *map, size_t size);
void image_open_profile(struct image *image, const struct wm_profile *profile);

#endif
