/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of a raw profile with marks: what each test counted, and the rest. */
#include "test/profile/testing.h"

#include "abi/counts.h"
#include "abi/unfinished.h"
#include "profile/base/scheme_name.h"
#include "profile/raw/raw_tests.h"
#include "test/profile/raw_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function with the cells entries, path 0 and path 1 (the cells 0 to 2 of the file), and one with a table. */
static void build(struct raw_builder *builder, uint32_t flags)
{
	const struct wm_hash_slot slots[] = {{9, 8}, {70, 1}};
	raw_builder_init(builder);
	raw_builder_function(
		builder, 1, 1, WM_FUNC_ENTRIES | flags | wm_scheme_name("kiter=70") << WM_FUNC_SCHEME_SHIFT, 2);
	raw_builder_function(builder, 2, 2, WM_FUNC_HASH | WM_FUNC_RESIDUAL, 0);
	*raw_builder_cell(builder, 0, 0) = 10;
	*raw_builder_cell(builder, 0, 1) = 4;
	*raw_builder_cell(builder, 0, 2) = 5;
	struct wm_hash_table *table = raw_builder_table(builder, 1, 2, slots, 2, WM_TABLE_TIMES);
	raw_builder_time(table, 9, 1800000000000000);
}

/* Gaps count from the number of cells, 3 of the array and none of the table. */
static const uint8_t all_three[] = {WM_GROUP_CELLS, 1, 2, 1, 1, 1, 3, 0}, one_entry[] = {WM_GROUP_CELLS, 3, 1, 0},
		     of_table[] = {WM_GROUP_TABLE, 1, 3, 9, 0}, too_many[] = {WM_GROUP_CELLS, 2, 77, 0},
		     no_group[] = {99};

struct told {
	char text[2048];
	size_t size, limit; /* limit: of parts */
};

