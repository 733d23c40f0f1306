/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unfinished paths: lists against brute force, and what raw profiles say of them (abi/unfinished.h). */
#include "test/profile/raw_reading.h"
#include "test/profile/testing.h"

#include "abi/counts.h"
#include "abi/unfinished.h"
#include "profile/base/unfinished_paths.h"
#include "profile/collect.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lists ---------------------------------------------------------------------------- */

enum { SITES = 4, SUMS = 5, ROUNDS = 2000 };

struct counted {
	uint64_t count[SITES][SUMS];
};

/* Site 0 of the table is a block. */
static uint32_t site_of(size_t i)
{
	return i ? (uint32_t)i : WM_SITE_BLOCK | 7;
}

static void random_list(struct wm_profile_function *f, struct counted *counted, uint64_t *seed)
{
	*f = (struct wm_profile_function){0};
	*counted = (struct counted){0};
	for (uint32_t n = random_below(seed, 30); n; n--) {
		uint32_t site = random_below(seed, SITES), sum = random_below(seed, SUMS);
		const struct wm_unfinished_path path = {sum, random_below(seed, 4), site_of(site)};
		counted->count[site][sum] += path.count;
		assert_true(wm_unfinished_append(f, &path));
	}
	wm_unfinished_sort(f);
}

static void check_list(const struct wm_profile_function *f, const struct counted *want)
{
	size_t found = 0;
	for (size_t i = 0; i < SITES; i++)
		for (size_t j = 0; j < SUMS; j++) {
			const struct wm_unfinished_path *path = wm_unfinished_find(f, site_of(i), j);
			assert_int_equal(path ? path->count : 0, want->count[i][j]);
			found += path != NULL;
		}
	assert_int_equal(found, f->unfinished_count);
	for (size_t i = 0; i < f->unfinished_count; i++) {
		assert_true(f->unfinished[i].count);
		assert_true(!i || wm_unfinished_compare(&f->unfinished[i - 1], &f->unfinished[i]) < 0);
	}
}

static bool contains(const struct counted *all, const struct counted *part)
{
	bool all_of = true;
	for (size_t i = 0; i < SITES; i++)
		for (size_t j = 0; j < SUMS; j++)
			all_of &= all->count[i][j] >= part->count[i][j];
	return all_of;
}

static void add(struct counted *to, const struct counted *from, bool subtract)
{
	for (size_t i = 0; i < SITES; i++)
		for (size_t j = 0; j < SUMS; j++)
			to->count[i][j] += subtract ? -from->count[i][j] : from->count[i][j];
}

static void sums_and_differences(void **state)
{
	(void)state;
	uint64_t seed = 31;
	unsigned differences = 0;
	for (int round = 0; round < ROUNDS; round++) {
		struct wm_profile_function a, b, copy = {0};
		struct counted in_a, in_b;
		random_list(&a, &in_a, &seed);
		random_list(&b, &in_b, &seed);
		check_list(&a, &in_a);
		bool larger = contains(&in_a, &in_b);
		assert_int_equal(wm_unfinished_contains(&a, &b), larger);
		assert_true(wm_unfinished_copy(&copy, &a));
		assert_int_equal(wm_unfinished_subtract(&copy, &b), larger);
		if (!larger)
			check_list(&copy, &in_a);
		differences += larger;
		assert_true(wm_unfinished_reserve(&a, &b));
		wm_unfinished_merge(&a, &b);
		add(&in_a, &in_b, false);
		check_list(&a, &in_a);
		assert_true(wm_unfinished_subtract(&a, &b));
		add(&in_a, &in_b, true);
		check_list(&a, &in_a);
		wm_function_release(&a);
		wm_function_release(&b);
		wm_function_release(&copy);
	}
	assert_true(differences > 20);
}

