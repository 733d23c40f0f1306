/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pools (abi/pool.h): sums of runs, damaged chunks, and runs that are in files of their own, too. */
#include "test/profile/raw_reading.h"
#include "test/profile/testing.h"

#include "abi/counts.h"
#include "analysis/join/merge_files.h"
#include "profile/collect.h"
#include "support/output.h"
#include "support/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 5, PAGE = 4096 };

/* Function 1 has entries and three cells, function 2 a table.  Run r has entered function 1 r times, taken its path 2 as often,
 * and path 90 of function 2 10 r times; its parent had taken path 0 of function 1 twice. */
static void add_run(struct raw_builder *builder, uint64_t r)
{
	const struct wm_raw_run run = {.run_id_low = r, .run_id_high = 9, .start_time = 1700000000 + r, .pid = 100 + r};
	const uint8_t byte[] = {WM_GROUP_CELLS, 3, 2, 0, WM_GROUP_TABLE, 1, (uint8_t)(10 * r), 90, 0, WM_GROUP_CELLS, 1,
		(uint8_t)r, 3, (uint8_t)r, 0};
	raw_builder_runs(builder, &run, 1, (struct raw_builder_groups){byte, sizeof byte, 4});
}

static void begin_file(struct raw_builder *builder)
{
	raw_builder_init(builder);
	raw_builder_function(builder, 1, 1, WM_FUNC_ENTRIES, 3);
	raw_builder_function(builder, 2, 2, WM_FUNC_HASH, 0);
}

static uint8_t *make_pool(size_t *size)
{
	struct raw_builder builder;
	begin_file(&builder);
	for (uint64_t r = 1; r <= RUNS; r++)
		add_run(&builder, r);
	builder.header.flags |= WM_RAW_POOL;
	builder.header.run_id_low = builder.header.run_id_high = builder.header.pid = 0;
	uint8_t *image = raw_builder_image(&builder, size);
	raw_builder_release(&builder);
	return image;
}

/* `sum` is that of the numbers of the runs. */
static void check_sum(const struct wm_profile *profile, size_t runs, uint64_t sum)
{
	assert_int_equal(profile->runs, runs);
	assert_int_equal(profile->run_id_count, runs);
	assert_int_equal(profile->object->runs, runs);
	assert_int_equal(profile->kill_unsafe_runs, 0);
	const struct wm_profile_function *first = find_function(profile, 1), *second = find_function(profile, 2);
	assert_int_equal(first->entries, sum);
	check_path(first, 0, 0, 0, 2 * runs);
	check_path(first, 1, 2, sum, 0);
	check_path(second, 0, 90, 10 * sum, 0);
	for (size_t i = 1; i < runs; i++)
		assert_true(profile->run_id[i - 1].low < profile->run_id[i].low && profile->run_id[i].high == 9);
}

static enum wm_profile_status read_and_check(const uint8_t *image, size_t size, size_t runs, uint64_t sum)
{
	struct wm_profile profile;
	struct wm_profile_error error;
	wm_profile_init(&profile);
	enum wm_profile_status status = read_copy(image, size, &profile, &error);
	if (status == WM_PROFILE_OK || status == WM_PROFILE_DAMAGED)
		check_sum(&profile, runs, sum);
	wm_profile_release(&profile);
	return status;
}

static void a_pool_is_the_sum_of_its_runs(void **state)
{
	(void)state;
	size_t size;
	uint8_t *image = make_pool(&size);
	assert_int_equal(read_and_check(image, size, RUNS, 15), WM_PROFILE_OK);
	free(image);
}

/* What is behind the size that the header tells was never finished. */
static void the_end_is_where_the_header_says(void **state)
{
	(void)state;
	size_t size;
	uint8_t *image = make_pool(&size);
	for (uint64_t runs = 1; runs <= RUNS; runs++) {
		uint64_t end = size - (RUNS - runs) * PAGE;
		memcpy(image + offsetof(struct wm_raw_header, file_size), &end, sizeof end);
		assert_int_equal(read_and_check(image, size, runs, runs * (runs + 1) / 2), WM_PROFILE_OK);
	}
	for (uint64_t runs = 1; runs < RUNS; runs++)
		for (size_t cut = 1; cut <= PAGE; cut += 455)
			assert_int_equal(read_and_check(image, size - runs * PAGE + PAGE - cut, RUNS - runs,
						 (RUNS - runs) * (RUNS - runs + 1) / 2),
				WM_PROFILE_DAMAGED);
	assert_int_equal(read_and_check(image, size - RUNS * PAGE, 0, 0), WM_PROFILE_REFUSED);
	free(image);
}

