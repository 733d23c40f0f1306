/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "elf/object.h"
#include "hardware/model/order.h"
#include "view/hw.h"
#include "view/report.h"
#include <stdlib.h>

static void set(json_t *object, const char *name, json_t *value)
{
	if (json_object_set_new(object, name, wm_json_checked(value)) != 0)
		wm_bug("out of memory");
}

static void set_count(json_t *object, const char *name, uint64_t count)
{
	set(object, name, json_integer((json_int_t)count));
}

static json_t *table_json(const struct wm_hw_judged *judged, const struct wm_hw_pathmap *paths)
{
	const struct wm_hw_table *table = &judged->complete;
	json_t *object = wm_json_checked(json_object());
	set_count(object, "entries", table->config.entries);
	set_count(object, "ways", table->config.ways);
	set(object, "index", json_string(table->config.index == WM_HW_INDEX_XOR ? "xor" : "address"));
	set(object, "replacement", json_string(table->config.replacement == WM_HW_LFU ? "lfu" : "lru"));
	set(object, "metric", json_string(wm_hw_metric_name(table->config.metric)));
	set_count(object, "counter_bits", table->config.counter_bits);
	set_count(object, "bytes", wm_hw_table_bytes(&table->config, 48));
	set(object, "overlap", json_real(wm_hw_table_overlap(table, paths)));
	set_count(object, "windows", judged->windows);
	set(object, "window_overlap", judged->windows ? json_real(wm_hw_judged_window_overlap(judged)) : json_null());
	set_count(object, "updates", table->stats.updates);
	set_count(object, "misses", table->stats.misses);
	set_count(object, "saturated_paths", table->stats.saturated_paths);
	set_count(object, "saturated_events", table->stats.saturated_events);
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
			set(object, wm_hw_metric_name((enum wm_hw_metric)metric),
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
		wm_bug("out of memory");
	wm_arena_release(&arena);
	return json_real(correlation);
}

static void set_run(json_t *document, const struct wm_hw_feed *feed)
{
	const struct wm_hw_analysis *analysis = &feed->analysis;
	const struct wm_hw_detector_stats *detector = &analysis->stats;
	const struct wm_follow_stats *follow = wm_follow_stats(feed->follow);
	wm_hw_stopped_json(feed, document);
	set_count(document, "instructions", analysis->instructions);
	set_count(document, "threads", follow->threads);
	set_count(document, "signals", follow->signals);
	set_count(document, "branches", detector->branches);
	set_count(document, "finished", detector->finished);
	set_count(document, "split", detector->split);
	set_count(document, "dropped", detector->dropped);
	set_count(document, "spilled", detector->spilled);
	set_count(document, "abandoned", detector->abandoned);
	set_count(document, "resumed", detector->resumed);
	set_count(document, "deepest", detector->deepest);
	if (analysis->core.cycles) {
		set_count(document, "cycles", analysis->core.cycles);
		set_count(document, "queue_stall_cycles", analysis->core.queue_stall_cycles);
		set(document, "energy_order", order_json(&analysis->paths));
	}
	json_t *tables = wm_json_checked(json_array());
	for (size_t i = 0; i < analysis->judged_count; i++)
		json_array_append_new(tables, table_json(&analysis->judged[i], &analysis->paths));
	set(document, "tables", tables);
	set(document, "common_with_frequency", common_json(&analysis->paths));
	set_count(document, "window", feed->options->analysis.window);
	set(document, "phases", phases_json(&analysis->phases));
}

static json_t *lines_json(const struct wm_hw_rows *rows)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < rows->count; i++) {
		const struct wm_hw_row *row = &rows->row[i];
		json_t *object = wm_json_checked(json_object());
		set(object, "file", row->file ? wm_json_text(row->file) : json_null());
		set_count(object, "line", row->line);
		set_count(object, "address", row->address);
		set(object, "outcomes", json_string(row->outcomes));
		json_array_append_new(list, object);
	}
	return list;
}

json_t *wm_hw_path_json(
	const struct wm_hw_story *story, const struct wm_hw_story_path *path, const struct wm_hw_rows *rows)
{
	const struct wm_code *code = wm_hw_story_code(story, path);
	char outcomes[WM_HW_MAX_BRANCHES + 1], id[2 * WM_BUILD_ID_MAX + 1];
	const struct wm_profile_object *counted = story->object[path->object].counted;
	json_t *object = wm_json_checked(json_object()), *counts = wm_json_checked(json_object());
	wm_hw_outcomes_text(&path->path, outcomes);
	wm_build_id_text(counted->build_id, counted->build_id_size, id);
	uint64_t behind = 0;
	const char *name = code ? wm_code_function(code, path->path.start, &behind) : NULL;
	set(object, "object", code ? wm_json_text(code->path) : json_null());
	set(object, "build_id", json_string(id));
	set(object, "function", name ? wm_json_text(name) : json_null());
	set_count(object, "start", path->path.start);
	set(object, "outcomes", json_string(outcomes));
	set(object, "end", json_string(wm_hw_end_name(rows->end)));
	for (unsigned metric = 0; metric < WM_HW_METRIC_COUNT; metric++)
		if (story->metrics >> metric & 1)
			set_count(counts, wm_hw_metric_name((enum wm_hw_metric)metric), path->count[metric]);
	if (story->metrics)
		set(object, "counts", counts);
	else
		json_decref(counts);
	set(object, "lines", lines_json(rows));
	return object;
}

void wm_hw_print_json(const struct wm_hw_story *story, const struct wm_hw_feed *feed)
{
	json_t *document = wm_json_document("hw"), *paths = wm_json_checked(json_array());
	json_t *totals = wm_json_checked(json_object());
	struct wm_hw_rows rows = {0};
	if (feed)
		set_run(document, feed);
	for (unsigned metric = 0; metric < WM_HW_METRIC_COUNT; metric++)
		if (story->metrics >> metric & 1)
			set_count(totals, wm_hw_metric_name((enum wm_hw_metric)metric), story->total[metric]);
	set(document, "totals", totals);
	set(document, "by", json_string(wm_hw_metric_name(story->view->by)));
	for (size_t i = 0; i < story->path_count; i++) {
		wm_hw_rows_build(&rows, story, &story->path[i]);
		json_array_append_new(paths, wm_hw_path_json(story, &story->path[i], &rows));
	}
	set(document, "paths", paths);
	wm_json_print(document);
	wm_hw_rows_release(&rows);
}
