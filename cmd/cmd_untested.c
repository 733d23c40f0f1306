/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark untested, or residual: which paths, or outcomes of decisions, no test took. */
#include "analysis/change/change.h"
#include "analysis/join/story_checks.h"
#include "cmd/commands.h"
#include "cmd/report_options.h"
#include "cmd/untested_field.h"
#include "cmd/untested_gate.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/untested/baseline_file.h"
#include "view/untested/untested_view.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A list of more paths would be read by nobody. */
enum { MOST_PATHS = 10000, MOST_OF_ALL = 100 };

static const char usage[] = "usage: waymark untested [options] TESTS... BINARY...\n"
			    "       waymark untested --field FIELD [options] [TESTS...] BINARY...\n"
			    "       waymark untested --tested TESTS [options] FIELD... BINARY...\n"
			    "       waymark residual [--tested TESTS] [options] FIELD... BINARY...\n"
			    "\n"
			    "Prints the outcomes of decisions that no test took, function by function, and the paths\n"
			    "that take only tested outcomes in a new combination, those first that differ in the\n"
			    "fewest decisions from a path that a test took.  Each profile (.wmprof or .wmraw) is one\n"
			    "test, named after its file; a directory contains several tests.  Binaries are the\n"
			    "program and the shared objects that wrote the profiles.\n"
			    "\n"
			    "With profiles of the field, prints only paths that ran there and that no test took,\n"
			    "the most frequent first.  TESTS may be left out if the field is a store with tests, or\n"
			    "ran a program built with -fwaymark-residual, which counts only untested paths.\n"
			    "`waymark residual` is another name of this command, whose operands are the field.\n";

struct options {
	struct wm_operands operands;
	struct wm_field_options field; /* the forms of the report, also if nothing is asked about the field */
	bool of_field; /* only paths of the field are asked for */
	struct wm_gap_question question;
	int level; /* enum wm_gap_level */
	struct wm_change change;
	struct wm_gate gate;
	const char *baseline, *write_baseline;
	bool instances;
};

static void take_field(void *target, const char *value)
{
	struct wm_field_options *options = target;
	struct wm_operands *field = &options->operands;
	WM_XGROW(field->profile, field->profile_count);
	field->profile[field->profile_count++] = (char *)value;
}

static void take_tested(void *target, const char *value)
{
	struct wm_field_options *options = target;
	WM_XGROW(options->tested, options->tested_count);
	options->tested[options->tested_count++] = (char *)value;
}

static void take_triage(void *target, const char *value)
{
	struct wm_field_options *options = target;
	WM_XGROW(options->triage, options->triage_count);
	options->triage[options->triage_count++] = (char *)value;
}

static void take_note(void *target, const char *value)
{
	struct wm_field_options *options = target;
	if (options->note)
		wm_fail("--note was given twice, and one note is stored for all ids of --triage; triage paths with "
			"other "
			"notes by another command");
	options->note = value;
}

