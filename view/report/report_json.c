/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The report as JSON.  Objects are built with jansson and printed one path at a time, because a profile may have
 * millions of paths.
 */
#include "analysis/join/story_checks.h"
#include "analysis/tell/steps.h"
#include "support/xalloc.h"
#include "view/document/json_elements.h"
#include "view/report/report.h"
#include <stdlib.h>
#include <string.h>

static void print_unfinished(
	struct wm_story_function *function, struct wm_steps *steps, const struct wm_report_options *options, FILE *out)
{
	if (!function->unfinished_count)
		return;
	fputs(",\"unfinished\":[", out);
	for (size_t i = 0; i < function->unfinished_count; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		json_t *object = wm_json_unfinished(function, &function->unfinished[i]);
		if (options->expand)
			wm_json_expand(object, function, function->unfinished[i].path.id, steps);
		wm_json_dump(object, out, JSON_COMPACT);
	}
	fputs("]", out);
}

static void print_function(
	struct wm_story_function *function, struct wm_steps *steps, const struct wm_report_options *options, FILE *out)
{
	json_t *head = wm_json_function(function);
	if (options->correlations)
		json_object_set_new(head, "correlations", wm_json_correlations(function, steps->sources));
	if (options->mcdc)
		json_object_set_new(head, "mcdc", wm_json_mcdc(function, steps->sources));
	if (options->prime_paths)
		json_object_set_new(head, "prime_paths", wm_json_primes(function, steps));
	fputc('{', out);
	wm_json_dump(head, out, JSON_EMBED | JSON_COMPACT);
	wm_json_print_blocks(function, steps, out);
	fputs(",\"paths\":[", out);
	for (size_t i = 0; i < function->ran_count; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		json_t *object = wm_json_path(function, &function->path[i]);
		if (options->expand)
			wm_json_expand(object, function, function->path[i].id, steps);
		wm_json_sighting(object, function, &function->path[i]);
		wm_json_dump(object, out, JSON_COMPACT);
	}
	fputs("]", out);
	print_unfinished(function, steps, options, out);
	fputc('}', out);
}

static json_t *totals_object(const struct wm_story *story, const struct wm_function_filter *filter)
{
	struct wm_function_filter all = *filter;
	all.function = NULL;
	const struct wm_left_out left_out = wm_story_left_out(story, &all);
	const struct wm_story_totals sum = wm_filter_totals(filter, story);
	json_t *totals =
		wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "functions", wm_json_count(sum.functions),
			"functions_executed", wm_json_count(sum.functions_ran), "functions_skipped",
			wm_json_count(sum.functions_skipped), "functions_refused", wm_json_count(story->refused_count),
			"paths_executed", wm_json_count(sum.paths_ran), "executions", wm_json_count(sum.executions)));
	if (sum.paths_possible < 0x1p53)
		json_object_set_new(totals, "paths_possible", json_integer((json_int_t)sum.paths_possible));
	else
		json_object_set_new(totals, "paths_possible_log10", json_real(sum.paths_possible_log10));
	json_object_set_new(totals, "left_out_outcomes", wm_json_count(left_out.outcomes));
	json_object_set_new(totals, "left_out_paths_executed", wm_json_count(left_out.paths));
	return totals;
}

/* The units of paths across calls. */
static json_t *units_array(const struct wm_story *story)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t u = 0; u < story->units.count; u++) {
		const struct wm_story_unit *unit = &story->units.unit[u];
		const struct wm_binary_unit *binary = unit->binary;
		json_array_append_new(list,
			wm_json_checked(json_pack("{s:o, s:s, s:b, s:o, s:i, s:i, s:i, s:o, s:o}", "binary",
				wm_json_text(binary->object->path), "scheme", binary->scheme->name, "linked",
				binary->linked, "file",
				wm_json_optional(binary->module ? binary->module->source : NULL), "functions",
				(int)binary->unit.function_count, "call_sites", (int)binary->plan.site_count, "crossed",
				(int)binary->plan.crossed, "paths_possible", wm_json_count(binary->plan.path_count),
				"balance", wm_json_balance(&unit->balance))));
	}
	return list;
}

void wm_report_json(const struct wm_story *story, const struct wm_report_options *options, FILE *out)
{
	struct wm_sources sources = {.directories = &options->source_dirs, .off = options->no_source};
	struct wm_steps steps = {.sources = &sources};
	bool first = true;
	json_t *head = wm_json_document("report");
	json_object_set_new(head, "runs", wm_json_count(story->profile->runs));
	json_object_set_new(head, "runs_left_out", wm_json_count(story->doubtful_runs));
	json_object_set_new(head, "totals", totals_object(story, &options->filter));
	wm_json_scope(head, &options->filter, story);
	json_object_set_new(head, "objects", wm_json_objects(story));
	json_object_set_new(head, "refused", wm_json_refused(story->refused, story->refused_count));
	json_object_set_new(head, "notes", wm_json_notes(story->note, story->note_count));
	if (story->units.count)
		json_object_set_new(head, "units", units_array(story));
	if (options->mcdc)
		json_object_set_new(head, "mcdc", wm_json_mcdc_totals(story, options));
	fputc('{', out);
	wm_json_dump(head, out, JSON_EMBED | JSON_COMPACT);
	fputs(",\n\"functions\":[", out);
	for (size_t i = 0; i < story->function_count; i++) {
		if (!wm_filter_passes(&options->filter, &story->function[i]))
			continue;
		fputs(first ? "\n " : ",\n ", out);
		print_function(&story->function[i], &steps, options, out);
		first = false;
	}
	fputs("]}\n", out);
	wm_steps_release(&steps);
	wm_sources_release(&sources);
}
