/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The document of `waymark untested --json`, which is printed one gap at a time, as in report_json.c. */
#include "analysis/tell/steps.h"
#include "support/xalloc.h"
#include "view/document/json_elements.h"
#include "view/untested/gaps_view.h"
#include "view/untested/residual_view.h"
#include <math.h>
#include <stdlib.h>

/* Adds NAME, or NAME_log10 if the number has no exact form here. */
static void add_paths(json_t *object, const char *name, double paths)
{
	if (paths < 9007199254740992.0) {
		json_object_set_new(object, name, json_integer((json_int_t)paths));
		return;
	}
	char *log = wm_xprintf("%s_log10", name);
	json_object_set_new(object, log, json_real(log10(paths)));
	free(log);
}

static json_t *summary_object(const struct wm_gaps *gaps)
{
	json_t *object = wm_json_checked(json_object());
	json_object_set_new(object, "functions", wm_json_count(gaps->count + gaps->never_count + gaps->known_never));
	json_object_set_new(object, "functions_entered", wm_json_count(gaps->count));
	json_object_set_new(object, "functions_with_untested", wm_json_count(gaps->with_gaps));
	add_paths(object, "in_baseline", gaps->known);
	json_object_set_new(object, "functions_in_baseline", wm_json_count(gaps->known_never));
	json_object_set_new(object, "outcomes", wm_json_count(gaps->decisions));
	json_object_set_new(object, "untested_outcomes", wm_json_count(gaps->untaken));
	json_object_set_new(object, "unknown_outcomes", wm_json_count(gaps->unknown_outcomes));
	if (gaps->question.level == WM_GAP_EDGE)
		return object;
	add_paths(object, "paths", gaps->sought);
	json_object_set_new(object, "tested_paths", wm_json_count(gaps->tested_paths));
	add_paths(object, "untested_paths", gaps->outside);
	add_paths(object, "unknown_paths", gaps->unknown_paths);
	json_object_set_new(object, "likely_infeasible", wm_json_count(gaps->infeasible));
	return object;
}

static json_t *test_names(const struct wm_gaps *gaps, const struct wm_gap *gap)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < gap->test_count; i++)
		json_array_append_new(list, wm_json_text(gaps->suite->test[gap->test[i]].name));
	return list;
}

static json_t *nearest_object(const struct wm_gap_function *f, const struct wm_gap *gap)
{
	json_t *object = wm_json_path(f->base.field, gap->path.nearest);
	json_object_set_new(object, "common_blocks", json_integer(gap->path.common));
	return object;
}

static json_t *path_object(const struct wm_gaps *gaps, const struct wm_gap_function *f, const struct wm_gap *gap,
	struct wm_steps *steps, bool expand)
{
	json_t *object = wm_json_path(f->base.field, &gap->own);
	char *doubt = wm_gap_infeasible_text(f, gap);
	if (expand)
		wm_json_expand(object, f->base.field, gap->own.id, steps);
	json_object_set_new(object, "distance", json_integer(gap->distance));
	json_object_set_new(object, "likely_infeasible", json_boolean(gap->infeasible));
	json_object_set_new(object, "reason", wm_json_optional(doubt));
	json_object_set_new(object, "nearest", nearest_object(f, gap));
	json_object_set_new(object, "parts_at", wm_untested_parting_json(&f->base, &gap->path, steps->sources));
	json_object_set_new(object, "tested_in_baseline", json_boolean(gap->lost));
	json_object_set_new(object, "tests", test_names(gaps, gap));
	free(doubt);
	return object;
}

static json_t *outcome_object(const struct wm_gaps *gaps, const struct wm_gap_function *f, const struct wm_gap *gap,
	struct wm_steps *steps, bool expand)
{
	json_t *object = wm_untested_edge_json(&f->base, gap->path.edge, steps->sources);
	(void)expand;
	json_object_set_new(object, "distance", json_integer(gap->distance));
	json_object_set_new(object, "tested_in_baseline", json_boolean(gap->lost));
	json_object_set_new(object, "tests", test_names(gaps, gap));
	return object;
}

