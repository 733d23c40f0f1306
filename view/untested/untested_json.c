/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The document of `waymark untested --json`, which is printed one path at a time, as in report_json.c. */
#include "analysis/tell/steps.h"
#include "support/xalloc.h"
#include "view/document/json_elements.h"
#include "view/untested/sightings_view.h"
#include "view/untested/untested_view.h"
#include <math.h>
#include <stdlib.h>

/* ---- The summary ---------------------------------------------------------------------------- */

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

static json_t *gap_summary(const struct wm_gaps *gaps)
{
	json_t *object = wm_json_checked(json_object());
	json_object_set_new(object, "functions", wm_json_count(gaps->count + gaps->never_count + gaps->known_never));
	json_object_set_new(object, "functions_refused", wm_json_count(wm_gaps_scope(gaps).refused));
	json_object_set_new(object, "functions_entered", wm_json_count(gaps->count));
	json_object_set_new(object, "functions_with_untested", wm_json_count(gaps->with_gaps));
	add_paths(object, "in_baseline", gaps->known);
	json_object_set_new(object, "functions_in_baseline", wm_json_count(gaps->known_never));
	json_object_set_new(object, "outcomes", wm_json_count(gaps->decisions));
	json_object_set_new(object, "untested_outcomes", wm_json_count(gaps->untaken));
	json_object_set_new(object, "unknown_outcomes", wm_json_count(gaps->unknown_outcomes));
	json_object_set_new(object, "left_out_outcomes", wm_json_count(gaps->left_out));
	json_object_set_new(object, "tested_left_out_outcomes", wm_json_count(gaps->left_out_taken));
	if (gaps->question.level == WM_GAP_EDGE)
		return object;
	add_paths(object, "paths", gaps->sought);
	json_object_set_new(object, "tested_paths", wm_json_count(gaps->tested_paths));
	add_paths(object, "untested_paths", gaps->outside);
	add_paths(object, "unknown_paths", gaps->unknown_paths);
	json_object_set_new(object, "likely_infeasible", wm_json_count(gaps->infeasible));
	return object;
}

static json_t *field_summary(const struct wm_untested *u)
{
	bool edges = u->tests;
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "paths",
		wm_json_count_if(!u->residual, u->paths), "untested_paths", wm_json_count(u->untested_paths),
		"untested_unfinished_paths", wm_json_count_if(u->tests, u->untested_unfinished), "untested_percent",
		wm_json_share_if(!u->residual, u->untested_paths, u->paths), "untested_frequency_percent",
		wm_json_share_if(!u->residual, u->untested_executions, u->executions), "functions_with_untested_paths",
		wm_json_count(u->functions_with_paths), "untested_edges", wm_json_count_if(edges, u->untested_edges),
		"functions_with_untested_edges", wm_json_count_if(edges, u->functions_with_edges),
		"untested_paths_in_functions_without_untested_edges", wm_json_count_if(edges, u->hidden_paths)));
}

/* ---- Paths and outcomes ----------------------------------------------------------------------- */

static json_t *edge_object(const struct wm_untested_function *f, uint32_t edge, struct wm_sources *sources)
{
	const struct wm_map_function *map = f->field->map;
	if (edge == WM_NONE)
		return wm_json_checked(json_pack("{s:n, s:i, s:s}", "from", "to", 0, "outcome", "entry"));
	uint32_t from = map->graph.edge_from[edge];
	const struct wm_map_line *at = &map->block[from].decision;
	struct wm_decision decision;
	wm_decision_tell(&decision, f->field, from, edge, sources);
	json_t *object = wm_json_checked(
		json_pack("{s:i, s:i, s:i, s:i, s:o}", "from", (int)from, "to", (int)map->graph.edge_to[edge], "line",
			(int)at->line, "column", (int)at->column, "outcome", wm_json_text(decision.outcome)));
	wm_json_condition(object, &decision);
	return object;
}

