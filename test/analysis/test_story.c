/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tell/steps.h"
#include "analysis/tell/trails.h"
#include "test/analysis/fixture.h"

#include <stdio.h>
#include <string.h>

/* The walk comes first: it is the only function that ran or was refused. */
static const struct wm_story_function *walk(const struct fixture *f)
{
	for (size_t i = 0; i < f->story.function_count; i++)
		if (strcmp(f->story.function[i].map->name, "walk") == 0)
			return &f->story.function[i];
	fail_msg("walk is missing");
	return NULL;
}

static void assert_refused(struct fixture *f, const char *words)
{
	fixture_join(f);
	assert_int_equal(walk(f)->state, WM_STORY_REFUSED);
	assert_non_null(strstr(walk(f)->refusal, words));
	assert_int_equal(walk(f)->ran_count, 0);
	assert_int_equal(f->story.total.executions, 0);
	assert_int_equal(f->story.refused_count, 1);
	assert_string_equal(f->story.refused[0].name, "walk");
	fixture_release(f);
}

static void joins_and_balances(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	fixture_join(&f);
	const struct wm_story_function *function = walk(&f);
	const struct wm_balance want = {.entries = 1, .restarts = 199, .completed = 200};
	assert_int_equal(function->state, WM_STORY_RAN);
	assert_int_equal(function->possible.count, 10);
	assert_int_equal(function->ran_count, 4);
	assert_memory_equal(&function->balance, &want, sizeof want);
	assert_int_equal(function->path[0].id, 6);
	assert_int_equal(function->path[1].id, 8);
	assert_int_equal(function->path[0].start, WM_START_LOOP);
	assert_int_equal(function->path[0].end, WM_END_BACKEDGE);
	assert_int_equal(f.story.total.paths_ran, 4);
	assert_int_equal(f.story.total.functions_skipped, 1);
	assert_int_equal(f.story.refused_count + f.story.note_count, 0);
	fixture_release(&f);
}

/* A story of thousands of functions would otherwise need most of its memory for plans that nobody asks for. */
static void plans_are_made_when_asked_for(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	fixture_join(&f);
	const struct wm_story_function *function = walk(&f);
	assert_null(function->arena.blocks);
	for (int time = 0; time < 2; time++) {
		struct wm_trail trail;
		assert_int_equal(wm_story_plan(function)->numbering.path_count, 10);
		assert_ptr_equal(wm_story_plan(function)->graph, &function->map->graph);
		assert_int_equal(wm_story_find_trail(function, function->path[0].id, &trail, &f.arena), WM_OK);
		assert_int_equal(trail.end, function->path[0].end);
		wm_story_forget_plan(function);
		assert_null(function->arena.blocks);
	}
	fixture_release(&f);
}

/* What is left out of the possible paths stays left out when the plan is made again. */
static void plans_do_not_change_what_is_possible(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	fixture_join(&f);
	struct wm_story_function *function = (struct wm_story_function *)walk(&f);
	function->possible.count = 7;
	assert_non_null(wm_story_plan(function)->scheme);
	assert_true(wm_story_number(function));
	assert_int_equal(function->possible.count, 7);
	fixture_release(&f);
}

static void counts_abandoned_frames(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.record[0].entries = 3;
	f.record[0].flags |= WM_FUNC_RESUMED;
	f.record[0].resumed = 2;
	fixture_join(&f);
	assert_int_equal(walk(&f)->balance.abandoned, 4);
	assert_int_equal(walk(&f)->balance.resumed, 2);
	fixture_release(&f);
}

/* Forked in the loop: the parent had entered once and completed 1 and 6. */
static void counts_inherited_frames(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.record[0].entries = 0;
	f.record[0].base_entries = 1;
	f.path[0] = (struct wm_counted_path){.id = 1, .base = 1};
	f.path[1] = (struct wm_counted_path){.id = 6, .count = 5, .base = 3};
	fixture_join(&f);
	const struct wm_balance want = {.inherited = 1, .restarts = 104, .completed = 105};
	assert_memory_equal(&walk(&f)->balance, &want, sizeof want);
	assert_int_equal(walk(&f)->ran_count, 3);
	fixture_release(&f);
}

