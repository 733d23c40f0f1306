/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The document of `waymark residual --json`, which is printed one path at a time, as in report_json.c. */
#include "analysis/tell/steps.h"
#include "view/document/json_elements.h"
#include "view/document/view_options.h"
#include "view/untested/residual_view.h"
#include "view/untested/sightings_view.h"
#include <stdlib.h>

static json_t *summary_object(const struct wm_untested *u)
{
	bool edges = u->tests;
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "paths",
		wm_json_count_if(!u->residual, u->paths), "untested_paths", wm_json_count(u->untested_paths),
		"untested_percent", wm_json_share_if(!u->residual, u->untested_paths, u->paths),
		"untested_frequency_percent", wm_json_share_if(!u->residual, u->untested_executions, u->executions),
		"functions_with_untested_paths", wm_json_count(u->functions_with_paths), "untested_edges",
		wm_json_count_if(edges, u->untested_edges), "functions_with_untested_edges",
		wm_json_count_if(edges, u->functions_with_edges), "untested_paths_in_functions_without_untested_edges",
		wm_json_count_if(edges, u->hidden_paths)));
}

json_t *wm_untested_edge_json(const struct wm_untested_function *f, uint32_t edge, struct wm_sources *sources)
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

json_t *wm_untested_parting_json(
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

static json_t *path_object(const struct wm_untested *u, const struct wm_untested_function *f,
	const struct wm_untested_path *path, struct wm_steps *steps, bool expand)
{
	json_t *object = one_path(f->field, path->path, steps, expand), *nearest = json_null();
	wm_json_sighting(object, f->field, path->path);
	if (u->sightings)
		json_object_set_new(object, "seen", wm_sightings_json(u->sightings, f->field, path->path->id));
	if (path->nearest) {
		nearest = one_path(f->field, path->nearest, steps, expand);
		json_object_set_new(nearest, "common_blocks", json_integer(path->common));
		json_object_set_new(nearest, "distance", json_integer(path->distance));
	}
	char id[WM_TRIAGE_ID_SIZE];
	wm_triage_id_print(id, path->triage_id);
	json_object_set_new(object, "triage_id", json_string(id));
	json_object_set_new(object, "nearest", nearest);
	json_object_set_new(object, "parts_at", wm_untested_parting_json(f, path, steps->sources));
	return object;
}

static void add_comparison(json_t *object, const struct wm_untested_function *f, struct wm_sources *sources)
{
	static const char *const tested[] = {
		[WM_TESTED] = "yes", [WM_TESTED_ENTERED] = "entered", [WM_TESTED_NEVER] = "no"};
	bool known = f->tested != WM_TESTED_UNKNOWN;
	json_t *edges = wm_json_checked(json_array());
	for (size_t i = 0; i < f->edge_count; i++)
		json_array_append_new(edges, wm_untested_edge_json(f, f->edge[i], sources));
	json_object_set_new(object, "tested", known ? json_string(tested[f->tested]) : json_null());
	json_object_set_new(object, "paths_tested", wm_json_count_if(known, f->tests ? f->tests->ran_count : 0));
	json_object_set_new(object, "untested_paths", wm_json_count(f->path_count));
	json_object_set_new(object, "untested_executions", wm_json_count(f->executions));
	json_object_set_new(object, "untested_edges", known ? edges : json_null());
	if (!known)
		json_decref(edges);
}

static void print_function(const struct wm_untested *u, const struct wm_story_function *function,
	const struct wm_untested_function *f, struct wm_steps *steps, bool expand, FILE *out)
{
	json_t *object = wm_json_function(function);
	if (f)
		add_comparison(object, f, steps->sources);
	fputc('{', out);
	wm_json_dump(object, out, JSON_EMBED | JSON_COMPACT);
	wm_json_print_blocks(function, steps, out);
	fputs(",\"paths\":[", out);
	for (size_t i = 0; f && i < f->path_count; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		wm_json_dump(path_object(u, f, &f->path[i], steps, expand), out, JSON_COMPACT);
	}
	fputs("]}", out);
}

static void print_functions(const struct wm_untested *u, const struct wm_report_options *options, FILE *out)
{
	struct wm_sources sources = {.directories = &options->source_dirs, .off = options->no_source};
	struct wm_steps steps = {.sources = &sources};
	bool first = true;
	for (size_t i = 0; i < u->function_count; i++, first = false) {
		fputs(first ? "\n " : ",\n ", out);
		print_function(u, u->function[i].field, &u->function[i], &steps, options->expand, out);
	}
	for (size_t i = 0; i < u->field->function_count; i++) {
		const struct wm_story_function *function = &u->field->function[i];
		if (function->state == WM_STORY_RAN || !wm_filter_passes(&options->filter, function))
			continue;
		fputs(first ? "\n " : ",\n ", out);
		print_function(u, function, NULL, &steps, options->expand, out);
		first = false;
	}
	wm_steps_release(&steps);
	wm_sources_release(&sources);
}

void wm_untested_json(const struct wm_untested *u, const struct wm_report_options *options, FILE *out)
{
	json_t *head = wm_json_document("residual");
	json_object_set_new(head, "summary", summary_object(u));
	json_object_set_new(head, "field_runs", wm_json_count(u->field->profile->runs));
	json_object_set_new(head, "tested_runs", wm_json_count_if(u->tests, u->tests ? u->tests->profile->runs : 0));
	json_object_set_new(head, "residual", json_boolean(u->residual));
	json_object_set_new(head, "objects", wm_json_objects(u->field));
	json_object_set_new(head, "refused", wm_json_refused(u->refused, u->refused_count));
	json_object_set_new(head, "notes", wm_json_notes(u->note, u->note_count));
	fputc('{', out);
	wm_json_dump(head, out, JSON_EMBED | JSON_COMPACT);
	fputs(",\n\"functions\":[", out);
	print_functions(u, options, out);
	fputs("]}\n", out);
}
