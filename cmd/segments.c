/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark segments: interprocedural path segments (thesis07, section 3.4.2) of a program whose calls were inlined or of a
 * recording, those that no test executed (section 3.5.2), and the list of call sites to inline, from a profile of a
 * program whose calls were not inlined (stage I of section 3.5.2).
 */
#include "view/segments.h"
#include "analysis/operands.h"
#include "view/page.h"
#include "view/report.h"
#include "view/sites.h"
#include <inttypes.h>
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
	struct wm_operands operands;
	char **tested;
	size_t tested_count;
	uint64_t depth, least, share, rows;
	bool sites;
};

/* ---- Printing ---------------------------------------------------------------------------- */

static void print_shares(FILE *out, const struct wm_untested_segments *u, const struct options *options)
{
	fprintf(out,
		"%s of %s segment%s of depth %" PRIu64
		" that ran in the field %s never tested: %.2f%% of the segments, "
		"%.2f%% of their executions\n",
		wm_thousands(u->untested), wm_thousands(u->executed), wm_plural(u->executed), options->depth,
		u->untested == 1 ? "was" : "were", wm_share(u->untested, u->executed),
		wm_share(u->untested_executions, u->executions));
}

static void print_perhaps(FILE *out, const struct wm_untested_segments *u)
{
	if (u->perhaps_tested)
		fprintf(out,
			"%s more segment%s %s perhaps tested: the tests executed a call on %s that is not inlined, or "
			"abandoned a path that may contain %s, or their recording is not whole\n",
			wm_thousands(u->perhaps_tested), wm_plural(u->perhaps_tested),
			u->perhaps_tested == 1 ? "is" : "are", u->perhaps_tested == 1 ? "it" : "them",
			u->perhaps_tested == 1 ? "it" : "them");
}

/* The question of thesis07, section 3.6.3. */
static void print_hidden(FILE *out, const struct wm_untested_segments *u)
{
	if (!u->paths_known) {
		fputs("whether functions have untested paths is not known: add profiles of the same runs of a build "
		      "without -fwaymark-segments, for the field and for the tests, and its binary\n",
			out);
		return;
	}
	size_t known = u->untested - u->without_paths;
	if (known || !u->without_paths)
		fprintf(out,
			"%s untested segment%s (%.2f%%%s) %s without an untested path; %s function%s %s untested "
			"paths\n",
			wm_thousands(u->hidden), wm_plural(u->hidden), wm_share(u->hidden, known),
			u->without_paths ? " of those that are known" : "",
			u->hidden == 1 ? "lies in functions" : "lie in functions",
			wm_thousands(u->functions_with_paths), wm_plural(u->functions_with_paths),
			u->functions_with_paths == 1 ? "has" : "have");
	if (u->without_paths)
		fprintf(out,
			"whether functions have untested paths is not known of %s untested segment%s: the build "
			"without -fwaymark-segments lacks their functions, as it may after link-time optimisation, "
			"which makes functions local and changes their keys\n",
			wm_thousands(u->without_paths), wm_plural(u->without_paths));
}

static void print_lacks(FILE *out, const struct wm_segment_set *set, const struct wm_untested_segments *u)
{
	if (set->segments.incomplete)
		fprintf(out, "%s>= marks counts of segments that may have been executed more often\n", set->lacks);
	if (u->tests && u->tests->segments.incomplete)
		fprintf(out, "of the tests: %s", u->tests->lacks);
}

