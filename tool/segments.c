/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * waymark segments: interprocedural path segments of a program whose calls were inlined (thesis07, section 3.4.2), and the
 * list of call sites to inline, from a profile of a program whose calls were not (stage I of section 3.5.2).
 */
#include "tool/operands.h"
#include "tool/page.h"
#include "tool/projection.h"
#include "tool/report.h"
#include "tool/sites.h"
#include "tool/visit_moves.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: waymark segments [options] PROFILE... BINARY...\n"
			    "\n"
			    "Prints the path segments across calls that a program built with\n"
			    "-fwaymark-segments executed, or, with --sites, the call sites that a program\n"
			    "built without it executed, as a list for -fwaymark-sites.  Profiles are .wmprof or\n"
			    ".wmraw files; binaries are the program and the shared objects that wrote them.\n";

struct options {
	struct wm_operands operands;
	char **tested;
	size_t tested_count;
	uint64_t depth, least, share, rows;
	bool sites, json;
};

/* The segments of a profile. */
struct found {
	struct wm_projection counts;
	uint64_t stepped_over; /* executions of calls that were not inlined and may have called a profiled function */
	size_t inlined; /* executed functions into which calls were inlined */
};

/* How many calls a block makes that are not inlined and may call a profiled function: indirect calls may. */
static uint64_t kept_calls(
	const struct wm_story_function *function, const struct wm_profiled_names *names, uint32_t block)
{
	const struct wm_map_function *map = function->map;
	const struct wm_unit_function calls = {.call_count = map->call_count, .call = map->call};
	uint64_t count = 0;
	for (uint32_t i = wm_unit_first_call(&calls, block); i < map->call_count && map->call[i].block == block; i++) {
		const char *callee = wm_map_callee(function->module, &map->call[i]);
		count += !callee || wm_profiled_names_has(names, callee);
	}
	return count;
}

static void add_path(struct found *found, const struct wm_story_function *function, const struct wm_story_path *path,
	const struct wm_profiled_names *profiled, uint32_t depth)
{
	uint32_t own = (uint32_t)(function->map - function->module->function);
	struct wm_context self = {WM_NONE, own, WM_NONE, WM_NONE};
	struct wm_origins plain = {.context_count = 1, .context = &self};
	bool has_origins = wm_map_has_origins(function->map);
	const struct wm_origins *origins = has_origins ? &function->map->inlined->origins : &plain;
	const struct wm_block_names names = {function->module, wm_origin_name};
	struct wm_block_path blocks;
	struct wm_moves moves;
	struct wm_arena arena;
	wm_arena_init(&arena);
	wm_story_decode(function, path->id, &blocks, &arena);
	bool *over = WM_NEW(&arena, bool, blocks.length);
	plain.first_mark = WM_NEW(&arena, uint32_t, (size_t)function->map->graph.block_count + 1);
	if (!over || !plain.first_mark ||
		wm_origins_moves(origins, blocks.block, blocks.length, &moves, &arena) != WM_OK)
		wm_bug("out of memory");
	for (uint32_t i = 0; i < blocks.length; i++) {
		uint64_t calls = kept_calls(function, profiled, blocks.block[i]);
		over[i] = calls > 0;
		found->stepped_over += path->count * calls;
	}
	struct wm_walked_path counted = {origins, &moves, blocks.length, over, path->count};
	wm_projection_add(&found->counts, &counted, depth, &names);
	wm_arena_release(&arena);
}

/* How many calls the path steps over at a position that may call a profiled function. */
static uint64_t kept_at(const struct wm_visit_moves *path, const struct wm_story_unit *unit,
	const struct wm_profiled_names *names, uint32_t at)
{
	const struct wm_story_function *function = unit->function[path->function[at]];
	uint64_t count = 0;
	for (uint32_t i = path->first_site[at]; i < path->end_site[at]; i++) {
		const char *callee = wm_map_callee(function->module, &function->map->call[i]);
		count += !callee || wm_profiled_names_has(names, callee);
	}
	return count;
}

