/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/untested_field.h"
#include "cmd/field_stores.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void wm_field_take_gate(void *target, const char *value)
{
	struct wm_field_options *options = target;
	char *end;
	options->gate = true;
	if (!value)
		return;
	options->percent = strtod(value, &end);
	if (end == value || *end || !(options->percent >= 0 && options->percent <= 100))
		wm_fail("--fail-if-untested needs a percentage from 0 to 100, not '%s'", value);
}

static int judge(const struct wm_untested *untested, const struct wm_field_options *options)
{
	double percent = wm_share(untested->untested_paths, untested->paths);
	if (!options->gate)
		return 0;
	if (untested->residual && untested->untested_paths) {
		wm_warn("%s untested path%s ran, and --fail-if-untested allows none",
			wm_thousands(untested->untested_paths), wm_plural(untested->untested_paths));
		return WM_EXIT_UNTESTED;
	}
	if (percent > options->percent) {
		wm_warn("%s of %s paths are untested: %.2f%%, and --fail-if-untested allows %g%%",
			wm_thousands(untested->untested_paths), wm_thousands(untested->paths), percent,
			options->percent);
		return WM_EXIT_UNTESTED;
	}
	if (untested->field->doubtful_runs) {
		wm_warn("%zu runs of the field are left out in whole or in part and may contain untested paths",
			untested->field->doubtful_runs);
		return WM_EXIT_UNTESTED;
	}
	if (untested->refused_count) {
		wm_warn("%zu functions could not be compared and may contain untested paths", untested->refused_count);
		return WM_EXIT_UNTESTED;
	}
	return 0;
}

/* Whether the binaries counted only untested paths.  A store may have other programs that did. */
static bool is_residual(const struct wm_story *field)
{
	for (size_t i = 0; i < field->profile->object_count; i++) {
		const struct wm_profile one = {.object = &field->profile->object[i], .object_count = 1};
		if (field->owner[i].kind != WM_OWNER_NONE && wm_profile_is_residual(&one))
			return true;
	}
	return false;
}

static void check_field(const struct wm_field_options *options, size_t tested, bool residual)
{
	if (!tested && !residual)
		wm_fail("no profile of the tests was given; use --tested, as in `waymark untested --tested "
			"tests.wmprof field.wmprof ./app`");
	if (residual && options->percent > 0)
		wm_fail("the percentage of untested paths is not known, because a program built with "
			"-fwaymark-residual does not count tested paths; use --fail-if-untested without a percentage");
}

/* Prints the result, or triages paths of it. */
static int answer(const struct wm_untested *untested, const struct wm_field_stores *stores,
	const struct wm_field_options *options)
{
	if (options->triage_count) {
		wm_field_triage(stores, untested, options->triage, options->triage_count, options->note);
		return 0;
	}
	struct wm_untested_answer found = wm_untested_of_field(untested);
	wm_untested_print(&found, &options->report, &options->forms);
	return judge(untested, options);
}

int wm_field_compare(struct wm_field_options *options)
{
	struct wm_field_stores stores = {0};
	struct wm_binaries binaries;
	struct wm_profile field, tests;
	struct wm_story field_story, tests_story;
	struct wm_untested untested;
	wm_field_stores_take(&stores, options->operands.profile, options->operands.profile_count, options->tested,
		options->tested_count);
	if (options->triage_count && (!stores.store || stores.several))
		wm_fail("--triage needs one store as the value of --field, as in `waymark untested --field fleet.db "
			"--triage %s "
			"./app`",
			options->triage[0]);
	wm_binaries_open(&binaries, &options->operands, options->report.debug_dir);
	wm_report_scope(&options->report, options->triage_count != 0, binaries.object, binaries.count);
	wm_profile_init(&field);
	wm_profile_init(&tests);
	if (stores.tests.count)
		wm_profile_need(&tests, stores.tests.path, stores.tests.count);
	wm_profile_need(&field, stores.field.path, stores.field.count);
	if (wm_profile_is_residual(&tests))
		wm_fail("the profile of the tests counts only untested paths; run the tests with a program built "
			"without -fwaymark-residual");
	if (!wm_profile_is_residual(&field))
		check_field(options, stores.tests.count, false);
	field.any_program = tests.any_program = options->report.any_program || field.any_program || tests.any_program;
	wm_story_build(&tests_story, WM_STORY_OF_TESTS, &tests, binaries.object, binaries.count);
	if (stores.tests.count)
		wm_story_need_match(&tests_story, "the profile of the tests");
	wm_story_build(&field_story, WM_STORY_OF_FUNCTIONS, &field, binaries.object, binaries.count);
	wm_story_need_match(&field_story, "the profile of the field");
	check_field(options, stores.tests.count, is_residual(&field_story));
	wm_report_need_wanted(&field_story, &options->report);

	wm_untested_build(&untested, &field_story, stores.tests.count ? &tests_story : NULL, &options->report.filter,
		stores.store ? &stores.triages : NULL);
	untested.sightings = stores.store && !stores.several ? &stores.sightings : NULL;
	int status = answer(&untested, &stores, options);

	wm_untested_release(&untested);
	wm_story_release(&field_story);
	wm_story_release(&tests_story);
	wm_profile_release(&field);
	wm_profile_release(&tests);
	wm_binaries_release(&binaries);
	wm_field_stores_release(&stores);
	return status;
}
