/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hot paths of machine code.  Text: what is known of the run, and the hottest paths with their lines.  HTML: one page, with a
 * picture of the phases.
 */
#include "view/hw/hw_view.h"
#include "support/string_builder.h"
#include "support/xalloc.h"
#include "view/report/timeline.h"
#include <stdlib.h>
#include <string.h>

static const char *unit_of(enum wm_hw_metric metric)
{
	return metric == WM_HW_FREQUENCY ? "executions" : wm_hw_metric_name(metric);
}

static void tell_table(struct wm_document *d, const struct wm_hw_judged *judged, const struct wm_hw_pathmap *paths)
{
	const struct wm_hw_table *table = &judged->complete;
	const struct wm_hw_table_config *config = &table->config;
	char *windows = judged->windows ? wm_xprintf(", over %llu windows %.1f %%", (unsigned long long)judged->windows,
						  100 * wm_hw_judged_window_overlap(judged))
					: wm_xstrdup("");
	wm_document_say(d, "", "hot path table of %u entries, %u ways, %s, %s (%.1f KB), %s: overlap %.1f %%%s",
		config->entries, config->ways, config->index == WM_HW_INDEX_XOR ? "xor" : "address",
		config->replacement == WM_HW_LFU ? "LFU" : "LRU", (double)wm_hw_table_bytes(config, 48) / 1024,
		wm_hw_metric_name(config->metric), 100 * wm_hw_table_overlap(table, paths), windows);
	free(windows);
	if (table->stats.saturated_paths)
		wm_document_say(d, "  ", "%u-bit event counters were full on %llu paths and lost %llu %s",
			config->counter_bits, (unsigned long long)table->stats.saturated_paths,
			(unsigned long long)table->stats.saturated_events, unit_of(config->metric));
}

/* A letter for each window; pages have a picture. */
static void list_phases(struct wm_document *d, const struct wm_hw_phases *phases)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	enum { LETTERS = sizeof letters - 1 };
	if (phases->window_count < 2)
		return;
	char *text = wm_xmalloc(phases->window_count + 1);
	for (size_t i = 0; i < phases->window_count; i++)
		text[i] = phases->window[i] < LETTERS ? letters[phases->window[i]] : '+';
	text[phases->window_count] = 0;
	wm_document_list(d, "%zu phases in %zu windows: %s", phases->phase_count, phases->window_count, text);
	free(text);
}

/* A row for each of the first phases, and the windows as columns. */
static void write_timeline(FILE *out, const struct wm_hw_phases *phases)
{
	enum { ROWS = 24 };
	struct wm_timeline timeline;
	uint32_t count = phases->window_count < UINT32_MAX ? (uint32_t)phases->window_count : UINT32_MAX;
	uint64_t *cell = wm_xmalloc(count * sizeof *cell);
	wm_timeline_begin(&timeline, "windows", count, count);
	for (uint32_t p = 0; p < phases->phase_count && p < ROWS; p++) {
		bool rest = p == ROWS - 1 && phases->phase_count > ROWS;
		char *name = wm_xprintf(rest ? "phases from %u on" : "phase %u", p + 1);
		for (uint32_t w = 0; w < count; w++)
			cell[w] = rest ? phases->window[w] >= p : phases->window[w] == p;
		wm_timeline_row(&timeline, name, cell, 1);
		free(name);
	}
	wm_timeline_end(&timeline, "Phases", out);
	free(cell);
}

/* Time runs from left to right, with one colour for each phase.  Consecutive phases have very different hues. */
static void write_phases(struct wm_document *d, void *closure)
{
	const struct wm_hw_phases *phases = closure;
	FILE *out = d->out;
	if (phases->window_count < 2)
		return;
	fprintf(out,
		"<h2>Phases</h2><p class=\"sub\">%zu phases in %zu windows of equal length: windows of one colour have "
		"the "
		"same hot paths.</p>\n",
		phases->phase_count, phases->window_count);
	write_timeline(out, phases);
	fprintf(out,
		"<noscript><svg viewBox=\"0 0 %zu 40\" width=\"100%%\" height=\"40\" "
		"preserveAspectRatio=\"none\" role=\"img\" aria-label=\"phases\">\n",
		phases->window_count);
	for (size_t i = 0, next; i < phases->window_count; i = next) {
		for (next = i + 1; next < phases->window_count && phases->window[next] == phases->window[i]; next++)
			;
		fprintf(out,
			"<rect x=\"%zu\" width=\"%zu\" height=\"40\" fill=\"hsl(%u 60%% 55%%)\"><title>phase %u, "
			"windows %zu to "
			"%zu</title></rect>\n",
			i, next - i, phases->window[i] * 137 % 360, phases->window[i] + 1, i + 1, next);
	}
	fputs("</svg></noscript>\n<script src=\"timeline.js\"></script>\n", out);
}

static void tell_number(struct wm_document *d, const char *before, uint64_t number, const char *words)
{
	char text[32];
	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	d->form->figure(d, before, text, words);
}

static void tell_figures(struct wm_document *d, const struct wm_hw_story *story, const struct wm_hw_feed *feed)
{
	const struct wm_hw_analysis *analysis = &feed->analysis;
	uint64_t threads = feed ? wm_follow_stats(feed->follow)->threads : 0;
	if (feed) {
		tell_number(d, "", analysis->instructions, "instructions");
		tell_number(d, ", ", threads, threads == 1 ? "thread" : "threads");
	}
	tell_number(d, feed ? ", " : "", feed ? analysis->stats.finished : story->total[WM_HW_FREQUENCY],
		"path executions");
	tell_number(d, ", ", feed ? analysis->paths.count : story->path_count, "paths");
	d->form->figures_end(d);
}

