/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory runs out at every allocation in turn: nothing leaks, nothing is half done.
 * Linked with --wrap for malloc, calloc and realloc.
 */
#include "test/profile/testing.h"

#include "abi/unfinished.h"
#include "profile/base/function_counts.h"
#include "profile/map/map.h"
#include "test/profile/random_profile.h"
#include "test/profile/raw_builder.h"

#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

/* Allocations that still succeed; negative: all. */
static long allowed = -1;

static bool may_allocate(void)
{
	return allowed < 0 || (allowed && allowed--);
}

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	return may_allocate() ? __real_realloc(old, size) : NULL;
}

static void merge_leaves_the_sum_alone(void **state)
{
	(void)state;
	uint64_t seed = 77;
	for (int i = 0; i < 40; i++) {
		struct wm_profile a, b, sum;
		enum wm_profile_status status = WM_PROFILE_NO_MEMORY;
		random_profile(&seed, &a);
		random_profile(&seed, &b);
		wm_profile_init(&sum);
		assert_int_equal(wm_profile_merge(&sum, &a), WM_PROFILE_OK);
		for (long room = 0; status; room++) {
			allowed = room;
			status = wm_profile_merge(&sum, &b);
			allowed = -1;
			if (status)
				check_profile(&a, &sum);
		}
		assert_int_equal(sum.runs, a.runs + b.runs);
		wm_profile_release(&a);
		wm_profile_release(&b);
		wm_profile_release(&sum);
	}
}

static void indexed_round_trip(void **state)
{
	(void)state;
	struct wm_profile profile, back;
	struct wm_profile_error error;
	uint8_t *data = NULL;
	size_t size = 0;
	uint64_t seed = 5;
	enum wm_profile_status status = WM_PROFILE_NO_MEMORY;
	random_profile(&seed, &profile);
	wm_profile_init(&back);
	for (long room = 0; status; room++) {
		allowed = room;
		status = wm_indexed_write(&profile, &data, &size);
		allowed = -1;
	}
	status = WM_PROFILE_NO_MEMORY;
	for (long room = 0; status; room++) {
		allowed = room;
		status = wm_indexed_read(&back, data, size, &error);
		allowed = -1;
		assert_true(room < 1000);
	}
	check_profile(&profile, &back);
	free(data);
	wm_profile_release(&profile);
	wm_profile_release(&back);
}

static void raw_read(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_raw_identity identity;
	struct wm_profile_error error;
	const struct wm_hash_slot slots[] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}};
	size_t size;
	enum wm_profile_status status = WM_PROFILE_NO_MEMORY;
	raw_builder_init(&builder);
	for (uint64_t i = 0; i < 5; i++)
		*raw_builder_cell(&builder, raw_builder_function(&builder, i % 3, 1, 0, 6), 3) = 7;
	raw_builder_table(&builder, raw_builder_function(&builder, 9, 9, WM_FUNC_HASH, 0), 4, slots, 6, 0);
	raw_builder_unfinished(&builder, (const struct wm_unfinished[]){{1, 1, 2, 3}, {4, 1, 2, 3}, {6, 2, 0, 1}}, 3);
	uint8_t *image = raw_builder_image(&builder, &size);
	wm_profile_init(&profile);
	for (long room = 0; status; room++) {
		allowed = room;
		status = wm_raw_read(&profile, &identity, image, size, &error);
		allowed = -1;
		assert_true(status == WM_PROFILE_OK || status == WM_PROFILE_NO_MEMORY);
	}
	assert_int_equal(profile.object[0].function_count, 4);
	wm_profile_release(&profile);
	free(image);
	raw_builder_release(&builder);
}

static void map_round_trip(void **state)
{
	(void)state;
	uint32_t first[] = {0, 1, 1}, from[] = {0}, to[] = {1};
	uint8_t end[] = {WM_END_NONE, WM_END_RETURN}, *data = NULL;
	struct wm_map_block block[2] = {{.default_edge = WM_NONE}, {.default_edge = WM_NONE}};
	struct wm_map_function f = {.name = "f", .scheme = "acyclic", .reason = "", .file = WM_NONE, .block = block};
	struct wm_map_module module = {.source = "a.c", .function_count = 1, .function = &f};
	size_t size = 0;
	f.graph = (struct wm_graph){2, 1, first, from, to, end, NULL};
	enum wm_status status = WM_NO_MEMORY;
	for (long room = 0; status; room++) {
		allowed = room;
		status = wm_map_encode(&module, &data, &size);
		allowed = -1;
		assert_true(status == WM_OK || status == WM_NO_MEMORY);
	}
	status = WM_NO_MEMORY;
	for (long room = 0; status; room++) {
		struct wm_arena arena;
		struct wm_map map;
		char error[160];
		wm_arena_init(&arena);
		allowed = room;
		status = wm_map_decode(&map, data, size, error, &arena);
		allowed = -1;
		assert_true(status == WM_OK || status == WM_NO_MEMORY);
		wm_arena_release(&arena);
	}
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merge_leaves_the_sum_alone),
		cmocka_unit_test(indexed_round_trip),
		cmocka_unit_test(raw_read),
		cmocka_unit_test(map_round_trip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
