/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark tests: which test takes which paths, and which tests suffice. */
#include "analysis/join/operands.h"
#include "analysis/tell/steps.h"
#include "cmd/commands.h"
#include "cmd/report_options.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/tests/tests_view.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark tests [options] PROFILE... [BINARY...]\n"
			    "\n"
			    "Each profile (.wmprof or .wmraw) is one test, named after its file.  A directory\n"
			    "stands for several tests: each profile in it is one test, and each directory in it\n"
			    "is one test with all profiles that it contains.  Binaries are needed for the names\n"
			    "and lines of functions.\n"
			    "\n"
			    "Prints the smallest set of tests that takes all paths, the tests in an order that\n"
			    "takes new paths early, and the tests that can be removed together.  A test that\n"
			    "takes no path of the binaries is not judged.\n"
			    "\n"
			    "With --changed, prints the tests that take paths through changed lines, best first,\n"
			    "and the changed lines that are on no path of a test.\n";

/* The values of --print: the tests of the smallest set, all judged tests in the order of new paths, the judged tests that
 * are not in the smallest set, the tests that are not judged.  With --path or --line, all but the last are about the
 * tests that take the paths in question. */
enum names { NAMES_NONE = -1, NAMES_SMALLEST, NAMES_ORDER, NAMES_REDUNDANT, NAMES_UNJUDGED };

struct options {
	struct wm_report_options report;
	struct wm_operands operands;
	const char *path, *line;
	struct wm_change change;
	int print; /* enum names */
	bool list;
};

/* --path, --line and --changed ask about some of the paths. */
static void check_question(const struct options *options)
{
	const char *asked = options->path	    ? "--path"
			    : options->line	    ? "--line"
			    : options->change.range ? "--changed"
						    : NULL;
	if ((options->path != NULL) + (options->line != NULL) + (options->change.range != NULL) > 1)
		wm_fail("--path, --line and --changed exclude each other");
	if (!asked && wm_filter_has_files(&options->report.filter))
		asked = "--file or --exclude";
	if (asked && !options->operands.binary_count)
		wm_fail("%s needs the binary that wrote the profiles", asked);
	if ((options->change.before || options->change.root) && !options->change.range)
		wm_fail("--before and --changed-root belong to --changed");
}

static void parse(struct options *options, int argc, char **argv)
{
	static const char *const names[] = {[NAMES_SMALLEST] = "smallest",
		[NAMES_ORDER] = "order",
		[NAMES_REDUNDANT] = "redundant",
		[NAMES_UNJUDGED] = "unjudged",
		NULL};
	struct wm_report_options *report = &options->report;
	const struct wm_option own[] = {
		WM_TEXT("path", &options->path, "FUNCTION:ID", "print which tests take this path"),
		WM_TEXT("line", &options->line, "FILE:LINE",
			"print the paths through this line, and which tests take them"),
		WM_CHANGE_OPTIONS(&options->change, "print which tests to run for a change, best first: RANGE is\n"
						    "what `git diff` compares, - is a diff on standard input"),
		WM_FLAG("before", &options->change.before, "the binaries and profiles are from before the change"),
		WM_FLAG("list", &options->list, "print only the names of these tests; the same as --print order"),
		WM_NUMBER("paths", &report->paths, "print N of these paths (5)"),
		WM_CHOICE("print", &options->print, "WHAT", names,
			"print only names of tests, one per line: smallest, order, redundant\n"
			"(not in the smallest set) or unjudged (without a path in the binaries);\n"
			"with --path or --line, of the tests that take such paths"),
		WM_FLAG("any-program", &report->any_program,
			"a path is the same path in every program that has the function", WM_RARE),
		WM_SCOPE_OPTION(report),
		WM_FLAG("json", &report->json, "print everything as JSON (schema waymark.tests/1)"),
		WM_FLAG("all", &report->all, "print all tests and paths"),
		{0},
	};
	int first = wm_report_parse(report, usage, own, argc, argv);
	wm_operands_take(&options->operands, argv + first, argc - first);
	if (!options->operands.profile_count)
		wm_fail("give one profile per test, as in `waymark tests tests/*.wmprof ./app`");
	check_question(options);
	if (options->list && options->print != NAMES_NONE)
		wm_fail("--list and --print exclude each other");
	if (options->list)
		options->print = NAMES_ORDER;
	if (options->print != NAMES_NONE && report->json)
		wm_fail("--print and --json exclude each other: --json has everything");
}

/* Questions about paths */

static void ask(struct wm_query *query, size_t path)
{
	WM_XGROW(query->path, query->count);
	query->path[query->count++] = (uint32_t)path;
}

