/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/profile/raw_reading.h"

#include "test/profile/testing.h"

#include <stdlib.h>
#include <string.h>

enum wm_profile_status read_copy(
	const uint8_t *data, size_t size, struct wm_profile *profile, struct wm_profile_error *error)
{
	struct wm_raw_identity identity;
	uint8_t *copy = malloc(size ? size : 1);
	assert_non_null(copy);
	if (size)
		memcpy(copy, data, size);
	error->text[0] = 0;
	enum wm_profile_status status = wm_raw_read(profile, &identity, copy, size, error);
	assert_true(status == WM_PROFILE_OK ? !error->text[0] : error->text[0] != 0);
	free(copy);
	return status;
}

void read_built(struct raw_builder *builder, struct wm_profile *profile)
{
	struct wm_profile_error error;
	size_t size;
	uint8_t *image = raw_builder_image(builder, &size);
	wm_profile_init(profile);
	assert_int_equal(read_copy(image, size, profile, &error), WM_PROFILE_OK);
	free(image);
}

const struct wm_profile_function *find_function(const struct wm_profile *profile, uint64_t key)
{
	assert_int_equal(profile->object_count, 1);
	const struct wm_profile_object *object = &profile->object[0];
	for (size_t i = 0; i < object->function_count; i++)
		if (object->function[i].key == key)
			return &object->function[i];
	return NULL;
}

void check_path(const struct wm_profile_function *f, size_t index, uint64_t id, uint64_t count, uint64_t base)
{
	assert_non_null(f);
	assert_true(index < f->path_count);
	assert_true(f->path[index].id == id && f->path[index].count == count && f->path[index].base == base);
}
