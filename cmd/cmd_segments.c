/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark segments: interprocedural path segments (thesis07, section 3.4.2) of a program whose calls were inlined or of a
 * recording, those that no test executed (section 3.5.2), and the list of call sites to inline, from a profile of a
 * program whose calls were not inlined (stage I of section 3.5.2).
 */
#include "analysis/join/operands.h"
#include "cmd/commands.h"
#include "cmd/report_options.h"
#include "support/fail.h"
#include "support/standard_output.h"
#include "support/xalloc.h"
#include "view/document/sites.h"
#include "view/recording/segments_view.h"
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark segments [options] PROFILE... BINARY...\n"
			    "\n"
			    "Prints the path segments across calls that a program executed.  Profiles are .wmprof\n"
			    "or .wmraw files of a build with -fwaymark-segments or with -fwaymark-scheme=piecewise\n"
			    "or context, or recordings of a build with -fwaymark-wpp (.wmwpp or .wmraw); binaries\n"
			    "are the program and the shared objects that wrote them.  With --tested, prints the\n"
			    "segments that no test executed.  With --sites, prints the call sites that a build\n"
			    "without these options executed, as a list for -fwaymark-sites.\n";

struct options {
	struct wm_report_options report;
	struct wm_segments_shown shown;
	struct wm_operands operands;
	char **tested;
	size_t tested_count;
	uint64_t least, share;
	bool sites;
};

static void take_tested(void *target, const char *value)
{
	struct options *options = target;
	WM_XGROW(options->tested, options->tested_count);
	options->tested[options->tested_count++] = (char *)value;
}

static void check_options(const struct options *options)
{
	if (options->shown.depth < 1 || options->shown.depth > WM_SEGMENT_MOST_CALLS)
		wm_fail("--depth must be from 1 to %u", WM_SEGMENT_MOST_CALLS);
	if (options->share < 1 || options->share > 100)
		wm_fail("--share must be a percentage from 1 to 100");
	if (options->sites && wm_filter_has_files(&options->report.filter))
		wm_fail("--file and --exclude choose among segments: they cannot be combined with --sites");
	if (options->sites && options->tested_count)
		wm_fail("--sites cannot be combined with --tested");
	if (options->report.html && (options->report.json || options->sites))
		wm_fail("--html excludes --json and --sites");
}

static void parse_options(struct options *options, int argc, char **argv)
{
	const struct wm_option own[] = {
		WM_NUMBER("depth", &options->shown.depth, "print segments that span at most N calls (1)"),
		WM_CALL("tested", take_tested, options, "FILE",
			"print only segments that this profile or recording of the tests does\n"
			"not have; may be given several times"),
		WM_FLAG("any-program", &options->report.any_program,
			"a segment is tested if a test of any program executes it", WM_RARE),
		WM_NUMBER("rows", &options->shown.rows, "print the N segments with the most executions (20)"),
		WM_FLAG("sites", &options->sites, "print the executed call sites, as a list for -fwaymark-sites"),
		WM_NUMBER("least", &options->least, "with --sites: those executed at least N times (1)", WM_RARE),
		WM_NUMBER("share", &options->share,
			"with --sites: the most frequent ones that together are N percent\n"
			"of all executed calls (100)",
			WM_RARE),
		WM_FLAG("json", &options->report.json, "print everything as JSON (schema waymark.segments/1)"),
		WM_TEXT("html", &options->report.html, "DIR", "write the segments as a page into DIR"),
		{0},
	};
	int first = wm_report_parse(&options->report, usage, own, argc, argv);
	wm_operands_take(&options->operands, argv + first, argc - first);
	wm_operands_check(&options->operands, "waymark segments");
	check_options(options);
}

/* Profiles joined with the binaries: those that have all paths, and those that have only untested ones. */
struct joined {
	struct {
		struct wm_profile profile;
		struct wm_story story;
		char **path;
		size_t count;
	} kind[2];
};

static void sort_by_kind(struct joined *joined, char *const *paths, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct wm_profile profile;
		wm_profile_init(&profile);
		wm_profile_need(&profile, &paths[i], 1);
		bool residual = wm_profile_is_residual(&profile);
		WM_XGROW(joined->kind[residual].path, joined->kind[residual].count);
		joined->kind[residual].path[joined->kind[residual].count++] = paths[i];
		wm_profile_release(&profile);
	}
}

static void warn_refused(const struct wm_story *story)
{
	for (size_t i = 0, end; i < story->refused_count; i = end) {
		end = wm_refused_alike(story->refused, i, story->refused_count);
		wm_warn("%s%s left out: %s", story->refused[i].name, end - i > 1 ? " and others were" : " was",
			story->refused[i].reason);
	}
}