static void derives_entries_without_a_counter(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.record[0].flags = 0;
	f.record[0].entries = 0;
	fixture_join(&f);
	assert_int_equal(walk(&f)->balance.entries, 1);
	assert_int_equal(walk(&f)->balance.abandoned, 0);
	fixture_release(&f);
}

static void refuses_what_is_not_exact(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.record[0].entries = 0;
	assert_refused(&f, "do not balance");
	fixture_init(&f);
	f.record[0].doubt = WM_DOUBT_THREADS;
	assert_refused(&f, "-fwaymark-update=atomic");
	fixture_init(&f);
	f.record[0].doubt = WM_DOUBT_LOST;
	f.record[0].lost = 17;
	assert_refused(&f, "17 or more of its counts");
	fixture_init(&f);
	f.record[0].doubt = WM_DOUBT_SCHEMES;
	assert_refused(&f, "name two schemes");
	fixture_init(&f);
	f.path[3].id = 10;
	assert_refused(&f, "path 10");
	fixture_init(&f);
	f.path[3].count = UINT64_MAX;
	assert_refused(&f, "largest number");
	fixture_init(&f);
	f.function[0].scheme = "zigzag";
	assert_refused(&f, "zigzag");
}

/* The record of a copy that the linker dropped, and one of a function that is not in the map. */
static void ignores_records_without_counts(void **state)
{
	struct fixture f;
	(void)state;
	for (int unknown = 0; unknown < 2; unknown++) {
		fixture_init(&f);
		f.record[1] = (struct wm_profile_function){
			.key = unknown ? ~f.record[0].key : f.record[0].key, .graph_hash = f.record[0].graph_hash + 1};
		f.profile_object.function_count = 2;
		fixture_join(&f);
		assert_int_equal(walk(&f)->executions, 200);
		assert_int_equal(f.story.refused_count + f.story.note_count, 0);
		fixture_release(&f);
	}
}

static void refuses_another_graph_by_name(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.record[1] = f.record[0];
	f.record[1].graph_hash++;
	f.profile_object.function_count = 2;
	fixture_join(&f);
	assert_int_equal(walk(&f)->state, WM_STORY_RAN);
	assert_int_equal(walk(&f)->executions, 200);
	assert_int_equal(f.story.refused_count, 0);
	assert_int_equal(f.story.note_count, 1);
	assert_non_null(strstr(f.story.note[0], "1 counted function is not in its map"));
	assert_non_null(strstr(f.story.note[0], "left out: walk"));
	fixture_release(&f);
	fixture_init(&f);
	f.record[0].graph_hash++;
	fixture_join(&f);
	assert_int_equal(walk(&f)->state, WM_STORY_REFUSED);
	assert_int_equal(f.story.total.functions_refused, 1);
	assert_int_equal(f.story.refused_count, 1);
	assert_string_equal(f.story.refused[0].name, "walk");
	assert_non_null(strstr(f.story.refused[0].reason, "another version of its graph"));
	fixture_release(&f);
}

static void uses_the_same_graph_of_another_build(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.profile_object.build_id[0] = 0x11;
	fixture_join(&f);
	assert_int_equal(walk(&f)->executions, 200);
	assert_int_equal(f.story.note_count, 1);
	assert_non_null(strstr(f.story.note[0], "11cd"));
	fixture_release(&f);
}

static void says_when_nothing_fits(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.profile_object.build_id[0] = 0x11;
	f.record[0].key++;
	fixture_join(&f);
	assert_int_equal(f.story.matched, 0);
	assert_int_equal(f.story.note_count, 1);
	assert_non_null(strstr(f.story.note[0], "none of the programs"));
	fixture_release(&f);
}

/* Two programs with one `walk`, and a profile of both or of other builds of them. */
struct pair {
	struct fixture f;
	struct wm_object binary[2];
	struct wm_profile_object object[2];
	struct wm_profile_function record;
	struct wm_counted_path path;
};

static void name(char program[WM_PROGRAM_MAX], const char *text)
{
	snprintf(program, WM_PROGRAM_MAX, "%s", text);
}

