/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Field against tests: cases by hand, then every pair of sets of paths drawn at random. */
#include "test/analysis/fixture.h"

#include "abi/crash.h"
#include "core/probes/prefix_sums.h"
#include "test/core/random_graph.h"
#include "view/document/view_options.h"
#include "view/untested/untested_view.h"

#include <stdlib.h>
#include <string.h>

/* A fixture is the field; beside it a profile of tests on the same binary. */
struct pair {
	struct fixture field;
	struct wm_profile_function record;
	struct wm_counted_path path[10], field_path[10];
	struct wm_profile_object object;
	struct wm_profile profile;
	struct wm_story tests;
	struct wm_untested untested;
	struct wm_report_options options;
};

/* Paths as bits of `ids`; each counted id + 1 times.  Entries abound, so that frames
 * are abandoned rather than missing. */
static void set_paths(struct wm_profile_function *record, struct wm_counted_path *path, uint32_t ids)
{
	record->path = path;
	record->path_count = 0;
	record->entries = 1000;
	for (uint64_t id = 0; id < 10; id++)
		if (ids >> id & 1)
			path[record->path_count++] = (struct wm_counted_path){.id = id, .count = id + 1};
}

static void pair_init(struct pair *p, uint32_t field, uint32_t tests)
{
	*p = (struct pair){0};
	fixture_init(&p->field);
	wm_report_options_init(&p->options);
	p->record = p->field.record[0];
	p->object = p->field.profile_object;
	p->object.function = &p->record;
	p->profile = (struct wm_profile){.runs = 1, .object_count = 1, .object = &p->object};
	set_paths(&p->field.record[0], p->field_path, field);
	set_paths(&p->record, p->path, tests);
}

static void pair_compare(struct pair *p)
{
	fixture_join(&p->field);
	wm_story_build(&p->tests, WM_STORY_OF_TESTS, &p->profile, &p->field.object, 1);
	wm_untested_build(&p->untested, &p->field.story, &p->tests, &p->options.filter, NULL);
}

static void pair_release(struct pair *p)
{
	wm_untested_release(&p->untested);
	wm_story_release(&p->tests);
	fixture_release(&p->field);
}

#define IDS(...) bits((const int[]){__VA_ARGS__, -1})
static uint32_t bits(const int *id)
{
	uint32_t set = 0;
	for (; *id >= 0; id++)
		set |= UINT32_C(1) << *id;
	return set;
}

static void assert_says(char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' is missing in: %s", words, text);
	free(text);
}

/* 2-4-5 back (8) is new; 2-3-5 back (6), the nearest, parts at block 2 of the figure. */
static void finds_where_they_part(void **state)
{
	struct pair p;
	(void)state;
	pair_init(&p, IDS(1, 6, 7, 8), IDS(1, 6, 3));
	pair_compare(&p);
	assert_int_equal(p.untested.function_count, 1);
	const struct wm_untested_function *f = &p.untested.function[0];
	assert_int_equal(f->tested, WM_TESTED);
	assert_int_equal(f->path_count, 2);
	assert_int_equal(f->path[0].path->id, 8);
	assert_int_equal(f->path[0].nearest->id, 6);
	assert_int_equal(f->path[0].common, 1);
	assert_int_equal(f->path[0].block, 1);
	/* 3 takes the same edge after the entry. */
	assert_true(f->path[0].edge_tested);
	assert_int_equal(f->edge_count, 1);
	assert_says(wm_untested_edges_text(f, 9, NULL), "1 untested edge: line 50 false");
	assert_says(wm_untested_news(f, &f->path[0], NULL),
		"line 20 false, where the nearest tested path (path 6, 7 times in the tests) has true; both "
		"outcomes are tested, but not this combination of decisions");
	pair_release(&p);
}

static void says_when_no_tested_path_starts_there(void **state)
{
	struct pair p;
	(void)state;
	pair_init(&p, IDS(5), IDS(0, 4));
	pair_compare(&p);
	const struct wm_untested_path *path = &p.untested.function[0].path[0];
	assert_int_equal(path->nearest->id, 0);
	assert_int_equal(path->common, 0);
	assert_int_equal(path->block, WM_NONE);
	assert_says(wm_untested_news(&p.untested.function[0], path, NULL),
		"it starts at the loop head in line 20, and the nearest tested path (path 0, 1 time in the tests) at "
		"the entry; "
		"no test starts here");
	assert_int_equal(p.untested.hidden_paths, 1);
	pair_release(&p);
}

