/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw profiles: sums over cells and tables, doubt, duplicates, every kind of damage. */
#include "test/profile/testing.h"

#include "test/profile/raw_reading.h"

#include <stdlib.h>
#include <string.h>

static void array_cells(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	raw_builder_init(&builder);
	size_t f = raw_builder_function(&builder, 5, 50, WM_FUNC_ENTRIES | WM_FUNC_RESUMED, 4);
	size_t g = raw_builder_function(&builder, 3, 30, WM_UPDATE_ATOMIC, 2);
	size_t h = raw_builder_function(&builder, 4, 40, WM_FUNC_RESUMED, 2);
	raw_builder_function(&builder, 9, 90, WM_FUNC_ENTRIES, 1);
	*raw_builder_cell(&builder, f, 0) = 10;
	*raw_builder_cell(&builder, f, 1) = 2;
	*raw_builder_cell(&builder, f, 2) = 7;
	*raw_builder_cell(&builder, f, 5) = 8;
	*raw_builder_cell(&builder, g, 1) = 9;
	*raw_builder_cell(&builder, h, 0) = 6;
	read_built(&builder, &profile);
	assert_int_equal(profile.runs, 1);
	assert_int_equal(profile.kill_unsafe_runs, 0);
	assert_int_equal(profile.object[0].build_id_size, 20);
	assert_int_equal(profile.object[0].build_id[0], 0x88);
	assert_int_equal(profile.object[0].function_count, 4);
	const struct wm_profile_function *found = find_function(&profile, 5);
	assert_true(found->entries == 10 && found->resumed == 2 && found->path_count == 2);
	check_path(found, 0, 0, 7, 0);
	check_path(found, 1, 3, 8, 0);
	check_path(find_function(&profile, 3), 0, 1, 9, 0);
	assert_true(find_function(&profile, 4)->resumed == 6 && !find_function(&profile, 4)->entries);
	assert_int_equal(find_function(&profile, 9)->path_count, 0);
	assert_true(wm_profile_find_object(&profile, profile.object[0].build_id, 20) == &profile.object[0]);
	assert_null(wm_profile_find_object(&profile, profile.object[0].build_id, 19));
	assert_true(wm_object_find_function(&profile.object[0], 5, 50) == found);
	assert_null(wm_object_find_function(&profile.object[0], 5, 51));
	assert_null(wm_object_find_function(&profile.object[0], 10, 0));
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

static void thread_and_base_cells(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	raw_builder_init(&builder);
	size_t f = raw_builder_function(&builder, 1, 1, WM_UPDATE_DELTA | WM_FUNC_ENTRIES | WM_FUNC_RESUMED, 3);
	*raw_builder_cell(&builder, f, 0) = 1;
	*raw_builder_cell(&builder, f, 2) = 100;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t *cells = raw_builder_cells(&builder, WM_CHUNK_THREAD);
		cells[raw_builder_at(&builder, f, 0)] = 10;
		cells[raw_builder_at(&builder, f, 3)] = i;
	}
	raw_builder_gap(&builder);
	uint64_t *base = raw_builder_cells(&builder, WM_CHUNK_BASE);
	base[raw_builder_at(&builder, f, 0)] = 5;
	base[raw_builder_at(&builder, f, 1)] = 4;
	base[raw_builder_at(&builder, f, 2)] = 3;
	base[raw_builder_at(&builder, f, 4)] = 2;
	builder.header.flags |= WM_RAW_INHERITED;
	read_built(&builder, &profile);
	const struct wm_profile_function *found = find_function(&profile, 1);
	assert_true(found->entries == 31 && found->base_entries == 5 && found->base_resumed == 4 && !found->resumed);
	assert_int_equal(found->path_count, 3);
	check_path(found, 0, 0, 100, 3);
	check_path(found, 1, 1, 3, 0);
	check_path(found, 2, 2, 0, 2);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

static void hash_tables(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	const struct wm_hash_slot first[] = {{1000000007, 3}, {0, 4}, {12, 0}}, second[] = {{0, 5}, {77, 1}},
				  base[] = {{77, 9}, {78, 8}};
	raw_builder_init(&builder);
	size_t f = raw_builder_function(&builder, 1, 1, WM_FUNC_HASH | WM_FUNC_ENTRIES, 0);
	*raw_builder_cell(&builder, f, 0) = 13;
	raw_builder_table(&builder, f, 3, first, 3, 0);
	raw_builder_table(&builder, f, 5, second, 2, 0);
	raw_builder_table(&builder, f, 4, base, 2, WM_TABLE_BASE);
	/* Being made when the program died: has its size but not yet its magic. */
	raw_builder_table(&builder, f, 4, NULL, 0, 0)->magic = 0;
	read_built(&builder, &profile);
	const struct wm_profile_function *found = find_function(&profile, 1);
	assert_int_equal(found->entries, 13);
	assert_int_equal(found->path_count, 4);
	check_path(found, 0, 0, 9, 0);
	check_path(found, 1, 77, 1, 9);
	check_path(found, 2, 78, 0, 8);
	check_path(found, 3, 1000000007, 3, 0);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

/* Left by a race with a change of files: somebody's count, but nobody knows whose. */
static void count_without_key_is_lost(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	const struct wm_hash_slot slots[] = {{9, 3}};
	raw_builder_init(&builder);
	for (uint64_t key = 1; key <= 2; key++)
		raw_builder_function(&builder, key, key, WM_FUNC_HASH | WM_UPDATE_ATOMIC, 0);
	raw_builder_table(&builder, 0, 1, slots, 1, 0);
	struct wm_hash_table *table = raw_builder_table(&builder, 1, 1, slots, 1, 0);
	struct wm_hash_slot *slot = (void *)(table + 1);
	slot[slot->key != 0].count = 1;
	read_built(&builder, &profile);
	assert_int_equal(find_function(&profile, 1)->doubt, 0);
	assert_int_equal(find_function(&profile, 2)->doubt, WM_DOUBT_LOST);
	check_path(find_function(&profile, 2), 0, 9, 3, 0);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

static void duplicates_are_summed(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	raw_builder_init(&builder);
	for (size_t i = 0; i < 3; i++) {
		size_t f = raw_builder_function(&builder, 1, 2, WM_FUNC_ENTRIES, 3);
		*raw_builder_cell(&builder, f, 0) = 1;
		*raw_builder_cell(&builder, f, (uint32_t)i + 1) = 5;
		*raw_builder_cell(&builder, f, 1) += 2;
	}
	raw_builder_function(&builder, 1, 2, WM_UPDATE_ATOMIC | WM_FUNC_ENTRIES, 3);
	read_built(&builder, &profile);
	assert_int_equal(profile.object[0].function_count, 2);
	const struct wm_profile_function *found = wm_object_find_function(&profile.object[0], 1, 2);
	assert_true(found->entries == 3 && found->path_count == 3);
	check_path(found, 0, 0, 11, 0);
	check_path(found, 1, 1, 5, 0);
	check_path(found, 2, 2, 5, 0);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

/* Two records over one set of cells, as folded comdats leave them. */
static void shared_cells_count_once(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	size_t size;
	raw_builder_init(&builder);
	for (size_t i = 0; i < 2; i++)
		raw_builder_function(&builder, 1, 2, 0, 2);
	builder.func[1].cells_offset = 0;
	*raw_builder_cell(&builder, 0, 1) = 6;
	read_built(&builder, &profile);
	assert_int_equal(profile.object[0].function_count, 1);
	check_path(&profile.object[0].function[0], 0, 1, 6, 0);
	builder.func[1].key = 3;
	uint8_t *image = raw_builder_image(&builder, &size);
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_REFUSED);
	free(image);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

static void first_seen(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	const struct wm_hash_slot slots[] = {{9, 3}, {5, 1}, {6, 0}}, base[] = {{9, 2}};
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, WM_FUNC_HASH | WM_FUNC_RESIDUAL, 0);
	raw_builder_function(&builder, 2, 2, WM_FUNC_HASH, 0);
	for (uint64_t i = 0; i < 2; i++) {
		struct wm_hash_table *table = raw_builder_table(&builder, 0, 3, slots, 3, WM_TABLE_TIMES);
		raw_builder_time(table, 9, 1000 - i);
		raw_builder_time(table, 6, 7);
		raw_builder_time(raw_builder_table(&builder, 1, 3, slots, 3, WM_TABLE_TIMES), 9, 1000);
	}
	raw_builder_table(&builder, 0, 3, base, 1, WM_TABLE_BASE);
	read_built(&builder, &profile);
	const struct wm_profile_function *found = find_function(&profile, 1);
	assert_int_equal(found->path_count, 2);
	check_path(found, 0, 5, 2, 0);
	check_path(found, 1, 9, 6, 2);
	assert_true(!found->path[0].first_seen && !found->path[0].pid);
	assert_true(found->path[1].first_seen == 999 && found->path[1].pid == 42);
	/* Only residual functions have times. */
	check_path(find_function(&profile, 2), 1, 9, 6, 0);
	assert_int_equal(find_function(&profile, 2)->path[1].first_seen, 0);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

static uint32_t doubt_with(uint64_t raw_flags, uint32_t func_flags, uint64_t func_lost, uint64_t header_lost)
{
	struct raw_builder builder;
	struct wm_profile profile;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, func_flags, 2);
	builder.func[0].lost = func_lost;
	builder.header.flags |= raw_flags;
	builder.header.lost = header_lost;
	read_built(&builder, &profile);
	uint32_t doubt = profile.object[0].function[0].doubt;
	wm_profile_release(&profile);
	raw_builder_release(&builder);
	return doubt;
}

static void doubt(void **state)
{
	(void)state;
	assert_int_equal(doubt_with(0, 0, 0, 0), 0);
	assert_int_equal(doubt_with(WM_RAW_SECOND_THREAD, WM_UPDATE_GS, 0, 0), WM_DOUBT_THREADS);
	assert_int_equal(doubt_with(WM_RAW_SECOND_THREAD, WM_UPDATE_ATOMIC, 0, 0), 0);
	assert_int_equal(doubt_with(WM_RAW_SECOND_THREAD, WM_UPDATE_DELTA, 0, 0), WM_DOUBT_THREADS);
	assert_int_equal(doubt_with(WM_RAW_FOREIGN_PROCESS, WM_UPDATE_ATOMIC, 0, 0), WM_DOUBT_PROCESS);
	assert_int_equal(doubt_with(0, 0, 3, 3), WM_DOUBT_LOST);
	assert_int_equal(doubt_with(0, 0, 0, 1), WM_DOUBT_LOST);
}

static void saturated_sum(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, 0, 1);
	raw_builder_function(&builder, 1, 1, 0, 1);
	*raw_builder_cell(&builder, 0, 0) = UINT64_MAX - 1;
	*raw_builder_cell(&builder, 1, 0) = 5;
	read_built(&builder, &profile);
	check_path(&profile.object[0].function[0], 0, 0, UINT64_MAX, 0);
	assert_int_equal(profile.object[0].function[0].doubt, WM_DOUBT_SATURATED);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

static void identity_and_snapshot(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_raw_identity identity;
	struct wm_profile_error error;
	size_t size;
	raw_builder_init(&builder);
	builder.header.epoch = 3;
	builder.header.snapshot = 4;
	builder.header.flags = WM_RAW_SNAPSHOT;
	uint8_t *image = raw_builder_image(&builder, &size);
	assert_int_equal(wm_raw_identify(&identity, image, sizeof(struct wm_raw_header), &error), WM_PROFILE_OK);
	assert_true(identity.run_id_low == 1 && identity.run_id_high == 2 && identity.epoch == 3 &&
		    identity.snapshot == 4 && identity.is_snapshot);
	free(image);
	raw_builder_release(&builder);
}

/* One function of every kind, chunks of every kind. */
static uint8_t *full_image(size_t *size, struct raw_builder *builder)
{
	const struct wm_hash_slot slots[] = {{9, 3}};
	raw_builder_init(builder);
	raw_builder_function(builder, 1, 1, WM_FUNC_ENTRIES, 3);
	raw_builder_function(builder, 2, 2, WM_UPDATE_ATOMIC, 3);
	raw_builder_function(builder, 3, 3, WM_FUNC_HASH, 0);
	raw_builder_function(builder, 4, 4, WM_UPDATE_DELTA, 2);
	raw_builder_function(builder, 5, 5, 0, 600);
	raw_builder_function(builder, 6, 6, WM_FUNC_HASH | WM_FUNC_IDS, 1);
	raw_builder_function(builder, 7, 7, WM_FUNC_HASH | WM_FUNC_RESIDUAL, 0);
	for (size_t f = 0; f < 6; f++)
		*raw_builder_cell(builder, f, 0) = f + 1;
	raw_builder_table(builder, 2, 2, slots, 1, 0);
	raw_builder_time(raw_builder_table(builder, 6, 2, slots, 1, WM_TABLE_TIMES), 9, 1);
	raw_builder_ids(builder, (uint64_t[]){5, 1, 1000}, 3);
	raw_builder_cells(builder, WM_CHUNK_THREAD)[raw_builder_at(builder, 3, 1)] = 8;
	return raw_builder_image(builder, size);
}

static void check_prefix(const struct raw_builder *builder, const uint8_t *image, size_t size, size_t whole)
{
	struct wm_profile profile;
	struct wm_profile_error error;
	wm_profile_init(&profile);
	enum wm_profile_status status = read_copy(image, size, &profile, &error);
	size_t cells = builder->header.cells_offset;
	if (size < cells + 4 * 8) {
		assert_int_equal(status, WM_PROFILE_REFUSED);
	} else if (size < whole) {
		assert_int_equal(status, WM_PROFILE_DAMAGED);
		assert_int_equal(find_function(&profile, 1)->entries, 1);
		assert_true(!find_function(&profile, 2) == (size < cells + 7 * 8));
		assert_null(find_function(&profile, 3));
		assert_null(find_function(&profile, 4));
		assert_null(find_function(&profile, 6));
		assert_null(find_function(&profile, 7));
		assert_true(!find_function(&profile, 5) == (size < cells + builder->func[5].cells_offset));
	}
	wm_profile_release(&profile);
}

static void every_prefix(void **state)
{
	(void)state;
	struct raw_builder builder;
	size_t whole;
	uint8_t *image = full_image(&whole, &builder);
	for (size_t size = 0; size <= whole; size += size < 1200 || size % 8 ? 1 : size % 24 ? 7 : 1)
		check_prefix(&builder, image, size, whole);
	free(image);
	raw_builder_release(&builder);
}

/* Killed between growing the file and noting its size, or while a chunk is being made. */
static void longer_than_noted_is_whole(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	size_t size;
	uint8_t *image = full_image(&size, &builder);
	uint64_t noted = builder.header.chunks_offset;
	memcpy(image + offsetof(struct wm_raw_header, file_size), &noted, sizeof(noted));
	wm_profile_init(&profile);
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_OK);
	check_path(find_function(&profile, 3), 0, 9, 3, 0);
	noted = size + 1;
	memcpy(image + offsetof(struct wm_raw_header, file_size), &noted, sizeof(noted));
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_DAMAGED);
	assert_non_null(strstr(error.text, "cut short at byte"));
	assert_non_null(strstr(error.text, "4 of 7 functions"));
	wm_profile_release(&profile);
	free(image);
	raw_builder_release(&builder);
}

static void truncated_base_loses_all(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	size_t size;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 1, WM_FUNC_ENTRIES, 3);
	raw_builder_cells(&builder, WM_CHUNK_BASE);
	builder.header.flags |= WM_RAW_INHERITED;
	uint8_t *image = raw_builder_image(&builder, &size);
	wm_profile_init(&profile);
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_OK);
	assert_int_equal(read_copy(image, size - 1, &profile, &error), WM_PROFILE_REFUSED);
	assert_non_null(strstr(error.text, "all 1 functions"));
	/* A refusal leaves what the caller had. */
	assert_int_equal(profile.object_count, 1);
	wm_profile_release(&profile);
	free(image);
	raw_builder_release(&builder);
}

