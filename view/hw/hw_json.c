/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "elf/elf_object.h"
#include "hardware/model/order.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/document/json_elements.h"
#include "view/document/view_options.h"
#include "view/hw/hw_view.h"
#include <stdlib.h>
#include <string.h>

static json_t *table_json(const struct wm_hw_judged *judged, const struct wm_hw_pathmap *paths)
{
	const struct wm_hw_table *table = &judged->complete;
	json_t *object = wm_json_checked(json_object());
	json_object_set_new(object, "entries", wm_json_count(table->config.entries));
	json_object_set_new(object, "ways", wm_json_count(table->config.ways));
	json_object_set_new(object, "index", json_string(table->config.index == WM_HW_INDEX_XOR ? "xor" : "address"));
	json_object_set_new(object, "replacement", json_string(table->config.replacement == WM_HW_LFU ? "lfu" : "lru"));
	json_object_set_new(object, "metric", json_string(wm_hw_metric_name(table->config.metric)));
	json_object_set_new(object, "counter_bits", wm_json_count(table->config.counter_bits));
	json_object_set_new(object, "bytes", wm_json_count(wm_hw_table_bytes(&table->config, 48)));
	json_object_set_new(object, "overlap", json_real(wm_hw_table_overlap(table, paths)));
	json_object_set_new(object, "windows", wm_json_count(judged->windows));
	json_object_set_new(object, "window_overlap",
		judged->windows ? json_real(wm_hw_judged_window_overlap(judged)) : json_null());
	json_object_set_new(object, "updates", wm_json_count(table->stats.updates));
	json_object_set_new(object, "misses", wm_json_count(table->stats.misses));
	json_object_set_new(object, "saturated_paths", wm_json_count(table->stats.saturated_paths));
	json_object_set_new(object, "saturated_events", wm_json_count(table->stats.saturated_events));
	return object;
}

static json_t *phases_json(const struct wm_hw_phases *phases)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < phases->window_count; i++)
		json_array_append_new(list, wm_json_checked(json_integer(phases->window[i])));
	return list;
}

/* How much each metric's profile has in common with that of frequencies (section 5.3). */
static json_t *common_json(const struct wm_hw_pathmap *paths)
{
	json_t *object = wm_json_checked(json_object());
	for (unsigned metric = WM_HW_INSTRUCTIONS; metric < WM_HW_METRIC_COUNT; metric++)
		if (wm_hw_pathmap_total(paths, (enum wm_hw_metric)metric))
			json_object_set_new(object, wm_hw_metric_name((enum wm_hw_metric)metric),
				json_real(wm_hw_metric_overlap(paths, WM_HW_FREQUENCY, (enum wm_hw_metric)metric)));
	return object;
}

/* Spearman's correlation of the orders that both energy models give the paths. */
static json_t *order_json(const struct wm_hw_pathmap *paths)
{
	struct wm_arena arena;
	double correlation;
	wm_arena_init(&arena);
	uint64_t *a = WM_NEW(&arena, uint64_t, paths->count), *b = WM_NEW(&arena, uint64_t, paths->count);
	for (size_t i = 0; a && b && i < paths->count; i++) {
		a[i] = paths->path[i].events.count[WM_HW_ENERGY];
		b[i] = paths->path[i].events.count[WM_HW_CYCLE_ENERGY];
	}
	if (!a || !b || wm_hw_rank_correlation(&correlation, a, b, paths->count, &arena))
		wm_no_memory();
	wm_arena_release(&arena);
	return json_real(correlation);
}

static void set_run(json_t *document, const struct wm_hw_feed *feed)
{
	const struct wm_hw_analysis *analysis = &feed->analysis;
	const struct wm_hw_detector_stats *detector = &analysis->stats;
	const struct wm_follow_stats *follow = wm_follow_stats(feed->follow);
	wm_json_stopped(document, wm_hw_stops(feed));
	json_object_set_new(document, "instructions", wm_json_count(analysis->instructions));
	json_object_set_new(document, "threads", wm_json_count(follow->threads));
	json_object_set_new(document, "signals", wm_json_count(follow->signals));
	json_object_set_new(document, "branches", wm_json_count(detector->branches));
	json_object_set_new(document, "finished", wm_json_count(detector->finished));
	json_object_set_new(document, "split", wm_json_count(detector->split));
	json_object_set_new(document, "dropped", wm_json_count(detector->dropped));
	json_object_set_new(document, "spilled", wm_json_count(detector->spilled));
	json_object_set_new(document, "abandoned", wm_json_count(detector->abandoned));
	json_object_set_new(document, "resumed", wm_json_count(detector->resumed));
	json_object_set_new(document, "deepest", wm_json_count(detector->deepest));
	if (analysis->core.cycles) {
		json_object_set_new(document, "cycles", wm_json_count(analysis->core.cycles));
		json_object_set_new(document, "queue_stall_cycles", wm_json_count(analysis->core.queue_stall_cycles));
		json_object_set_new(document, "energy_order", order_json(&analysis->paths));
	}
	json_t *tables = wm_json_checked(json_array());
	for (size_t i = 0; i < analysis->judged_count; i++)
		json_array_append_new(tables, table_json(&analysis->judged[i], &analysis->paths));
	json_object_set_new(document, "tables", tables);
	json_object_set_new(document, "common_with_frequency", common_json(&analysis->paths));
	json_object_set_new(document, "window", wm_json_count(feed->options->analysis.window));
	json_object_set_new(document, "phases", phases_json(&analysis->phases));
}