static void says_when_no_test_runs_it(void **state)
{
	struct pair p;
	(void)state;
	pair_init(&p, IDS(0, 2), 0);
	p.record.entries = 0;
	pair_compare(&p);
	const struct wm_untested_function *f = &p.untested.function[0];
	assert_int_equal(f->tested, WM_TESTED_NEVER);
	assert_int_equal(f->path_count, 2);
	assert_null(f->path[0].nearest);
	assert_int_equal(f->edge_count, 7);
	assert_says(wm_untested_news(f, &f->path[0], NULL), "no test runs this function");
	pair_release(&p);

	pair_init(&p, IDS(0, 2), 0);
	pair_compare(&p);
	assert_int_equal(p.untested.function[0].tested, WM_TESTED_ENTERED);
	assert_int_equal(p.untested.function[0].edge_count, 6);
	pair_release(&p);
}

static void assert_refused(struct pair *p, const char *words)
{
	pair_compare(p);
	assert_int_equal(p->untested.function_count, 0);
	assert_int_equal(p->untested.paths, 0);
	assert_int_equal(p->untested.refused_count, 1);
	assert_string_equal(p->untested.refused[0].name, "walk");
	assert_non_null(strstr(p->untested.refused[0].reason, words));
	pair_release(p);
}

static void refuses_by_name(void **state)
{
	struct pair p;
	(void)state;
	pair_init(&p, IDS(0), IDS(0));
	p.record.graph_hash++;
	assert_refused(&p, "tests ran another version of its graph");
	pair_init(&p, IDS(0), IDS(0));
	p.field.record[0].graph_hash++;
	assert_refused(&p, "in the field: the profile is of another version");
	pair_init(&p, IDS(0), IDS(0));
	p.record.doubt = WM_DOUBT_THREADS;
	assert_refused(&p, "in the tests: a thread without counters");
	pair_init(&p, IDS(0), IDS(0));
	p.field.record[0].doubt = WM_DOUBT_LOST;
	assert_refused(&p, "in the field: ");
}

static void compares_only_what_is_wanted(void **state)
{
	struct pair p;
	(void)state;
	pair_init(&p, IDS(0, 1), IDS(0));
	p.options.filter.function = "another";
	pair_compare(&p);
	assert_int_equal(p.untested.function_count, 0);
	pair_release(&p);
}

/* Edges of each path of the figure: 1-2, 2-3, 2-4, 3-5, 4-5, 4-6, 5-2, 5-6, entry. */
static const uint32_t edges_of[10] = {0x18b, 0x14b, 0x195, 0x155, 0x125, 0x08a, 0x04a, 0x094, 0x054, 0x024};

static uint32_t edges_of_all(uint32_t ids)
{
	uint32_t edges = 0;
	for (int id = 0; id < 10; id++)
		edges |= ids >> id & 1 ? edges_of[id] : 0;
	return edges;
}

static void agrees_with_the_definition(void **state)
{
	struct random random = {17};
	(void)state;
	for (int i = 0; i < 500; i++) {
		struct pair p;
		uint32_t field = 1 + random_below(&random, 1023), tests = random_below(&random, 1024);
		uint32_t untested = field & ~tests, edges = edges_of_all(field) & ~(edges_of_all(tests) | 0x100);
		uint64_t executions = 0, all = 0;
		pair_init(&p, field, tests);
		pair_compare(&p);
		for (uint64_t id = 0; id < 10; id++) {
			executions += untested >> id & 1 ? id + 1 : 0;
			all += field >> id & 1 ? id + 1 : 0;
		}
		assert_int_equal(p.untested.paths, __builtin_popcount(field));
		assert_int_equal(p.untested.untested_paths, __builtin_popcount(untested));
		assert_int_equal(p.untested.untested_executions, executions);
		assert_int_equal(p.untested.executions, all);
		assert_int_equal(p.untested.untested_edges, __builtin_popcount(edges));
		assert_int_equal(p.untested.functions_with_paths, untested != 0);
		assert_int_equal(p.untested.functions_with_edges, edges != 0);
		assert_int_equal(p.untested.hidden_paths, edges ? 0 : __builtin_popcount(untested));
		pair_release(&p);
	}
}

static json_t *json_of(const struct pair *p)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	struct wm_untested_answer answer = wm_untested_of_field(&p->untested);
	wm_untested_json(&answer, &p->options, out);
	fclose(out);
	json_t *root = json_loads(text, 0, NULL);
	assert_non_null(root);
	free(text);
	return root;
}