static void tell_run(struct wm_document *d, const struct wm_hw_feed *feed)
{
	const struct wm_hw_analysis *analysis = &feed->analysis;
	const struct wm_hw_detector_stats *detector = &analysis->stats;
	if (detector->split || detector->dropped || detector->abandoned)
		wm_document_say(d, "",
			"%llu split at the limit of branches, %llu dropped by the path stack, %llu abandoned",
			(unsigned long long)detector->split, (unsigned long long)detector->dropped,
			(unsigned long long)detector->abandoned);
	if (analysis->core.cycles)
		wm_document_say(d, "", "%llu cycles, %llu of them waiting for the path profiler",
			(unsigned long long)analysis->core.cycles,
			(unsigned long long)analysis->core.queue_stall_cycles);
	for (size_t i = 0; i < analysis->judged_count; i++)
		tell_table(d, &analysis->judged[i], &analysis->paths);
	list_phases(d, &analysis->phases);
	d->form->markup(d, write_phases, (void *)&analysis->phases);
}

/* ---- Paths --------------------------------------------------------------------------------- */

/* The counts of a path by all metrics that were counted, or by all but one. */
static char *metrics_text(const struct wm_hw_story *story, const struct wm_hw_story_path *path, unsigned but)
{
	struct wm_string text = {0};
	for (unsigned metric = 0; metric < WM_HW_METRIC_COUNT; metric++) {
		if (metric == but || !(story->metrics >> metric & 1))
			continue;
		wm_string_add(&text, "%s%s %s", text.length ? ", " : "", wm_thousands(path->count[metric]),
			unit_of((enum wm_hw_metric)metric));
	}
	return wm_string_text(&text);
}

/* The line above the lines of a path is like that of paths of functions, with a place instead of an id. */
static void begin_path(struct wm_document *d, const struct wm_hw_story *story, size_t i, enum wm_hw_end end)
{
	const struct wm_hw_story_path *path = &story->path[i];
	enum wm_hw_metric by = story->view->by;
	char outcomes[WM_HW_MAX_BRANCHES + 1], *metrics = metrics_text(story, path, by);
	wm_hw_outcomes_text(&path->path, outcomes);
	char *place = wm_hw_story_place(story, path);
	char *words = wm_xprintf("branches %s  ends at %s", *outcomes ? outcomes : "none", wm_hw_end_name(end));
	d->form->item(d, &(struct wm_item){.percent = wm_share(path->count[by], story->total[by]),
				 .count = wm_thousands(path->count[by]),
				 .name = place,
				 .words = words,
				 .decisions = true,
				 .open = i < WM_HTML_OPEN});
	if (*metrics)
		d->form->remark(d, metrics, NULL);
	free(words);
	free(place);
	free(metrics);
}

void wm_hw_tell_rows(struct wm_document *d)
{
	if (d->steps.count)
		wm_document_rows(d, d->steps.step[0].function, WM_NONE);
}

static void tell_paths(struct wm_document *d, const struct wm_hw_story *story, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		begin_path(d, story, i, wm_hw_story_tell(story, &story->path[i], &d->steps));
		wm_hw_tell_rows(d);
		d->form->item_end(d);
	}
}

/* Paths without events of the metric, which are last, are not printed. */
static size_t count_hot(const struct wm_hw_story *story)
{
	size_t count = story->path_count;
	while (count && !story->path[count - 1].count[story->view->by])
		count--;
	return count;
}

static void tell_story(struct wm_document *d, const struct wm_hw_story *story, const struct wm_hw_feed *feed)
{
	static const struct wm_document_title title = {.title = "Hot paths", .heading = "Hot paths"};
	size_t all = count_hot(story), most = wm_document_limit(d, story->view->paths, WM_HTML_DETAILED);
	most = most < all ? most : all;
	d->form->title(d, &title);
	if (feed)
		wm_document_take(d, "", wm_hw_stopped_text(feed));
	tell_figures(d, story, feed);
	if (feed)
		tell_run(d, feed);
	wm_document_say(d, "\n", "paths by %s:", wm_hw_metric_name(story->view->by));
	tell_paths(d, story, most);
	if (!all && story->path_count)
		wm_document_say(d, "", "no path has %s", unit_of(story->view->by));
	if (most < all)
		wm_document_say(d, "\n", "%zu more path%s; --all prints %s", all - most, wm_plural(all - most),
			all - most == 1 ? "it" : "them");
	d->sources.absent_count = 0; /* programs use many libraries whose sources nobody has */
}

void wm_hw_print(const struct wm_hw_story *story, const struct wm_hw_feed *feed)
{
	const struct wm_hw_view *view = story->view;
	const struct wm_report_options options = {
		.json = view->json, .html = view->html, .no_source = view->no_source, .source_dirs = view->source_dirs};
	struct wm_document d;
	if (wm_report_wants_document(&options)) {
		wm_document_begin(&d, &options, stdout);
		tell_story(&d, story, feed);
		wm_document_end(&d);
	}
	if (view->json)
		wm_hw_print_json(story, feed);
}
