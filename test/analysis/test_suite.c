/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A test suite on disk, and what is read of it. */
#include "analysis/suite/suite.h"
#include "support/output.h"
#include "support/xalloc.h"
#include "test/analysis/fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/waymark-suite-XXXXXX";

/* Paths as bits, in the function with this key. */
static void write_test(const char *name, uint64_t key, uint32_t ids, uint32_t doubt)
{
	struct wm_counted_path path[32];
	struct wm_profile_function function = {.key = key, .graph_hash = 7, .path = path, .doubt = doubt};
	struct wm_profile_object object = {.build_id_size = 1, .function_count = 1, .function = &function};
	struct wm_profile profile = {.runs = 1, .object_count = 1, .object = &object};
	uint8_t *data;
	size_t size;
	for (uint32_t id = 0; id < 32; id++)
		if (ids >> id & 1)
			path[function.path_count++] = (struct wm_counted_path){.id = id, .count = id + 5};
	assert_int_equal(wm_indexed_write(&profile, &data, &size), WM_PROFILE_OK);
	char *file = wm_xprintf("%s/%s", root, name);
	wm_write_file(file, data, size);
	free(file);
	free(data);
}

static void make_directory(const char *name)
{
	char *path = wm_xprintf("%s/%s", root, name);
	assert_int_equal(mkdir(path, 0777), 0);
	free(path);
}

static int make_files(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	write_test("t2.wmprof", 1, 0x0f, 0);
	write_test("t10.wmprof", 1, 0x3c, 0);
	make_directory("parts");
	write_test("parts/a.wmprof", 1, 0x01, 0);
	write_test("parts/b.wmprof", 2, 0x01, 0);
	make_directory("parts/deep");
	write_test("parts/deep/c.wmprof", 1, 0x80, 0);
	make_directory("empty");
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	char *command = wm_xprintf("rm -r %s", root);
	int status = system(command);
	free(command);
	return status;
}

static void reads_a_directory_of_tests(void **state)
{
	struct wm_suite suite = {0};
	(void)state;
	wm_suite_add(&suite, root);
	wm_suite_load(&suite, NULL, 0, false);
	assert_int_equal(suite.test_count, 3);
	assert_string_equal(suite.test[0].name, "parts");
	assert_string_equal(suite.test[1].name, "t2");
	assert_string_equal(suite.test[2].name, "t10");
	/* 0 … 5 and 7 of one function, 0 of the other */
	assert_int_equal(suite.path_count, 8);
	assert_int_equal(suite.function_count, 2);
	assert_int_equal(suite.test[0].path_count, 3);
	assert_int_equal(suite.test[0].only, 2);
	assert_int_equal(suite.test[1].only, 1);
	assert_int_equal(suite.test[2].only, 2);
	assert_int_equal(wm_suite_count(&suite.test[1], 3), 8);
	assert_int_equal(wm_suite_count(&suite.test[1], 5), 0);
	wm_suite_release(&suite);
}

static void gives_sets_for_the_cover(void **state)
{
	struct wm_suite suite = {0};
	struct wm_sets sets;
	struct wm_cover cover;
	struct wm_arena arena;
	(void)state;
	wm_arena_init(&arena);
	wm_suite_add(&suite, root);
	wm_suite_load(&suite, NULL, 0, false);
	wm_suite_sets(&suite, NULL, &sets, &arena);
	assert_int_equal(sets.set_count, 3);
	assert_int_equal(sets.first[3], 11);
	assert_int_equal(wm_sets_cover(&sets, &cover, &arena), WM_OK);
	assert_int_equal(cover.count, 3);
	wm_suite_release(&suite);
	wm_arena_release(&arena);
}

static void tells_tests_of_one_name_apart(void **state)
{
	struct wm_suite suite = {0};
	(void)state;
	char *one = wm_xprintf("%s/t2.wmprof", root), *other = wm_xprintf("%s/empty/t2.wmprof", root);
	write_test("empty/t2.wmprof", 3, 1, 0);
	wm_suite_add(&suite, one);
	wm_suite_add(&suite, other);
	wm_suite_load(&suite, NULL, 0, false);
	assert_string_equal(suite.test[0].name, one);
	assert_string_equal(suite.test[1].name, other);
	assert_int_equal(unlink(other), 0);
	wm_suite_release(&suite);
	free(one);
	free(other);
}

static void leaves_out_what_is_doubted(void **state)
{
	struct wm_suite suite = {0};
	(void)state;
	char *good = wm_xprintf("%s/t2.wmprof", root), *bad = wm_xprintf("%s/empty/bad.wmprof", root);
	write_test("empty/bad.wmprof", 1, 1, WM_DOUBT_THREADS);
	wm_suite_add(&suite, good);
	wm_suite_add(&suite, bad);
	wm_suite_load(&suite, NULL, 0, false);
	assert_int_equal(suite.doubted, 0);
	assert_int_equal(suite.path_count, suite.test[0].path_count);
	assert_true(suite.path_count);
	assert_int_equal(suite.test[1].path_count, 0);
	wm_suite_release(&suite);
	wm_suite_add(&suite, bad);
	wm_suite_load(&suite, NULL, 0, false);
	assert_int_equal(suite.doubted, 1);
	assert_int_equal(suite.path_count, 0);
	assert_int_equal(unlink(bad), 0);
	wm_suite_release(&suite);
	free(good);
	free(bad);
}

static void joins_tests_with_the_binary(void **state)
{
	struct wm_suite suite = {0};
	struct fixture f;
	uint8_t *data;
	size_t size;
	(void)state;
	fixture_init(&f);
	char *file = wm_xprintf("%s/empty/walk.wmprof", root);
	assert_int_equal(wm_indexed_write(&f.profile, &data, &size), WM_PROFILE_OK);
	wm_write_file(file, data, size);
	wm_suite_add(&suite, file);
	wm_suite_load(&suite, &f.object, 1, false);
	assert_int_equal(suite.path_count, 4);
	assert_string_equal(suite.path[1].function->map->name, "walk");
	assert_int_equal(suite.path[1].id, 6);
	assert_int_equal(wm_suite_count(&suite.test[0], 1), 99);
	wm_suite_release(&suite);
	assert_int_equal(unlink(file), 0);
	free(file);
	free(data);
	wm_arena_release(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_directory_of_tests),
		cmocka_unit_test(gives_sets_for_the_cover),
		cmocka_unit_test(tells_tests_of_one_name_apart),
		cmocka_unit_test(leaves_out_what_is_doubted),
		cmocka_unit_test(joins_tests_with_the_binary),
	};
	return cmocka_run_group_tests(tests, make_files, remove_files);
}