static void json_holds_the_contract(void **state)
{
	static const char *const integers[] = {"paths", "untested_paths", "functions_with_untested_paths",
		"untested_edges", "functions_with_untested_edges",
		"untested_paths_in_functions_without_untested_edges"};
	static const int want[] = {4, 2, 1, 1, 1, 0};
	struct pair p;
	(void)state;
	pair_init(&p, IDS(1, 6, 7, 8), IDS(1, 6, 3));
	pair_compare(&p);
	json_t *root = json_of(&p), *summary = json_object_get(root, "summary");
	assert_string_equal(json_string_value(json_object_get(root, "schema")), "waymark.residual/1");
	assert_int_equal(json_object_size(summary), 9);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(json_integer_value(json_object_get(summary, integers[i])), want[i]);
	assert_float_equal(json_real_value(json_object_get(summary, "untested_percent")), 50.0, 1e-9);
	assert_float_equal(
		json_real_value(json_object_get(summary, "untested_frequency_percent")), 100 * 17.0 / 26, 1e-9);
	json_t *walk = json_array_get(json_object_get(root, "functions"), 0);
	json_t *path = json_array_get(json_object_get(walk, "paths"), 0), *parts = json_object_get(path, "parts_at");
	assert_int_equal(json_array_size(json_object_get(walk, "paths")), 2);
	assert_int_equal(json_integer_value(json_object_get(path, "id")), 8);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(path, "nearest"), "id")), 6);
	assert_int_equal(json_array_size(json_object_get(json_object_get(path, "nearest"), "blocks")), 3);
	assert_int_equal(json_integer_value(json_object_get(parts, "line")), 20);
	assert_string_equal(json_string_value(json_object_get(parts, "outcome")), "false");
	assert_string_equal(json_string_value(json_object_get(parts, "tested_outcome")), "true");
	assert_true(json_is_true(json_object_get(parts, "outcome_tested")));
	json_decref(root);
	pair_release(&p);
}

static void residual_build(struct pair *p, uint32_t field, uint32_t tests)
{
	pair_init(p, field, tests);
	p->field.record[0].flags = WM_FUNC_HASH | WM_FUNC_RESIDUAL;
	p->field.record[0].entries = 0;
	for (size_t i = 0; i < p->field.record[0].path_count; i++) {
		p->field_path[i].first_seen = 1800000000000000 + i;
		p->field_path[i].pid = 42;
	}
}

/* 6 is tested here, but was not when the program was built. */
static void residual_build_with_tests(void **state)
{
	struct pair p;
	(void)state;
	residual_build(&p, IDS(6, 7, 8), IDS(1, 6, 3));
	pair_compare(&p);
	const struct wm_untested_function *f = &p.untested.function[0];
	assert_true(p.untested.residual && p.untested.untested_paths == 2 && p.untested.known_paths == 1);
	assert_int_equal(f->path[0].nearest->id, 6);
	assert_int_equal(f->edge_count, 1);
	assert_int_equal(wm_untested_whole(f), 8 + 9);
	assert_int_equal(p.untested.note_count, 2);
	assert_non_null(strstr(p.untested.note[1], "1 path that the program counted as untested is in the profile"));
	json_t *root = json_of(&p), *summary = json_object_get(root, "summary");
	assert_true(json_is_null(json_object_get(summary, "paths")));
	assert_true(json_is_null(json_object_get(summary, "untested_percent")));
	assert_true(json_is_null(json_object_get(summary, "untested_frequency_percent")));
	assert_int_equal(json_integer_value(json_object_get(summary, "untested_paths")), 2);
	assert_int_equal(json_integer_value(json_object_get(summary, "untested_edges")), 1);
	json_t *path =
		json_array_get(json_object_get(json_array_get(json_object_get(root, "functions"), 0), "paths"), 0);
	assert_int_equal(json_integer_value(json_object_get(path, "id")), 8);
	assert_int_equal(json_integer_value(json_object_get(path, "first_seen")), 1800000000000002);
	assert_int_equal(json_integer_value(json_object_get(path, "pid")), 42);
	json_decref(root);
	pair_release(&p);
}

static void residual_build_alone(void **state)
{
	struct pair p;
	(void)state;
	residual_build(&p, IDS(6, 7), 0);
	fixture_join(&p.field);
	wm_story_build(&p.tests, WM_STORY_OF_TESTS, &p.profile, &p.field.object, 1);
	wm_untested_build(&p.untested, &p.field.story, NULL, &p.options.filter, NULL);
	const struct wm_untested_function *f = &p.untested.function[0];
	assert_true(f->tested == WM_TESTED_UNKNOWN && f->path_count == 2 && !f->path[0].nearest && !f->edge_count);
	json_t *root = json_of(&p), *summary = json_object_get(root, "summary");
	assert_true(json_is_null(json_object_get(summary, "untested_edges")));
	assert_true(json_is_null(json_object_get(root, "tested_runs")));
	assert_true(json_is_true(json_object_get(root, "residual")));
	json_t *function = json_array_get(json_object_get(root, "functions"), 0);
	assert_true(json_is_null(json_object_get(function, "tested")));
	assert_true(json_is_null(json_object_get(function, "entries")));
	json_decref(root);
	pair_release(&p);
}