static void counts_saturate(void **state)
{
	(void)state;
	const struct wm_unfinished_path most = {3, UINT64_MAX - 1, 1}, two = {3, 2, 1};
	struct wm_profile_function a = {0}, b = {0};
	assert_true(wm_unfinished_append(&a, &most) && wm_unfinished_append(&a, &two));
	wm_unfinished_sort(&a);
	assert_true(a.unfinished_count == 1 && a.unfinished[0].count == UINT64_MAX);
	assert_int_equal(a.doubt, WM_DOUBT_SATURATED);
	assert_true(wm_unfinished_append(&b, &two) && wm_unfinished_reserve(&b, &a));
	wm_unfinished_merge(&b, &a);
	assert_true(b.unfinished_count == 1 && b.unfinished[0].count == UINT64_MAX);
	assert_int_equal(b.doubt, WM_DOUBT_SATURATED);
	wm_function_release(&a);
	wm_function_release(&b);
}

/* Counts of many runs are added up as they are read: memory follows the paths. */
static void many_runs_take_the_memory_of_one(void **state)
{
	(void)state;
	struct wm_profile_function f = {0};
	for (uint64_t i = 0; i < 200000; i++)
		assert_true(wm_unfinished_append(&f, &(struct wm_unfinished_path){i * 7919 % 1000, 1, 1}));
	assert_true(f.unfinished_capacity < 5000);
	wm_unfinished_sort(&f);
	assert_int_equal(f.unfinished_count, 1000);
	assert_true(f.unfinished[999].count == 200);
	wm_function_release(&f);
}

/* ---- Raw profiles --------------------------------------------------------------------- */

/* Function 1 has two records, one of them twice; function 2 has one. */
static const struct wm_unfinished records[] = {
	{1, 3, 40, 2}, {0, 9, 9, 9}, {2, WM_SITE_BLOCK | 5, UINT64_MAX, 1}, {1, 3, 40, 5}, {1, 1, 0, 1}};
enum { RECORDS = 5 };

static void begin_file(struct raw_builder *builder)
{
	raw_builder_init(builder);
	raw_builder_function(builder, 1, 1, WM_FUNC_ENTRIES, 3);
	raw_builder_function(builder, 2, 2, WM_FUNC_HASH, 0);
	*raw_builder_cell(builder, 0, 0) = 10;
}

static void check_path_of(const struct wm_profile_function *f, size_t i, struct wm_unfinished_path want)
{
	assert_true(i < f->unfinished_count);
	assert_int_equal(wm_unfinished_compare(&f->unfinished[i], &want), 0);
	assert_int_equal(f->unfinished[i].count, want.count);
}

/* `times`: how often the records are in it. */
static void check_records(const struct wm_profile *profile, uint64_t times)
{
	const struct wm_profile_function *first = find_function(profile, 1), *second = find_function(profile, 2);
	assert_int_equal(first->unfinished_count, times ? 2 : 0);
	assert_int_equal(second->unfinished_count, times ? 1 : 0);
	if (!times)
		return;
	check_path_of(first, 0, (struct wm_unfinished_path){0, times, 1});
	check_path_of(first, 1, (struct wm_unfinished_path){40, 7 * times, 3});
	check_path_of(second, 0, (struct wm_unfinished_path){UINT64_MAX, times, WM_SITE_BLOCK | 5});
}

static void check(struct raw_builder *builder, uint64_t entries, uint64_t times)
{
	struct wm_profile profile;
	read_built(builder, &profile);
	assert_int_equal(find_function(&profile, 1)->entries, entries);
	check_records(&profile, times);
	wm_profile_release(&profile);
}

/* The groups of the same records, and 6 entries of function 1. */
static size_t put_groups(uint8_t *groups)
{
	const struct wm_unfinished first[] = {records[0], records[3], records[4]};
	uint8_t *at = raw_builder_unfinished_group(groups, 0, first, 3);
	at = raw_builder_unfinished_group(at, 1, &records[2], 1);
	memcpy(at, (uint8_t[]){WM_GROUP_CELLS, 4, 6, 0}, 4);
	return (size_t)(at + 4 - groups);
}