static void pair_init(struct pair *p)
{
	fixture_init(&p->f);
	p->path = (struct wm_counted_path){.id = 1, .count = 7};
	p->record = p->f.record[0];
	p->record.path_count = 1;
	p->record.path = &p->path;
	p->record.entries = 7;
	p->binary[0] = p->binary[1] = p->f.object;
	p->object[0] = p->object[1] = p->f.profile_object;
	p->object[1].function = &p->record;
	p->binary[1].build_id[0] = p->object[1].build_id[0] = 0xac;
	p->binary[1].path = (char *)"./other";
	name(p->binary[0].program, "walk");
	name(p->binary[1].program, "other");
	p->f.profile = (struct wm_profile){.runs = 2, .object_count = 2, .object = p->object};
}

static void pair_join_as(struct pair *p, enum wm_story_kind kind, size_t binaries)
{
	wm_story_build(&p->f.story, kind, &p->f.profile, p->binary, binaries);
}

static void pair_join(struct pair *p, size_t binaries)
{
	pair_join_as(p, WM_STORY_OF_BINARIES, binaries);
}

/* Executions of `walk` in a binary; UINT64_MAX if it has none. */
static uint64_t executions(const struct pair *p, size_t binary)
{
	for (size_t i = 0; i < p->f.story.function_count; i++)
		if (strcmp(p->f.story.function[i].map->name, "walk") == 0 &&
			p->f.story.function[i].object == &p->binary[binary])
			return p->f.story.function[i].executions;
	return UINT64_MAX;
}

static void one_function_in_two_programs_is_two(void **state)
{
	struct pair p;
	(void)state;
	pair_init(&p);
	pair_join(&p, 2);
	assert_int_equal(executions(&p, 0), 200);
	assert_int_equal(executions(&p, 1), 7);
	assert_int_equal(p.f.story.note_count, 0);
	assert_true(walk(&p.f)->records.elsewhere);
	fixture_release(&p.f);
	/* with one binary, the other program's counts are left out, whatever its name */
	for (int named = 0; named < 2; named++) {
		pair_init(&p);
		name(p.object[1].program, named ? "other" : "");
		pair_join(&p, 1);
		assert_int_equal(executions(&p, 0), 200);
		assert_int_equal(p.f.story.refused_count, 0);
		assert_int_equal(p.f.story.note_count, 1);
		assert_non_null(strstr(p.f.story.note[0], "none of the programs given"));
		fixture_release(&p.f);
	}
}

/* The same function of two programs, by its source. */
static void sources_join_programs(void **state)
{
	static const struct {
		enum wm_story_kind kind;
		size_t binaries;
		uint64_t source, other_source; /* of the function and its first record; of the second record */
		uint64_t executions;
	} rows[] = {
		{WM_STORY_OF_BINARIES, 2, 5, 5, 200},
		{WM_STORY_OF_BINARIES, 1, 5, 5, 200},
		{WM_STORY_OF_FUNCTIONS, 2, 5, 5, 207},
		{WM_STORY_OF_FUNCTIONS, 1, 5, 5, 200},
		{WM_STORY_OF_TESTS, 2, 5, 5, 207},
		{WM_STORY_OF_TESTS, 1, 5, 5, 207},
		{WM_STORY_OF_TESTS, 1, 5, 6, 200},
		{WM_STORY_OF_TESTS, 1, 5, 0, 200},
		{WM_STORY_OF_TESTS, 1, 0, 0, 200},
		{WM_STORY_OF_TESTS, 2, 0, 0, 200},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pair p;
		pair_init(&p);
		p.f.function[0].source = p.f.record[0].source = (uint64_t)rows[i].source << 32;
		p.record.source = (uint64_t)rows[i].other_source << 32;
		pair_join_as(&p, rows[i].kind, rows[i].binaries);
		assert_int_equal(executions(&p, 0), rows[i].executions);
		if (rows[i].executions == 207)
			assert_true(executions(&p, 1) == UINT64_MAX);
		assert_int_equal(p.f.story.refused_count, 0);
		if (rows[i].kind == WM_STORY_OF_TESTS && rows[i].binaries == 1 && rows[i].executions == 207)
			assert_non_null(
				strstr(p.f.story.note[0], "1 of its 1 function has the same source here and is used"));
		fixture_release(&p.f);
	}
}

