/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the functions of the library tell, and how they fail. */
#include "test/library/sample.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct waymark_function *function_named(const struct waymark *counts, const char *name)
{
	for (size_t i = 0; i < waymark_function_count(counts); i++)
		if (!strcmp(waymark_function_name(waymark_function_at(counts, i)), name))
			return waymark_function_at(counts, i);
	fail_msg("%s is missing", name);
	return NULL;
}

/* ---- Telling ----------------------------------------------------------------------------- */

static void check_walk(const struct waymark_function *walk)
{
	uint64_t number = 0;
	assert_string_equal(waymark_function_display(walk), "walk");
	assert_string_equal(waymark_function_file(walk), "walk.c");
	assert_int_equal(waymark_function_line(walk), 9);
	assert_string_equal(waymark_function_scheme(walk), "acyclic");
	assert_int_equal(waymark_function_status(walk), WAYMARK_EXACT);
	assert_string_equal(waymark_function_reason(walk), "");
	assert_true(waymark_function_paths_possible(walk, &number) && number == 10);
	assert_true(waymark_function_paths_possible_log10(walk) == 1);
	assert_true(waymark_function_entries(walk, &number) && number == 1);
	assert_true(waymark_function_executions(walk, &number) && number == 200);
	assert_false(waymark_function_is_residual(walk));
	assert_int_equal(waymark_path_count(walk), 4);
}

static void check_bare(const struct waymark_function *bare)
{
	uint64_t number;
	assert_string_equal(waymark_function_display(bare), "a::bare()");
	assert_null(waymark_function_file(bare));
	assert_int_equal(waymark_function_status(bare), WAYMARK_SKIPPED);
	assert_string_equal(waymark_function_reason(bare), "it is <naked>");
	assert_false(waymark_function_paths_possible(bare, &number));
	assert_false(waymark_function_entries(bare, &number));
	assert_false(waymark_function_executions(bare, &number));
	assert_int_equal(waymark_path_count(bare), 0);
}

/* 2 3 5, which is blocks 1, 2 and 4 of the map: from the loop head to the back edge. */
static void check_hottest(struct waymark *counts, const struct waymark_function *walk)
{
	static const uint32_t lines[] = {20, 30, 31, 50};
	const struct waymark_path *path = waymark_path_at(walk, 0);
	struct waymark_trail *trail;
	struct waymark_error error;
	assert_int_equal(waymark_path_id(path), 6);
	assert_int_equal(waymark_path_executions(path), 99);
	assert_int_equal(waymark_path_start(path), WAYMARK_START_LOOP);
	assert_int_equal(waymark_path_end(path), WAYMARK_END_BACKEDGE);
	assert_int_equal(waymark_trail_new(counts, walk, path, &trail, &error), WAYMARK_OK);
	assert_int_equal(waymark_step_count(trail), 4);
	for (size_t i = 0; i < 4; i++) {
		const struct waymark_step *step = waymark_step_at(trail, i);
		assert_ptr_equal(waymark_step_function(step), walk);
		assert_string_equal(waymark_step_file(step), "walk.c");
		assert_int_equal(waymark_step_line(step), lines[i]);
		assert_int_equal(waymark_step_depth(step), 0);
		assert_int_equal(waymark_step_kind(step), WAYMARK_STEP_GO);
		assert_null(waymark_step_source(step));
		assert_int_equal(*waymark_step_outcome(step) != 0, i == 0 || i == 3);
	}
	assert_int_equal(waymark_step_column(waymark_step_at(trail, 0)), 7);
	waymark_trail_free(trail);
}

static void check_all(struct waymark *counts)
{
	const struct waymark_function *walk = function_named(counts, "walk");
	assert_int_equal(waymark_executions(counts), 200);
	assert_int_equal(waymark_refused_count(counts), 0);
	check_walk(walk);
	check_bare(function_named(counts, "_ZN1a4bareEv"));
	check_hottest(counts, walk);
}