static json_t *parting_object(
	const struct wm_untested_function *f, const struct wm_untested_path *path, struct wm_sources *sources)
{
	struct wm_decision decision, other;
	if (path->block == WM_NONE)
		return json_null();
	const struct wm_story_function *in = wm_untested_parting(f, path);
	const struct wm_map_line *at = &in->map->block[path->block].decision;
	bool known = at->line && at->file < in->module->file_count;
	wm_decision_tell(&decision, in, path->block, path->edge, sources);
	wm_decision_tell(&other, in, path->block, path->nearest_edge, sources);
	json_t *object = wm_json_checked(
		json_pack("{s:i, s:i, s:o, s:i, s:i, s:o, s:o, s:b}", "block", (int)path->block, "position",
			(int)path->position, "file", wm_json_optional(known ? in->module->file[at->file] : NULL),
			"line", (int)at->line, "column", (int)at->column, "outcome", wm_json_text(decision.outcome),
			"tested_outcome", wm_json_text(other.outcome), "outcome_tested", (int)path->edge_tested));
	wm_json_condition(object, &decision);
	return object;
}

static json_t *one_path(
	const struct wm_story_function *function, const struct wm_story_path *path, struct wm_steps *steps, bool expand)
{
	json_t *object = wm_json_path(function, path);
	if (expand)
		wm_json_expand(object, function, path->id, steps);
	return object;
}

static json_t *test_names(const struct wm_gaps *gaps, const struct wm_gap *gap)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < gap->test_count; i++)
		json_array_append_new(list, wm_json_text(gaps->suite->test[gap->test[i]].name));
	return list;
}

/* The nearest tested path, or null. */
static json_t *nearest_object(
	const struct wm_untested_function *f, const struct wm_untested_path *path, struct wm_steps *steps, bool expand)
{
	if (!path->nearest)
		return json_null();
	json_t *object = one_path(f->field, path->nearest, steps, expand);
	json_object_set_new(object, "common_blocks", json_integer(path->common));
	return object;
}

static json_t *path_object(
	const struct wm_untested_function *f, const struct wm_untested_path *path, struct wm_steps *steps, bool expand)
{
	json_t *object = one_path(f->field, path->path, steps, expand);
	json_object_set_new(object, "nearest", nearest_object(f, path, steps, expand));
	json_object_set_new(object, "parts_at", parting_object(f, path, steps->sources));
	return object;
}

static json_t *path_of_field(const struct wm_untested *u, const struct wm_untested_function *f,
	const struct wm_untested_path *path, struct wm_steps *steps, bool expand)
{
	json_t *object = path_object(f, path, steps, expand);
	bool unfinished = wm_untested_is_unfinished(path);
	char id[WM_TRIAGE_ID_SIZE];
	wm_triage_id_print(id, path->triage_id);
	wm_json_sighting(object, f->field, path->path);
	if (u->sightings)
		json_object_set_new(object, "seen",
			unfinished ? json_null() : wm_sightings_json(u->sightings, f->field, path->path->id));
	if (path->nearest)
		json_object_set_new(json_object_get(object, "nearest"), "distance", json_integer(path->distance));
	json_object_set_new(object, "triage_id", unfinished ? json_null() : json_string(id));
	return object;
}

/* A path or an outcome that no test took. */
static json_t *gap_object(const struct wm_gaps *gaps, const struct wm_gap_function *f, const struct wm_gap *gap,
	struct wm_steps *steps, bool expand)
{
	bool path = gap->kind == WM_GAP_PATH;
	json_t *object = path ? path_object(&f->base, &gap->path, steps, expand)
			      : edge_object(&f->base, gap->path.edge, steps->sources);
	json_object_set_new(object, "distance", json_integer(gap->distance));
	json_object_set_new(object, "tested_in_baseline", json_boolean(gap->lost));
	json_object_set_new(object, "tests", test_names(gaps, gap));
	if (path) {
		char *doubt = wm_gap_infeasible_text(f, gap);
		json_object_set_new(object, "likely_infeasible", json_boolean(gap->infeasible));
		json_object_set_new(object, "reason", wm_json_optional(doubt));
		free(doubt);
	} else {
		json_object_set_new(object, "behind", json_integer(gap->behind));
	}
	return object;
}