static void any_program_sums(void **state)
{
	struct pair p;
	(void)state;
	pair_init(&p);
	p.f.profile.any_program = true;
	pair_join(&p, 2);
	assert_int_equal(walk(&p.f)->executions, 207);
	assert_int_equal(executions(&p, 0) == UINT64_MAX || executions(&p, 1) == UINT64_MAX, true);
	fixture_release(&p.f);
}

static void other_builds_are_matched_by_program(void **state)
{
	struct pair p;
	(void)state;
	pair_init(&p);
	p.object[0].build_id[1] = p.object[1].build_id[1] = 1;
	name(p.object[0].program, "walk");
	name(p.object[1].program, "other");
	pair_join(&p, 2);
	assert_int_equal(executions(&p, 0), 200);
	assert_int_equal(executions(&p, 1), 7);
	assert_int_equal(p.f.story.note_count, 2);
	assert_non_null(strstr(p.f.story.note[0], "another build of ./walk"));
	fixture_release(&p.f);
	/* without names, either could be either */
	pair_init(&p);
	p.object[0].build_id[1] = p.object[1].build_id[1] = 1;
	pair_join(&p, 2);
	assert_int_equal(p.f.story.matched, 0);
	assert_non_null(strstr(p.f.story.note[0], "may be another build of several"));
	fixture_release(&p.f);
	/* a binary of another name is another program */
	pair_init(&p);
	p.object[0].build_id[1] = 1;
	name(p.object[0].program, "walker");
	p.f.profile.object_count = 1;
	pair_join(&p, 2);
	assert_int_equal(p.f.story.matched, 0);
	assert_non_null(strstr(p.f.story.note[0], "none of the programs given (walker): "));
	fixture_release(&p.f);
	/* several builds of it are one program */
	pair_init(&p);
	p.object[0].build_id[1] = p.object[1].build_id[1] = 1;
	name(p.object[0].program, "walker");
	name(p.object[1].program, "walker");
	pair_join(&p, 2);
	assert_int_equal(p.f.story.note_count, 1);
	assert_non_null(strstr(p.f.story.note[0], "2 objects that are none of the programs given (walker): "));
	fixture_release(&p.f);
}

/* The same object, once trusted and once not. */
static void one_doubtful_run_spoils_nothing_else(void **state)
{
	struct pair p;
	(void)state;
	for (uint64_t runs = 1; runs < 3; runs++) {
		struct wm_doubtful_run run = {1700000000, 4711, WM_DOUBT_THREADS};
		pair_init(&p);
		p.f.record[1] = p.f.record[0];
		p.f.record[1].doubt = WM_DOUBT_THREADS;
		p.object[0].function = &p.f.record[runs == 1];
		p.object[0].function_count = runs;
		p.object[0].runs = runs;
		p.object[0].doubtful = &run;
		p.object[0].doubtful_count = 1;
		p.f.profile.object_count = 1;
		pair_join(&p, 1);
		assert_int_equal(walk(&p.f)->state, runs == 1 ? WM_STORY_REFUSED : WM_STORY_RAN);
		assert_int_equal(walk(&p.f)->executions, runs == 1 ? 0 : 200);
		assert_int_equal(p.f.story.total.functions_refused, runs == 1);
		assert_int_equal(p.f.story.note_count, 1);
		assert_non_null(strstr(p.f.story.note[0], "thread without counters"));
		assert_non_null(strstr(p.f.story.note[0], "process 4711 of 2023-11-14"));
		fixture_release(&p.f);
	}
}

static void one_function_in_two_modules_is_one(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	struct wm_map_module twice[2] = {f.module, f.module};
	f.object.map = (struct wm_map){.module_count = 2, .module = twice};
	fixture_join(&f);
	assert_int_equal(f.story.function_count, 2);
	assert_int_equal(walk(&f)->executions, 200);
	fixture_release(&f);
}

static void sums_records_that_differ_in_update(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.record[1] = f.record[0];
	f.record[1].flags |= WM_UPDATE_ATOMIC;
	f.profile_object.function_count = 2;
	fixture_join(&f);
	assert_int_equal(walk(&f)->executions, 400);
	assert_int_equal(walk(&f)->balance.entries, 2);
	assert_int_equal(walk(&f)->path[0].count, 198);
	fixture_release(&f);
}