static void chunks_are_added_up(void **state)
{
	(void)state;
	struct raw_builder builder;
	begin_file(&builder);
	raw_builder_unfinished(&builder, records, RECORDS);
	check(&builder, 10, 1);
	raw_builder_gap(&builder);
	raw_builder_unfinished(&builder, records, RECORDS);
	check(&builder, 10, 2);
	raw_builder_release(&builder);
}

/* Records behind `used` are none, nor is what is left behind the last whole one. */
static void used_is_where_the_records_end(void **state)
{
	(void)state;
	struct raw_builder builder;
	begin_file(&builder);
	struct wm_raw_chunk *chunk = raw_builder_unfinished(&builder, records, RECORDS);
	chunk->used = chunk->size - sizeof *chunk;
	check(&builder, 10, 1);
	raw_builder_release(&builder);
	begin_file(&builder);
	raw_builder_unfinished(&builder, records, RECORDS)->used = 23;
	check(&builder, 10, 0);
	raw_builder_release(&builder);
}

/* A process that was killed between any two of these steps leaves every record once. */
static void steps_of_the_end(void **state)
{
	(void)state;
	struct raw_builder builder;
	uint8_t groups[256];
	begin_file(&builder);
	raw_builder_unfinished(&builder, records, RECORDS);
	uint64_t offset = raw_builder_counts(&builder, groups, put_groups(groups), 0);
	check(&builder, 10, 1);
	builder.header.condensed = offset;
	check(&builder, 6, 1);
	builder.header.flags |= WM_RAW_CLEARED;
	check(&builder, 16, 2);
	raw_builder_release(&builder);
}

/* What is added behind the chunk of counts counts beside it. */
static void chunks_behind_the_counts_always_count(void **state)
{
	(void)state;
	struct raw_builder builder;
	uint8_t groups[256];
	begin_file(&builder);
	builder.header.condensed = raw_builder_counts(&builder, groups, put_groups(groups), 0);
	raw_builder_unfinished(&builder, records, RECORDS);
	check(&builder, 6, 2);
	raw_builder_release(&builder);
}

static enum wm_profile_status read_image(
	struct raw_builder *builder, struct wm_profile *profile, struct wm_profile_error *error)
{
	size_t size;
	uint8_t *image = raw_builder_image(builder, &size);
	wm_profile_init(profile);
	enum wm_profile_status status = read_copy(image, size, profile, error);
	free(image);
	raw_builder_release(builder);
	return status;
}

/* Nobody inherits an unfinished path. */
static void inherited_counts_have_none(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	uint8_t groups[256];
	begin_file(&builder);
	raw_builder_counts(&builder, groups, put_groups(groups), WM_COUNTS_BASE);
	builder.header.flags |= WM_RAW_INHERITED;
	assert_int_equal(read_image(&builder, &profile, &error), WM_PROFILE_REFUSED);
}

/* Neither the counts nor other records suffer. */
static void records_that_make_no_sense(void **state)
{
	(void)state;
	const struct wm_unfinished bad[] = {{3, 1, 1, 1}, {UINT32_MAX, 1, 1, 1}, {1, 0, 1, 1}};
	for (size_t i = 0; i < 4; i++) {
		struct raw_builder builder;
		struct wm_profile profile;
		struct wm_profile_error error;
		begin_file(&builder);
		if (i < 3)
			raw_builder_unfinished(&builder, &bad[i], 1);
		else
			raw_builder_unfinished(&builder, records, RECORDS)->used = 4096;
		raw_builder_unfinished(&builder, records, RECORDS);
		assert_int_equal(read_image(&builder, &profile, &error), WM_PROFILE_DAMAGED);
		assert_string_equal(error.text,
			"records of unfinished paths in it make no sense, and are left out: no counts are lost");
		assert_int_equal(find_function(&profile, 1)->entries, 10);
		check_records(&profile, 1);
		wm_profile_release(&profile);
	}
}