/* Sentences, one per line. */
static void print_head(FILE *out, const struct wm_segment_set *set, const struct wm_untested_segments *u,
	const struct options *options)
{
	if (!options->tested_count)
		fprintf(out, "%s segment%s of depth %" PRIu64 "\n", wm_thousands(set->segments.count),
			wm_plural(set->segments.count), options->depth);
	else if (set->residual)
		fprintf(out,
			"%s untested segment%s of depth %" PRIu64
			" ran in the field, %s time%s; the number of tested segments is not known\n",
			wm_thousands(u->untested), wm_plural(u->untested), options->depth,
			wm_thousands(u->untested_executions), wm_plural(u->untested_executions));
	else
		print_shares(out, u, options);
	if (options->tested_count) {
		print_perhaps(out, u);
		print_hidden(out, u);
	}
	print_lacks(out, set, u);
	if (!set->recording_count)
		fprintf(out, "calls were inlined into %zu executed function%s\n", set->inlined,
			wm_plural(set->inlined));
	if (set->stepped_over)
		fprintf(out,
			"%s executed call%s that may call profiled functions %s not inlined (waymark show --calls says "
			"why); >= marks counts that may miss segments through them\n",
			wm_thousands(set->stepped_over), wm_plural(set->stepped_over),
			set->stepped_over == 1 ? "was" : "were");
	if (set->cut)
		fprintf(out,
			"%s path%s %s cut, because functions have too many paths; >= marks counts that may miss "
			"segments on "
			"them\n",
			wm_thousands(set->cut), wm_plural(set->cut), set->cut == 1 ? "was" : "were");
	if (set->abandoned || set->resumed)
		fprintf(out,
			"%s path%s %s abandoned and %s resumed (exit, longjmp, exceptions); >= marks counts that may "
			"miss segments on them\n",
			wm_thousands(set->abandoned), wm_plural(set->abandoned), set->abandoned == 1 ? "was" : "were",
			wm_thousands(set->resumed));
}

static void print_text(
	const struct wm_segment_set *set, const struct wm_untested_segments *u, const struct options *options)
{
	struct wm_page page;
	const struct wm_projection *counts = &set->segments;
	size_t wanted = 0;
	print_head(stdout, set, u, options);
	wm_page_init(&page, &options->report, stdout);
	for (size_t i = 0; i < counts->count; i++) {
		const struct wm_projected_segment *segment = &counts->segment[i];
		if (!wm_segment_wanted(set, segment, &page.steps, &options->report.filter) || wanted++ >= options->rows)
			continue;
		printf("\n%s%2s%14s%s  ", page.bold, segment->at_least ? ">=" : "", wm_thousands(segment->count),
			page.plain);
		wm_segment_print_way(stdout, segment);
		putchar('\n');
		if (segment->perhaps_tested)
			printf("%16s  perhaps tested\n", "");
		if (segment->hidden)
			printf("%16s  no untested path in these functions\n", "");
		const struct wm_story_function *first = wm_segment_steps(set, segment, &page.steps);
		wm_page_rows(&page, first, WM_NONE);
	}
	if (wanted > options->rows)
		printf("\n%16s  and %zu more (--rows N shows more)\n", "", wanted - (size_t)options->rows);
	wm_page_release(&page);
}

static void print_html(
	const struct wm_segment_set *set, const struct wm_untested_segments *u, const struct options *options)
{
	char *head = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&head, &size);
	if (!out)
		wm_bug("out of memory");
	print_head(out, set, u, options);
	if (fclose(out))
		wm_bug("out of memory");
	wm_segments_html(set, options->tested_count ? "Path segments that no test executed" : "Path segments that ran",
		head, &options->report);
	free(head);
}

static json_t *words(const char *text)
{
	json_t *list = wm_json_checked(json_array());
	char *copy = wm_xstrdup(text), *rest = copy, *word;
	while ((word = strsep(&rest, " ")))
		json_array_append_new(list, wm_json_text(word));
	free(copy);
	return list;
}

static json_t *segment_json(
	const struct wm_segment_set *set, const struct wm_projected_segment *segment, struct wm_steps *steps)
{
	wm_segment_steps(set, segment, steps);
	return wm_json_checked(json_pack("{s:o, s:b, s:o, s:o, s:o}", "count", wm_json_count(segment->count), "exact",
		!segment->at_least, "path", words(segment->text), "lines", wm_json_lines(steps), "decisions",
		wm_json_decisions(steps)));
}

