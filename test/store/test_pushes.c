/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A store equals the merge of what was pushed: random profiles, in any order, twice, alone and merged with others, with
 * roll-ups in between.  test_store_pushes [URL]: the database of a server, which is empty; without it, a file.
 */
#include "test/store/random_runs.h"

#include "abi/abi.h"
#include "profile/base/unfinished_paths.h"
#include "profile/collect.h"
#include "store/store_sightings.h"
#include "support/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 12 };

/* Adds run i to the sums of those that were pushed. */
static void note(struct wm_profile *sum, struct wm_profile *eu, const struct wm_profile *run, bool in_eu)
{
	assert_int_equal(wm_profile_merge(sum, run), 0);
	if (in_eu)
		assert_int_equal(wm_profile_merge(eu, run), 0);
}

static size_t sums; /* that roll-ups made */

static void one_round(uint64_t *seed, struct wm_profile_store *store, bool tame)
{
	struct wm_profile run[RUNS], sum, eu, bundle;
	bool stored[RUNS] = {0}, alone[RUNS] = {0}; /* alone: it was no sum, and the store knows its content */
	wm_profile_init(&sum);
	wm_profile_init(&eu);
	for (size_t i = 0; i < RUNS; i++)
		random_run(seed, &run[i], i, tame);
	for (int step = 0; step < 40; step++) {
		size_t first = random_below(seed, RUNS), second = random_below(seed, RUNS);
		bool in_eu = random_below(seed, 2);
		const char *labels = in_eu ? "region=eu,version=1" : "version=2";
		wm_profile_init(&bundle);
		assert_int_equal(wm_profile_merge(&bundle, &run[first]), 0);
		if (first != second && !random_below(seed, 3))
			assert_int_equal(wm_profile_merge(&bundle, &run[second]), 0);
		else
			second = first;
		int known = stored[first] + (first != second && stored[second]);
		int same = first == second && alone[first] ? WM_PUSH_KNOWN : WM_PUSH_UNSURE;
		int wanted = !known ? WM_PUSH_STORED : known == 1 + (first != second) ? same : WM_PUSH_REFUSED;
		assert_int_equal(push(store, &bundle, labels), wanted);
		if (wanted == WM_PUSH_STORED) {
			note(&sum, &eu, &bundle, in_eu);
			stored[first] = stored[second] = true;
			alone[first] = first == second;
		}
		wm_profile_release(&bundle);
		if (!random_below(seed, 6))
			sums += wm_store_roll_up(store, random_below(seed, 2) ? INT64_MAX : 1790200000);
		if (!random_below(seed, 10))
			check_store(store, "", &sum);
	}
	sums += wm_store_roll_up(store, INT64_MAX);
	check_store(store, "", &sum);
	check_store(store, "region=eu&version=1&version=7", &eu);
	for (size_t i = 0; i < RUNS; i++)
		wm_profile_release(&run[i]);
	wm_profile_release(&sum);
	wm_profile_release(&eu);
}

static void random_pushes_equal_the_merge(void **state)
{
	(void)state;
	uint64_t seed = 20261118;
	for (int round = 0; round < (store_is_on_server() ? 4 : 8); round++) {
		struct wm_profile_store *store = new_store();
		one_round(&seed, store, round % 4);
		wm_store_close(store);
	}
	assert_true(sums > 3);
}

/* A whole file and its increments are never both stored. */
static void parts_and_whole_exclude_each_other(void **state)
{
	(void)state;
	uint64_t seed = 7;
	struct wm_profile_store *store = new_store();
	struct wm_profile whole, part, sum;
	random_run(&seed, &whole, 1, false);
	wm_profile_init(&part);
	wm_profile_init(&sum);
	assert_int_equal(wm_profile_merge(&part, &whole), 0);
	part.run_id[0].part = 1;
	assert_int_equal(push(store, &part, ""), WM_PUSH_STORED);
	assert_int_equal(push(store, &part, ""), WM_PUSH_KNOWN);
	assert_int_equal(push(store, &whole, ""), WM_PUSH_REFUSED);
	part.run_id[0].part = 2;
	part.runs = part.kill_unsafe_runs = 0;
	for (size_t i = 0; i < part.object_count; i++) {
		part.object[i].runs = 0;
		part.object[i].doubtful_count = 0;
	}
	assert_int_equal(push(store, &part, ""), WM_PUSH_STORED);
	/* The sum of the parts is that of one run. */
	assert_int_equal(wm_profile_merge(&sum, &whole), 0);
	assert_int_equal(wm_profile_merge(&sum, &part), 0);
	sum.run_id_count = 1;
	for (size_t i = 0; i < sum.object_count; i++)
		sum.object[i].runs = whole.object[i].runs;
	if (whole.object[0].runs)
		check_store(store, "", &sum);
	wm_profile_release(&whole);
	wm_profile_release(&part);
	wm_profile_release(&sum);
	wm_store_close(store);
}

