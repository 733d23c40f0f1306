/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Indexed profiles: round trips, damage, and files of every version. */
#include "test/profile/testing.h"

#include "abi/abi.h"
#include "profile/base/function_counts.h"
#include "profile/base/scheme_name.h"
#include "profile/base/unfinished_paths.h"
#include "profile/branch_paths.h"
#include "profile/collect.h"
#include "profile/indexed/indexed_layout.h"
#include "test/profile/random_profile.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static enum wm_profile_status read_copy(
	struct wm_profile *profile, const uint8_t *data, size_t size, struct wm_profile_error *error)
{
	uint8_t *copy = malloc(size ? size : 1);
	assert_non_null(copy);
	if (size)
		memcpy(copy, data, size);
	enum wm_profile_status status = wm_profile_read(profile, copy, size, error);
	free(copy);
	return status;
}

static void round_trip(void **state)
{
	(void)state;
	uint64_t seed = 17;
	for (int i = 0; i < 300; i++) {
		struct wm_profile profile, back;
		struct wm_profile_error error;
		uint8_t *data;
		size_t size;
		random_profile(&seed, &profile);
		wm_profile_init(&back);
		assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
		assert_int_equal(read_copy(&back, data, size, &error), WM_PROFILE_OK);
		check_profile(&profile, &back);
		free(data);
		wm_profile_release(&profile);
		wm_profile_release(&back);
	}
}

static bool has_unfinished(const struct wm_profile *profile)
{
	size_t count = 0;
	for (size_t i = 0; i < profile->object[1].function_count; i++)
		count += profile->object[1].function[i].unfinished_count;
	return count > 8;
}

static void some_file(uint8_t **data, size_t *size)
{
	struct wm_profile profile;
	uint64_t seed = 4;
	wm_profile_init(&profile);
	do {
		wm_profile_release(&profile);
		random_profile(&seed, &profile);
	} while (profile.object_count < 2 || profile.object[1].function_count < 5 || !has_unfinished(&profile));
	assert_int_equal(wm_indexed_write(&profile, data, size), WM_PROFILE_OK);
	assert_int_equal((*data)[8], WM_INDEXED_VERSION);
	wm_profile_release(&profile);
}