static json_t *number_if(bool known, uint64_t number)
{
	return known ? wm_json_count(number) : json_null();
}

static json_t *share_if(bool known, uint64_t part, uint64_t whole)
{
	return known ? wm_json_checked(json_real(wm_share(part, whole))) : json_null();
}

static json_t *summary_json(const struct wm_segment_set *set, const struct wm_untested_segments *u)
{
	bool all = !set->residual, paths = u->paths_known && !u->without_paths;
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "segments", number_if(all, u->executed),
		"untested_segments", wm_json_count(u->untested), "perhaps_tested_segments",
		wm_json_count(u->perhaps_tested), "untested_percent", share_if(all, u->untested, u->executed),
		"untested_frequency_percent", share_if(all, u->untested_executions, u->executions),
		"functions_with_untested_paths", number_if(u->paths_known, u->functions_with_paths),
		"untested_segments_in_functions_without_untested_paths", number_if(paths, u->hidden)));
}

/* The document is printed one segment at a time: there may be hundreds of thousands. */
static void print_list(const char *name, const struct wm_segment_set *set, size_t first, size_t end,
	const struct wm_report_options *options)
{
	struct wm_steps steps = {0};
	bool untested = !strcmp(name, "untested"), begun = false;
	printf(",\n\"%s\":[", name);
	for (size_t i = first; i < end; i++) {
		const struct wm_projected_segment *segment = &set->segments.segment[i];
		if (!wm_segment_wanted(set, segment, &steps, &options->filter))
			continue;
		json_t *object = segment_json(set, segment, &steps);
		if (untested)
			json_object_set_new(object, "in_functions_without_untested_paths",
				segment->paths_known ? json_boolean(segment->hidden) : json_null());
		fputs(begun ? ",\n " : "\n ", stdout);
		begun = true;
		wm_json_dump(object, stdout, JSON_COMPACT);
	}
	putchar(']');
	wm_steps_release(&steps);
}

static void print_json(
	const struct wm_segment_set *set, const struct wm_untested_segments *u, const struct options *options)
{
	json_t *head = wm_json_document("segments");
	size_t count = set->segments.count;
	json_object_set_new(head, "depth", wm_json_count(options->depth));
	json_object_set_new(
		head, "segments_executed", number_if(!set->residual, options->tested_count ? u->executed : count));
	json_object_set_new(head, "stepped_over", wm_json_count(set->stepped_over));
	json_object_set_new(head, "cut", wm_json_count(set->cut));
	json_object_set_new(head, "abandoned", wm_json_count(set->abandoned));
	json_object_set_new(head, "resumed", wm_json_count(set->resumed));
	json_object_set_new(head, "stopped_early", json_boolean(set->stopped));
	if (u->tests)
		json_object_set_new(head, "tests_stopped_early", json_boolean(u->tests->stopped));
	if (options->tested_count)
		json_object_set_new(head, "summary", summary_json(set, u));
	putchar('{');
	wm_json_dump(head, stdout, JSON_EMBED | JSON_COMPACT);
	if (options->tested_count) {
		print_list("untested", set, 0, u->untested, &options->report);
		print_list("perhaps_tested", set, u->untested, count, &options->report);
	} else {
		print_list("segments", set, 0, count, &options->report);
	}
	puts("}");
}

/* ---- The command --------------------------------------------------------------------------- */

static void take_tested(void *target, const char *value)
{
	struct options *options = target;
	WM_XGROW(options->tested, options->tested_count);
	options->tested[options->tested_count++] = (char *)value;
}

