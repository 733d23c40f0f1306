/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark diff: what changed between two runs, two sets of runs, or two builds. */
#include "cmd/commands.h"
#include "cmd/report_options.h"
#include "support/fail.h"
#include "view/compare/delta_view.h"
#include <math.h>
#include <stdlib.h>

/* In addition to 1, a mistake of the user, and 2, a defect of Waymark; as the other checks (support/fail.h). */
enum { EXIT_DIFFERENT = 3 };

static const char usage[] = "usage: waymark diff [options] OLD NEW BINARY...\n"
			    "       waymark diff [options] --old FILE... --new FILE... BINARY...\n"
			    "\n"
			    "Prints which paths appeared, vanished, became hotter or became colder between the old\n"
			    "and the new runs, by their share of all path executions.  Each profile (.wmprof or\n"
			    ".wmraw) is one run; a directory stands for the runs whose profiles are in it.  With\n"
			    "several runs on each side, a test tells differences from the variation between runs.\n"
			    "The binaries may be one build or two, the old and the new one.\n";

struct options {
	struct wm_report_options report;
	struct wm_operands operands;
	struct wm_delta delta;
	struct wm_source_dirs old_source_dirs;
	uint64_t top;
	bool exit_code;
};

static double take_real(const char *option, const char *value, double most)
{
	char *end;
	double number = strtod(value, &end);
	if (end == value || *end || !(number >= 0 && number <= most))
		wm_fail("--%s needs a number from 0 to %g, not '%s'", option, most, value);
	return number;
}

static void take_change(void *target, const char *value)
{
	*(double *)target = take_real("min-change", value, 100) / 100;
}

static void take_level(void *target, const char *value)
{
	*(double *)target = take_real("level", value, 1);
}

static void take_operands(struct options *options, char **word, int count)
{
	struct wm_suite *old = &options->delta.side[WM_OLD].suite, *new = &options->delta.side[WM_NEW].suite;
	struct wm_operands *operands = &options->operands;
	bool named = old->test_count || new->test_count;
	wm_operands_take(operands, word, count);
	if (named && operands->profile_count)
		wm_fail("%s is given beside --old and --new; say by --old or --new to which side it belongs",
			operands->profile[0]);
	if (named && (!old->test_count || !new->test_count))
		wm_fail("--old and --new belong together: give at least one profile with each");
	if (!named && operands->profile_count != 2)
		wm_fail("give two profiles, the old one and the new one, as in `waymark diff old.wmprof new.wmprof "
			"./app`; for several runs use --old and --new");
	if (!operands->binary_count)
		wm_fail("no binary was given; add the program that wrote the profiles, as in `waymark diff old.wmprof "
			"new.wmprof ./app`");
	if (!named) {
		wm_suite_add(old, operands->profile[0]);
		wm_suite_add(new, operands->profile[1]);
	}
}

static void parse(struct options *options, int argc, char **argv)
{
	struct wm_report_options *report = &options->report;
	struct wm_delta_limits *limits = &options->delta.limits;
	*limits = (struct wm_delta_limits){.change = 0.0001, .q = 0.05};
	options->top = 10;
	struct wm_option_many old = {wm_take_run, wm_is_run, &options->delta.side[WM_OLD].suite};
	struct wm_option_many new = {wm_take_run, wm_is_run, &options->delta.side[WM_NEW].suite};
	const struct wm_option own[] = {
		WM_MANY("old", &old, "FILE...", "the old runs: one profile each"),
		WM_MANY("new", &new, "FILE...", "the new runs"),
		WM_NUMBER("top", &options->top, "print the N most important differences (10)"),
		WM_FLAG("all", &report->all, "print all differences"),
		WM_CALL("min-change", take_change, &limits->change, "POINTS",
			"leave out paths that became hotter or colder by less than POINTS\n"
			"percentage points (0.01)"),
		WM_NUMBER("min-count", &limits->count, "leave out paths with fewer than N executions on both sides"),
		WM_CALL("level", take_level, &limits->q, "Q",
			"with several runs on each side: leave out paths that became hotter or\n"
			"colder and whose q-value is above Q (0.05)"),
		WM_FLAG("exit-code", &options->exit_code,
			"exit with code 3 when there are differences, or functions that could not\n"
			"be compared"),
		WM_SCOPE_OPTION(report),
		WM_TEXT("function", &report->filter.function, "NAME",
			"compare only functions with this name, or a glob such as 'parse_*'"),
		WM_CALL("old-source-dir", wm_take_source_dir, &options->old_source_dirs, "DIR",
			"look for the source of the old build in DIR first; may be given several\n"
			"times; without it --source-dir counts for both builds"),
		WM_FLAG("any-program", &report->any_program, "counts of one program are valid for every other"),
		WM_FLAG("json", &report->json, "print everything as JSON (schema waymark.diff/1)"),
		WM_FLAG("expand", &report->expand, "with --json: repeat lines and decisions in every path"),
		WM_TEXT("html", &report->html, "DIR", "write an HTML report into DIR"),
		WM_MARKDOWN_OPTION(report),
		{0},
	};
	int first = wm_report_parse(report, usage, own, argc, argv);
	take_operands(options, argv + first, argc - first);
}

static struct wm_sources sources_of(const struct options *options, int side)
{
	bool own = side == WM_OLD && options->old_source_dirs.count;
	return (struct wm_sources){.directories = own ? &options->old_source_dirs : &options->report.source_dirs,
		.off = options->report.no_source};
}

/* Blocks are matched by files that pages do not show. */
static void compare(struct options *options, struct wm_sources shown[WM_SIDES])
{
	struct wm_sources read[WM_SIDES];
	struct wm_delta *delta = &options->delta;
	for (int s = 0; s < WM_SIDES; s++) {
		read[s] = shown[s] = sources_of(options, s);
		read[s].off = false;
		shown[s].confined = options->report.html;
		delta->sources[s] = &read[s];
	}
	wm_delta_build(delta, &options->operands, options->report.debug_dir, options->report.any_program,
		&options->report.filter);
	for (int s = 0; s < WM_SIDES; s++) {
		wm_sources_release(&read[s]);
		delta->sources[s] = &shown[s];
	}
}

/* The exit code of --exit-code. */
static int judge(const struct wm_delta *delta)
{
	if (!delta->different && delta->refused_count)
		wm_warn("%zu functions could not be compared and may contain differences", delta->refused_count);
	return delta->different || delta->refused_count ? EXIT_DIFFERENT : 0;
}

int wm_cmd_diff(int argc, char **argv)
{
	struct options options = {.delta = {.name = {[WM_OLD] = "old", [WM_NEW] = "new"},
					  .source_option = {"--old-source-dir", "--source-dir"}}};
	struct wm_sources shown[WM_SIDES];
	struct wm_delta *delta = &options.delta;
	parse(&options, argc, argv);
	compare(&options, shown);
	wm_report_need_wanted(&delta->side[WM_NEW].suite.story, &options.report);
	wm_delta_print(delta, &options.report, options.top);
	int status = options.exit_code ? judge(delta) : 0;
	wm_delta_release(delta);
	for (int s = 0; s < WM_SIDES; s++)
		wm_sources_release(&shown[s]);
	wm_scope_release(&options.report.scope);
	wm_operands_release(&options.operands);
	return status;
}