/* A run that the store has with other counts is not taken as stored, nor one that a program has not finished. */
static void other_counts_are_refused(void **state)
{
	(void)state;
	uint64_t seed = 9;
	struct wm_profile_store *store = new_store();
	struct wm_profile profile;
	random_run(&seed, &profile, 1, false);
	profile.run_id[0].part = WM_PART_UNFINISHED;
	assert_int_equal(push(store, &profile, ""), WM_PUSH_REFUSED);
	profile.run_id[0].part = 0;
	assert_int_equal(push(store, &profile, ""), WM_PUSH_STORED);
	assert_int_equal(push(store, &profile, "version=2"), WM_PUSH_KNOWN);
	profile.kill_unsafe_runs ^= 1;
	assert_int_equal(push(store, &profile, ""), WM_PUSH_REFUSED);
	wm_profile_release(&profile);
	wm_store_close(store);
}

/* Bytes that are no text, in names of programs: both databases store the same. */
static void names_become_text(void **state)
{
	(void)state;
	uint64_t seed = 10;
	struct wm_profile_store *store = new_store();
	struct wm_profile profile;
	random_run(&seed, &profile, 1, false);
	snprintf(profile.object[0].program, WM_PROGRAM_MAX, "%s", "caf\xc3\xa9 \xff\xc3_\xed\xa0\x80\xf0\x9f\x98");
	assert_int_equal(push(store, &profile, ""), WM_PUSH_STORED);
	snprintf(profile.object[0].program, WM_PROGRAM_MAX, "%s", "caf\xc3\xa9 ??_??????");
	check_store(store, "", &profile);
	wm_profile_release(&profile);
	wm_store_close(store);
}

/* Counts were made between two times, never in the future, and not before a path was first seen. */
static void times_are_those_of_the_counts(void **state)
{
	(void)state;
	enum { START = 1790000000, DAY = 86400 };
	static const struct {
		int64_t since, until, seen; /* days after the start */
		const char *found, *other; /* filters that select the profile, and do not */
	} row[] = {
		{0, 0, 0, "since=2026-09-21&until=2026-09-22", "since=2026-09-22"},
		{0, 5, 0, "since=2026-09-26", "until=2026-09-26"},
		{3, 5, 0, "since=2026-09-26", "until=2026-09-26"},
		{0, 0, 4, "since=2026-09-25", "until=2026-09-25"},
		{0, 900, 900, "since=2026-10-01&until=2026-10-02", "since=2026-10-02"},
	};
	struct wm_profile empty;
	wm_profile_init(&empty);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct wm_profile_store *store = new_store();
		struct wm_profile profile;
		struct wm_label_list none = {0};
		struct wm_push_facts facts = {&none, "m", START + 10 * DAY,
			row[i].since ? START + row[i].since * DAY : 0, row[i].until ? START + row[i].until * DAY : 0};
		char *reason;
		wm_profile_init(&profile);
		struct wm_profile_object *object = wm_profile_append_object(&profile, (const uint8_t[]){1}, 1);
		struct wm_profile_function *f = object->function = calloc(1, sizeof *f);
		object->function_count = object->function_capacity = 1;
		*f = (struct wm_profile_function){.key = 1, .graph_hash = 2, .flags = WM_FUNC_RESIDUAL};
		assert_true(wm_function_append(f, 1, 1, 0));
		f->path[0].first_seen = (uint64_t)(row[i].seen ? START + row[i].seen * DAY : 0) * 1000000;
		profile.runs = object->runs = 1;
		assert_true(wm_profile_append_run_id(&profile, &(struct wm_run_id){1, 1, 0, 0, START}));
		assert_int_equal(wm_store_push(store, &profile, &facts, &reason), WM_PUSH_STORED);
		check_store(store, row[i].found, &profile);
		check_store(store, row[i].other, &empty);
		wm_profile_release(&profile);
		wm_store_close(store);
	}
}