static void tells_a_path_in_lines_and_outcomes(void **state)
{
	static const struct {
		uint32_t line;
		const char *outcome;
	} want[] = {{20, "false"}, {40, "true"}, {50, "false"}, {60, ""}, {61, ""}};
	struct fixture f;
	struct wm_steps steps = {0};
	struct wm_path_ends ends;
	(void)state;
	fixture_init(&f);
	fixture_join(&f);
	wm_steps_tell(&steps, walk(&f), 7, &ends);
	assert_int_equal(steps.count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(steps.step[i].line, want[i].line);
		assert_string_equal(steps.step[i].decision.outcome, want[i].outcome);
		assert_string_equal(steps.step[i].file, "walk.c");
	}
	wm_steps_release(&steps);
	fixture_release(&f);
}

/* Ends at the back edge: its decision belongs to the path. */
static void tells_the_decision_that_ends_a_path(void **state)
{
	struct fixture f;
	struct wm_steps steps = {0};
	struct wm_path_ends ends;
	(void)state;
	fixture_init(&f);
	fixture_join(&f);
	wm_steps_tell(&steps, walk(&f), 6, &ends);
	assert_string_equal(steps.step[steps.count - 1].decision.outcome, "true");
	assert_int_equal(steps.step[steps.count - 1].line, 50);
	wm_steps_release(&steps);
	fixture_release(&f);
}

static void tells_blocks_where_no_line_is_known(void **state)
{
	struct fixture f;
	struct wm_steps steps = {0};
	struct wm_path_ends ends;
	(void)state;
	fixture_init(&f);
	for (size_t b = 0; b < 6; b++) {
		f.block[b].line_count = 0;
		f.block[b].decision.line = 0;
	}
	fixture_join(&f);
	wm_steps_tell(&steps, walk(&f), 7, &ends);
	assert_int_equal(steps.count, 4);
	assert_int_equal(steps.step[1].block, 3);
	assert_int_equal(steps.step[1].line, 0);
	assert_string_equal(steps.step[1].decision.outcome, "true");
	assert_string_equal(steps.step[3].decision.outcome, "");
	wm_steps_release(&steps);
	fixture_release(&f);
}

static void tells_switch_cases(void **state)
{
	struct fixture f;
	char text[WM_OUTCOME_MAX];
	struct wm_map_case cases[] = {{0, 3}, {0, 1}, {0, 2}, {0, -4}, {1, 9}};
	(void)state;
	fixture_init(&f);
	f.block[1].terminator = WM_TERM_SWITCH;
	f.block[1].case_count = 5;
	f.block[1].cases = cases;
	f.block[1].default_edge = 1;
	fixture_join(&f);
	uint32_t first = f.function[0].graph.first_edge[1];
	wm_outcome_text(walk(&f), 1, first, text);
	assert_string_equal(text, "case -4, 1..3");
	wm_outcome_text(walk(&f), 1, first + 1, text);
	assert_string_equal(text, "case 9, default");
	fixture_release(&f);
}

static void shortens_long_case_lists(void **state)
{
	struct fixture f;
	char text[WM_OUTCOME_MAX];
	struct wm_map_case cases[100];
	(void)state;
	fixture_init(&f);
	for (int i = 0; i < 100; i++)
		cases[i] = (struct wm_map_case){0, 1000000007ll * i};
	f.block[1].terminator = WM_TERM_SWITCH;
	f.block[1].case_count = 100;
	f.block[1].cases = cases;
	fixture_join(&f);
	wm_outcome_text(walk(&f), 1, f.function[0].graph.first_edge[1], text);
	assert_true(strlen(text) < WM_OUTCOME_MAX);
	assert_string_equal(text + strlen(text) - 4, " ...");
	fixture_release(&f);
}

static void finds_names_by_glob_and_demangled(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	fixture_join(&f);
	const struct wm_story_function *other = &f.story.function[1];
	assert_string_equal(other->display, "a::bare()");
	assert_true(wm_story_name_matches(other, "a::bare"));
	assert_true(wm_story_name_matches(other, "a::bare()"));
	assert_true(wm_story_name_matches(other, "_ZN1a*"));
	assert_true(wm_story_name_matches(other, "bare"));
	assert_false(wm_story_name_matches(other, "bar"));
	assert_true(wm_story_name_matches(walk(&f), "w?lk"));
	fixture_release(&f);
}