/* Any byte of a chunk but those behind its end costs its run, and no other. */
static void a_damaged_chunk_costs_its_runs(void **state)
{
	(void)state;
	size_t size, used = sizeof(struct wm_raw_chunk) + sizeof(struct wm_raw_run) + 16;
	uint8_t *image = make_pool(&size);
	for (uint64_t r = 1; r <= RUNS; r++)
		for (size_t at = 0; at < used; at++) {
			uint8_t *byte = image + size - (RUNS + 1 - r) * PAGE + at;
			*byte ^= 0x40;
			assert_int_equal(read_and_check(image, size, RUNS - 1, 15 - r), WM_PROFILE_DAMAGED);
			*byte ^= 0x40;
		}
	memset(image + size - 3 * PAGE, 0, 2 * PAGE);
	assert_int_equal(read_and_check(image, size, RUNS - 2, 15 - 7), WM_PROFILE_DAMAGED);
	free(image);
}

/* With true checksums. */
static void a_chunk_that_makes_no_sense_counts_nothing(void **state)
{
	(void)state;
	static const uint8_t bad[][4] = {{WM_GROUP_CELLS, 5, 1, 0}, {WM_GROUP_TABLE, 0, 1, 1},
		{WM_GROUP_TABLE, 2, 1, 1}, {5, 0, 0, 0}, {WM_GROUP_CELLS, 1, 1, 1}};
	const struct wm_raw_run run = {.run_id_low = 77, .run_id_high = 9};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct raw_builder builder;
		size_t size;
		begin_file(&builder);
		add_run(&builder, 1);
		raw_builder_runs(&builder, &run, 1, (struct raw_builder_groups){bad[i], sizeof bad[i], i % 2 ? 4 : 0});
		add_run(&builder, 2);
		raw_builder_runs(&builder, &run, 1, (struct raw_builder_groups){bad[i], 0, 0})->thread = 1000;
		builder.header.flags |= WM_RAW_POOL;
		builder.header.run_id_low = builder.header.run_id_high = 0;
		uint8_t *image = raw_builder_image(&builder, &size);
		raw_builder_seal_runs((void *)(image + size - PAGE));
		assert_int_equal(read_and_check(image, size, 2, 3), WM_PROFILE_DAMAGED);
		free(image);
		raw_builder_release(&builder);
	}
}

static char *save(const char *what, const uint8_t *image, size_t size)
{
	char *name = wm_xprintf("/tmp/wm-test-pool-%d-%s.wmraw", (int)getpid(), what);
	wm_write_file(name, image, size);
	return name;
}

/* A process was killed after it had added its counts and before it had removed its file. */
static void a_run_in_a_pool_and_in_its_own_file_counts_once(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	size_t size, own_size;
	begin_file(&builder);
	builder.header.run_id_low = 3;
	builder.header.run_id_high = 9;
	*raw_builder_cell(&builder, 0, 0) = *raw_builder_cell(&builder, 0, 3) = 3;
	uint8_t *image = make_pool(&size), *own = raw_builder_image(&builder, &own_size);
	char *file[] = {save("own", own, own_size), save("pool", image, size), save("copy", image, size)};
	wm_profile_init(&profile);
	assert_int_equal(wm_merge_files(&profile, file, 3), 0);
	check_sum(&profile, RUNS, 15);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(unlink(file[i]), 0);
		free(file[i]);
	}
	wm_profile_release(&profile);
	raw_builder_release(&builder);
	free(image);
	free(own);
}

/* Counts of many runs are added up as they are read: memory follows the paths. */
static void many_runs_take_the_memory_of_one(void **state)
{
	(void)state;
	struct wm_profile_function function = {0};
	for (uint64_t i = 0; i < 1000000; i++)
		assert_true(wm_function_append(&function, i * 7919 % 1000, 1, 0));
	assert_true(function.path_capacity < 5000);
	wm_function_sort(&function);
	assert_int_equal(function.path_count, 1000);
	for (size_t i = 0; i < 1000; i++)
		assert_true(function.path[i].id == i && function.path[i].count == 1000);
	wm_function_release(&function);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_is_the_sum_of_its_runs),
		cmocka_unit_test(the_end_is_where_the_header_says),
		cmocka_unit_test(a_damaged_chunk_costs_its_runs),
		cmocka_unit_test(a_chunk_that_makes_no_sense_counts_nothing),
		cmocka_unit_test(a_run_in_a_pool_and_in_its_own_file_counts_once),
		cmocka_unit_test(many_runs_take_the_memory_of_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
