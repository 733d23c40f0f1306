/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Triaged paths: their ids, how they are found, and the profile in which they are tested. */
#include "test/profile/testing.h"

#include "abi/abi.h"
#include "profile/profile_triage.h"

#include <stdlib.h>
#include <string.h>

static void ids_are_texts(void **state)
{
	(void)state;
	uint64_t seed = 5;
	char text[WM_TRIAGE_ID_SIZE];
	for (int i = 0; i < 1000; i++) {
		uint64_t id = wm_triage_id(random_next(&seed), random_next(&seed), random_below(&seed, 100));
		assert_true(id && id >> 48 == 0);
		wm_triage_id_print(text, id);
		assert_true(wm_triage_id_parse(text) == id);
	}
	assert_true(wm_triage_id(1, 2, 3) != wm_triage_id(1, 2, 4));
	assert_true(wm_triage_id(1, 2, 3) != wm_triage_id(1, 3, 3));
	assert_true(wm_triage_id(1, 2, 3) != wm_triage_id(2, 2, 3));
	/* A id is kept in stores: it must not change. */
	wm_triage_id_print(text, wm_triage_id(1, 2, 3));
	assert_string_equal(text, "7c68b4906e7e");
	for (const char *const *bad =
			(const char *const[]){"", "0123456789a", "0123456789abc", "0123456789aX", "000000000000", NULL};
		*bad; bad++)
		assert_true(wm_triage_id_parse(*bad) == 0);
}

static struct wm_triage make(uint64_t id, const char *program, uint64_t source, uint64_t path)
{
	struct wm_triage triage = {.id = id,
		.build_id_size = 2,
		.key = 7,
		.graph_hash = 8,
		.source = source,
		.flags = WM_FUNC_HASH | WM_FUNC_RESIDUAL,
		.path = path,
		.build_id = {1, 2}};
	memcpy(triage.program, program, strlen(program) + 1);
	return triage;
}

static void program_or_source_is_the_same(void **state)
{
	(void)state;
	struct wm_triage list[] = {make(3, "xz", 5, 0), make(2, "lua", 6, 0), make(3, "lua", 0, 1), make(1, "", 0, 0)};
	struct wm_triages triages = {sizeof list / sizeof *list, list};
	wm_triages_sort(&triages);
	assert_non_null(wm_triages_find(&triages, 3, "xz", 0));
	assert_string_equal(wm_triages_find(&triages, 3, "xz", 0)->program, "xz");
	assert_string_equal(wm_triages_find(&triages, 3, "lua", 0)->program, "lua");
	assert_string_equal(wm_triages_find(&triages, 3, "other", 5)->program, "xz");
	assert_null(wm_triages_find(&triages, 3, "other", 6));
	assert_null(wm_triages_find(&triages, 1, "", 0));
	assert_null(wm_triages_find(&triages, 4, "xz", 5));
	assert_null(wm_triages_find(&(struct wm_triages){0}, 4, "xz", 5));
}

/* What is written and read again is a profile of tests, in which each path was taken. */
static void they_are_tested(void **state)
{
	(void)state;
	struct wm_triage list[] = {make(1, "xz", 5, 9), make(2, "xz", 5, 4), make(2, "xz", 5, 4)};
	struct wm_triages triages = {sizeof list / sizeof *list, list};
	struct wm_profile tests, again;
	struct wm_profile_error error;
	uint8_t *data;
	size_t size;
	wm_profile_init(&tests);
	wm_profile_init(&again);
	assert_int_equal(wm_triages_test(&tests, &triages), WM_PROFILE_OK);
	assert_int_equal(wm_indexed_write(&tests, &data, &size), WM_PROFILE_OK);
	assert_int_equal(wm_indexed_read(&again, data, size, &error), WM_PROFILE_OK);
	assert_false(wm_profile_is_residual(&again));
	const struct wm_profile_object *object = wm_profile_find_object(&again, (uint8_t[]){1, 2}, 2);
	assert_string_equal(object->program, "xz");
	const struct wm_profile_function *function = wm_object_find_function(object, 7, 8);
	assert_true(function->source == 5 && function->path_count == 2 && function->base_resumed == 3);
	assert_true(function->path[0].id == 4 && function->path[0].count == 2);
	assert_true(function->path[1].id == 9 && function->path[1].count == 1);
	free(data);
	wm_profile_release(&tests);
	wm_profile_release(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_texts),
		cmocka_unit_test(program_or_source_is_the_same),
		cmocka_unit_test(they_are_tested),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