static void tell(struct told *told, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(struct told *told, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	told->size += (size_t)vsnprintf(told->text + told->size, sizeof(told->text) - told->size, format, arguments);
	va_end(arguments);
}

/* NAME#PART{KEY entries+base path:count+base … !site/sum:count …}; @: the time at which the path was first seen is known. */
static bool take(void *closure, const char *name, const struct wm_profile *part)
{
	struct told *told = closure;
	tell(told, "%s#%d{", name, (int)part->run_id[0].part);
	for (size_t i = 0; i < part->object[0].function_count; i++) {
		const struct wm_profile_function *f = &part->object[0].function[i];
		/* Every part says under which scheme it was counted; those of units do not know it here. */
		bool named = f->key == 1 && !(f->flags & WM_FUNC_UNIT);
		assert_int_equal(f->scheme, named ? wm_scheme_name("kiter=70") : WM_SCHEME_UNNAMED);
		tell(told, "%s%d %d+%d", i ? "; " : "", (int)f->key, (int)f->entries, (int)f->base_entries);
		for (size_t p = 0; p < f->path_count; p++)
			tell(told, " %d:%d+%d%s", (int)f->path[p].id, (int)f->path[p].count, (int)f->path[p].base,
				f->path[p].first_seen ? "@" : "");
		for (size_t u = 0; u < f->unfinished_count; u++)
			tell(told, " !%d/%d:%d", (int)f->unfinished[u].site, (int)f->unfinished[u].sum,
				(int)f->unfinished[u].count);
	}
	tell(told, "} ");
	return --told->limit > 0;
}

static enum wm_profile_status read_parts(struct raw_builder *builder, struct told *told, struct wm_profile_error *error)
{
	size_t size;
	uint8_t *data = raw_builder_image(builder, &size);
	const struct wm_profile_image image = {.data = data, .size = size};
	*told = (struct told){.limit = 100};
	error->text[0] = 0;
	enum wm_profile_status status = wm_raw_parts(&image, take, told, error);
	free(data);
	raw_builder_release(builder);
	return status;
}

static void check(struct raw_builder *builder, const char *want)
{
	struct told told;
	struct wm_profile_error error;
	assert_int_equal(read_parts(builder, &told, &error), WM_PROFILE_OK);
	assert_string_equal(told.text, want);
}

static void without_marks_there_is_one_part(void **state)
{
	(void)state;
	struct raw_builder builder;
	build(&builder, 0);
	check(&builder, "#0{1 10+0 0:4+0 1:5+0; 2 0+0 9:8+0@ 70:1+0} ");
}

/* What was counted before is in a part for the functions that count in it; a time is in the first part. */
static void marks_divide(void **state)
{
	(void)state;
	struct raw_builder builder;
	build(&builder, 0);
	raw_builder_mark(&builder, "a", one_entry, sizeof one_entry);
	raw_builder_mark(&builder, "b", of_table, sizeof of_table);
	raw_builder_mark(&builder, "", all_three, sizeof all_three);
	check(&builder, "#1{1 1+0; 2 0+0} a#2{2 0+0 9:3+0@} b#3{1 3+1 0:1+0 1:2+0; 2 0+0} "
			"#4{1 6+4 0:3+1 1:3+2; 2 0+0 9:5+3 70:1+0} ");
}

static void a_mark_at_the_start_names_everything(void **state)
{
	(void)state;
	struct raw_builder builder;
	build(&builder, 0);
	raw_builder_mark(&builder, "all", NULL, 0);
	check(&builder, "all#2{1 10+0 0:4+0 1:5+0; 2 0+0 9:8+0@ 70:1+0} ");
}

static void a_base_of_the_file_is_that_of_the_first_part(void **state)
{
	(void)state;
	struct raw_builder builder;
	build(&builder, 0);
	raw_builder_cells(&builder, WM_CHUNK_BASE)[0] = 100;
	raw_builder_mark(&builder, "a", one_entry, sizeof one_entry);
	raw_builder_mark(&builder, "", of_table, sizeof of_table);
	builder.header.flags |= WM_RAW_INHERITED;
	check(&builder, "#1{1 1+100; 2 0+0} a#2{2 0+0 9:3+0@} #3{1 9+101 0:4+0 1:5+0; 2 0+0 9:5+3 70:1+0} ");
}

/* A path across calls ends in another function than it begins: the base of all functions of units is needed. */
static void units_keep_their_base(void **state)
{
	(void)state;
	struct raw_builder builder;
	raw_builder_init(&builder);
	raw_builder_function(&builder, 1, 7, WM_FUNC_ENTRIES | WM_FUNC_UNIT, 1);
	raw_builder_function(&builder, 2, 7, WM_FUNC_ENTRIES | WM_FUNC_UNIT, 1);
	*raw_builder_cell(&builder, 0, 0) = 2;
	*raw_builder_cell(&builder, 1, 1) = 2;
	raw_builder_mark(&builder, "a", (uint8_t[]){WM_GROUP_CELLS, 4, 2, 0}, 4);
	check(&builder, "#1{1 2+0; 2 0+0} a#2{1 0+2; 2 0+0 0:2+0} ");
}

/* Site 1 of function 2 with the sum 7, once, is part of what is left there. */
static const uint8_t of_unfinished[] = {WM_GROUP_UNFINISHED, 1, 1, 1, 7, 0},
		     too_many_unfinished[] = {WM_GROUP_UNFINISHED, 1, 9, 1, 7, 0},
		     unknown_unfinished[] = {WM_GROUP_UNFINISHED, 1, 1, 2, 7, 0};

static void add_unfinished(struct raw_builder *builder)
{
	const struct wm_unfinished records[] = {{2, 1, 7, 3}, {1, 4, 2, 1}};
	raw_builder_unfinished(builder, records, 2);
}

/* They are in the part in which their activations were left, also if nothing else was counted. */
static void marks_divide_unfinished_paths(void **state)
{
	(void)state;
	struct raw_builder builder;
	build(&builder, 0);
	add_unfinished(&builder);
	raw_builder_mark(&builder, "a", of_unfinished, sizeof of_unfinished);
	raw_builder_mark(&builder, "b", one_entry, sizeof one_entry);
	check(&builder, "#1{1 0+0; 2 0+0 !1/7:1} a#2{1 1+0; 2 0+0} "
			"b#3{1 9+1 0:4+0 1:5+0 !4/2:1; 2 0+0 9:8+0@ 70:1+0 !1/7:2} ");
}

static void unfinished_paths_that_are_not_there(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct told told;
	struct wm_profile_error error;
	for (int i = 0; i < 2; i++) {
		build(&builder, 0);
		add_unfinished(&builder);
		raw_builder_mark(&builder, "a", i ? too_many_unfinished : unknown_unfinished, 6);
		assert_int_equal(read_parts(&builder, &told, &error), WM_PROFILE_DAMAGED);
		assert_string_equal(told.text, "#0{1 10+0 0:4+0 1:5+0 !4/2:1; 2 0+0 9:8+0@ 70:1+0 !1/7:3} ");
	}
}

static void a_mark_that_was_being_written_does_not_count(void **state)
{
	(void)state;
	struct raw_builder builder;
	build(&builder, 0);
	raw_builder_mark(&builder, "a", NULL, 0);
	*raw_builder_mark(&builder, "b", one_entry, sizeof one_entry) =
		(struct wm_raw_chunk){.magic = WM_CHUNK_MAGIC, .kind = WM_CHUNK_TEST, .size = 4096};
	check(&builder, "a#2{1 10+0 0:4+0 1:5+0; 2 0+0 9:8+0@ 70:1+0} ");
}

/* Marks that make no sense: the parts before them, and all that is left in one. */
static void damaged_marks_lose_no_counts(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct told told;
	struct wm_profile_error error;
	for (int damage = 0; damage < 6; damage++) {
		build(&builder, 0);
		raw_builder_mark(&builder, "a", one_entry, sizeof one_entry);
		struct wm_raw_chunk *mark = damage == 0	  ? raw_builder_mark(&builder, "b", too_many, sizeof too_many)
					    : damage == 1 ? raw_builder_mark(&builder, "b", no_group, sizeof no_group)
							  : raw_builder_mark(&builder, "b", NULL, 0);
		mark->sequence ^= damage == 2;
		mark->used = damage == 3 ? UINT64_MAX : mark->used;
		mark->thread = damage == 4 ? 2 : mark->thread;
		if (damage == 5) {
			mark->used = mark->thread = 1024;
			mark->sequence = wm_checksum(WM_CHECKSUM_INIT, (const uint64_t *)(mark + 1), 128);
		}
		raw_builder_mark(&builder, "c", one_entry, sizeof one_entry);
		assert_int_equal(read_parts(&builder, &told, &error), WM_PROFILE_DAMAGED);
		assert_string_equal(
			error.text, "the names of its tests are damaged from part 2 on: no counts are lost");
		assert_string_equal(told.text, "#1{1 1+0; 2 0+0} #2{1 9+1 0:4+0 1:5+0; 2 0+0 9:8+0@ 70:1+0} ");
	}
}

static void the_caller_may_stop(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct told told = {.limit = 1};
	struct wm_profile_error error;
	size_t size;
	build(&builder, 0);
	raw_builder_mark(&builder, "a", one_entry, sizeof one_entry);
	uint8_t *data = raw_builder_image(&builder, &size);
	const struct wm_profile_image image = {.data = data, .size = size};
	assert_true(wm_raw_has_tests(&image));
	assert_int_equal(wm_raw_parts(&image, take, &told, &error), WM_PROFILE_OK);
	assert_string_equal(told.text, "#1{1 1+0; 2 0+0} ");
	free(data);
	raw_builder_release(&builder);
}

/* Readers of whole files count the same. */
static void marks_count_nothing(void **state)
{
	(void)state;
	struct raw_builder builder;
	struct wm_profile profile;
	struct wm_raw_identity identity;
	struct wm_profile_error error;
	size_t size;
	build(&builder, 0);
	raw_builder_mark(&builder, "a", all_three, sizeof all_three);
	uint8_t *data = raw_builder_image(&builder, &size);
	wm_profile_init(&profile);
	assert_int_equal(wm_raw_read(&profile, &identity, data, size, &error), WM_PROFILE_OK);
	assert_int_equal(profile.object[0].function[0].entries, 10);
	assert_int_equal(profile.object[0].function[0].path[0].count, 4);
	wm_profile_release(&profile);
	free(data);
	raw_builder_release(&builder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_marks_there_is_one_part),
		cmocka_unit_test(marks_divide),
		cmocka_unit_test(a_mark_at_the_start_names_everything),
		cmocka_unit_test(a_base_of_the_file_is_that_of_the_first_part),
		cmocka_unit_test(units_keep_their_base),
		cmocka_unit_test(marks_divide_unfinished_paths),
		cmocka_unit_test(unfinished_paths_that_are_not_there),
		cmocka_unit_test(a_mark_that_was_being_written_does_not_count),
		cmocka_unit_test(damaged_marks_lose_no_counts),
		cmocka_unit_test(the_caller_may_stop),
		cmocka_unit_test(marks_count_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