static void every_bit_flip(void **state)
{
	(void)state;
	struct raw_builder builder;
	size_t size;
	uint8_t *image = full_image(&size, &builder);
	for (size_t bit = 0; bit < size * 8; bit += bit < 8 * 1024 ? 1 : 61) {
		struct wm_profile profile;
		struct wm_profile_error error;
		wm_profile_init(&profile);
		image[bit / 8] ^= (uint8_t)(1u << bit % 8);
		read_copy(image, size, &profile, &error);
		/* Again with the checksum made true: then the layout itself must be checked. */
		uint64_t count;
		memcpy(&count, image + offsetof(struct wm_raw_header, func_count), 8);
		uint64_t offset;
		memcpy(&offset, image + offsetof(struct wm_raw_header, func_offset), 8);
		if (count < 64 && offset < size - 64 * sizeof(struct wm_raw_func)) {
			uint8_t *copy = malloc(size);
			assert_non_null(copy);
			memcpy(copy, image, size);
			raw_image_seal(copy);
			read_copy(copy, size, &profile, &error);
			free(copy);
		}
		image[bit / 8] ^= (uint8_t)(1u << bit % 8);
		wm_profile_release(&profile);
	}
	free(image);
	raw_builder_release(&builder);
}

static void refuse(uint8_t *image, size_t size, size_t at, uint32_t value, const char *why)
{
	struct wm_profile profile;
	struct wm_profile_error error;
	uint32_t old;
	memcpy(&old, image + at, 4);
	memcpy(image + at, &value, 4);
	wm_profile_init(&profile);
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_REFUSED);
	assert_non_null(strstr(error.text, why));
	memcpy(image + at, &old, 4);
	wm_profile_release(&profile);
}

