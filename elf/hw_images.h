/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files whose code a traced program executed, and the objects that a profile or recording names for them. */
#ifndef WM_ELF_HW_IMAGES_H
#define WM_ELF_HW_IMAGES_H

#include "elf/machine_code.h"
#include "hardware/trace/traced_program.h"

/* A file; an empty path stands for code that is in no file, or whose file no longer exists. */
struct wm_hw_image {
	const char *path;
	struct wm_code code;
	bool opened;
	size_t object;
};

struct wm_hw_images {
	const struct wm_trace_program *program; /* must outlive the images */
	struct wm_hw_image *image;
	size_t count, object_count;
};

/* The index of the image that contains the address, and the address for which the code was linked.  Code without a file
 * keeps the address at which it was executed.  Must not be called after wm_hw_images_number for other addresses than
 * before. */
size_t wm_hw_images_locate(struct wm_hw_images *images, uint64_t address, uint64_t *linked);
/* Sorts the images by build-id, which changes their indices, and numbers their objects.  Files with the same build-id
 * are one object. */
void wm_hw_images_number(struct wm_hw_images *images);
void wm_hw_images_release(struct wm_hw_images *images);

#endif