static void tells_functions_paths_and_trails(void **state)
{
	struct sample sample;
	struct waymark_error error;
	struct waymark *counts, *more;
	(void)state;
	sample_open(&sample, NULL);
	assert_int_equal(sample_read(sample.profile.path, sample.binary.path, &counts, &error), WAYMARK_OK);
	assert_string_equal(error.text, "");
	assert_int_equal(sample_read(sample.profile.path, sample.binary.path, &more, NULL), WAYMARK_OK);
	check_all(counts);
	check_all(more);
	waymark_close(counts);
	check_all(more);
	waymark_close(more);
	waymark_close(NULL);
	waymark_trail_free(NULL);
	sample_close(&sample);
}

static void saturate(struct fixture *fixture)
{
	fixture->record[0].doubt = WM_DOUBT_SATURATED;
}

static void tells_what_is_refused(void **state)
{
	struct sample sample;
	struct waymark *counts;
	uint64_t number;
	(void)state;
	sample_open(&sample, saturate);
	assert_int_equal(sample_read(sample.profile.path, sample.binary.path, &counts, NULL), WAYMARK_OK);
	const struct waymark_function *walk = function_named(counts, "walk");
	assert_int_equal(waymark_function_status(walk), WAYMARK_REFUSED);
	assert_int_equal(waymark_path_count(walk), 0);
	assert_false(waymark_function_executions(walk, &number));
	assert_int_equal(waymark_refused_count(counts), 1);
	assert_string_equal(waymark_refused_name(counts, 0), "walk");
	assert_string_equal(waymark_refused_reason(counts, 0), waymark_function_reason(walk));
	assert_string_equal(waymark_refused_binary(counts, 0), sample.binary.path);
	waymark_close(counts);
	sample_close(&sample);
}

/* ---- Failing ----------------------------------------------------------------------------- */

static void assert_fails(const char *profile, const char *binary, enum waymark_status status, const char *words)
{
	struct waymark *none = NULL;
	struct waymark_error error;
	assert_int_equal(sample_read(profile, binary, &none, &error), status);
	assert_null(none);
	assert_int_equal(error.status, status);
	if (!strstr(error.text, words))
		fail_msg("'%s' is not in: %s", words, error.text);
}

static void change_graph(struct fixture *fixture)
{
	fixture->record[0].graph_hash++;
}

static void change_program(struct fixture *fixture)
{
	fixture->record[0].key++;
	snprintf(fixture->profile_object.program, sizeof fixture->profile_object.program, "other");
}

static void change_to_nothing(struct fixture *fixture)
{
	fixture->profile_object.function_count = 0;
}