static void check(const struct options *options)
{
	if (options->depth < 1 || options->depth > WM_SEGMENT_MOST_CALLS)
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

static void parse(struct options *options, int argc, char **argv)
{
	const struct wm_option own[] = {
		WM_NUMBER("depth", &options->depth, "print segments that span at most N calls (1)"),
		WM_CALL("tested", take_tested, options, "FILE",
			"print only segments that this profile or recording of the tests does\n"
			"not have; may be given several times"),
		WM_FLAG("any-program", &options->report.any_program,
			"a segment is tested if a test of any program executes it"),
		WM_NUMBER("rows", &options->rows, "print the N segments with the most executions (20)"),
		WM_FLAG("sites", &options->sites, "print the executed call sites, as a list for -fwaymark-sites"),
		WM_NUMBER("least", &options->least, "with --sites: those executed at least N times (1)"),
		WM_NUMBER("share", &options->share,
			"with --sites: the most frequent ones that together are N percent\n"
			"of all executed calls (100)"),
		WM_FLAG("json", &options->report.json, "print everything as JSON (schema waymark.segments/1)"),
		WM_TEXT("html", &options->report.html, "DIR", "write the segments as a page into DIR"),
		{0},
	};
	int first = wm_report_parse(&options->report, usage, own, argc, argv);
	wm_operands_take(&options->operands, argv + first, argc - first);
	wm_operands_check(&options->operands, "waymark segments");
	check(options);
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

static void join(struct joined *joined, char *const *paths, size_t count, const struct options *options,
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
static void take(struct wm_segment_set *set, struct joined *joined, const struct options *options,
	const struct wm_binaries *binaries, bool tests)
{
	char **paths = tests ? options->tested : options->operands.profile;
	size_t count = tests ? options->tested_count : options->operands.profile_count;
	size_t recordings = count_recordings(paths, count);
	uint32_t depth = (uint32_t)options->depth;
	if (recordings && recordings < count)
		wm_fail("recordings and profiles cannot be put together; give either");
	if (recordings)
		wm_segment_set_take_recordings(set, paths, count, &options->operands, depth, options->report.debug_dir);
	else
		join(joined, paths, count, options, binaries);
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
	take(&field, &field_joined, options, binaries, false);
	if (options->tested_count) {
		take(&tests, &tests_joined, options, binaries, true);
		if (tests.residual)
			wm_fail("a profile of the tests counts only untested paths; run the tests with a program built "
				"without -fwaymark-residual");
		wm_segment_set_subtract(&field, &tests, &untested);
	} else if (field.residual) {
		wm_fail("the program was built with -fwaymark-residual and counts only untested paths; give the "
			"profile of the tests, as in `waymark segments --tested tests.wmprof %s %s`",
			options->operands.profile[0], options->operands.binary[0]);
	}
	(options->report.html	       ? print_html
		: options->report.json ? print_json
				       : print_text)(&field, &untested, options);
	wm_segment_set_release(&field);
	wm_segment_set_release(&tests);
	part(&field_joined);
	part(&tests_joined);
}

static void print_sites(const struct options *options, const struct wm_binaries *binaries)
{
	struct joined joined = {0};
	join(&joined, options->operands.profile, options->operands.profile_count, options, binaries);
	if (joined.kind[1].count)
		wm_fail("%s counts only untested paths; name the calls by a profile that counts all",
			joined.kind[1].path[0]);
	wm_print_sites(&joined.kind[0].story, &(struct wm_site_limits){options->least, (uint32_t)options->share},
		options->report.json);
	part(&joined);
}

int wm_cmd_segments(int argc, char **argv)
{
	struct options options = {.depth = 1, .rows = 20, .least = 1, .share = 100};
	struct wm_binaries binaries;
	wm_report_options_init(&options.report);
	parse(&options, argc, argv);
	wm_binaries_open(&binaries, &options.operands, options.report.debug_dir);
	(options.sites ? print_sites : print_segments)(&options, &binaries);
	wm_binaries_release(&binaries);
	wm_operands_release(&options.operands);
	free(options.tested);
	wm_finish_output();
	return 0;
}