/* A path of a unit: the calls that it crosses count like inlined ones. */
static void add_across(struct found *found, const struct wm_story_unit *unit, const struct wm_story_path *path,
	const struct wm_profiled_names *profiled, uint32_t depth)
{
	const struct wm_visit_source source = wm_story_visit_source(unit);
	struct wm_visits visits;
	struct wm_visit_moves made;
	struct wm_arena arena;
	wm_arena_init(&arena);
	if (wm_visits_decode(&unit->binary->plan, path->id, &visits, &arena) != WM_OK ||
		wm_visit_moves_make(&made, &source, &visits, &arena) != WM_OK)
		wm_bug("a path across calls cannot be decoded");
	bool *over = WM_NEW(&arena, bool, made.length);
	if (!over)
		wm_bug("out of memory");
	for (uint32_t i = 0; i < made.length; i++) {
		uint64_t calls = kept_at(&made, unit, profiled, i);
		over[i] = calls > 0;
		found->stepped_over += path->count * calls;
	}
	const struct wm_block_names names = {made.name, wm_visit_block_name};
	struct wm_walked_path counted = {&made.origins, &made.moves, made.length, over, path->count};
	wm_projection_add(&found->counts, &counted, depth, &names);
	wm_arena_release(&arena);
}

static void find(struct found *found, const struct wm_story *story, uint32_t depth)
{
	bool builds = false;
	struct wm_profiled_names profiled;
	wm_profiled_names_find(&profiled, story);
	for (size_t f = 0; f < story->function_count; f++) {
		const struct wm_story_function *function = &story->function[f];
		const struct wm_story_unit *unit = function->across.unit;
		builds |= function->map->inlined || unit;
		if ((!function->map->inlined && !unit) || function->state != WM_STORY_RAN)
			continue;
		found->inlined += wm_map_has_origins(function->map);
		for (size_t i = 0; i < function->ran_count; i++)
			if (unit)
				add_across(found, unit, &function->path[i], &profiled, depth);
			else
				add_path(found, function, &function->path[i], &profiled, depth);
	}
	if (!builds)
		wm_fail("the program was not built with -fwaymark-segments or -fwaymark-scheme=piecewise, so its paths "
			"do not go through calls");
	wm_projection_finish(&found->counts);
	free(profiled.name);
}

static int by_text(const void *left, const void *right)
{
	return strcmp(
		((const struct wm_projected_segment *)left)->text, ((const struct wm_projected_segment *)right)->text);
}

/* Leaves only the segments that `tests` does not have. */
static void subtract(struct wm_projection *field, const struct wm_projection *tests)
{
	size_t kept = 0;
	if (tests->count)
		qsort(tests->segment, tests->count, sizeof *tests->segment, by_text);
	for (size_t i = 0; i < field->count; i++) {
		struct wm_projected_segment *segment = &field->segment[i];
		if (tests->count && bsearch(segment, tests->segment, tests->count, sizeof *segment, by_text))
			free(segment->text);
		else
			field->segment[kept++] = *segment;
	}
	field->count = kept;
}

/* ---- Printing ---------------------------------------------------------------------------- */

static void print_text(const struct found *found, size_t all, const struct options *options)
{
	const struct wm_projection *counts = &found->counts;
	size_t shown = options->rows < counts->count ? (size_t)options->rows : counts->count;
	printf("%zu segment%s of depth %" PRIu64, all, wm_plural(all), options->depth);
	if (options->tested_count)
		printf(", %zu untested", counts->count);
	printf("; calls were inlined into %zu executed function%s\n", found->inlined, wm_plural(found->inlined));
	if (found->stepped_over)
		printf("%s executed call%s that may call profiled functions %s not inlined (waymark show --calls says "
		       "why); "
		       ">= marks counts that may miss segments through them\n",
			wm_thousands(found->stepped_over), wm_plural(found->stepped_over),
			found->stepped_over == 1 ? "was" : "were");
	for (size_t i = 0; i < shown; i++)
		printf("%s%2s%14s  %s\n", i ? "" : "\n", counts->segment[i].at_least ? ">=" : "",
			wm_thousands(counts->segment[i].count), counts->segment[i].text);
	if (shown < counts->count)
		printf("%16s  and %zu more (--rows N shows more)\n", "", counts->count - shown);
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

static void print_json(const struct found *found, size_t all, const struct options *options)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < found->counts.count; i++)
		json_array_append_new(list,
			wm_json_checked(json_pack("{s:o, s:b, s:o}", "count",
				wm_json_count(found->counts.segment[i].count), "exact",
				!found->counts.segment[i].at_least, "path", words(found->counts.segment[i].text))));
	json_t *document = wm_json_checked(json_pack("{s:s, s:o, s:o, s:o, s:o}", "schema", "waymark.segments/1",
		"depth", wm_json_count(options->depth), "segments_executed", wm_json_count(all), "stepped_over",
		wm_json_count(found->stepped_over), options->tested_count ? "untested" : "segments", list));
	wm_json_dump(document, stdout, JSON_INDENT(1));
	putchar('\n');
}