/* Profiles of older versions have no ids: their checksum is one. */
static void profiles_without_ids(void **state)
{
	(void)state;
	uint64_t seed = 11;
	struct wm_profile_store *store = new_store();
	struct wm_profile profile;
	random_run(&seed, &profile, 1, false);
	profile.run_id_count = 0;
	assert_int_equal(push(store, &profile, ""), WM_PUSH_STORED);
	assert_int_equal(push(store, &profile, ""), WM_PUSH_KNOWN);
	check_store(store, "", &profile);
	wm_profile_release(&profile);
	wm_store_close(store);
}

static void filters_select_objects(void **state)
{
	(void)state;
	uint64_t seed = 12;
	struct wm_profile_store *store = new_store();
	struct wm_profile profile, wanted;
	random_run(&seed, &profile, 1, false);
	while (profile.object_count < 2 || !*profile.object[1].program) {
		wm_profile_release(&profile);
		random_run(&seed, &profile, 1, false);
	}
	settle_kinds(&profile, true);
	assert_int_equal(push(store, &profile, "test=a 'quoted\" name; DROP TABLE run"), WM_PUSH_STORED);
	wm_profile_init(&wanted);
	check_store(store, "program=none", &wanted);
	check_store(store, "kind=field", &wanted);
	check_store(store, "since=2030-01-01", &wanted);
	check_store(store, "kind=test&test=a 'quoted\" name; DROP TABLE run&machine=m1", &profile);
	char *filter = wm_xprintf("program=%s", profile.object[1].program);
	assert_int_equal(wm_profile_merge(&wanted, &profile), 0);
	for (size_t i = 0; i < wanted.object_count; i++)
		if (i != 1)
			wm_profile_object_release(&wanted.object[i]);
	wanted.object[0] = wanted.object[1];
	wanted.object_count = 1;
	check_store(store, filter, &wanted);
	free(filter);
	wm_profile_release(&wanted);
	wm_profile_release(&profile);
	wm_store_close(store);
}

/* What was pruned is gone, and is not stored again. */
static void prune_removes_all_but_ids(void **state)
{
	(void)state;
	uint64_t seed = 13;
	struct wm_profile_store *store = new_store();
	struct wm_profile run[2], empty;
	struct wm_store_url url;
	for (size_t i = 0; i < 2; i++)
		random_run(&seed, &run[i], i, false);
	assert_int_equal(push(store, &run[0], "version=1"), WM_PUSH_STORED);
	assert_int_equal(push(store, &run[1], "version=2"), WM_PUSH_STORED);
	wm_store_url_parse(&url, "x#version=1&machine=m1", 0);
	assert_int_equal(wm_store_prune(store, &url.filter), 1);
	wm_store_url_release(&url);
	wm_profile_init(&empty);
	check_store(store, "version=1", &empty);
	check_store(store, "", &run[1]);
	assert_int_equal(push(store, &run[0], ""), WM_PUSH_KNOWN);
	check_store(store, "", &run[1]);
	for (size_t i = 0; i < 2; i++)
		wm_profile_release(&run[i]);
	wm_store_close(store);
}

static void take_rows(void *closure, const struct wm_sql_value *value)
{
	*(int64_t *)closure = value[0].integer;
}

static bool has_unfinished(const struct wm_profile_object *object)
{
	const struct wm_profile one = {.object = (struct wm_profile_object *)object, .object_count = 1};
	return wm_profile_has_unfinished(&one);
}

/* One of two objects, with its unfinished paths; then the other one, and nothing of either is left. */
static void prune_removes_objects(void **state)
{
	(void)state;
	uint64_t seed = 14;
	int64_t rows = -1;
	struct wm_profile_store *store = new_store();
	struct wm_profile run;
	struct wm_store_url url;
	random_run(&seed, &run, 1, true);
	while (!has_unfinished(&run.object[0]) || !has_unfinished(&run.object[1])) {
		wm_profile_release(&run);
		random_run(&seed, &run, 1, true);
	}
	snprintf(run.object[0].program, WM_PROGRAM_MAX, "one");
	snprintf(run.object[1].program, WM_PROGRAM_MAX, "two");
	assert_int_equal(push(store, &run, ""), WM_PUSH_STORED);
	check_store(store, "", &run);
	wm_store_url_parse(&url, "x#program=two", 0);
	assert_int_equal(wm_store_prune(store, &url.filter), 1);
	wm_store_url_release(&url);
	wm_profile_object_release(&run.object[--run.object_count]);
	check_store(store, "", &run);
	wm_store_url_parse(&url, "x#program=one", 0);
	assert_int_equal(wm_store_prune(store, &url.filter), 1);
	wm_store_url_release(&url);
	store->database->base.kind->query(store->database,
		&(struct wm_sql_query){
			.sql = "SELECT (SELECT count(*) FROM unfinished) + (SELECT count(*) FROM path) + "
			       "(SELECT count(*) FROM bundle)",
			.columns = 1,
			.take = take_rows,
			.closure = &rows});
	assert_int_equal(rows, 0);
	wm_profile_release(&run);
	wm_store_close(store);
}