static void add_numbers(json_t *object, const struct wm_gaps *gaps, const struct wm_gap_function *f)
{
	json_object_set_new(object, "tested", json_string(f->base.tested == WM_TESTED ? "yes" : "entered"));
	json_object_set_new(object, "outcomes", wm_json_count(f->decisions));
	json_object_set_new(object, "untested_outcomes", wm_json_count(f->untaken));
	json_object_set_new(object, "left_inside_calls", wm_json_count(f->left));
	json_object_set_new(object, "unknown_outcomes", wm_json_count(f->unknown_outcomes));
	json_object_set_new(object, "in_baseline", wm_json_count(wm_gap_list(gaps, f)->known));
	json_object_set_new(object, "unsearched", wm_json_optional(f->unsearched));
	if (!f->seeks_paths)
		return;
	json_object_set_new(object, "paths_sought", wm_json_count(f->sought));
	json_object_set_new(object, "untested_paths", wm_json_count(f->outside));
	json_object_set_new(object, "unknown_paths", wm_json_count(f->unknown_paths));
	json_object_set_new(object, "search_complete", json_boolean(!f->stopped));
}

typedef json_t *gap_object(const struct wm_gaps *gaps, const struct wm_gap_function *f, const struct wm_gap *gap,
	struct wm_steps *steps, bool expand);

static void print_list(const char *name, gap_object *object, const struct wm_gaps *gaps,
	const struct wm_gap_function *f, const struct wm_gap_list *list, struct wm_steps *steps, bool expand, FILE *out)
{
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < list->count; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		wm_json_dump(object(gaps, f, &list->gap[i], steps, expand), out, JSON_COMPACT);
	}
	fputc(']', out);
}

static void print_function(
	const struct wm_gaps *gaps, const struct wm_gap_function *f, struct wm_steps *steps, bool expand, FILE *out)
{
	json_t *object = wm_json_function(f->base.field);
	add_numbers(object, gaps, f);
	fputc('{', out);
	wm_json_dump(object, out, JSON_EMBED | JSON_COMPACT);
	wm_json_print_blocks(f->base.field, steps, out);
	if (f->lists_outcomes)
		print_list("edges", outcome_object, gaps, f, &f->outcomes, steps, expand, out);
	if (f->seeks_paths)
		print_list("paths", path_object, gaps, f, &f->paths, steps, expand, out);
	fputc('}', out);
}

static void print_never(const struct wm_story_function *function, struct wm_steps *steps, FILE *out)
{
	json_t *object = wm_json_function(function);
	json_object_set_new(object, "tested", json_string("no"));
	fputc('{', out);
	wm_json_dump(object, out, JSON_EMBED | JSON_COMPACT);
	wm_json_print_blocks(function, steps, out);
	fputc('}', out);
}

static void print_functions(const struct wm_gaps *gaps, const struct wm_report_options *options, FILE *out)
{
	struct wm_sources sources = {.directories = &options->source_dirs, .off = options->no_source};
	struct wm_steps steps = {.sources = &sources};
	for (size_t i = 0; i < gaps->count; i++) {
		fputs(i ? ",\n " : "\n ", out);
		print_function(gaps, &gaps->function[i], &steps, options->expand, out);
	}
	for (size_t i = 0; i < gaps->never_count; i++) {
		fputs(i || gaps->count ? ",\n " : "\n ", out);
		print_never(gaps->never[i], &steps, out);
	}
	wm_steps_release(&steps);
	wm_sources_release(&sources);
}

void wm_gaps_json(const struct wm_gaps *gaps, const struct wm_report_options *options, FILE *out)
{
	const struct wm_story *story = &gaps->suite->story;
	json_t *head = wm_json_document("untested"), *tests = wm_json_checked(json_array());
	for (size_t t = 0; t < gaps->suite->test_count; t++)
		json_array_append_new(tests, wm_json_text(gaps->suite->test[t].name));
	json_object_set_new(head, "level", json_string(wm_gap_level_name(gaps->question.level)));
	json_object_set_new(head, "scope", wm_json_optional(gaps->question.scope));
	json_object_set_new(head, "summary", summary_object(gaps));
	json_object_set_new(head, "tests", tests);
	json_object_set_new(head, "runs", wm_json_count(story->profile->runs));
	json_object_set_new(head, "objects", wm_json_objects(story));
	json_object_set_new(head, "refused", wm_json_refused(gaps->refused, gaps->refused_count));
	json_object_set_new(head, "notes", wm_json_notes(story->note, story->note_count));
	fputc('{', out);
	wm_json_dump(head, out, JSON_EMBED | JSON_COMPACT);
	fputs(",\n\"functions\":[", out);
	print_functions(gaps, options, out);
	fputs("]}\n", out);
}
