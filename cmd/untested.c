/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark untested: which paths, or outcomes of decisions, no test took. */
#include "cmd/residual.h"
#include "view/gaps.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A list of more paths would be read by nobody. */
enum { MOST_PATHS = 10000, MOST_OF_ALL = 1000 };

static const char usage[] = "usage: waymark untested [options] TESTS... BINARY...\n"
			    "\n"
			    "Prints the paths that no test took, function by function, those first that differ in\n"
			    "the fewest decisions from a path that a test took.  Each profile (.wmprof or .wmraw)\n"
			    "is one test, named after its file; a directory contains several tests.  Binaries are\n"
			    "the program and the shared objects that wrote the profiles.\n"
			    "\n"
			    "With --field, prints the paths that ran in the field and that no test took, as\n"
			    "`waymark residual` does.\n";

struct options {
	struct wm_residual_options field; /* field.tested: the values of --field */
	struct wm_gap_question question;
	int level; /* enum wm_gap_level */
	uint64_t most;
};

static void take_field(void *target, const char *value)
{
	struct wm_residual_options *options = target;
	WM_XGROW(options->tested, options->tested_count);
	options->tested[options->tested_count++] = (char *)value;
}

static void parse(struct options *options, int argc, char **argv)
{
	static const char *const levels[] = {[WM_GAP_PATH] = "path", [WM_GAP_EDGE] = "edge", NULL};
	struct wm_report_options *report = &options->field.report;
	const struct wm_option own[] = {
		WM_CHOICE("level", &options->level, "LEVEL", levels,
			"path: paths that no test took (default); edge: outcomes of decisions\n"
			"that no test took"),
		WM_NUMBER("most", &report->paths, "print the N nearest paths or outcomes of each function (5)"),
		WM_NUMBER("paths", &report->paths, NULL),
		WM_NUMBER("functions", &report->functions, "print the N functions that the tests execute most (10)"),
		WM_FLAG("all", &report->all, "print all functions, and up to 1,000 paths of each"),
		WM_FLAG("exclude-throws", &options->question.no_throw,
			"leave out paths and outcomes in which a call throws an exception"),
		WM_CALL("field", take_field, &options->field, "FILE",
			"print the paths of this profile of the field that no test took; may be\n"
			"given several times"),
		{.name = "fail-if-untested",
			.kind = WM_OPTION_MAYBE,
			.take = wm_residual_take_gate,
			.target = &options->field,
			.value = "PERCENT",
			.help = "with --field: exit with code 3 when more than PERCENT (0) of the paths\n"
				"are untested, or when functions or runs had to be left out"},
		WM_FLAG("any-program", &report->any_program, "a path is tested if a test of any program takes it"),
		WM_FLAG("json", &report->json, "print everything as JSON (schema waymark.untested/1)"),
		WM_FLAG("expand", &report->expand, "with --json: repeat lines and decisions in every path"),
		WM_TEXT("html", &report->html, "DIR", "write an HTML report into DIR"),
		WM_TEXT("function", &report->filter.function, "NAME",
			"print only functions with this name, or a glob such as 'parse_*'"),
		{0},
	};
	int first = wm_report_parse(report, usage, own, argc, argv);
	wm_operands_take(&options->field.operands, argv + first, argc - first);
	wm_operands_check(&options->field.operands, "waymark untested");
	if (report->paths > MOST_PATHS)
		wm_fail("--most can be at most %d", MOST_PATHS);
	options->question.level = (enum wm_gap_level)options->level;
	options->question.most = report->all ? MOST_OF_ALL : report->paths;
	options->question.filter = &report->filter;
}

/* --field: the operands are the profiles of the tests. */
static int compare_field(struct options *options)
{
	struct wm_residual_options field = options->field;
	field.tested = options->field.operands.profile;
	field.tested_count = options->field.operands.profile_count;
	field.operands.profile = options->field.tested;
	field.operands.profile_count = options->field.tested_count;
	return wm_residual_compare(&field);
}

static int find_gaps(struct options *options)
{
	const struct wm_operands *operands = &options->field.operands;
	struct wm_suite suite = {.only = &options->field.report.filter};
	struct wm_binaries binaries;
	struct wm_gaps gaps;
	wm_binaries_open(&binaries, operands, options->field.report.debug_dir);
	for (size_t i = 0; i < operands->profile_count; i++)
		wm_suite_add(&suite, operands->profile[i]);
	wm_suite_load(&suite, binaries.object, binaries.count, options->field.report.any_program);
	wm_report_need_wanted(&suite.story, &options->field.report);
	wm_gaps_find(&gaps, &suite, &options->question);
	wm_gaps_print(&gaps, &options->field.report);
	wm_gaps_release(&gaps);
	wm_suite_release(&suite);
	wm_binaries_release(&binaries);
	return 0;
}

int wm_cmd_untested(int argc, char **argv)
{
	struct options options = {0};
	parse(&options, argc, argv);
	int status = options.field.tested_count ? compare_field(&options) : find_gaps(&options);
	free(options.field.tested);
	wm_operands_release(&options.field.operands);
	return status;
}