/* ---- Functions -------------------------------------------------------------------------------- */

static void add_gap_numbers(json_t *object, const struct wm_gaps *gaps, const struct wm_gap_function *f)
{
	json_object_set_new(object, "outcomes", wm_json_count(f->decisions));
	json_object_set_new(object, "untested_outcomes", wm_json_count(f->untaken));
	json_object_set_new(object, "left_inside_calls", wm_json_count(f->left));
	json_object_set_new(object, "unknown_outcomes", wm_json_count(f->unknown_outcomes));
	json_object_set_new(object, "left_out_outcomes", wm_json_count(f->left_out));
	json_object_set_new(object, "tested_left_out_outcomes", wm_json_count(f->left_out_taken));
	json_object_set_new(object, "in_baseline", wm_json_count(wm_gap_list(gaps, f)->known));
	json_object_set_new(object, "unsearched", wm_json_optional(f->unsearched));
	if (!f->seeks_paths)
		return;
	json_object_set_new(object, "paths_sought", wm_json_count(f->sought));
	json_object_set_new(object, "untested_paths", wm_json_count(f->outside));
	json_object_set_new(object, "unknown_paths", wm_json_count(f->unknown_paths));
	json_object_set_new(object, "search_complete", json_boolean(!f->stopped));
}

static void add_field_numbers(json_t *object, const struct wm_untested_function *f, struct wm_sources *sources)
{
	bool known = f->tested != WM_TESTED_UNKNOWN;
	json_t *edges = wm_json_checked(json_array());
	for (size_t i = 0; i < f->edge_count; i++)
		json_array_append_new(edges, edge_object(f, f->edge[i], sources));
	json_object_set_new(object, "paths_tested", wm_json_count_if(known, f->tests ? f->tests->ran_count : 0));
	json_object_set_new(object, "untested_paths", wm_json_count(f->path_count));
	json_object_set_new(object, "untested_executions", wm_json_count(f->executions));
	json_object_set_new(object, "untested_edges", known ? edges : json_null());
	if (!known)
		json_decref(edges);
}

static void begin_function(json_t *object, const struct wm_story_function *function, struct wm_steps *steps, FILE *out)
{
	fputc('{', out);
	wm_json_dump(object, out, JSON_EMBED | JSON_COMPACT);
	wm_json_print_blocks(function, steps, out);
}

/* One of a list. */
static void print_element(json_t *object, size_t number, FILE *out)
{
	fputs(number ? ",\n  " : "\n  ", out);
	wm_json_dump(object, out, JSON_COMPACT);
}

static void print_gaps(const char *name, const struct wm_gaps *gaps, const struct wm_gap_function *f,
	const struct wm_gap_list *list, struct wm_steps *steps, bool expand, FILE *out)
{
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < list->count; i++)
		print_element(gap_object(gaps, f, &list->gap[i], steps, expand), i, out);
	fputc(']', out);
}

static void print_paths(const struct wm_untested *u, const struct wm_untested_function *f, struct wm_steps *steps,
	bool expand, FILE *out)
{
	fputs(",\"paths\":[", out);
	for (size_t i = 0; i < f->path_count; i++)
		print_element(path_of_field(u, f, &f->path[i], steps, expand), i, out);
	fputc(']', out);
}

/* A function that was compared. */
static void print_function(
	const struct wm_untested_answer *a, size_t number, struct wm_steps *steps, bool expand, FILE *out)
{
	static const char *const tested[] = {
		[WM_TESTED] = "yes", [WM_TESTED_ENTERED] = "entered", [WM_TESTED_NEVER] = "no"};
	const struct wm_untested_function *f = wm_untested_at(a, number);
	const struct wm_gap_function *gap = a->gaps ? &a->gaps->function[number] : NULL;
	json_t *object = wm_json_function(f->field);
	json_object_set_new(
		object, "tested", f->tested == WM_TESTED_UNKNOWN ? json_null() : json_string(tested[f->tested]));
	if (gap)
		add_gap_numbers(object, a->gaps, gap);
	else
		add_field_numbers(object, f, steps->sources);
	begin_function(object, f->field, steps, out);
	if (gap && gap->lists_outcomes)
		print_gaps("edges", a->gaps, gap, &gap->outcomes, steps, expand, out);
	if (gap && gap->seeks_paths)
		print_gaps("paths", a->gaps, gap, &gap->paths, steps, expand, out);
	if (!gap)
		print_paths(a->field, f, steps, expand, out);
	fputc('}', out);
}

