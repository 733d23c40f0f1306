/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/operands.h"
#include "analysis/join/story_checks.h"
#include "analysis/replay/recording_view.h"
#include "analysis/segments/set.h"
#include "analysis/suite/takers.h"
#include "cmd/commands.h"
#include "cmd/hw_command.h"
#include "cmd/report_options.h"
#include "support/fail.h"
#include "view/hw/hw_view.h"
#include "view/report/report.h"

static const char usage[] = "usage: waymark report [options] PROFILE... BINARY...\n"
			    "\n"
			    "Prints which paths were executed, how often, and where they are in the source.\n"
			    "Profiles are .wmprof or .wmraw files; binaries are the program and the shared\n"
			    "objects that wrote them.\n";

/* Reports a profile of `waymark hw`, whose binaries have no map. */
static void report_branches(
	const struct wm_profile *profile, const struct wm_operands *operands, const struct wm_report_options *options)
{
	struct wm_hw_story story;
	if (options->source)
		wm_fail("--source needs a profile of a build with Waymark: `waymark hw` has the counts of machine "
			"code");
	size_t paths = options->paths > SIZE_MAX / 2 ? SIZE_MAX : 2 * options->paths;
	struct wm_hw_view view = {.by = options->by ? wm_hw_metric_need(options->by) : WM_HW_FREQUENCY,
		.paths = options->all ? SIZE_MAX : paths,
		.json = options->json,
		.no_source = options->no_source,
		.html = options->html,
		.debug_dir = options->debug_dir,
		.source_dirs = options->source_dirs};
	wm_hw_story_build(&story, profile, operands->binary, operands->binary_count, &view);
	wm_hw_print(&story, NULL);
	wm_hw_story_release(&story);
}

/* In addition to 1, a mistake of the user, and 2, a defect of Waymark; 3 is the gate of `waymark untested`. */
enum { EXIT_ALL_REFUSED = 4 };

static void take_tests(void *target, const char *value)
{
	wm_suite_add(target, value);
}

static int report_functions(const struct wm_profile *profile, const struct wm_operands *operands,
	struct wm_report_options *options, struct wm_suite *suite)
{
	struct wm_binaries binaries;
	struct wm_story story;
	struct wm_takers takers = {0};
	wm_binaries_open(&binaries, operands, options->debug_dir);
	wm_report_scope(options, false, binaries.object, binaries.count);
	wm_story_build(&story, WM_STORY_OF_BINARIES, profile, binaries.object, binaries.count);
	wm_story_need_match(&story, "the profile");
	wm_story_leave_out(&story, wm_report_ignored(options));
	const char *refusal = wm_story_all_refused(&story);
	int status = refusal ? EXIT_ALL_REFUSED : 0;
	if (refusal && (options->json || options->html))
		wm_warn("every run was refused: %s", refusal);
	if (suite->test_count) {
		wm_suite_load(suite, binaries.object, binaries.count, options->any_program);
		wm_takers_build(&takers, suite);
		options->takers = &takers;
	}
	wm_report(&story, options);
	wm_takers_release(&takers);
	if (suite->test_count)
		wm_suite_release(suite);
	wm_story_release(&story);
	wm_binaries_release(&binaries);
	return status;
}

static void report_recording(struct wm_operands *operands, struct wm_report_options *options)
{
	struct wm_wpp wpp;
	struct wm_wpp_view view;
	wm_wpp_load(&wpp, operands->profile, operands->profile_count);
	if (wpp.table.kind == WM_WPP_BRANCHES)
		wm_fail("%s cannot answer --prime-paths: `waymark hw` recorded it from machine code, and --prime-paths "
			"needs a "
			"recording of a build with -fwaymark-wpp",
			operands->profile[0]);
	wm_wpp_view_open(&view, &wpp, operands, options->debug_dir);
	wm_report_scope(options, false, view.story.object, view.story.object_count);
	wm_report_recorded_primes(&view, options);
	wm_wpp_view_release(&view);
	wm_operands_release(operands);
}

int wm_cmd_report(int argc, char **argv)
{
	struct wm_report_options options;
	struct wm_operands operands = {0};
	struct wm_option own[WM_REPORT_OPTIONS + 1] = {0};
	struct wm_suite suite = {0};
	wm_report_option_table(own, &options);
	own[WM_REPORT_OPTIONS - 1] = (struct wm_option)WM_CALL("tests", take_tests, &suite, "TESTS",
		"with --html: name the tests that take each path; TESTS is a profile or a\n"
		"directory, as for `waymark tests`; may be given several times");
	int first = wm_report_parse(&options, usage, own, argc, argv);
	if (suite.test_count && !options.html)
		wm_fail("--tests belongs to --html; `waymark tests` prints which tests take which paths");
	wm_operands_take(&operands, argv + first, argc - first);
	wm_operands_check(&operands, "waymark report");

	if (options.prime_paths && wm_segments_is_recording(operands.profile[0])) {
		report_recording(&operands, &options);
		wm_scope_release(&options.scope);
		return 0;
	}
	struct wm_profile profile;
	int status = 0;
	wm_profile_init(&profile);
	wm_profile_need(&profile, operands.profile, operands.profile_count);
	profile.any_program |= options.any_program;
	bool branches = wm_profile_has_branches(&profile);
	if (branches && (options.mcdc || options.prime_paths))
		wm_fail("`waymark hw` counted the branches of machine code in %s, and --mcdc and --prime-paths need a "
			"program that "
			"was compiled with `waymark cc`",
			operands.profile[0]);
	if (branches)
		report_branches(&profile, &operands, &options);
	else
		status = report_functions(&profile, &operands, &options, &suite);
	wm_profile_release(&profile);
	wm_scope_release(&options.scope);
	wm_operands_release(&operands);
	return status;
}