static void every_prefix_and_bit_flip(void **state)
{
	(void)state;
	struct wm_profile profile;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	some_file(&data, &size);
	wm_profile_init(&profile);
	for (size_t prefix = 0; prefix < size; prefix++)
		assert_int_equal(read_copy(&profile, data, prefix, &error), WM_PROFILE_REFUSED);
	for (size_t bit = 0; bit < size * 8; bit++) {
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(read_copy(&profile, data, size, &error), WM_PROFILE_REFUSED);
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	assert_int_equal(profile.object_count, 0);
	free(data);
}

static void reseal(uint8_t *data, size_t size)
{
	XXH3_state_t hash;
	XXH3_64bits_reset(&hash);
	XXH3_64bits_update(&hash, data, WM_INDEXED_CHECKSUM_OFFSET);
	XXH3_64bits_update(&hash, data + WM_INDEXED_HEADER_SIZE, size - WM_INDEXED_HEADER_SIZE);
	uint64_t sum = XXH3_64bits_digest(&hash);
	memcpy(data + WM_INDEXED_CHECKSUM_OFFSET, &sum, sizeof(sum));
}

/* A true checksum over wrong bytes: the reader may find sense in them, or refuse. */
static void resealed_damage(void **state)
{
	(void)state;
	uint8_t *data;
	size_t size;
	uint64_t seed = 8;
	some_file(&data, &size);
	for (int i = 0; i < 20000; i++) {
		struct wm_profile profile;
		struct wm_profile_error error;
		size_t at = WM_INDEXED_HEADER_SIZE + random_below(&seed, (uint32_t)size - WM_INDEXED_HEADER_SIZE);
		uint8_t old = data[at];
		data[at] = (uint8_t)random_next(&seed);
		reseal(data, size);
		wm_profile_init(&profile);
		enum wm_profile_status status = read_copy(&profile, data, size, &error);
		assert_true(status == WM_PROFILE_OK || status == WM_PROFILE_REFUSED);
		wm_profile_release(&profile);
		data[at] = old;
	}
	free(data);
}

static void versions(void **state)
{
	(void)state;
	struct wm_profile profile;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	some_file(&data, &size);
	wm_profile_init(&profile);
	data[8] = WM_INDEXED_VERSION + 1;
	reseal(data, size);
	assert_int_equal(read_copy(&profile, data, size, &error), WM_PROFILE_REFUSED);
	assert_non_null(strstr(error.text, "version 10"));
	data[8] = 0;
	reseal(data, size);
	assert_int_equal(read_copy(&profile, data, size, &error), WM_PROFILE_REFUSED);
	free(data);
}

/* Paths of machine code are records of their own; files of version 4 have them as functions. */
static void branches_need_version_6(void **state)
{
	(void)state;
	const struct wm_branch_path path[] = {{9, 0x401000, 3, 5, 1, 7}, {9, 0x401000, 2, 1, 1, 4},
		{9, 0x400ff0, 32, 0x80000000, 1, 1}, {9, 0x401000, 3, 5, 0, 1}, {9, 0x401000, 3, 5, 1, 3}};
	const size_t order[] = {3, 2, 1, 0};
	struct wm_profile profile, again;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	wm_profile_init(&profile);
	struct wm_profile_object *object = wm_profile_append_object(&profile, (const uint8_t *)"\1\2\3\4", 4);
	for (size_t i = 0; i < 5; i++)
		assert_true(wm_object_append_branches(object, &path[i]));
	wm_object_sort_branches(object);
	assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
	assert_int_equal(data[8], 6);
	wm_profile_init(&again);
	assert_int_equal(read_copy(&again, data, size, &error), WM_PROFILE_OK);
	assert_true(wm_profile_has_branches(&again) && !wm_profile_has_functions(&again));
	assert_int_equal(again.object[0].branch_count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct wm_branch_path *got = &again.object[0].branches[i];
		assert_int_equal(wm_branch_path_compare(got, &path[order[i]]), 0);
		assert_int_equal(got->count, path[order[i]].count + (order[i] ? 0 : 3));
	}
	assert_int_equal(wm_profile_merge(&again, &profile), WM_PROFILE_OK);
	assert_int_equal(again.object[0].branch_count, 4);
	assert_int_equal(again.object[0].branches[3].count, 20);
	data[8] = 5;
	reseal(data, size);
	assert_int_equal(read_copy(&again, data, size, &error), WM_PROFILE_REFUSED);
	wm_profile_release(&again);
	wm_profile_release(&profile);
	free(data);
}

/* A file without sources is one of an older version. */
static void sources_need_version_5(void **state)
{
	(void)state;
	for (int with = 0; with < 2; with++) {
		struct wm_profile profile, again;
		struct wm_profile_error error;
		uint8_t *data;
		size_t size;
		wm_profile_init(&profile);
		struct wm_profile_object *object = wm_profile_append_object(&profile, (const uint8_t *)"\1\2\3\4", 4);
		object->function = calloc(1, sizeof(*object->function));
		assert_non_null(object->function);
		object->function_count = object->function_capacity = 1;
		object->function[0] = (struct wm_profile_function){.key = 3, .source = with ? 77 : 0};
		assert_true(wm_function_append(&object->function[0], 5, 7, 0));
		assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
		assert_int_equal(data[8], with ? 5 : 1);
		wm_profile_init(&again);
		assert_int_equal(read_copy(&again, data, size, &error), WM_PROFILE_OK);
		assert_true(again.object[0].function[0].source == (with ? 77 : 0));
		wm_profile_release(&again);
		wm_profile_release(&profile);
		free(data);
	}
}

/* Written by versions 1, 2, 3 and 8 of the format; every later reader must read them. */
/* clang-format off */
static const uint8_t version_1[] = {
	0x89, 0x57, 0x50, 0x52, 0x4f, 0x46, 0x0d, 0x0a, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
	0x46, 0x4d, 0xab, 0x7b, 0x43, 0x62, 0xae, 0x66, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x03, 0x01, 0x02, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x43, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x4a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x4a,
	0xd5, 0x01, 0x00, 0xa4, 0x02, 0x04, 0x01, 0x02, 0x03, 0x04, 0x02, 0x88, 0xef, 0x99, 0xab, 0xc5,
	0xe8, 0x8c, 0x91, 0x11, 0x99, 0x00, 0x08, 0x02, 0x0c, 0x02, 0x00, 0x04, 0xc0, 0x84, 0x3d, 0x07,
	0x80, 0xee, 0x01, 0xaa, 0x1c, 0x7f, 0x02, 0x05, 0x02, 0x40, 0x00, 0x08, 0x00, 0x09, 0x01, 0x05,
	0x00, 0x3e, 0x09, 0x63, 0x15, 0xc6, 0xcf, 0x3c, 0x40, 0xf6, 0x07, 0xb0, 0x04,
};
static const uint8_t version_2[] = {
	0x89, 0x57, 0x50, 0x52, 0x4f, 0x46, 0x0d, 0x0a, 0x02, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
	0xb5, 0x25, 0xce, 0x88, 0x5e, 0x74, 0xcd, 0xcf, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x02, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x32, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x32, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x01, 0x02, 0x03, 0x02, 0x64,
	0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x23, 0x02, 0x03, 0x02, 0x02, 0x00, 0x45,
	0x08, 0x01, 0x64, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x44, 0xc8, 0x01, 0x07, 0x01,
	0x03, 0x00, 0x04, 0x80, 0x80, 0xe2, 0xc4, 0xf2, 0xa2, 0x99, 0x03, 0x2a,
};
static const uint8_t version_3[] = {
	0x89, 0x57, 0x50, 0x52, 0x4f, 0x46, 0x0d, 0x0a, 0x03, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
	0x89, 0x1b, 0x30, 0xb0, 0x5f, 0x01, 0xb3, 0xc8, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x02, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x3d, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x3d, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x01, 0x02, 0x03, 0x01,
	0x61, 0x02, 0x01, 0x80, 0xe2, 0xcf, 0xaa, 0x06, 0x2a, 0x02, 0x02, 0x64, 0x05, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x08, 0x23, 0x02, 0x03, 0x02, 0x02, 0x00, 0x45, 0x08, 0x01, 0x64, 0x06,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x44, 0xc8, 0x01, 0x07, 0x01, 0x03, 0x00, 0x04, 0x80,
	0x80, 0xe2, 0xc4, 0xf2, 0xa2, 0x99, 0x03, 0x2a,
};
static const uint8_t version_8[] = {
	0x89, 0x57, 0x50, 0x52, 0x4f, 0x46, 0x0d, 0x0a, 0x08, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
	0x3c, 0x84, 0x20, 0x1a, 0xad, 0xd8, 0xe1, 0x35, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x1b, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1b, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x03, 0x01, 0x00, 0x01, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x80, 0xe2, 0xcf, 0xaa, 0x06, 0x02, 0x00, 0x00, 0x00, 0x01,
	0x00, 0x00, 0x00, 0x58, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x69, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x69, 0x7d, 0x02, 0x00, 0x04, 0x04, 0x04, 0x01,
	0x02, 0x03, 0x04, 0x01, 0x61, 0x03, 0x00, 0x02, 0x88, 0xef, 0x99, 0xab, 0xc5, 0xe8, 0x8c, 0x91,
	0x11, 0x99, 0x00, 0x4d, 0x88, 0x80, 0x84, 0x23, 0x02, 0x0c, 0x02, 0x00, 0x04, 0xc0, 0x84, 0x3d,
	0x07, 0x80, 0xee, 0x01, 0xaa, 0x00, 0xcc, 0x80, 0x01, 0xeb, 0x01, 0x02, 0x01, 0x03, 0x05, 0x01,
	0x80, 0x40, 0x08, 0x09, 0x80, 0x80, 0xe2, 0xc4, 0xf2, 0xa2, 0x99, 0x03, 0x2a, 0x00, 0x05, 0x00,
	0x20, 0xf3, 0x40, 0x12, 0x38, 0xa7, 0x2b, 0xee, 0xc6, 0x00, 0x13,
};
/* clang-format on */

static void golden_profile(struct wm_profile *profile)
{
	wm_profile_init(profile);
	profile->runs = 3;
	profile->kill_unsafe_runs = 1;
	struct wm_profile_object *object = wm_profile_append_object(profile, (const uint8_t *)"\1\2\3\4", 4);
	assert_non_null(object);
	object->function = calloc(2, sizeof(*object->function));
	assert_non_null(object->function);
	object->function_count = object->function_capacity = 2;
	object->function[0] = (struct wm_profile_function){
		.key = 0x1122334455667788, .graph_hash = 0x99, .flags = WM_FUNC_ENTRIES, .entries = 12};
	object->function[1] = (struct wm_profile_function){.key = 0xFF22334455667788,
		.graph_hash = 0xAA,
		.flags = WM_FUNC_HASH | WM_FUNC_ENTRIES | WM_FUNC_RESUMED,
		.doubt = WM_DOUBT_LOST,
		.entries = 1,
		.resumed = 2,
		.base_entries = 3,
		.base_resumed = 4,
		.lost = 5};
	assert_true(wm_function_append(&object->function[0], 0, 1000000, 0) &&
		    wm_function_append(&object->function[0], 5, 7, 0));
	assert_true(wm_function_append(&object->function[1], 1ull << 62, 8, 9) &&
		    wm_function_append(&object->function[1], (1ull << 62) + 1, 0, 1));
}

static void reads_version_1(void **state)
{
	(void)state;
	struct wm_profile expected, profile;
	struct wm_profile_error error;
	golden_profile(&expected);
	wm_profile_init(&profile);
	assert_int_equal(read_copy(&profile, version_1, sizeof(version_1), &error), WM_PROFILE_OK);
	check_profile(&expected, &profile);
	wm_profile_release(&expected);
	wm_profile_release(&profile);
}

static void append_two(struct wm_profile_object *object)
{
	object->function = calloc(2, sizeof(*object->function));
	assert_non_null(object->function);
	object->function_count = object->function_capacity = 2;
	object->function[0] = (struct wm_profile_function){
		.key = 100, .graph_hash = 5, .flags = WM_FUNC_ENTRIES, .entries = 3, .doubt = WM_DOUBT_LOST, .lost = 2};
	object->function[1] = (struct wm_profile_function){
		.key = 200, .graph_hash = 6, .flags = WM_FUNC_HASH | WM_FUNC_RESIDUAL, .base_entries = 7};
	const struct wm_counted_path path = {.id = 3, .base = 4, .first_seen = 1800000000000000, .pid = 42};
	assert_true(wm_function_append(&object->function[0], 0, 8, 0) &&
		    wm_function_append(&object->function[0], 70, 1, 0) &&
		    wm_function_append_path(&object->function[1], &path));
}

static void reads_versions_2_and_3(void **state)
{
	(void)state;
	struct wm_profile expected, profile;
	struct wm_profile_error error;
	wm_profile_init(&expected);
	wm_profile_init(&profile);
	expected.runs = 2;
	struct wm_profile_object *object = wm_profile_append_object(&expected, (const uint8_t *)"\1\2\3", 3);
	assert_non_null(object);
	append_two(object);
	assert_int_equal(read_copy(&profile, version_2, sizeof(version_2), &error), WM_PROFILE_OK);
	check_profile(&expected, &profile);
	object->runs = 2;
	object->program[0] = 'a';
	assert_true(wm_object_append_doubtful(object, &(struct wm_doubtful_run){1700000000, 42, WM_DOUBT_LOST}));
	assert_int_equal(read_copy(&profile, version_3, sizeof(version_3), &error), WM_PROFILE_OK);
	check_profile(&expected, &profile);
	wm_profile_release(&expected);
	wm_profile_release(&profile);
}

/* Schemes, sources, the id of a run, a doubtful function, an untested path. */
static void version_8_profile(struct wm_profile *profile)
{
	golden_profile(profile);
	const struct wm_run_id id = {.high = 7, .low = 8, .epoch = 1, .start_time = 1700000000};
	assert_true(wm_profile_append_run_id(profile, &id));
	struct wm_profile_object *object = profile->object;
	object->runs = 3;
	object->program[0] = 'a';
	struct wm_profile_function *first = &object->function[0], *second = &object->function[1];
	first->source = 77;
	first->scheme = wm_scheme_name("kiter=70");
	second->scheme = wm_scheme_name("acyclic");
	second->flags = WM_FUNC_HASH | WM_FUNC_ENTRIES | WM_FUNC_RESIDUAL;
	second->resumed = second->base_resumed = 0;
	second->path_count = 1;
	second->path[0].first_seen = 1800000000000000;
	second->path[0].pid = 42;
}

/* A profile without unfinished paths is still written so. */
static void reads_and_writes_version_8(void **state)
{
	(void)state;
	struct wm_profile expected, profile;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	version_8_profile(&expected);
	wm_profile_init(&profile);
	assert_int_equal(read_copy(&profile, version_8, sizeof(version_8), &error), WM_PROFILE_OK);
	check_profile(&expected, &profile);
	assert_int_equal(profile.run_id_count, 1);
	assert_int_equal(wm_run_id_compare(&profile.run_id[0], &expected.run_id[0]), 0);
	assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
	assert_int_equal(size, sizeof(version_8));
	assert_memory_equal(data, version_8, size);
	free(data);
	wm_profile_release(&expected);
	wm_profile_release(&profile);
}

static void append_unfinished(struct wm_profile_function *f, const struct wm_unfinished_path *path, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_true(wm_unfinished_append(f, &path[i]));
}

/* A function that has nothing else is stored, too. */
static void unfinished_paths_need_version_9(void **state)
{
	(void)state;
	const struct wm_unfinished_path path[] = {{0, 1, 1}, {1, UINT64_MAX, 1}, {UINT64_MAX, 5, 1}, {3, 128, 70},
		{0, 2, WM_SITE_BLOCK}, {7, 9, WM_SITE_BLOCK | 3}, {7, 9, UINT32_MAX}};
	struct wm_profile profile, back;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	golden_profile(&profile);
	struct wm_profile_function *f = &profile.object[0].function[0];
	f->path_count = f->entries = 0;
	f->flags = 0;
	append_unfinished(f, path, 7);
	assert_true(wm_function_is_worth_storing(f));
	assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
	assert_int_equal(data[8], 9);
	wm_profile_init(&back);
	assert_int_equal(read_copy(&back, data, size, &error), WM_PROFILE_OK);
	check_profile(&profile, &back);
	assert_int_equal(back.object[0].function[0].unfinished_count, 7);
	data[8] = 8;
	reseal(data, size);
	assert_int_equal(read_copy(&back, data, size, &error), WM_PROFILE_REFUSED);
	free(data);
	wm_profile_release(&profile);
	wm_profile_release(&back);
}

/* Out of order, without a site, and the last ones without a count. */
static void unfinished_paths_that_make_no_sense(void **state)
{
	(void)state;
	const struct wm_unfinished_path bad[][2] = {{{5, 1, 3}, {5, 1, 3}}, {{6, 1, 3}, {5, 1, 3}},
		{{5, 1, 3}, {6, 1, 2}}, {{UINT64_MAX, 1, 3}, {0, 1, 3}}, {{5, 1, 0}, {5, 1, 3}},
		{{5, 1, 3}, {6, 1, 3}}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct wm_profile profile, back;
		struct wm_profile_error error;
		uint8_t *data;
		size_t size;
		golden_profile(&profile);
		append_unfinished(&profile.object[0].function[1], bad[i], 2);
		profile.object[0].function[1].unfinished[1].count = i < 5;
		assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
		wm_profile_init(&back);
		assert_int_equal(read_copy(&back, data, size, &error), WM_PROFILE_REFUSED);
		free(data);
		wm_profile_release(&profile);
	}
}

static void branches_of_version_4_are_read(void **state)
{
	(void)state;
	struct wm_profile profile, again;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	const struct {
		uint64_t id;
		enum wm_profile_status status;
	} cases[] = {{(uint64_t)3 << 32 | 5, WM_PROFILE_OK}, {(uint64_t)2 << 32 | 5, WM_PROFILE_REFUSED},
		{(uint64_t)33 << 32, WM_PROFILE_REFUSED}, {(uint64_t)32 << 32 | UINT32_MAX, WM_PROFILE_OK}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		golden_profile(&profile);
		wm_profile_init(&again);
		struct wm_profile_function *function = &profile.object[0].function[0];
		const struct wm_branch_path want = {
			9, function->key, (uint32_t)(cases[i].id >> 32), (uint32_t)cases[i].id, 3, 7};
		wm_function_release(function);
		*function = (struct wm_profile_function){
			.key = want.start, .graph_hash = (uint64_t)3 << 56 | 9, .flags = WM_FUNC_BRANCHES};
		assert_true(wm_function_append(function, cases[i].id, 7, 0));
		assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
		assert_int_equal(data[8], 4);
		assert_int_equal(read_copy(&again, data, size, &error), cases[i].status);
		if (!cases[i].status) {
			assert_int_equal(again.object[0].function_count, profile.object[0].function_count - 1);
			assert_int_equal(again.object[0].branch_count, 1);
			assert_int_equal(wm_branch_path_compare(&again.object[0].branches[0], &want), 0);
			assert_int_equal(again.object[0].branches[0].count, want.count);
		}
		free(data);
		wm_profile_release(&again);
		wm_profile_release(&profile);
	}
}

/* What a tool of version 3 would take for a function is not offered to it. */
static void other_records_need_version_4(void **state)
{
	(void)state;
	const uint32_t flags[] = {WM_FUNC_UNIT, WM_FUNC_UNIT | WM_FUNC_RESIDUAL};
	for (size_t i = 0; i < 2; i++) {
		struct wm_profile profile, back;
		struct wm_profile_error error;
		uint8_t *data;
		size_t size;
		golden_profile(&profile);
		wm_profile_init(&back);
		profile.object[0].function[0].flags |= flags[i];
		assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
		assert_int_equal(data[8], 4);
		assert_int_equal(read_copy(&back, data, size, &error), WM_PROFILE_OK);
		check_profile(&profile, &back);
		data[8] = 3;
		reseal(data, size);
		assert_int_equal(read_copy(&back, data, size, &error), WM_PROFILE_REFUSED);
		free(data);
		wm_profile_release(&profile);
		wm_profile_release(&back);
	}
}

/* What a tool of version 1 would read as complete counts is not offered to it. */
static void residual_needs_version_2(void **state)
{
	(void)state;
	struct wm_profile profile, back;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	golden_profile(&profile);
	assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
	assert_int_equal(data[8], 1);
	free(data);
	profile.object[0].function[1].flags |= WM_FUNC_RESIDUAL;
	profile.object[0].function[1].path[0].first_seen = 1800000000000000;
	profile.object[0].function[1].path[0].pid = 4711;
	wm_profile_init(&back);
	assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
	assert_int_equal(data[8], 2);
	assert_int_equal(read_copy(&back, data, size, &error), WM_PROFILE_OK);
	check_profile(&profile, &back);
	data[8] = 1;
	reseal(data, size);
	assert_int_equal(read_copy(&back, data, size, &error), WM_PROFILE_REFUSED);
	free(data);
	/* Only in raw files are there cells to have ids. */
	profile.object[0].function[1].flags |= WM_FUNC_IDS;
	assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
	assert_int_equal(read_copy(&back, data, size, &error), WM_PROFILE_REFUSED);
	free(data);
	wm_profile_release(&profile);
	wm_profile_release(&back);
}

/* No untested path is something to tell; a function that never ran is not. */
static void residual_functions_are_stored(void **state)
{
	(void)state;
	struct wm_profile profile, back;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	wm_profile_init(&profile);
	wm_profile_init(&back);
	struct wm_profile_object *object = wm_profile_append_object(&profile, NULL, 0);
	assert_non_null(object);
	object->function = calloc(2, sizeof(*object->function));
	assert_non_null(object->function);
	object->function_count = object->function_capacity = 2;
	object->function[0] = (struct wm_profile_function){.key = 1, .flags = WM_FUNC_HASH};
	object->function[1] = (struct wm_profile_function){.key = 2, .flags = WM_FUNC_HASH | WM_FUNC_RESIDUAL};
	assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
	assert_int_equal(read_copy(&back, data, size, &error), WM_PROFILE_OK);
	assert_int_equal(back.object[0].function_count, 1);
	assert_true(back.object[0].function[0].key == 2 && wm_profile_is_residual(&back));
	free(data);
	wm_profile_release(&profile);
	wm_profile_release(&back);
}

static void formats(void **state)
{
	(void)state;
	struct wm_profile profile;
	struct wm_profile_error error;
	wm_profile_init(&profile);
	assert_int_equal(wm_profile_format(version_1, sizeof(version_1)), WM_FORMAT_INDEXED);
	assert_int_equal(wm_profile_format((const uint8_t *)"\x7f"
							    "ELF....",
				 8),
		WM_FORMAT_UNKNOWN);
	assert_int_equal(read_copy(&profile, (const uint8_t *)"hello, world", 12, &error), WM_PROFILE_REFUSED);
	assert_string_equal(error.text, "it is no Waymark profile");
	assert_int_equal(read_copy(&profile, NULL, 0, &error), WM_PROFILE_REFUSED);
	assert_string_equal(error.text, "it is empty");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(every_prefix_and_bit_flip),
		cmocka_unit_test(resealed_damage),
		cmocka_unit_test(versions),
		cmocka_unit_test(branches_need_version_6),
		cmocka_unit_test(branches_of_version_4_are_read),
		cmocka_unit_test(sources_need_version_5),
		cmocka_unit_test(reads_version_1),
		cmocka_unit_test(reads_versions_2_and_3),
		cmocka_unit_test(reads_and_writes_version_8),
		cmocka_unit_test(unfinished_paths_need_version_9),
		cmocka_unit_test(unfinished_paths_that_make_no_sense),
		cmocka_unit_test(other_records_need_version_4),
		cmocka_unit_test(residual_needs_version_2),
		cmocka_unit_test(residual_functions_are_stored),
		cmocka_unit_test(formats),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