/* A function that no test enters, or that did not run in the field. */
static void print_other(
	const struct wm_untested_answer *a, const struct wm_story_function *function, struct wm_steps *steps, FILE *out)
{
	json_t *object = wm_json_function(function);
	if (a->gaps)
		json_object_set_new(object, "tested", json_string("no"));
	begin_function(object, function, steps, out);
	fputs(a->gaps ? "}" : ",\"paths\":[]}", out);
}

static bool did_not_run(const struct wm_story_function *function, const struct wm_report_options *options)
{
	return function->state != WM_STORY_RAN && wm_filter_passes(&options->filter, function);
}

static void print_functions(const struct wm_untested_answer *a, const struct wm_report_options *options, FILE *out)
{
	struct wm_sources sources = {.directories = &options->source_dirs, .off = options->no_source};
	struct wm_steps steps = {.sources = &sources};
	const char *before = "\n ";
	for (size_t i = 0; i < a->count; i++, before = ",\n ") {
		fputs(before, out);
		print_function(a, i, &steps, options->expand, out);
	}
	size_t others = a->gaps ? a->gaps->never_count : a->story->function_count;
	for (size_t i = 0; i < others; i++) {
		const struct wm_story_function *function = a->gaps ? a->gaps->never[i] : &a->story->function[i];
		if (!a->gaps && !did_not_run(function, options))
			continue;
		fputs(before, out);
		print_other(a, function, &steps, out);
		before = ",\n ";
	}
	wm_steps_release(&steps);
	wm_sources_release(&sources);
}

/* ---- The document ----------------------------------------------------------------------------- */

static void add_gap_head(json_t *head, const struct wm_gaps *gaps)
{
	json_t *tests = wm_json_checked(json_array());
	for (size_t t = 0; t < gaps->suite->test_count; t++)
		json_array_append_new(tests, wm_json_text(gaps->suite->test[t].name));
	json_object_set_new(head, "level", json_string(wm_gap_level_name(gaps->question.level)));
	json_object_set_new(head, "changed", wm_json_optional(gaps->question.scope));
	json_object_set_new(head, "summary", gap_summary(gaps));
	json_object_set_new(head, "tests", tests);
	json_object_set_new(head, "runs", wm_json_count(gaps->suite->story.profile->runs));
}

static void add_field_head(json_t *head, const struct wm_untested *u)
{
	json_object_set_new(head, "summary", field_summary(u));
	json_object_set_new(head, "field_runs", wm_json_count(u->field->profile->runs));
	json_object_set_new(head, "tested_runs", wm_json_count_if(u->tests, u->tests ? u->tests->profile->runs : 0));
	json_object_set_new(head, "residual", json_boolean(u->residual));
}

void wm_untested_json(const struct wm_untested_answer *a, const struct wm_report_options *options, FILE *out)
{
	json_t *head = wm_json_document(a->gaps ? "untested" : "residual");
	if (a->gaps)
		add_gap_head(head, a->gaps);
	else
		add_field_head(head, a->field);
	wm_json_scope(head, &options->filter, a->story);
	json_object_set_new(head, "objects", wm_json_objects(a->story));
	json_object_set_new(head, "refused", wm_json_refused(a->refused, a->refused_count));
	json_object_set_new(head, "notes", wm_json_notes(a->note, a->note_count));
	fputc('{', out);
	wm_json_dump(head, out, JSON_EMBED | JSON_COMPACT);
	fputs(",\n\"functions\":[", out);
	print_functions(a, options, out);
	fputs("]}\n", out);
}