static void refusals(void **state)
{
	(void)state;
	struct raw_builder builder;
	size_t size;
	uint8_t *image = full_image(&size, &builder);
	refuse(image, size, 0, 0, "no raw profile");
	refuse(image, size, offsetof(struct wm_raw_header, version), WM_ABI_VERSION + 1,
		"its program was built for version 7 of raw profiles and this waymark reads version 6: use the waymark "
		"that built the program");
	refuse(image, size, offsetof(struct wm_raw_header, version), 3,
		"its program was built for version 3 of raw profiles and this waymark reads version 6: build the "
		"program again with this waymark, and run it again");
	/* The version is told even where the header is shorter than ours. */
	refuse(image, 16, offsetof(struct wm_raw_header, version), 3, "version 3 of raw profiles");
	refuse(image, 16, offsetof(struct wm_raw_header, version), WM_ABI_VERSION, "cut short inside its header");
	refuse(image, size, offsetof(struct wm_raw_header, version), 0, "makes no sense");
	refuse(image, size, offsetof(struct wm_raw_header, pid), 7, "checksum");
	refuse(image, size, sizeof(struct wm_raw_header), 7, "checksum");
	refuse(image, 0, 0, 0, "empty");
	free(image);
	raw_builder_release(&builder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(array_cells),
		cmocka_unit_test(thread_and_base_cells),
		cmocka_unit_test(hash_tables),
		cmocka_unit_test(count_without_key_is_lost),
		cmocka_unit_test(duplicates_are_summed),
		cmocka_unit_test(shared_cells_count_once),
		cmocka_unit_test(first_seen),
		cmocka_unit_test(doubt),
		cmocka_unit_test(saturated_sum),
		cmocka_unit_test(identity_and_snapshot),
		cmocka_unit_test(every_prefix),
		cmocka_unit_test(longer_than_noted_is_whole),
		cmocka_unit_test(truncated_base_loses_all),
		cmocka_unit_test(every_bit_flip),
		cmocka_unit_test(refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
