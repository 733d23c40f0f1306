/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* waymark blame: which outcomes of decisions, lines and paths go with failed runs. */
#include "cmd/commands.h"
#include "cmd/report_options.h"
#include "support/fail.h"
#include "view/compare/blame_view.h"

static const char usage[] =
	"usage: waymark blame --passed FILE... --failed FILE... [options] BINARY...\n"
	"\n"
	"Ranks the outcomes of decisions, the lines and the paths of failed runs by how much they go\n"
	"with failing, causes before consequences, and prints for each path the decision that tells\n"
	"it from the nearest path of passed runs.  Each profile (.wmprof or .wmraw) is one run; a\n"
	"directory stands for the runs whose profiles are in it.\n";

struct options {
	struct wm_report_options report;
	struct wm_operands operands;
	struct wm_blame blame;
	int measure; /* enum wm_measure */
	uint64_t top;
};

static void check(const struct options *options)
{
	const struct wm_delta_side *side = options->blame.delta.side;
	const char *example = "`waymark blame --passed good/*.wmraw --failed bad/*.wmraw ./app`";
	if (options->operands.profile_count)
		wm_fail("%s is neither a passed nor a failed run; give it after --passed or --failed, as in %s",
			options->operands.profile[0], example);
	if (!side[WM_FAILED].suite.test_count)
		wm_fail("no failed run was given; add --failed with one profile per failed run, as in %s", example);
	if (!side[WM_PASSED].suite.test_count)
		wm_fail("no passed run was given, and so nothing tells failed runs from others; add --passed, as in %s",
			example);
	if (!options->operands.binary_count)
		wm_fail("no binary was given; add the program that wrote the profiles, as in %s", example);
}

static void parse(struct options *options, int argc, char **argv)
{
	struct wm_report_options *report = &options->report;
	struct wm_blame *blame = &options->blame;
	struct wm_option_many passed = {wm_take_run, wm_is_run, &blame->delta.side[WM_PASSED].suite};
	struct wm_option_many failed = {wm_take_run, wm_is_run, &blame->delta.side[WM_FAILED].suite};
	struct wm_option_many tested = {wm_take_run, wm_is_run, &blame->tests};
	options->top = 10;
	options->measure = WM_DSTAR;
	const struct wm_option own[] = {
		WM_MANY("passed", &passed, "FILE...", "runs that passed: one profile each"),
		WM_MANY("failed", &failed, "FILE...", "runs that failed: one profile each"),
		WM_MANY("tested", &tested, "FILE...",
			"profiles of the tests: paths that no test takes are ranked before all\n"
			"others"),
		WM_CHOICE("measure", &options->measure, "NAME", wm_measure_name,
			"rank by dstar (default), ochiai, tarantula, jaccard, op2 or importance"),
		WM_NUMBER("top", &options->top, "print the N most suspicious outcomes, lines and paths (10)"),
		WM_FLAG("all", &report->all, "print all outcomes, lines and paths of failed runs"),
		WM_SCOPE_OPTION(report),
		WM_TEXT("function", &report->filter.function, "NAME",
			"rank only what is in functions with this name, or a glob such as 'parse_*'"),
		WM_FLAG("any-program", &report->any_program, "counts of one program are valid for every other"),
		WM_FLAG("json", &report->json, "print everything as JSON (schema waymark.blame/1)"),
		WM_FLAG("expand", &report->expand, "with --json: repeat lines and decisions in every path"),
		WM_TEXT("html", &report->html, "DIR", "write an HTML report into DIR"),
		WM_MARKDOWN_OPTION(report),
		{0},
	};
	int first = wm_report_parse(report, usage, own, argc, argv);
	wm_operands_take(&options->operands, argv + first, argc - first);
	check(options);
	blame->measure = (enum wm_measure)options->measure;
}

int wm_cmd_blame(int argc, char **argv)
{
	struct options options = {0};
	struct wm_blame *blame = &options.blame;
	parse(&options, argc, argv);
	struct wm_sources sources = {.directories = &options.report.source_dirs,
		.off = options.report.no_source,
		.confined = options.report.html};
	blame->delta.name[WM_PASSED] = "passed";
	blame->delta.name[WM_FAILED] = "failed";
	blame->delta.source_option[WM_PASSED] = blame->delta.source_option[WM_FAILED] = "--source-dir";
	blame->delta.sources[WM_PASSED] = blame->delta.sources[WM_FAILED] = &sources;
	wm_blame_build(
		blame, &options.operands, options.report.debug_dir, options.report.any_program, &options.report.filter);
	wm_report_need_wanted(&blame->delta.side[WM_FAILED].suite.story, &options.report);
	wm_blame_print(blame, &options.report, options.top);
	wm_blame_release(blame);
	wm_sources_release(&sources);
	wm_scope_release(&options.report.scope);
	wm_operands_release(&options.operands);
	return 0;
}
