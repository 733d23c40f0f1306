/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw profiles: cells that count paths by a list of ids, and functions that follow the cells of others. */
#include "test/profile/testing.h"

#include "test/profile/raw_reading.h"

#include <stdlib.h>
#include <string.h>

enum { IDS = WM_FUNC_HASH | WM_FUNC_IDS };

/* Two functions whose cells count paths by `words`, an array and a plain hash. */
static uint8_t *image_with_ids(struct raw_builder *builder, const uint64_t *words, size_t count, size_t *size)
{
	const struct wm_hash_slot slots[] = {{9, 3}, {500, 2}};
	raw_builder_init(builder);
	raw_builder_function(builder, 1, 1, IDS | WM_FUNC_ENTRIES, 3);
	raw_builder_function(builder, 2, 2, IDS | WM_UPDATE_DELTA, 1);
	raw_builder_function(builder, 3, 3, WM_FUNC_HASH, 0);
	raw_builder_function(builder, 4, 4, 0, 2);
	for (uint32_t cell = 0; cell < 4; cell++)
		*raw_builder_cell(builder, 0, cell) = cell == 2 ? 0 : 10 + cell;
	*raw_builder_cell(builder, 1, 0) = 1;
	*raw_builder_cell(builder, 3, 1) = 4;
	raw_builder_table(builder, 0, 3, slots, 2, 0);
	raw_builder_ids(builder, words, count);
	raw_builder_cells(builder, WM_CHUNK_THREAD)[raw_builder_at(builder, 1, 0)] = 5;
	return raw_builder_image(builder, size);
}

static void cells_with_ids(void **state)
{
	(void)state;
	const uint64_t words[] = {0, 3, 700, UINT64_MAX, 9, 1, 1, 1ull << 62};
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	size_t size;
	uint8_t *image = image_with_ids(&builder, words, sizeof(words) / sizeof(*words), &size);
	wm_profile_init(&profile);
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_OK);
	const struct wm_profile_function *found = find_function(&profile, 1);
	assert_true(found->entries == 10 && found->path_count == 3 && !(found->flags & WM_FUNC_IDS));
	check_path(found, 0, 9, 16, 0);
	check_path(found, 1, 500, 2, 0);
	check_path(found, 2, 700, 11, 0);
	check_path(find_function(&profile, 2), 0, 1ull << 62, 6, 0);
	wm_profile_release(&profile);
	free(image);
	raw_builder_release(&builder);
}

/* Functions 1 and 2 are read if the bits 1 and 2 of `read` say so; 4 always is. */
static void check_ids(const uint64_t *words, size_t count, unsigned read)
{
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	size_t size;
	uint8_t *image = image_with_ids(&builder, words, count, &size);
	wm_profile_init(&profile);
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_DAMAGED);
	assert_non_null(
		strstr(error.text, "ids of counted paths are missing or make no sense (first of function key "));
	assert_non_null(strstr(error.text, read & 1 ? "key 0000000000000002)" : "key 0000000000000001)"));
	assert_true(!find_function(&profile, 1) == !(read & 1) && !find_function(&profile, 2) == !(read & 2));
	check_path(find_function(&profile, 4), 0, 1, 4, 0);
	assert_non_null(find_function(&profile, 3));
	wm_profile_release(&profile);
	free(image);
	raw_builder_release(&builder);
}

static void bad_ids_lose_their_function(void **state)
{
	(void)state;
#define CHECK_IDS(read, ...) check_ids((uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8, read)
	const uint64_t none = UINT64_MAX;
	CHECK_IDS(2, 1, 1, 7);     /* the first has none */
	CHECK_IDS(1, 0, 3, 1, 2, 3);    /* the second has none */
	CHECK_IDS(2, 0, 2, 1, 2, 1, 1, 7);   /* too few */
	CHECK_IDS(2, 0, 4, 1, 2, 3, 4, 1, 1, 7);	 /* too many */
	CHECK_IDS(2, 0, 3, 1, 2, none - 1, 1, 1, 7);  /* an id of 64 bits */
	CHECK_IDS(2, 0, 3, none, 2, 3, 1, 1, 7);	 /* a count in a cell of no path */
	CHECK_IDS(2, 0, 3, 1, 2, 3, 1, 1, 7, 0, 3, 1, 2, 3); /* told twice */
	CHECK_IDS(1, 0, 3, 1, 2, 3, 77, 1, 1, 1, 1, 7); /* an unknown function: the rest is not read */
	CHECK_IDS(1, 0, 3, 1, 2, 3, 1, none, 7);	 /* more than there is */
	CHECK_IDS(0, 77, 0);
}

/* A hash without cells before it, and ids for it: refused as they stand. */
static void ids_of_a_plain_function(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	size_t size;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, WM_FUNC_HASH, 0);
	raw_builder_function(&builder, 2, 2, 0, 1);
	raw_builder_ids(&builder, (uint64_t[]){0, 0}, 2);
	uint8_t *image = raw_builder_image(&builder, &size);
	wm_profile_init(&profile);
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_DAMAGED);
	assert_null(find_function(&profile, 1));
	assert_non_null(find_function(&profile, 2));
	builder.func[1].flags |= WM_FUNC_RESIDUAL;
	free(image);
	image = raw_builder_image(&builder, &size);
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_REFUSED);
	wm_profile_release(&profile);
	free(image);
	raw_builder_release(&builder);
}