/* Options that are not for paths of the field. */
static void check_field(const struct options *options)
{
	const struct wm_gate *gate = &options->gate;
	const struct {
		const char *name;
		bool given, gate;
	} row[] = {{"level", options->level != WM_GAP_BOTH, false},
		{"exclude-throws", options->question.no_throw, false}, {"instances", options->instances, false},
		{"checks", options->field.report.checks, false}, {"changed", options->change.range, false},
		{"budget", gate->count, true}, {"fail", gate->fail, true}, {"fail-under", gate->has_percent, true},
		{"baseline", options->baseline, false}, {"write-baseline", options->write_baseline, false}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (row[i].given)
			wm_fail("--%s cannot be combined with profiles of the field%s", row[i].name,
				row[i].gate ? "; their gate is --fail-if-untested" : "");
}

static bool is_standard_output(const char *file)
{
	return file && strcmp(file, "-") == 0;
}

/* Options that do not fit together. */
static void check(const struct options *options)
{
	const struct wm_field_options *field = &options->field;
	if (options->change.root && !options->change.range)
		wm_fail("--changed-root belongs to --changed");
	if (field->note && !field->triage_count)
		wm_fail("--note belongs to --triage");
	if (is_standard_output(field->forms.sarif) + field->forms.github + field->report.json + field->report.markdown >
		1)
		wm_fail("only one of --json, --markdown, --github and --sarif - can be printed; --sarif FILE writes a "
			"file");
	if (options->of_field) {
		check_field(options);
		return;
	}
	if (field->report.paths > MOST_PATHS)
		wm_fail("--most can be at most %d", MOST_PATHS);
	if (field->triage_count)
		wm_fail("--triage belongs to --field with a store");
	if (field->gate)
		wm_fail("--fail-if-untested belongs to --field; without it, use --fail, --fail-under or --budget");
}

/* Says of which side the operands are.  Binaries belong to both. */
static void take_operands(struct options *options, bool are_field, char **operand, int count)
{
	struct wm_operands *all = &options->operands, *field = &options->field.operands;
	wm_operands_take(all, operand, count);
	options->of_field = are_field || field->profile_count;
	if (!options->of_field) {
		wm_operands_check(all, "waymark untested");
		return;
	}
	for (size_t i = 0; i < all->profile_count; i++)
		(are_field ? take_field : take_tested)(&options->field, all->profile[i]);
	field->binary = all->binary;
	field->binary_count = all->binary_count;
	all->binary = NULL;
	wm_operands_check(field, are_field ? "waymark untested --tested tests.wmprof" : "waymark untested --field");
}

/* Beside outcomes, paths are examples of combinations: a hundred for each of thousands of functions are hundreds of megabytes. */
static size_t most_paths(const struct wm_report_options *report, enum wm_gap_level level)
{
	bool many = report->all && level == WM_GAP_PATH && report->paths < MOST_OF_ALL;
	return many ? MOST_OF_ALL : report->paths;
}

static void parse(struct options *options, int argc, char **argv)
{
	static const char *const levels[] = {[WM_GAP_BOTH] = "both",
		[WM_GAP_PATH] = "path",
		[WM_GAP_EDGE] = "edge",
		[WM_GAP_EDGE + 1] = "outcome", /* another name of it */
		NULL};
	struct wm_report_options *report = &options->field.report;
	const struct wm_option own[] = {
		WM_CHOICE("level", &options->level, "LEVEL", levels,
			"outcome, or edge: outcomes of decisions that no test took; path: paths\n"
			"that no test took; both: outcomes, and below them the paths that take\n"
			"only tested outcomes (default)"),
		WM_NUMBER("most", &report->paths,
			"print the N nearest paths or outcomes of each function, or the N most\n"
			"frequent paths of the field (5)"),
		WM_NUMBER("paths", &report->paths, NULL),
		WM_NUMBER("functions", &report->functions,
			"print the N functions that the tests execute most, or whose untested\n"
			"paths the field executes most (10)"),
		WM_FLAG("all", &report->all,
			"print all functions, with --level path up to 100 paths of each, or all of\n"
			"the field"),
		WM_FLAG("exclude-throws", &options->question.no_throw,
			"leave out paths and outcomes that throw an exception, or in which a call\n"
			"throws one"),
		WM_CHECKS_OPTION(report),
		WM_FLAG("instances", &options->instances,
			"tell the instances of a template apart; else a path is tested if a test\n"
			"of any instance takes it"),
		WM_CHANGE_OPTIONS(&options->change,
			"print only outcomes and paths of lines that `git diff RANGE`, or a diff\n"
			"on standard input, changes"),
		WM_CALL("budget", wm_gate_take_budget, &options->gate, "N|FILE",
			"exit with code 3 when a function has more than N untested outcomes, or\n"
			"more than FILE allows, whose lines are FUNCTION N; with --level path, all\n"
			"gates count paths within one decision of a tested path"),
		WM_FLAG("fail", &options->gate.fail, "exit with code 3 when anything is untested"),
		WM_CALL("fail-under", wm_gate_take_percent, &options->gate, "PERCENT",
			"exit with code 3 when less than PERCENT of the outcomes are tested"),
		WM_TEXT("baseline", &options->baseline, "FILE", "leave out what was untested when FILE was written"),
		WM_TEXT("write-baseline", &options->write_baseline, "FILE",
			"write what is tested and untested now into FILE"),
		WM_CALL("field", take_field, &options->field, "FILE",
			"print the paths of this profile or store of the field that no test took;\n"
			"may be given several times"),
		WM_CALL("tested", take_tested, &options->field, "FILE",
			"use FILE as a profile of the tests, so that the operands are profiles of\n"
			"the field; may be given several times"),
		WM_CALL("triage", take_triage, &options->field, "ID",
			"with a store as --field: the path with this id was looked at and is not\n"
			"reported any more; may be given several times"),
		WM_CALL("note", take_note, &options->field, "TEXT", "with --triage: why"),
		{.name = "fail-if-untested",
			.kind = WM_OPTION_MAYBE,
			.take = wm_field_take_gate,
			.target = &options->field,
			.value = "PERCENT",
			.help = "with --field: exit with code 3 when more than PERCENT (0) of the paths\n"
				"are untested, or when functions or runs had to be left out"},
		WM_FLAG("any-program", &report->any_program, "a path is tested if a test of any program takes it"),
		WM_FLAG("json", &report->json,
			"print everything as JSON (schema waymark.untested/1, or of the field\n"
			"waymark.residual/1)"),
		WM_FLAG("expand", &report->expand, "with --json: repeat lines and decisions in every path"),
		WM_TEXT("html", &report->html, "DIR", "write an HTML report into DIR"),
		WM_MARKDOWN_OPTION(report),
		WM_TEXT("sarif", &options->field.forms.sarif, "FILE|-", "write what is untested as SARIF 2.1.0"),
		WM_FLAG("github", &options->field.forms.github, "print annotations for a workflow of GitHub"),
		WM_SCOPE_OPTION(report),
		WM_TEXT("function", &report->filter.function, "NAME",
			"print only functions with this name, or a glob such as 'parse_*'"),
		{0},
	};
	int first = wm_report_parse(report, usage, own, argc, argv);
	bool are_field = strcmp(argv[0], "residual") == 0 || options->field.tested_count;
	take_operands(options, are_field, argv + first, argc - first);
	check(options);
}

/* What is asked, after the configuration file of the project was read; the command line wins. */
static void settle_question(struct options *options)
{
	const struct wm_report_options *report = &options->field.report;
	const struct wm_project_file *file = wm_scope_project_file(&report->scope);
	if (file && file->budget && !options->gate.count)
		wm_gate_take_budget_of(&options->gate, file->budget, wm_scope_directory(&report->scope));
	wm_report_base(report, &options->change);
	options->question.no_throw |= (wm_report_ignored(report) & WM_CHECK_THROW) != 0;
	options->question.level = options->level > WM_GAP_EDGE ? WM_GAP_EDGE : (enum wm_gap_level)options->level;
	options->question.most = most_paths(report, options->question.level);
	/* A gate counts all that it finds, whatever is listed. */
	options->question.search = wm_gate_is_set(&options->gate) && options->question.level == WM_GAP_PATH
					   ? MOST_PATHS
					   : options->question.most;
	options->question.filter = &report->filter;
}

static bool touches(const void *change, const struct wm_story_function *function, uint32_t block)
{
	return wm_change_block(change, function, block) != WM_LINE_SAME;
}

/* --changed; the result is released by the caller. */
static char *restrict_to_change(struct options *options, const struct wm_binaries *binaries)
{
	if (!options->change.range)
		return NULL;
	wm_change_join(&options->change, binaries->object, binaries->count);
	char *summary = wm_change_summary(&options->change);
	char *scope = wm_xprintf("outcomes and paths of changed lines are asked for: %s", summary);
	free(summary);
	options->question.touches = touches;
	options->question.stale = options->change.stale;
	options->question.closure = &options->change;
	options->question.scope = scope;
	return scope;
}

/* --baseline and --write-baseline */
static void use_baseline(
	struct options *options, const struct wm_suite *suite, struct wm_baseline *baseline, struct wm_sources *sources)
{
	if (options->baseline)
		wm_baseline_read(baseline, options->baseline);
	if (options->write_baseline)
		wm_baseline_write(&suite->story, &options->field.report.filter, sources, options->write_baseline);
	options->question.baseline = options->baseline ? baseline : NULL;
	options->question.sources = sources;
}

static uint8_t ignored(const struct options *options)
{
	return wm_report_ignored(&options->field.report) | (options->question.no_throw ? WM_CHECK_THROW : 0);
}

static int find_gaps(struct options *options)
{
	const struct wm_operands *operands = &options->operands;
	struct wm_suite suite = {.only = &options->field.report.filter};
	struct wm_binaries binaries;
	struct wm_gaps gaps;
	struct wm_baseline baseline = {0};
	struct wm_sources sources = {
		.directories = &options->field.report.source_dirs, .off = options->field.report.no_source};
	wm_binaries_open(&binaries, operands, options->field.report.debug_dir);
	wm_report_scope(&options->field.report, false, binaries.object, binaries.count);
	settle_question(options);
	if (options->change.range)
		wm_change_read(&options->change);
	for (size_t i = 0; i < operands->profile_count; i++)
		wm_suite_add(&suite, operands->profile[i]);
	wm_suite_read(&suite);
	wm_suite_join(&suite, options->instances ? WM_STORY_OF_TESTS : WM_STORY_OF_TESTS | WM_STORY_TEMPLATES,
		binaries.object, binaries.count, options->field.report.any_program);
	wm_report_need_wanted(&suite.story, &options->field.report);
	wm_story_leave_out(&suite.story, ignored(options));
	char *scope = restrict_to_change(options, &binaries);
	use_baseline(options, &suite, &baseline, &sources);
	wm_gaps_find(&gaps, &suite, &options->question);
	struct wm_untested_answer found = wm_untested_of_gaps(&gaps);
	wm_untested_print(&found, &options->field.report, &options->field.forms);
	bool holds = wm_gate_sees(&options->gate, &options->change);
	holds = wm_gate_holds(&options->gate, &gaps) && holds;
	free(scope);
	wm_baseline_release(&baseline);
	wm_sources_release(&sources);
	wm_gaps_release(&gaps);
	wm_suite_release(&suite);
	wm_binaries_release(&binaries);
	return holds ? 0 : WM_EXIT_UNTESTED;
}

int wm_cmd_untested(int argc, char **argv)
{
	struct options options = {0};
	parse(&options, argc, argv);
	int status = options.of_field ? wm_field_compare(&options.field) : find_gaps(&options);
	free(options.field.tested);
	free(options.field.triage);
	wm_change_release(&options.change);
	wm_gate_release(&options.gate);
	wm_scope_release(&options.field.report.scope);
	wm_operands_release(&options.field.operands);
	wm_operands_release(&options.operands);
	return status;
}