/* A record without a count was not counted yet. */
static void records_without_a_count(void **state)
{
	(void)state;
	struct raw_builder builder;
	const struct wm_unfinished none = {2, 1, 1, 0};
	begin_file(&builder);
	raw_builder_unfinished(&builder, &none, 1);
	check(&builder, 10, 0);
	raw_builder_release(&builder);
}

/* With true checksums. */
static void groups_that_make_no_sense(void **state)
{
	(void)state;
	const struct {
		uint8_t byte[12];
		size_t size;
	} bad[] = {{{WM_GROUP_UNFINISHED, 2, 1, 1, 1, 0}, 6}, {{WM_GROUP_UNFINISHED, 0, 1, 0, 1, 0}, 6},
		{{WM_GROUP_UNFINISHED, 0, 1, 1, 1}, 5}, {{WM_GROUP_UNFINISHED, 0, 1, 1}, 4},
		{{WM_GROUP_UNFINISHED, 0}, 2}, {{WM_GROUP_UNFINISHED}, 1},
		{{WM_GROUP_UNFINISHED, 0, 1, 255, 255, 255, 255, 31, 1, 0}, 10}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct raw_builder builder;
		struct wm_profile profile;
		struct wm_profile_error error;
		begin_file(&builder);
		builder.header.condensed = raw_builder_counts(&builder, bad[i].byte, bad[i].size, 0);
		assert_int_equal(read_image(&builder, &profile, &error), WM_PROFILE_REFUSED);
	}
}

/* Every byte of the chunk: a file is read wholly, in part or not at all, and what it counts stays. */
static void damage_at_every_byte(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_profile_error error;
	size_t size, used = sizeof(struct wm_raw_chunk) + sizeof records;
	begin_file(&builder);
	raw_builder_unfinished(&builder, records, RECORDS);
	uint8_t *image = raw_builder_image(&builder, &size);
	for (size_t bit = 0; bit < 8 * used; bit++) {
		uint8_t *byte = image + size - 4096 + bit / 8;
		*byte ^= (uint8_t)(1 << bit % 8);
		wm_profile_init(&profile);
		enum wm_profile_status status = read_copy(image, size, &profile, &error);
		assert_true(status == WM_PROFILE_OK || status == WM_PROFILE_DAMAGED || bit < 128);
		if (status != WM_PROFILE_REFUSED)
			assert_int_equal(find_function(&profile, 1)->entries, 10);
		wm_profile_release(&profile);
		*byte ^= (uint8_t)(1 << bit % 8);
	}
	free(image);
	raw_builder_release(&builder);
}

static uint8_t *make_pool(size_t *size, size_t inherited)
{
	struct raw_builder builder;
	uint8_t groups[256];
	begin_file(&builder);
	*raw_builder_cell(&builder, 0, 0) = 0;
	for (uint64_t r = 1; r <= 3; r++) {
		const struct wm_raw_run run = {.run_id_low = r, .run_id_high = 9, .start_time = 1, .pid = r};
		raw_builder_runs(&builder, &run, 1,
			(struct raw_builder_groups){groups, put_groups(groups), r == 2 ? inherited : 0});
	}
	builder.header.flags |= WM_RAW_POOL;
	builder.header.run_id_low = builder.header.run_id_high = builder.header.pid = 0;
	uint8_t *image = raw_builder_image(&builder, size);
	raw_builder_release(&builder);
	return image;
}