static void ask_path(struct wm_query *query, const struct wm_suite *suite, const char *text)
{
	size_t length;
	uint64_t id = wm_named_number("--path", "FUNCTION:ID, as in parse:12", text, &length);
	char *name = wm_xprintf("%.*s", (int)length, text);
	const struct wm_story_function *last = NULL;
	bool possible = false;
	for (size_t f = 0; f < suite->story.function_count; f++)
		if (wm_story_name_matches(&suite->story.function[f], name)) {
			last = &suite->story.function[f];
			possible |= !last->possible.countable || wm_plan_has_pieces(wm_story_plan(last)) ||
				    id < last->possible.ids;
		}
	if (!last)
		wm_fail("no function is called '%s' here; `waymark show` lists the names", name);
	if (!possible)
		wm_story_no_path(last, id);
	for (size_t i = 0; i < suite->path_count; i++)
		if (suite->path[i].id == id && wm_story_name_matches(suite->path[i].function, name))
			ask(query, i);
	free(name);
}

/* Compares whole components from the end: "b.c" and "a/b.c" match "x/a/b.c". */
static bool file_matches(const char *file, const char *name, size_t length)
{
	size_t size = file ? strlen(file) : 0;
	return size >= length && memcmp(file + size - length, name, length) == 0 &&
	       (size == length || name[0] == '/' || file[size - length - 1] == '/');
}

static bool has_line(const struct wm_steps *steps, const char *name, size_t length, uint64_t line)
{
	for (size_t i = 0; i < steps->count; i++)
		if (steps->step[i].line == line && file_matches(steps->step[i].file, name, length))
			return true;
	return false;
}

/* Whether any instrumented function has the line at all. */
static bool knows_line(const struct wm_suite *suite, const char *name, size_t length, uint64_t line)
{
	for (size_t f = 0; f < suite->story.function_count; f++) {
		const struct wm_story_function *function = &suite->story.function[f];
		for (uint32_t b = 0; b < function->map->graph.block_count && function->map->block; b++) {
			const struct wm_map_block *block = &function->map->block[b];
			for (uint32_t i = 0; i < block->line_count; i++)
				if (block->line[i].line == line && block->line[i].file < function->module->file_count &&
					file_matches(function->module->file[block->line[i].file], name, length))
					return true;
		}
	}
	return false;
}

static void ask_line(struct wm_query *query, const struct wm_suite *suite, const char *text)
{
	struct wm_steps steps = {0};
	size_t length;
	uint64_t line = wm_named_number("--line", "FILE:LINE, as in parse.c:40", text, &length);
	if (!knows_line(suite, text, length, line))
		wm_fail("no instrumented function has code at %s; `waymark show` lists the functions and their files",
			text);
	for (size_t i = 0; i < suite->path_count; i++) {
		struct wm_path_ends ends;
		wm_steps_tell(&steps, suite->path[i].function, suite->path[i].id, &ends);
		if (has_line(&steps, text, length, line))
			ask(query, i);
	}
	wm_steps_release(&steps);
}

static struct wm_query read_query(const struct options *options, const struct wm_suite *suite)
{
	struct wm_query query = {.what = options->path ? options->path : options->line, .is_line = !options->path};
	if (options->path)
		ask_path(&query, suite, options->path);
	else if (options->line)
		ask_line(&query, suite, options->line);
	return query;
}

/* The suite as a whole */

/* The numbers of the paths in question, for wm_suite_sets(). */
static uint32_t *number_query(const struct wm_suite *suite, const struct wm_query *query, struct wm_arena *arena)
{
	uint32_t *number = WM_NEW(arena, uint32_t, suite->path_count);
	if (!number)
		wm_no_memory();
	for (size_t i = 0; i < suite->path_count; i++)
		number[i] = WM_NONE;
	for (uint32_t i = 0; i < query->count; i++)
		number[query->path[i]] = i;
	return number;
}

/* query_or_null: only these paths matter. */
static void study(struct wm_tests *tests, const struct wm_suite *suite, const struct wm_query *query_or_null)
{
	struct wm_sets sets;
	*tests = (struct wm_tests){.suite = suite};
	wm_arena_init(&tests->arena);
	wm_suite_sets(
		suite, query_or_null ? number_query(suite, query_or_null, &tests->arena) : NULL, &sets, &tests->arena);
	tests->order = WM_NEW(&tests->arena, uint32_t, suite->test_count);
	tests->gain = WM_NEW(&tests->arena, uint32_t, suite->test_count);
	tests->kept = WM_NEW(&tests->arena, bool, suite->test_count);
	tests->judged = WM_NEW(&tests->arena, bool, suite->test_count);
	if (!tests->order || !tests->gain || !tests->kept || !tests->judged ||
		wm_sets_order(&sets, tests->order, tests->gain, &tests->arena) != WM_OK ||
		wm_sets_cover(&sets, &tests->cover, &tests->arena) != WM_OK)
		wm_no_memory();
	for (uint32_t i = 0; i < tests->cover.count; i++)
		tests->kept[tests->cover.set[i]] = true;
	for (size_t t = 0; t < suite->test_count; t++)
		tests->judged[t] = sets.first[t] < sets.first[t + 1];
}

