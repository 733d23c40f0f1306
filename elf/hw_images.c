/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "elf/hw_images.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

static size_t image_of(struct wm_hw_images *images, const char *path)
{
	for (size_t i = 0; i < images->count; i++)
		if (strcmp(images->image[i].path, path) == 0)
			return i;
	WM_XGROW(images->image, images->count);
	struct wm_hw_image *image = &images->image[images->count];
	*image = (struct wm_hw_image){.path = path};
	image->opened = *path && !wm_code_open(&image->code, path, NULL);
	return images->count++;
}

size_t wm_hw_images_locate(struct wm_hw_images *images, uint64_t address, uint64_t *linked)
{
	const struct wm_trace_mapping *mapping = wm_trace_program_mapping(images->program, address);
	if (mapping) {
		size_t i = image_of(images, mapping->path);
		const struct wm_hw_image *image = &images->image[i];
		uint64_t offset = address - mapping->start + mapping->offset;
		if (image->opened && wm_code_address(&image->code, offset, linked))
			return i;
	}
	*linked = address;
	return image_of(images, "");
}

static int compare_images(const void *left, const void *right)
{
	const struct wm_hw_image *a = left, *b = right;
	uint32_t size = a->code.build_id_size < b->code.build_id_size ? a->code.build_id_size : b->code.build_id_size;
	int order = memcmp(a->code.build_id, b->code.build_id, size);
	return order ? order : (int)a->code.build_id_size - (int)b->code.build_id_size;
}

void wm_hw_images_number(struct wm_hw_images *images)
{
	if (images->count)
		qsort(images->image, images->count, sizeof *images->image, compare_images);
	images->object_count = 0;
	for (size_t i = 0; i < images->count; i++) {
		images->object_count += i == 0 || compare_images(&images->image[i - 1], &images->image[i]) != 0;
		images->image[i].object = images->object_count - 1;
	}
}

void wm_hw_images_release(struct wm_hw_images *images)
{
	for (size_t i = 0; i < images->count; i++)
		if (images->image[i].opened)
			wm_code_release(&images->image[i].code);
	free(images->image);
	*images = (struct wm_hw_images){0};
}