/* A chunk whose inherited counts have unfinished paths is left out. */
static void pools_add_them_up(void **state)
{
	(void)state;
	const struct wm_unfinished first[] = {records[0], records[3], records[4]};
	uint8_t group[256];
	size_t size, inherited = (size_t)(raw_builder_unfinished_group(group, 0, first, 3) - group);
	for (int bad = 0; bad < 2; bad++) {
		struct wm_profile profile;
		struct wm_profile_error error;
		uint8_t *image = make_pool(&size, bad ? inherited : 0);
		wm_profile_init(&profile);
		assert_int_equal(read_copy(image, size, &profile, &error), bad ? WM_PROFILE_DAMAGED : WM_PROFILE_OK);
		assert_int_equal(profile.runs, bad ? 2 : 3);
		assert_int_equal(find_function(&profile, 1)->entries, bad ? 12 : 18);
		check_records(&profile, bad ? 2 : 3);
		wm_profile_release(&profile);
		free(image);
	}
}

/* The chunk is a hole, but for its first bytes and its last record. */
static void holes_have_no_records(void **state)
{
	(void)state;
	enum { HUGE = 1 << 20 };
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_raw_identity identity;
	struct wm_profile_error error;
	static struct wm_unfinished many[HUGE / sizeof(struct wm_unfinished)];
	const size_t count = sizeof many / sizeof *many;
	many[1] = records[0];
	many[count - 1] = records[4];
	size_t size;
	begin_file(&builder);
	raw_builder_unfinished(&builder, many, count);
	uint8_t *image = raw_builder_image(&builder, &size);
	uint64_t first = builder.header.chunks_offset + sizeof(struct wm_raw_chunk);
	const struct wm_extent extent[] = {
		{0, first + 2 * sizeof *many}, {first + sizeof many - sizeof *many - 1, first + sizeof many}};
	/* What is in no extent is not read. */
	memcpy(image + first + 3 * sizeof *many, &records[2], sizeof *many);
	wm_profile_init(&profile);
	assert_int_equal(wm_raw_read_image(
				 &profile, &identity, &(struct wm_profile_image){image, size, extent, 2}, NULL, &error),
		WM_PROFILE_OK);
	assert_int_equal(find_function(&profile, 1)->unfinished_count, 2);
	assert_int_equal(find_function(&profile, 2)->unfinished_count, 0);
	wm_profile_release(&profile);
	free(image);
	raw_builder_release(&builder);
}

/* Of files with a table that is summed, functions are read that have unfinished paths alone. */
static void a_known_table_keeps_them(void **state)
{
	(void)state;
	struct wm_raw_table *table = wm_raw_table_new();
	for (uint64_t run = 1; run <= 2; run++) {
		struct raw_builder builder;
		struct wm_profile profile;
		struct wm_raw_identity identity;
		struct wm_profile_error error;
		size_t size;
		begin_file(&builder);
		builder.header.run_id_low = run;
		raw_builder_unfinished(&builder, &records[2], 1);
		uint8_t *image = raw_builder_image(&builder, &size);
		wm_profile_init(&profile);
		assert_int_equal(wm_raw_read_image(&profile, &identity,
					 &(struct wm_profile_image){.data = image, .size = size}, table, &error),
			WM_PROFILE_OK);
		wm_raw_table_summed(table);
		assert_int_equal(find_function(&profile, 2)->unfinished_count, 1);
		wm_profile_release(&profile);
		free(image);
		raw_builder_release(&builder);
	}
	wm_raw_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_and_differences),
		cmocka_unit_test(counts_saturate),
		cmocka_unit_test(many_runs_take_the_memory_of_one),
		cmocka_unit_test(chunks_are_added_up),
		cmocka_unit_test(used_is_where_the_records_end),
		cmocka_unit_test(steps_of_the_end),
		cmocka_unit_test(chunks_behind_the_counts_always_count),
		cmocka_unit_test(inherited_counts_have_none),
		cmocka_unit_test(records_that_make_no_sense),
		cmocka_unit_test(records_without_a_count),
		cmocka_unit_test(groups_that_make_no_sense),
		cmocka_unit_test(damage_at_every_byte),
		cmocka_unit_test(pools_add_them_up),
		cmocka_unit_test(holes_have_no_records),
		cmocka_unit_test(a_known_table_keeps_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
