/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts without zeros (abi/counts.h): what counts while a process replaces its cells, and what damage costs. */
#include "test/profile/raw_reading.h"
#include "test/profile/testing.h"

#include "abi/counts.h"
#include "profile/collect.h"

#include <stdlib.h>
#include <string.h>

/* Function 1 has entries and three cells, function 2 a table.  The live counts: 5 entries of function 1, its path 0 four times, and
 * path 9 of function 2 three times. */
static void begin_file(struct raw_builder *builder)
{
	const struct wm_hash_slot slot = {9, 3};
	raw_builder_init(builder);
	raw_builder_function(builder, 1, 1, WM_FUNC_ENTRIES, 3);
	raw_builder_function(builder, 2, 2, WM_FUNC_HASH, 0);
	*raw_builder_cell(builder, 0, 0) = 5;
	*raw_builder_cell(builder, 0, 1) = 4;
	raw_builder_table(builder, 1, 2, &slot, 1, 0);
}

/* 200 times path 9 and once path 300 of function 2, then path 2 of function 1 seven times, and its 6 entries. */
static uint64_t add_counts(struct raw_builder *builder, uint64_t flags)
{
	const uint8_t group[] = {WM_GROUP_TABLE, 1, 200, 1, 9, 1, 172, 2, 0, WM_GROUP_CELLS, 1, 7, 3, 6, 0};
	return raw_builder_counts(builder, group, sizeof group, flags);
}

/* Reads what the builder has made.  `live` and `ended`: how often the counts of begin_file and of add_counts are in it. */
static void check(struct raw_builder *builder, uint64_t live, uint64_t ended)
{
	struct wm_profile profile;
	read_built(builder, &profile);
	const struct wm_profile_function *first = find_function(&profile, 1), *second = find_function(&profile, 2);
	assert_int_equal(first->entries, 5 * live + 6 * ended);
	assert_int_equal(first->path_count, (live > 0) + (ended > 0));
	if (live)
		check_path(first, 0, 0, 4, 0);
	if (ended)
		check_path(first, live > 0, 2, 7, 0);
	assert_int_equal(second->path_count, 1 + (ended > 0));
	check_path(second, 0, 9, 3 * live + 200 * ended, 0);
	if (ended)
		check_path(second, 1, 300, 1, 0);
	wm_profile_release(&profile);
}

/* A process that was killed between any two of these steps leaves every count once. */
static void steps_of_the_end(void **state)
{
	(void)state;
	struct raw_builder builder;
	begin_file(&builder);
	uint64_t offset = add_counts(&builder, 0);
	check(&builder, 1, 0);
	builder.header.condensed = offset;
	check(&builder, 0, 1);
	/* What was cleared counts again. */
	builder.header.flags |= WM_RAW_CLEARED;
	check(&builder, 1, 1);
	raw_builder_release(&builder);
}

static void counts_before_a_fork(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	begin_file(&builder);
	add_counts(&builder, WM_COUNTS_BASE);
	add_counts(&builder, WM_COUNTS_BASE);
	builder.header.condensed = add_counts(&builder, 0);
	read_built(&builder, &profile);
	const struct wm_profile_function *first = find_function(&profile, 1), *second = find_function(&profile, 2);
	assert_int_equal(first->entries, 6);
	assert_int_equal(first->base_entries, 12);
	check_path(first, 0, 2, 7, 14);
	check_path(second, 0, 9, 200, 400);
	check_path(second, 1, 300, 1, 2);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
}

static void expect_all_lost(const uint8_t *image, size_t size)
{
	struct wm_profile profile;
	struct wm_profile_error error;
	wm_profile_init(&profile);
	assert_int_equal(read_copy(image, size, &profile, &error), WM_PROFILE_REFUSED);
	wm_profile_release(&profile);
}