/* ---- Unfinished paths, against the definition: the blocks of paths ------------------------------ */

enum { PREFIXES_MOST = 64 };

/* A path of the fixture's function, or the beginning of one. */
struct beginning {
	uint64_t sum;
	uint32_t block;
	struct wm_block_path path;
};

static bool begins_with(const struct wm_block_path *path, const struct wm_block_path *beginning)
{
	return path->start == beginning->start && path->length >= beginning->length &&
	       !memcmp(path->block, beginning->block, beginning->length * sizeof *path->block);
}

static uint32_t list_beginnings(struct beginning *list, const struct wm_plan *plan, struct wm_arena *arena)
{
	uint32_t count = 0;
	for (uint32_t block = 0; block < plan->graph->block_count; block++)
		for (uint64_t sum = 0; sum < plan->numbering.path_count; sum++) {
			struct wm_block_path path = {0};
			if (wm_prefix_decode(plan, block, sum, &path, arena) == WM_OK && count < PREFIXES_MOST)
				list[count++] = (struct beginning){sum, block, path};
		}
	return count;
}

/* Whether the tests, which completed the paths `ids` and were left at `tested`, begin like this one. */
static bool is_tested(const struct wm_plan *plan, uint32_t ids, const struct beginning *tested,
	const struct beginning *field, struct wm_arena *arena)
{
	bool is = begins_with(&tested->path, &field->path);
	for (uint64_t id = 0; id < plan->numbering.path_count; id++) {
		struct wm_block_path path = {0};
		assert_int_equal(wm_plan_decode(plan, id, &path, arena), WM_OK);
		is |= ids >> id & 1 && begins_with(&path, &field->path);
	}
	return is;
}

static void leave(struct wm_profile_function *record, struct wm_unfinished_path *unfinished, const struct beginning *at)
{
	*unfinished = (struct wm_unfinished_path){.sum = at->sum, .count = 3, .site = WM_SITE_BLOCK | at->block};
	record->unfinished = unfinished;
	record->unfinished_count = 1;
}

static void compare_beginnings(uint32_t ids, const struct beginning *field, const struct beginning *tests, bool tested)
{
	struct pair p;
	struct wm_unfinished_path left[2];
	pair_init(&p, IDS(0), ids);
	leave(&p.field.record[0], &left[0], field);
	leave(&p.record, &left[1], tests);
	pair_compare(&p);
	const struct wm_untested_function *f = &p.untested.function[0];
	assert_int_equal(f->unfinished_count, !tested);
	assert_int_equal(f->path_count, !tested + !(ids & 1));
	assert_int_equal(f->executions, (tested ? 0 : 3) + !(ids & 1));
	assert_int_equal(p.untested.paths, 2);
	assert_int_equal(p.untested.executions, 4);
	assert_true(tested || wm_untested_is_unfinished(&f->path[0]));
	pair_release(&p);
}

static void unfinished_paths_agree_with_the_definition(void **state)
{
	(void)state;
	struct random random = {20261119};
	struct wm_arena arena;
	struct beginning list[PREFIXES_MOST];
	struct pair p;
	uint32_t seen[2] = {0};
	wm_arena_init(&arena);
	pair_init(&p, IDS(0), IDS(0));
	pair_compare(&p);
	const struct wm_plan *plan = wm_story_plan(p.untested.function[0].field);
	uint32_t count = list_beginnings(list, plan, &arena);
	assert_true(count > 6 && count < PREFIXES_MOST);
	for (uint32_t i = 0; i < count * count; i++) {
		uint32_t ids = (uint32_t)random_next(&random) & (uint32_t)random_next(&random) &
			       (uint32_t)random_next(&random) & 1023;
		bool tested = is_tested(plan, ids, &list[i % count], &list[i / count], &arena);
		compare_beginnings(ids, &list[i / count], &list[i % count], tested);
		seen[tested]++;
	}
	assert_true(seen[0] > 20 && seen[1] > 20);
	pair_release(&p);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_where_they_part),
		cmocka_unit_test(says_when_no_tested_path_starts_there),
		cmocka_unit_test(says_when_no_test_runs_it),
		cmocka_unit_test(refuses_by_name),
		cmocka_unit_test(compares_only_what_is_wanted),
		cmocka_unit_test(agrees_with_the_definition),
		cmocka_unit_test(json_holds_the_contract),
		cmocka_unit_test(residual_build_with_tests),
		cmocka_unit_test(residual_build_alone),
		cmocka_unit_test(unfinished_paths_agree_with_the_definition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