static void says_what_does_not_match(void **state)
{
	static const struct {
		void (*change)(struct fixture *fixture);
		const char *words;
	} cases[] = {{change_graph, "has the same graph"}, {change_program, "it has counts of other"},
		{change_to_nothing, "is empty"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sample sample;
		sample_open(&sample, cases[i].change);
		assert_fails(sample.profile.path, sample.binary.path, WAYMARK_NO_MATCH, cases[i].words);
		sample_close(&sample);
	}
}

static void says_which_file_cannot_be_used(void **state)
{
	struct sample sample;
	struct image text, empty;
	(void)state;
	sample_open(&sample, NULL);
	image_open(&text, "no profile", 10);
	image_open_binary(&empty, (const uint8_t *)"", 0);
	const char *profile = sample.profile.path, *binary = sample.binary.path;
	assert_fails("/nowhere/a", binary, WAYMARK_BAD_PROFILE, "/nowhere/a: it cannot be read");
	assert_fails(text.path, binary, WAYMARK_BAD_PROFILE, text.path);
	assert_fails(profile, "/nowhere/b", WAYMARK_BAD_BINARY, "cannot read /nowhere/b");
	assert_fails(profile, text.path, WAYMARK_BAD_BINARY, "neither an ELF file nor an archive");
	assert_fails(profile, empty.path, WAYMARK_BAD_BINARY, "has no path map");
	image_close(&text);
	image_close(&empty);
	sample_close(&sample);
}

static void refuses_bad_arguments(void **state)
{
	struct {
		struct waymark_options options;
		char later;
	} newer = {0};
	const char *name = NULL;
	struct waymark *none = NULL;
	(void)state;
	assert_fails(NULL, "b", WAYMARK_BAD_ARGUMENT, "profile is NULL");
	assert_fails("a", NULL, WAYMARK_BAD_ARGUMENT, "binary is NULL");
	assert_int_equal(waymark_open(&none, &newer.options, NULL), WAYMARK_BAD_ARGUMENT); /* of no size */
	newer.options.size = sizeof newer.options;
	assert_int_equal(waymark_open(&none, &newer.options, NULL), WAYMARK_BAD_ARGUMENT); /* without a profile */
	newer.options.size = sizeof newer;
	newer.options.profiles = newer.options.binaries = &name;
	newer.options.profile_count = newer.options.binary_count = 1;
	newer.later = 1;
	struct waymark_error error;
	assert_int_equal(waymark_open(&none, &newer.options, &error), WAYMARK_BAD_ARGUMENT);
	assert_non_null(strstr(error.text, "another version"));
	assert_null(none);
}

/* ---- Messages ---------------------------------------------------------------------------- */

struct heard {
	const struct sample *sample;
	size_t warnings;
	struct waymark *opened; /* by the callback */
};

static void hear(void *closure, const char *sentence)
{
	struct heard *heard = closure;
	heard->warnings++;
	assert_non_null(strstr(sentence, "/nowhere/a"));
	assert_int_equal(
		sample_read(heard->sample->profile.path, heard->sample->binary.path, &heard->opened, NULL), WAYMARK_OK);
}

static void hands_warnings_to_the_callback(void **state)
{
	struct sample sample;
	struct waymark *counts;
	(void)state;
	sample_open(&sample, NULL);
	struct heard heard = {.sample = &sample};
	const char *profiles[] = {"/nowhere/a", sample.profile.path}, *binary = sample.binary.path;
	const struct waymark_options options = {.size = sizeof options,
		.profiles = profiles,
		.profile_count = 2,
		.binaries = &binary,
		.binary_count = 1,
		.warn = hear,
		.closure = &heard};
	assert_int_equal(waymark_open(&counts, &options, NULL), WAYMARK_OK);
	assert_int_equal(heard.warnings, 1);
	check_all(counts);
	waymark_close(counts);
	check_all(heard.opened);
	waymark_close(heard.opened);
	sample_close(&sample);
}

/* ---- Threads ----------------------------------------------------------------------------- */

static void *read_often(void *sample)
{
	const struct sample *files = sample;
	for (int i = 0; i < 20; i++) {
		struct waymark *counts;
		assert_int_equal(sample_read(files->profile.path, files->binary.path, &counts, NULL), WAYMARK_OK);
		check_all(counts);
		waymark_close(counts);
		assert_fails("/nowhere/a", files->binary.path, WAYMARK_BAD_PROFILE, "/nowhere/a");
	}
	return NULL;
}

static void serves_two_threads(void **state)
{
	struct sample sample[2];
	pthread_t thread[2];
	(void)state;
	for (int i = 0; i < 2; i++) {
		sample_open(&sample[i], NULL);
		assert_int_equal(pthread_create(&thread[i], NULL, read_often, &sample[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(thread[i], NULL), 0);
		sample_close(&sample[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_functions_paths_and_trails),
		cmocka_unit_test(tells_what_is_refused),
		cmocka_unit_test(says_what_does_not_match),
		cmocka_unit_test(says_which_file_cannot_be_used),
		cmocka_unit_test(refuses_bad_arguments),
		cmocka_unit_test(hands_warnings_to_the_callback),
		cmocka_unit_test(serves_two_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