/* Each path of the profile was taken in so many runs. */
static void check_runs(const struct wm_profile *profile, uint64_t least, uint64_t most)
{
	struct wm_sightings sightings = {0};
	wm_sightings_read(&sightings, name_of_store());
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++) {
			const struct wm_profile_function *function = &profile->object[o].function[f];
			for (size_t i = 0; i < function->path_count; i++) {
				if (!function->path[i].count)
					continue;
				const struct wm_sighting *found = wm_sightings_find(
					&sightings, function->key, false, function->graph_hash, function->path[i].id);
				assert_non_null(found);
				assert_int_equal(found->least_runs, least);
				assert_int_equal(found->most_runs, most);
			}
		}
	wm_sightings_release(&sightings);
}

/* A run of one function, with counts that a roll-up adds. */
static void tame_run(uint64_t *seed, struct wm_profile *profile)
{
	random_run(seed, profile, 1, true);
	while (!profile->object[0].function_count || !profile->object[0].function[0].path_count) {
		wm_profile_release(profile);
		random_run(seed, profile, 1, true);
	}
	while (profile->object_count > 1)
		wm_profile_object_release(&profile->object[--profile->object_count]);
	while (profile->object[0].function_count > 1)
		wm_function_release(&profile->object[0].function[--profile->object[0].function_count]);
	struct wm_profile_function *function = &profile->object[0].function[0];
	function->entries = function->resumed = function->base_entries = function->base_resumed = function->lost = 3;
	for (size_t i = 0; i < function->path_count; i++)
		function->path[i].count = function->path[i].base = 2;
	profile->object[0].runs = 1;
}

static void push_run(struct wm_profile_store *store, struct wm_profile *profile, uint64_t number, uint64_t part)
{
	profile->run_id[0].low = number;
	profile->run_id[0].part = part;
	profile->runs = profile->object[0].runs = part <= 1;
	assert_int_equal(push(store, profile, "version=1"), WM_PUSH_STORED);
}

/* In how many runs a path was taken is exact for raw profiles and increments, and stays within its bounds otherwise. */
static void runs_of_paths_are_counted(void **state)
{
	(void)state;
	uint64_t seed = 17;
	struct wm_profile_store *store = new_store();
	struct wm_profile run, two;
	tame_run(&seed, &run);
	push_run(store, &run, 100, 0);
	check_runs(&run, 1, 1);
	push_run(store, &run, 101, 0);
	push_run(store, &run, 102, 1);
	push_run(store, &run, 102, 2);
	check_runs(&run, 3, 3);
	assert_int_equal(wm_store_roll_up(store, INT64_MAX), 1);
	check_runs(&run, 3, 3);
	/* Whether the run that goes on is the one that the sum has counted is not known any more. */
	push_run(store, &run, 102, 3);
	check_runs(&run, 3, 4);
	assert_int_equal(wm_store_roll_up(store, INT64_MAX), 1);
	check_runs(&run, 3, 4);
	push_run(store, &run, 103, 0);
	check_runs(&run, 4, 5);
	/* An indexed profile of two runs. */
	wm_profile_init(&two);
	for (uint64_t i = 104; i < 106; i++) {
		run.run_id[0].low = i;
		assert_int_equal(wm_profile_merge(&two, &run), 0);
	}
	assert_int_equal(push(store, &two, "version=1"), WM_PUSH_STORED);
	check_runs(&run, 5, 7);
	assert_int_equal(wm_store_roll_up(store, INT64_MAX), 1);
	check_runs(&run, 5, 7);
	wm_profile_release(&two);
	wm_profile_release(&run);
	wm_store_close(store);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_pushes_equal_the_merge),
		cmocka_unit_test(parts_and_whole_exclude_each_other),
		cmocka_unit_test(other_counts_are_refused),
		cmocka_unit_test(names_become_text),
		cmocka_unit_test(times_are_those_of_the_counts),
		cmocka_unit_test(profiles_without_ids),
		cmocka_unit_test(filters_select_objects),
		cmocka_unit_test(prune_removes_all_but_ids),
		cmocka_unit_test(prune_removes_objects),
		cmocka_unit_test(runs_of_paths_are_counted),
	};
	return run_store_tests(argc > 1 ? argv[1] : NULL, tests, sizeof tests / sizeof *tests);
}
