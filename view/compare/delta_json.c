/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The document of `waymark diff --json`, which is printed one way at a time. */
#include "analysis/tell/steps.h"
#include "support/xalloc.h"
#include "view/compare/delta_view.h"
#include "view/document/json_elements.h"
#include <math.h>
#include <stdlib.h>

static const char *const side_name[WM_SIDES] = {[WM_OLD] = "old", [WM_NEW] = "new"};
static const char *const graph_name[] = {[WM_DELTA_SAME] = "same",
	[WM_DELTA_CHANGED] = "changed",
	[WM_DELTA_ONLY_OLD] = "only_old",
	[WM_DELTA_ONLY_NEW] = "only_new"};

static json_t *real_or_null(double number)
{
	return wm_json_checked(isnan(number) ? json_null() : json_real(number));
}

static json_t *side_object(const struct wm_delta_side *side)
{
	json_t *runs = wm_json_checked(json_array());
	for (size_t r = 0; r < side->suite.test_count; r++)
		json_array_append_new(
			runs, wm_json_checked(json_pack("{s:o, s:o}", "name", wm_json_text(side->suite.test[r].name),
				      "executions", wm_json_count(side->total[r]))));
	return wm_json_checked(json_pack("{s:o, s:o, s:o}", "runs", runs, "executions", wm_json_count(side->executions),
		"objects", wm_json_objects(&side->suite.story)));
}

static json_t *summary_object(const struct wm_delta *delta)
{
	json_t *object = wm_json_checked(json_object());
	for (int c = WM_DELTA_APPEARED; c < WM_DELTA_CHANGES; c++)
		json_object_set_new(
			object, wm_delta_change_text((enum wm_delta_change)c), wm_json_count(delta->changes[c]));
	json_object_set_new(object, "different", wm_json_count(delta->different));
	json_object_set_new(object, "within_limits", wm_json_count(delta->quiet));
	json_object_set_new(object, "ways", wm_json_count(delta->way_count));
	json_t *graphs = wm_json_checked(json_object());
	for (size_t g = 0; g < sizeof graph_name / sizeof *graph_name; g++)
		json_object_set_new(graphs, graph_name[g], wm_json_count(delta->graphs[g]));
	json_object_set_new(object, "functions", graphs);
	return object;
}

static json_t *path_object(const struct wm_delta_side *side, uint32_t path, struct wm_steps *steps, bool expand)
{
	const struct wm_suite_path *suite_path = &side->suite.path[path];
	struct wm_path_ends ends;
	struct wm_story_path like = {.id = suite_path->id};
	wm_steps_tell(steps, suite_path->function, suite_path->id, &ends);
	like.start = ends.start;
	like.end = ends.end;
	for (size_t i = side->first[path]; i < side->first[path + 1]; i++)
		like.count += side->count[i].count;
	json_t *object = wm_json_path(suite_path->function, &like);
	if (expand)
		wm_json_expand(object, suite_path->function, suite_path->id, steps);
	return object;
}

static json_t *part_object(
	const struct wm_delta_side *side, const struct wm_delta_part *part, struct wm_steps *steps, bool expand)
{
	json_t *paths = wm_json_checked(json_array()), *counts = wm_json_checked(json_array());
	uint64_t *count = wm_xmalloc((side->suite.test_count + 1) * sizeof *count);
	for (size_t r = 0; r < side->suite.test_count; r++)
		count[r] = 0;
	for (size_t i = 0; i < part->path_count; i++) {
		json_array_append_new(paths, path_object(side, part->path[i], steps, expand));
		for (size_t c = side->first[part->path[i]]; c < side->first[part->path[i] + 1]; c++)
			count[side->count[c].run] += side->count[c].count;
	}
	for (size_t r = 0; r < side->suite.test_count; r++)
		json_array_append_new(counts, wm_json_count(count[r]));
	free(count);
	return wm_json_checked(json_pack("{s:o, s:o, s:f, s:o, s:o, s:i}", "count", wm_json_count(part->executions),
		"counts", counts, "share", part->share, "runs", wm_json_count(part->runs), "paths", paths,
		"unmatched_blocks", (int)part->unmatched));
}