/* Of two records over one set of cells, the second cannot stand for the first. */
static void shared_cells_share_their_ids(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	size_t size;
	raw_builder_init(&builder);
	for (size_t i = 0; i < 2; i++)
		raw_builder_function(&builder, 1, 2, IDS, 1);
	raw_builder_function(&builder, 5, 5, 0, 1);
	builder.func[1].cells_offset = 0;
	*raw_builder_cell(&builder, 0, 0) = 6;
	uint64_t *words = raw_builder_ids(&builder, (uint64_t[]){0, 1, 7, 1, 1, 7}, 6);
	wm_profile_init(&profile);
	uint8_t *image = raw_builder_image(&builder, &size);
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_OK);
	check_path(find_function(&profile, 1), 0, 7, 6, 0);
	free(image);
	words[2] = UINT64_MAX;
	image = raw_builder_image(&builder, &size);
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_DAMAGED);
	assert_null(find_function(&profile, 1));
	free(image);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

/* Function 2 counts nothing of its own but one path, and follows cells of function 1, one of them twice. */
static void build_followers(struct raw_builder *builder, uint32_t flags)
{
	raw_builder_init(builder);
	raw_builder_function(builder, 1, 1, WM_FUNC_ENTRIES, 4);
	raw_builder_function(builder, 2, 2, 0, 1);
	raw_builder_function(builder, 2, 2, flags, 3);
	raw_builder_function(builder, 2, 2, flags, 1);
	raw_builder_function(builder, 3, 3, 0, 1);
	builder->func[2].cells_offset = builder->func[0].cells_offset + 8;
	builder->func[3].cells_offset = builder->func[0].cells_offset + 24;
	for (uint32_t cell = 0; cell < 5; cell++)
		*raw_builder_cell(builder, 0, cell) = cell == 0 ? 1111 : UINT64_C(1) << (8 * cell);
	*raw_builder_cell(builder, 1, 0) = 5;
	*raw_builder_cell(builder, 4, 0) = 7;
}

static void functions_follow_cells_of_others(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	build_followers(&builder, WM_FUNC_FOLLOWS);
	builder.header.flags |= WM_RAW_INHERITED;
	raw_builder_cells(&builder, WM_CHUNK_THREAD)[raw_builder_at(&builder, 0, 1)] = 1;
	raw_builder_cells(&builder, WM_CHUNK_BASE)[raw_builder_at(&builder, 0, 3)] = 2;
	read_built(&builder, &profile);
	assert_int_equal(profile.object[0].function_count, 3);
	check_path(find_function(&profile, 2), 0, 0, 5 + 0x100 + 0x10000 + 2 * 0x1000000 + 1, 4);
	assert_int_equal(find_function(&profile, 2)->path_count, 1);
	assert_int_equal(find_function(&profile, 2)->flags, 0);
	assert_int_equal(find_function(&profile, 1)->path_count, 4);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

/* Reads the first `size` bytes of what was built, or all of it, and releases the builder. */
static enum wm_profile_status read_cut(
	struct raw_builder *builder, size_t size, struct wm_profile *profile, struct wm_profile_error *error)
{
	size_t whole;
	uint8_t *image = raw_builder_image(builder, &whole);
	wm_profile_init(profile);
	enum wm_profile_status status = read_copy(image, size < whole ? size : whole, profile, error);
	free(image);
	raw_builder_release(builder);
	return status;
}

/* Up to the first cell of a function. */
static size_t before(const struct raw_builder *builder, size_t func)
{
	return builder->header.cells_offset + builder->func[func].cells_offset;
}

/* Cut before the cells of a function. */
static void read_cut_before(
	struct raw_builder *builder, size_t func, struct wm_profile *profile, struct wm_profile_error *error)
{
	size_t size;
	free(raw_builder_image(builder, &size)); /* it knows now where cells stand */
	assert_int_equal(read_cut(builder, before(builder, func), profile, error), WM_PROFILE_DAMAGED);
}

/* Cut after function 1 and the own cell of function 2, which follows the last cell too. */
static void who_follows_what_is_lost_is_lost(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	build_followers(&builder, WM_FUNC_FOLLOWS);
	builder.func[3].cells_offset = raw_builder_at(&builder, 4, 0) * 8;
	read_cut_before(&builder, 4, &profile, &error);
	assert_non_null(find_function(&profile, 1));
	assert_null(find_function(&profile, 2));
	assert_null(find_function(&profile, 3));
	assert_non_null(strstr(error.text, "2 of 3 functions"));
	wm_profile_release(&profile);
}

/* Cut before its own cell, with those it follows still there. */
static void who_follows_is_lost_with_its_own(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	build_followers(&builder, WM_FUNC_FOLLOWS);
	read_cut_before(&builder, 1, &profile, &error);
	assert_non_null(find_function(&profile, 1));
	assert_null(find_function(&profile, 2));
	wm_profile_release(&profile);
}

static void only_arrays_follow(void **state)
{
	(void)state;
	static const uint32_t wrong[] = {WM_FUNC_ENTRIES, WM_FUNC_RESUMED, WM_FUNC_HASH};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct raw_builder builder;
		struct wm_profile profile;
		struct wm_profile_error error;
		build_followers(&builder, WM_FUNC_FOLLOWS);
		builder.func[3].flags |= wrong[i];
		assert_int_equal(read_cut(&builder, SIZE_MAX, &profile, &error), WM_PROFILE_REFUSED);
		wm_profile_release(&profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_with_ids),
		cmocka_unit_test(bad_ids_lose_their_function),
		cmocka_unit_test(ids_of_a_plain_function),
		cmocka_unit_test(shared_cells_share_their_ids),
		cmocka_unit_test(functions_follow_cells_of_others),
		cmocka_unit_test(who_follows_what_is_lost_is_lost),
		cmocka_unit_test(who_follows_is_lost_with_its_own),
		cmocka_unit_test(only_arrays_follow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