static bool is_named(const struct wm_tests *tests, size_t test, enum names names)
{
	switch (names) {
	case NAMES_SMALLEST:
		return tests->kept[test];
	case NAMES_REDUNDANT:
		return wm_tests_redundant(tests, test);
	case NAMES_ORDER:
		return tests->judged[test];
	case NAMES_UNJUDGED:
		return !tests->suite->test[test].path_count;
	case NAMES_NONE:
		break;
	}
	return false;
}

static void print_names(const struct wm_tests *tests, enum names names)
{
	for (size_t i = 0; i < tests->suite->test_count; i++) {
		size_t test = names == NAMES_ORDER ? tests->order[i] : i;
		if (is_named(tests, test, names))
			puts(tests->suite->test[test].name);
	}
}

/* Tests that are selected although they complete no path in question are judged, too, and no other test stands for them. */
static void add_selected(struct wm_tests *tests, const struct wm_around *around)
{
	for (size_t t = 0; t < tests->suite->test_count; t++) {
		bool added = around->test[t] && !tests->judged[t];
		tests->judged[t] |= added;
		tests->kept[t] |= added;
	}
}

/* asked_or_null: of --changed. */
static void print_study(const struct wm_suite *suite, const struct wm_query *query,
	const struct wm_tests_changed *asked_or_null, const struct options *options)
{
	bool names = options->print != NAMES_NONE;
	struct wm_tests tests;
	study(&tests, suite, (names && query->what) || asked_or_null ? query : NULL);
	if (asked_or_null)
		add_selected(&tests, &asked_or_null->changed->around);
	if (names && asked_or_null)
		wm_tests_changed_warn(&tests, asked_or_null);
	if (names)
		print_names(&tests, options->print);
	else if (options->report.json)
		wm_tests_json(&tests, query, asked_or_null, stdout);
	else if (asked_or_null)
		wm_tests_changed_text(&tests, asked_or_null, &options->report, stdout);
	else
		wm_tests_text(&tests, &options->report, stdout);
	wm_arena_release(&tests.arena);
}

static void print_changed(const struct wm_suite *suite, struct options *options)
{
	struct wm_changed changed = {0};
	wm_change_join(&options->change, suite->story.object, suite->story.object_count);
	wm_changed_find(&changed, suite, &options->change);
	struct wm_query query = {
		.what = options->change.range, .is_line = true, .count = changed.path_count, .path = changed.path};
	print_study(suite, &query, &(struct wm_tests_changed){&options->change, &changed}, options);
	wm_changed_release(&changed);
}

static void print(const struct wm_suite *suite, const struct options *options)
{
	struct wm_query query = read_query(options, suite);
	if (query.what && !options->report.json && options->print == NAMES_NONE)
		wm_query_text(suite, &query, &options->report, stdout);
	else
		print_study(suite, &query, NULL, options);
	free(query.path);
}

int wm_cmd_tests(int argc, char **argv)
{
	struct options options = {.print = NAMES_NONE};
	struct wm_suite suite = {.only = &options.report.filter};
	struct wm_binaries binaries = {0};
	parse(&options, argc, argv);
	if (options.operands.binary_count)
		wm_binaries_open(&binaries, &options.operands, options.report.debug_dir);
	wm_report_scope(
		&options.report, options.change.range || options.path || options.line, binaries.object, binaries.count);
	wm_report_base(&options.report, &options.change);
	if (options.change.range)
		wm_change_read(&options.change);
	for (size_t i = 0; i < options.operands.profile_count; i++)
		wm_suite_add(&suite, options.operands.profile[i]);
	wm_suite_load(&suite, binaries.object, binaries.count, options.report.any_program);
	if (options.change.range)
		print_changed(&suite, &options);
	else
		print(&suite, &options);
	wm_scope_release(&options.report.scope);
	wm_change_release(&options.change);
	wm_suite_release(&suite);
	if (options.operands.binary_count)
		wm_binaries_release(&binaries);
	wm_operands_release(&options.operands);
	return 0;
}
