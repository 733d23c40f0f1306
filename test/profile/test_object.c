/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a raw profile says of its object: its name, and whether its run can be trusted. */
#include "test/profile/testing.h"

#include "profile/base/function_counts.h"
#include "test/profile/raw_builder.h"

#include <stdlib.h>
#include <string.h>

static void read_built(struct raw_builder *builder, struct wm_profile *profile)
{
	struct wm_raw_identity identity;
	struct wm_profile_error error;
	size_t size;
	uint8_t *image = raw_builder_image(builder, &size);
	wm_profile_init(profile);
	assert_int_equal(wm_raw_read(profile, &identity, image, size, &error), WM_PROFILE_OK);
	free(image);
}

/* Two records of one function are one count: when one of them lost updates, neither is told. */
static void doubt_is_shared(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, 0, 1);
	raw_builder_function(&builder, 1, 1, 0, 1);
	raw_builder_function(&builder, 1, 1, WM_FUNC_ENTRIES, 1);
	raw_builder_function(&builder, 2, 1, 0, 1);
	for (size_t i = 0; i < 4; i++)
		*raw_builder_cell(&builder, i, 0) = 5;
	builder.func[1].lost = 1;
	read_built(&builder, &profile);
	const struct wm_profile_object *object = &profile.object[0];
	assert_int_equal(object->function_count, 3);
	assert_int_equal(object->function[0].doubt, WM_DOUBT_LOST);
	assert_true(object->function[0].path[0].count == 10);
	assert_int_equal(object->function[1].doubt, WM_DOUBT_LOST);
	assert_int_equal(object->function[2].doubt, 0);
	assert_int_equal(object->doubtful_count, 1);
	assert_int_equal(object->doubtful[0].doubt, WM_DOUBT_LOST);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

static void program_name(void **state)
{
	(void)state;
	static const char full[] = "a name of exactly sixty-four bytes, which has no room for a NUL.";
	struct raw_builder builder;
	struct wm_profile profile;
	_Static_assert(sizeof(full) == WM_PROGRAM_SIZE + 1, "it fills the field");
	for (int i = 0; i < 3; i++) {
		raw_builder_init(&builder);
		raw_builder_function(&builder, 1, 1, 0, 1);
		memcpy(&builder.header.program0, i ? full : "xz\033", i ? WM_PROGRAM_SIZE : 4);
		if (i == 2)
			builder.header.header_size = offsetof(struct wm_raw_header, program0);
		read_built(&builder, &profile);
		assert_string_equal(profile.object[0].program, i == 0 ? "xz?" : i == 1 ? full : "");
		assert_int_equal(profile.object[0].runs, 1);
		wm_profile_release(&profile);
		raw_builder_release(&builder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(doubt_is_shared), cmocka_unit_test(program_name)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
