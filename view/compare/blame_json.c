/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The document of `waymark blame --json`, which is printed one path at a time. */
#include "analysis/tell/edge_words.h"
#include "analysis/tell/steps.h"
#include "support/xalloc.h"
#include "view/compare/blame_view.h"
#include "view/document/json_elements.h"
#include <math.h>
#include <stdlib.h>

static json_t *names_of(const struct wm_suite *suite)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < suite->test_count; i++)
		json_array_append_new(list, wm_json_text(suite->test[i].name));
	return list;
}

/* Infinity, which JSON does not have, is null. */
static json_t *finite_or_null(double number)
{
	return wm_json_checked(isfinite(number) ? json_real(number) : json_null());
}

static json_t *measures_object(const struct wm_spectrum *spectrum)
{
	json_t *object = wm_json_checked(json_object());
	for (int m = 0; m < WM_MEASURES; m++)
		json_object_set_new(
			object, wm_measure_name[m], finite_or_null(wm_measure((enum wm_measure)m, spectrum)));
	json_object_set_new(object, "increase", finite_or_null(wm_increase(spectrum)));
	return object;
}

static json_t *parting_object(const struct wm_parting *parting, struct wm_sources *sources)
{
	const struct wm_story_function *in = parting->function;
	struct wm_decision own, other;
	if (!parting->known)
		return json_null();
	json_t *object = wm_json_checked(json_pack(
		"{s:o, s:o}", "path", wm_json_count(parting->nearest), "passed_runs", wm_json_count(parting->runs)));
	if (!in)
		return object;
	const struct wm_map_line *at = &in->map->block[parting->block].decision;
	bool known = at->line && at->file < in->module->file_count;
	wm_decision_tell(&own, in, parting->block, parting->edge, sources);
	wm_decision_tell(&other, in, parting->block, parting->nearest_edge, sources);
	json_t *parts = wm_json_checked(json_pack("{s:o, s:i, s:i, s:o, s:i, s:i, s:o, s:o}", "function",
		wm_json_text(in->map->name), "block", (int)parting->block, "position", (int)parting->position, "file",
		wm_json_optional(known ? in->module->file[at->file] : NULL), "line", (int)at->line, "column",
		(int)at->column, "outcome", wm_json_text(own.outcome), "passed_outcome", wm_json_text(other.outcome)));
	wm_json_condition(parts, &own);
	json_object_set_new(object, "parts_at", parts);
	return object;
}

/* The members that paths, outcomes and lines have in common. */
static void add_suspect(json_t *object, const struct wm_suspect *suspect)
{
	const struct wm_spectrum *spectrum = &suspect->spectrum;
	json_t *members = wm_json_checked(json_pack("{s:o, s:f, s:o, s:o, s:o, s:o}", "score",
		finite_or_null(suspect->score), "rank", (double)(suspect->first_rank + suspect->last_rank) / 2,
		"first_rank", wm_json_count(suspect->first_rank), "last_rank", wm_json_count(suspect->last_rank),
		"failed_runs", wm_json_count(spectrum->failed_with), "passed_runs",
		wm_json_count(spectrum->passed_with)));
	json_object_update(object, members);
	json_decref(members);
}

/* "file.c:12" */
static json_t *leads_to(const struct wm_blame_outcome *outcome)
{
	struct wm_arena arena;
	const struct wm_map_line **line;
	json_t *list = wm_json_checked(json_array());
	wm_arena_init(&arena);
	size_t count = wm_blame_leads_to(outcome, &line, &arena);
	for (size_t i = 0; i < count; i++) {
		char *text = wm_xprintf("%s:%u", outcome->function->module->file[line[i]->file], line[i]->line);
		json_array_append_new(list, wm_json_text(text));
		free(text);
	}
	wm_arena_release(&arena);
	return list;
}