static void writes_numbers_for_people(void **state)
{
	(void)state;
	assert_string_equal(wm_thousands(0), "0");
	assert_string_equal(wm_thousands(999), "999");
	assert_string_equal(wm_thousands(1000), "1,000");
	assert_string_equal(wm_thousands(UINT64_MAX), "18,446,744,073,709,551,615");
}

/* Counted only on untested paths: entries and most ends are missing, and that is right. */
static void residual_functions_do_not_balance(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.record[0].flags = WM_FUNC_HASH | WM_FUNC_RESIDUAL;
	f.record[0].entries = 0;
	f.path[1].first_seen = 1800000000000000;
	f.path[1].pid = 42;
	fixture_join(&f);
	const struct wm_balance want = {.completed = 200};
	assert_true(walk(&f)->state == WM_STORY_RAN && walk(&f)->residual);
	assert_memory_equal(&walk(&f)->balance, &want, sizeof want);
	assert_true(walk(&f)->path[0].first_seen == 1800000000000000 && walk(&f)->path[0].pid == 42);
	assert_string_equal(wm_time_text(walk(&f)->path[0].first_seen), "2027-01-15 08:00:00 UTC");
	assert_int_equal(f.story.total.functions_residual, 1);
	assert_int_equal(f.story.note_count, 1);
	assert_non_null(strstr(f.story.note[0], "only untested paths were counted (in 1 function "));
	fixture_release(&f);
}

static void residual_functions_without_paths_are_known(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.record[0].flags = WM_FUNC_HASH | WM_FUNC_RESIDUAL;
	f.record[0].entries = f.record[0].path_count = 0;
	fixture_join(&f);
	assert_true(walk(&f)->state == WM_STORY_IDLE && walk(&f)->residual);
	assert_int_equal(f.story.total.functions_residual, 1);
	fixture_release(&f);
}

/* In one object of the run it is whole, in another residual. */
static void refuses_whole_and_residual_counts(void **state)
{
	struct fixture f;
	(void)state;
	fixture_init(&f);
	f.record[1] = f.record[0];
	f.record[1].flags = WM_FUNC_HASH | WM_FUNC_RESIDUAL;
	f.profile_object.function_count = 2;
	assert_refused(&f, "all its paths are counted in one object and only untested ones in another");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(residual_functions_do_not_balance),
		cmocka_unit_test(residual_functions_without_paths_are_known),
		cmocka_unit_test(refuses_whole_and_residual_counts),
		cmocka_unit_test(joins_and_balances),
		cmocka_unit_test(plans_are_made_when_asked_for),
		cmocka_unit_test(plans_do_not_change_what_is_possible),
		cmocka_unit_test(counts_abandoned_frames),
		cmocka_unit_test(counts_inherited_frames),
		cmocka_unit_test(derives_entries_without_a_counter),
		cmocka_unit_test(refuses_what_is_not_exact),
		cmocka_unit_test(ignores_records_without_counts),
		cmocka_unit_test(refuses_another_graph_by_name),
		cmocka_unit_test(uses_the_same_graph_of_another_build),
		cmocka_unit_test(says_when_nothing_fits),
		cmocka_unit_test(one_function_in_two_programs_is_two),
		cmocka_unit_test(sources_join_programs),
		cmocka_unit_test(any_program_sums),
		cmocka_unit_test(other_builds_are_matched_by_program),
		cmocka_unit_test(one_doubtful_run_spoils_nothing_else),
		cmocka_unit_test(one_function_in_two_modules_is_one),
		cmocka_unit_test(sums_records_that_differ_in_update),
		cmocka_unit_test(tells_a_path_in_lines_and_outcomes),
		cmocka_unit_test(tells_the_decision_that_ends_a_path),
		cmocka_unit_test(tells_blocks_where_no_line_is_known),
		cmocka_unit_test(tells_switch_cases),
		cmocka_unit_test(shortens_long_case_lists),
		cmocka_unit_test(finds_names_by_glob_and_demangled),
		cmocka_unit_test(writes_numbers_for_people),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