/* Without the chunk nobody knows what the process had counted, in cells either. */
static void damage_costs_all_functions(void **state)
{
	(void)state;
	struct raw_builder builder;
	size_t size;
	begin_file(&builder);
	uint64_t offset = builder.header.condensed = add_counts(&builder, 0);
	uint8_t *image = raw_builder_image(&builder, &size);
	for (size_t at = offset; at < offset + sizeof(struct wm_raw_chunk) + 16; at++) {
		size_t field = at - offset;
		if (field >= offsetof(struct wm_raw_chunk, thread) && field < offsetof(struct wm_raw_chunk, sequence))
			continue;
		if (field >= offsetof(struct wm_raw_chunk, sequence) + 8 && field < sizeof(struct wm_raw_chunk))
			continue;
		image[at] ^= 64;
		expect_all_lost(image, size);
		image[at] ^= 64;
	}
	for (size_t cut = offset; cut < size; cut += 256)
		expect_all_lost(image, cut);
	free(image);
	builder.header.condensed = offset + 4096;
	image = raw_builder_image(&builder, &size);
	expect_all_lost(image, size);
	free(image);
	raw_builder_release(&builder);
}

/* Gaps beyond the first cell, numbers that never end, unknown groups, functions that have no table. */
static void groups_that_make_no_sense(void **state)
{
	(void)state;
	const struct {
		uint8_t byte[12];
		size_t size;
	} bad[] = {{{WM_GROUP_CELLS, 5, 1, 0}, 4}, {{WM_GROUP_CELLS, 1, 255}, 3}, {{9, 0}, 2},
		{{WM_GROUP_TABLE, 0, 1, 1, 0}, 5}, {{WM_GROUP_TABLE, 7, 1, 1, 0}, 5}, {{WM_GROUP_TIMED, 1, 1, 1, 0}, 5},
		{{WM_GROUP_TABLE, 1}, 2}, {{WM_GROUP_CELLS, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2}, 12}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct raw_builder builder;
		size_t size;
		begin_file(&builder);
		builder.header.condensed = raw_builder_counts(&builder, bad[i].byte, bad[i].size, 0);
		uint8_t *image = raw_builder_image(&builder, &size);
		expect_all_lost(image, size);
		free(image);
		raw_builder_release(&builder);
	}
}

/* Each of many groups has a cell of the first and one of the last of many functions, all of which one more function follows.  Reading
 * takes minutes if it visits all functions for each group. */
static void many_small_groups(void **state)
{
	(void)state;
	enum { FUNCTIONS = 50000, GROUPS = 200000 };
	struct raw_builder builder;
	struct wm_profile profile;
	raw_builder_init(&builder);
	for (uint64_t i = 0; i < FUNCTIONS; i++)
		raw_builder_function(&builder, i + 1, 1, 0, 1);
	size_t follower = raw_builder_function(&builder, FUNCTIONS + 1, 1, WM_FUNC_FOLLOWS, 0);
	builder.func[follower].cells_offset = 0;
	builder.func[follower].cell_count = FUNCTIONS;
	uint8_t *groups = malloc(GROUPS * 16), *at = groups;
	for (size_t i = 0; i < GROUPS; i++) {
		*at++ = WM_GROUP_CELLS;
		*at++ = 1;
		*at++ = 1;
		at = wm_put_variable(at, FUNCTIONS - 1);
		*at++ = 1;
		*at++ = 0;
	}
	builder.header.condensed = raw_builder_counts(&builder, groups, (size_t)(at - groups), 0);
	read_built(&builder, &profile);
	check_path(find_function(&profile, 1), 0, 0, GROUPS, 0);
	check_path(find_function(&profile, FUNCTIONS), 0, 0, GROUPS, 0);
	check_path(find_function(&profile, FUNCTIONS + 1), 0, 0, 2 * GROUPS, 0);
	assert_int_equal(find_function(&profile, 2)->path_count, 0);
	wm_profile_release(&profile);
	raw_builder_release(&builder);
	free(groups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_of_the_end),
		cmocka_unit_test(counts_before_a_fork),
		cmocka_unit_test(damage_costs_all_functions),
		cmocka_unit_test(groups_that_make_no_sense),
		cmocka_unit_test(many_small_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