/* ---- The command --------------------------------------------------------------------------- */

static void take_tested(void *target, const char *value)
{
	struct options *options = target;
	WM_XGROW(options->tested, options->tested_count);
	options->tested[options->tested_count++] = (char *)value;
}

static void parse(struct options *options, int argc, char **argv)
{
	const struct wm_option own[] = {
		WM_NUMBER("depth", &options->depth, "print segments that span at most N calls (1)"),
		WM_CALL("tested", take_tested, options, "FILE",
			"print only segments that this profile of the tests does not have;\n"
			"may be given several times"),
		WM_NUMBER("rows", &options->rows, "print the N segments with the most executions (20)"),
		WM_FLAG("sites", &options->sites, "print the executed call sites, as a list for -fwaymark-sites"),
		WM_NUMBER("least", &options->least, "with --sites: those executed at least N times (1)"),
		WM_NUMBER("share", &options->share,
			"with --sites: the most frequent ones that together are N percent\n"
			"of all executed calls (100)"),
		WM_FLAG("json", &options->json, "print everything as JSON (schema waymark.segments/1)"),
		{0},
	};
	int first = wm_parse_options(&(struct wm_syntax){.usage = usage, .table = {own}}, argc, argv);
	wm_operands_take(&options->operands, argv + first, argc - first);
	wm_operands_check(&options->operands, "waymark segments");
	if (options->depth < 1 || options->depth > WM_CONTEXT_DEPTH)
		wm_fail("--depth must be from 1 to %u", WM_CONTEXT_DEPTH);
	if (options->share < 1 || options->share > 100)
		wm_fail("--share must be a percentage from 1 to 100");
	if (options->sites && options->tested_count)
		wm_fail("--sites cannot be combined with --tested");
}

static void print_segments(
	const struct options *options, const struct wm_story *story, const struct wm_binaries *binaries)
{
	struct found found = {0}, tests = {0};
	find(&found, story, (uint32_t)options->depth);
	size_t all = found.counts.count;
	if (options->tested_count) {
		struct wm_profile profile;
		struct wm_story tested;
		wm_profile_init(&profile);
		wm_profile_need(&profile, options->tested, options->tested_count);
		wm_story_build(&tested, &profile, binaries->object, binaries->count);
		wm_story_need_match(&tested, "the profile of the tests");
		find(&tests, &tested, (uint32_t)options->depth);
		subtract(&found.counts, &tests.counts);
		wm_story_release(&tested);
		wm_profile_release(&profile);
	}
	(options->json ? print_json : print_text)(&found, all, options);
	wm_projection_release(&found.counts);
	wm_projection_release(&tests.counts);
}

int wm_cmd_segments(int argc, char **argv)
{
	struct options options = {.depth = 1, .rows = 20, .least = 1, .share = 100};
	struct wm_binaries binaries;
	struct wm_profile profile;
	struct wm_story story;
	parse(&options, argc, argv);
	wm_profile_init(&profile);
	wm_profile_need(&profile, options.operands.profile, options.operands.profile_count);
	wm_binaries_open(&binaries, &options.operands, NULL);
	wm_story_build(&story, &profile, binaries.object, binaries.count);
	wm_story_need_match(&story, "the profile");
	if (options.sites)
		wm_print_sites(&story, &(struct wm_site_limits){options.least, (uint32_t)options.share}, options.json);
	else
		print_segments(&options, &story, &binaries);
	wm_story_release(&story);
	wm_profile_release(&profile);
	wm_binaries_release(&binaries);
	wm_operands_release(&options.operands);
	free(options.tested);
	wm_finish_output();
	return 0;
}