static void print_way(const struct wm_delta *delta, const struct wm_delta_way *way, struct wm_steps steps[WM_SIDES],
	bool expand, FILE *out)
{
	json_t *object = wm_json_checked(json_pack("{s:s, s:b, s:b, s:o, s:o}", "change",
		wm_delta_change_text(way->change), "different", wm_delta_differs(delta, way), "code_changed",
		way->code_changed, "p", real_or_null(way->p), "q", real_or_null(way->q)));
	for (int s = 0; s < WM_SIDES; s++)
		json_object_set_new(
			object, side_name[s], part_object(&delta->side[s], &way->part[s], &steps[s], expand));
	wm_json_dump(object, out, JSON_COMPACT);
}

static json_t *function_object(const struct wm_delta_function *function)
{
	const struct wm_story_function *shown = wm_delta_function(function);
	json_t *object = wm_json_checked(json_pack("{s:o, s:o, s:i, s:o, s:s}", "name", wm_json_text(shown->map->name),
		"file", wm_json_optional(wm_story_file(shown)), "line", (int)shown->map->line, "scheme",
		wm_json_text(shown->map->scheme), "graph", graph_name[function->graph]));
	if (function->graph == WM_DELTA_CHANGED)
		json_object_set_new(object, "blocks_matched", wm_json_count(function->match.matched));
	for (int s = 0; s < WM_SIDES; s++) {
		json_t *side = json_null();
		if (function->function[s])
			side = wm_json_checked(json_pack("{s:o, s:f, s:o}", "count",
				wm_json_count(function->executions[s]), "share", function->share[s], "blocks",
				wm_json_count(function->function[s]->map->graph.block_count)));
		json_object_set_new(object, side_name[s], side);
	}
	return object;
}

/* The ways of each function: those of function f are from first[f] to first[f + 1]. */
static size_t *sort_ways(const struct wm_delta *delta, size_t **list)
{
	size_t *first = wm_xmalloc((delta->function_count + 2) * sizeof *first);
	*list = wm_xmalloc((delta->way_count + 1) * sizeof **list);
	for (size_t f = 0; f < delta->function_count + 2; f++)
		first[f] = 0;
	for (size_t w = 0; w < delta->way_count; w++)
		first[delta->way[w].function + 2]++;
	for (size_t f = 2; f < delta->function_count + 2; f++)
		first[f] += first[f - 1];
	for (size_t w = 0; w < delta->way_count; w++)
		(*list)[first[delta->way[w].function + 1]++] = w;
	return first;
}

static void print_functions(const struct wm_delta *delta, const struct wm_report_options *options, FILE *out)
{
	struct wm_steps steps[WM_SIDES] = {{.sources = delta->sources[WM_OLD]}, {.sources = delta->sources[WM_NEW]}};
	size_t *list, *first = sort_ways(delta, &list);
	for (size_t f = 0; f < delta->function_count; f++) {
		fputs(f ? ",\n {" : "\n {", out);
		wm_json_dump(function_object(&delta->function[f]), out, JSON_EMBED | JSON_COMPACT);
		fputs(",\"ways\":[", out);
		for (size_t w = first[f]; w < first[f + 1]; w++) {
			fputs(w == first[f] ? "\n  " : ",\n  ", out);
			print_way(delta, &delta->way[list[w]], steps, options->expand, out);
		}
		fputs("]}", out);
	}
	for (int s = 0; s < WM_SIDES; s++)
		wm_steps_release(&steps[s]);
	free(list);
	free(first);
}

void wm_delta_json(const struct wm_delta *delta, const struct wm_report_options *options, FILE *out)
{
	json_t *head = wm_json_document("diff");
	json_object_set_new(head, "summary", summary_object(delta));
	for (int s = 0; s < WM_SIDES; s++)
		json_object_set_new(head, side_name[s], side_object(&delta->side[s]));
	json_object_set_new(head, "test", wm_json_optional(delta->tested ? "welch" : NULL));
	wm_json_scope(head, &options->filter, &delta->side[WM_NEW].suite.story);
	json_object_set_new(head, "refused", wm_json_refused(delta->refused, delta->refused_count));
	json_object_set_new(head, "notes", wm_json_notes(delta->note, delta->note_count));
	fputc('{', out);
	wm_json_dump(head, out, JSON_EMBED | JSON_COMPACT);
	fputs(",\n\"functions\":[", out);
	print_functions(delta, options, out);
	fputs("]}\n", out);
}