/* T and N: of the conditional branches of a row, in order. */
static json_t *outcomes_json(const struct wm_steps *steps, const struct wm_row *row)
{
	char *text = wm_xmalloc(row->end - row->first + 1);
	size_t used = 0;
	for (size_t i = row->first; i < row->end; i++)
		if (steps->step[i].decision.outcome[0])
			text[used++] = strcmp(steps->step[i].decision.outcome, "taken") == 0 ? 'T' : 'N';
	text[used] = 0;
	json_t *value = wm_json_checked(json_string(text));
	free(text);
	return value;
}

static json_t *lines_json(const struct wm_steps *steps)
{
	json_t *list = wm_json_checked(json_array());
	struct wm_row *row;
	size_t count = wm_steps_rows(steps, &row);
	for (size_t i = 0; i < count; i++) {
		const struct wm_source_step *first = &steps->step[row[i].first];
		json_t *object = wm_json_checked(json_object());
		json_object_set_new(object, "file", wm_json_optional(first->file));
		json_object_set_new(object, "line", wm_json_count(first->line));
		json_object_set_new(object, "address", wm_json_count(first->address));
		json_object_set_new(object, "outcomes", outcomes_json(steps, &row[i]));
		json_array_append_new(list, object);
	}
	free(row);
	return list;
}

json_t *wm_hw_path_json(const struct wm_hw_story *story, const struct wm_hw_story_path *path, struct wm_steps *steps)
{
	const struct wm_code *code = wm_hw_story_code(story, path);
	char outcomes[WM_HW_MAX_BRANCHES + 1], id[2 * WM_BUILD_ID_MAX + 1];
	const struct wm_profile_object *counted = story->object[path->object].counted;
	json_t *object = wm_json_checked(json_object()), *counts = wm_json_checked(json_object());
	enum wm_hw_end end = wm_hw_story_tell(story, path, steps);
	wm_hw_outcomes_text(&path->path, outcomes);
	wm_build_id_text(counted->build_id, counted->build_id_size, id);
	uint64_t behind = 0;
	const char *name = code ? wm_code_function(code, path->path.start, &behind) : NULL;
	json_object_set_new(object, "object", code ? wm_json_text(code->path) : json_null());
	json_object_set_new(object, "build_id", json_string(id));
	json_object_set_new(object, "function", name ? wm_json_text(name) : json_null());
	json_object_set_new(object, "start", wm_json_count(path->path.start));
	json_object_set_new(object, "outcomes", json_string(outcomes));
	json_object_set_new(object, "end", json_string(wm_hw_end_name(end)));
	for (unsigned metric = 0; metric < WM_HW_METRIC_COUNT; metric++)
		if (story->metrics >> metric & 1)
			json_object_set_new(counts, wm_hw_metric_name((enum wm_hw_metric)metric),
				wm_json_count(path->count[metric]));
	if (story->metrics)
		json_object_set_new(object, "counts", counts);
	else
		json_decref(counts);
	json_object_set_new(object, "lines", lines_json(steps));
	return object;
}

void wm_hw_print_json(const struct wm_hw_story *story, const struct wm_hw_feed *feed)
{
	json_t *document = wm_json_document("hw"), *paths = wm_json_checked(json_array());
	json_t *totals = wm_json_checked(json_object());
	struct wm_steps steps = {0};
	if (feed)
		set_run(document, feed);
	for (unsigned metric = 0; metric < WM_HW_METRIC_COUNT; metric++)
		if (story->metrics >> metric & 1)
			json_object_set_new(totals, wm_hw_metric_name((enum wm_hw_metric)metric),
				wm_json_count(story->total[metric]));
	json_object_set_new(document, "totals", totals);
	json_object_set_new(document, "by", json_string(wm_hw_metric_name(story->view->by)));
	for (size_t i = 0; i < story->path_count; i++) {
		json_array_append_new(paths, wm_hw_path_json(story, &story->path[i], &steps));
	}
	json_object_set_new(document, "paths", paths);
	wm_json_print(document);
	wm_steps_release(&steps);
}