static void print_outcome(const struct wm_blame_outcome *outcome, struct wm_sources *sources, FILE *out)
{
	const struct wm_story_function *in = outcome->function;
	const struct wm_map_line *at = &in->map->block[outcome->block].decision;
	bool known = at->line && at->file < in->module->file_count;
	struct wm_decision decision;
	char *text = wm_edge_text(in, outcome->edge, sources);
	wm_decision_tell(&decision, in, outcome->block, outcome->edge, sources);
	json_t *object = wm_json_checked(
		json_pack("{s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "function", wm_json_text(in->map->name),
			"file", wm_json_optional(known ? in->module->file[at->file] : NULL), "line", (int)at->line,
			"column", (int)at->column, "block", (int)outcome->block, "edge", (int)outcome->edge, "follows",
			outcome->follows == WM_NONE ? json_null() : wm_json_count(outcome->follows), "outcome",
			wm_json_text(decision.outcome), "text", wm_json_text(text), "leads_to", leads_to(outcome)));
	wm_json_condition(object, &decision);
	json_object_set_new(object, "folded", json_boolean(outcome->folded));
	add_suspect(object, &outcome->suspect);
	json_object_set_new(object, "measures", measures_object(&outcome->suspect.spectrum));
	wm_json_dump(object, out, JSON_COMPACT);
	free(text);
}

static void print_line(const struct wm_blame_line *line, FILE *out)
{
	json_t *object = wm_json_checked(
		json_pack("{s:o, s:o, s:i}", "function", wm_json_text(line->function->map->name), "file",
			wm_json_text(line->function->module->file[line->place.file]), "line", (int)line->place.line));
	add_suspect(object, &line->suspect);
	json_object_set_new(object, "measures", measures_object(&line->suspect.spectrum));
	wm_json_dump(object, out, JSON_COMPACT);
}

static void print_path(
	const struct wm_blame *blame, const struct wm_blame_path *path, struct wm_steps *steps, bool expand, FILE *out)
{
	const struct wm_delta_way *way = wm_blame_way(blame, path);
	const struct wm_suite_path *own = wm_delta_path(&blame->delta, way, WM_FAILED);
	struct wm_path_ends ends;
	wm_steps_tell(steps, own->function, own->id, &ends);
	struct wm_story_path like = {
		.id = own->id, .count = way->part[WM_FAILED].executions, .start = ends.start, .end = ends.end};
	json_t *object = wm_json_checked(json_pack("{s:o, s:o}", "function", wm_json_text(own->function->map->name),
		"file", wm_json_optional(wm_story_file(own->function))));
	add_suspect(object, &path->suspect);
	json_t *told = wm_json_path(own->function, &like);
	if (expand)
		wm_json_expand(told, own->function, own->id, steps);
	json_object_update(object, told);
	json_decref(told);
	json_object_set_new(object, "measures", measures_object(&path->suspect.spectrum));
	json_object_set_new(
		object, "tested", blame->tests.test_count ? json_boolean(!path->suspect.untested) : json_null());
	json_object_set_new(object, "nearest_passed", parting_object(&path->parting, steps->sources));
	wm_json_dump(object, out, JSON_COMPACT);
}

void wm_blame_json(const struct wm_blame *blame, const struct wm_report_options *options, FILE *out)
{
	const struct wm_delta *delta = &blame->delta;
	struct wm_steps steps = {.sources = delta->sources[WM_FAILED]};
	json_t *head = wm_json_document("blame");
	json_object_set_new(head, "passed", names_of(&delta->side[WM_PASSED].suite));
	json_object_set_new(head, "failed", names_of(&delta->side[WM_FAILED].suite));
	json_object_set_new(head, "measure", wm_json_text(wm_measure_name[blame->measure]));
	wm_json_scope(head, &options->filter, &delta->side[WM_FAILED].suite.story);
	json_object_set_new(head, "objects", wm_json_objects(&delta->side[WM_FAILED].suite.story));
	json_object_set_new(head, "refused", wm_json_refused(delta->refused, delta->refused_count));
	json_object_set_new(head, "notes", wm_json_notes(delta->note, delta->note_count));
	fputc('{', out);
	wm_json_dump(head, out, JSON_EMBED | JSON_COMPACT);
	fputs(",\n\"decisions\":[", out);
	for (size_t i = 0; i < blame->outcome_count; i++) {
		fputs(i ? ",\n " : "\n ", out);
		print_outcome(&blame->outcome[i], steps.sources, out);
	}
	fputs("],\n\"lines\":[", out);
	for (size_t i = 0; i < blame->line_count; i++) {
		fputs(i ? ",\n " : "\n ", out);
		print_line(&blame->line[i], out);
	}
	fputs("],\n\"paths\":[", out);
	for (size_t i = 0; i < blame->path_count; i++) {
		fputs(i ? ",\n " : "\n ", out);
		print_path(blame, &blame->path[i], &steps, options->expand, out);
	}
	fputs("]}\n", out);
	wm_steps_release(&steps);
}