static void join_profiles(struct joined *joined, char *const *paths, size_t count, const struct options *options,
	const struct wm_binaries *binaries)
{
	bool tests = paths == options->tested;
	sort_by_kind(joined, paths, count);
	for (size_t i = 0; i < 2; i++) {
		struct wm_profile *profile = &joined->kind[i].profile;
		if (!joined->kind[i].count)
			continue;
		wm_profile_init(profile);
		wm_profile_need(profile, joined->kind[i].path, joined->kind[i].count);
		profile->any_program |= options->report.any_program;
		wm_story_build(&joined->kind[i].story, tests ? WM_STORY_OF_TESTS : WM_STORY_OF_FUNCTIONS, profile,
			binaries->object, binaries->count);
		wm_story_need_match(&joined->kind[i].story, tests ? "the profile of the tests" : "the profile");
		warn_refused(&joined->kind[i].story);
	}
}

static void part(struct joined *joined)
{
	for (size_t i = 0; i < 2; i++) {
		if (!joined->kind[i].count)
			continue;
		wm_story_release(&joined->kind[i].story);
		wm_profile_release(&joined->kind[i].profile);
		free(joined->kind[i].path);
	}
}

static size_t count_recordings(char *const *paths, size_t count)
{
	size_t found = 0;
	for (size_t i = 0; i < count; i++)
		found += wm_segments_is_recording(paths[i]);
	return found;
}

/* Takes the files of the field or of the tests. */
static void take_segments(struct wm_segment_set *set, struct joined *joined, const struct options *options,
	const struct wm_binaries *binaries, bool tests)
{
	char **paths = tests ? options->tested : options->operands.profile;
	size_t count = tests ? options->tested_count : options->operands.profile_count;
	size_t recordings = count_recordings(paths, count);
	uint32_t depth = (uint32_t)options->shown.depth;
	if (recordings && recordings < count)
		wm_fail("recordings and profiles cannot be put together; give either");
	if (recordings)
		wm_segment_set_take_recordings(set, paths, count, &options->operands, depth, options->report.debug_dir);
	else
		join_profiles(joined, paths, count, options, binaries);
	for (size_t i = 0; i < 2; i++)
		if (joined->kind[i].count)
			wm_segment_set_take_story(set, &joined->kind[i].story, depth);
	wm_segment_set_finish(set);
}

static void print_segments(const struct options *options, const struct wm_binaries *binaries)
{
	struct wm_segment_set field = {.any_program = options->report.any_program}, tests = field;
	struct joined field_joined = {0}, tests_joined = {0};
	struct wm_untested_segments untested = {0};
	take_segments(&field, &field_joined, options, binaries, false);
	if (options->tested_count) {
		take_segments(&tests, &tests_joined, options, binaries, true);
		if (tests.residual)
			wm_fail("a profile of the tests counts only untested paths; run the tests with a program built "
				"without -fwaymark-residual");
		wm_segment_set_subtract(&field, &tests, &untested);
	} else if (field.residual) {
		wm_fail("the program was built with -fwaymark-residual and counts only untested paths; give the "
			"profile of the tests, as in `waymark segments --tested tests.wmprof %s %s`",
			options->operands.profile[0], options->operands.binary[0]);
	}
	wm_segments_print(&field, options->tested_count ? &untested : NULL, &options->shown, &options->report);
	wm_segment_set_release(&field);
	wm_segment_set_release(&tests);
	part(&field_joined);
	part(&tests_joined);
}

static void print_sites(const struct options *options, const struct wm_binaries *binaries)
{
	struct joined joined = {0};
	join_profiles(&joined, options->operands.profile, options->operands.profile_count, options, binaries);
	if (joined.kind[1].count)
		wm_fail("%s counts only untested paths; name the calls by a profile that counts all",
			joined.kind[1].path[0]);
	wm_print_sites(&joined.kind[0].story, &(struct wm_site_limits){options->least, (uint32_t)options->share},
		options->report.json);
	part(&joined);
}

int wm_cmd_segments(int argc, char **argv)
{
	struct options options = {.shown = {.depth = 1, .rows = 20}, .least = 1, .share = 100};
	struct wm_binaries binaries;
	parse_options(&options, argc, argv);
	wm_binaries_open(&binaries, &options.operands, options.report.debug_dir);
	wm_report_scope(&options.report, true, binaries.object, binaries.count);
	(options.sites ? print_sites : print_segments)(&options, &binaries);
	wm_scope_release(&options.report.scope);
	wm_binaries_release(&binaries);
	wm_operands_release(&options.operands);
	free(options.tested);
	wm_finish_output();
	return 0;
}
