/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hot paths of machine code.  Text: what is known of the run, and the hottest paths with their lines.  HTML: one page, with a
 * picture of the phases.
 */
#include "view/hw/hw_view.h"
#include "view/report/timeline.h"
#include <stdlib.h>
#include <string.h>

static const char *unit_of(enum wm_hw_metric metric)
{
	return metric == WM_HW_FREQUENCY ? "executions" : wm_hw_metric_name(metric);
}

static void print_table(const struct wm_hw_judged *judged, const struct wm_hw_pathmap *paths, FILE *out)
{
	const struct wm_hw_table *table = &judged->complete;
	const struct wm_hw_table_config *config = &table->config;
	fprintf(out, "hot path table of %u entries, %u ways, %s, %s (%.1f KB), %s: overlap %.1f %%", config->entries,
		config->ways, config->index == WM_HW_INDEX_XOR ? "xor" : "address",
		config->replacement == WM_HW_LFU ? "LFU" : "LRU", (double)wm_hw_table_bytes(config, 48) / 1024,
		wm_hw_metric_name(config->metric), 100 * wm_hw_table_overlap(table, paths));
	if (judged->windows)
		fprintf(out, ", over %llu windows %.1f %%", (unsigned long long)judged->windows,
			100 * wm_hw_judged_window_overlap(judged));
	fputc('\n', out);
	if (table->stats.saturated_paths)
		fprintf(out, "  %u-bit event counters were full on %llu paths and lost %llu %s\n", config->counter_bits,
			(unsigned long long)table->stats.saturated_paths,
			(unsigned long long)table->stats.saturated_events, unit_of(config->metric));
}

static void print_phases(const struct wm_hw_phases *phases, FILE *out)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	enum { LETTERS = sizeof letters - 1 };
	if (phases->window_count < 2)
		return;
	fprintf(out, "%zu phases in %zu windows: ", phases->phase_count, phases->window_count);
	for (size_t i = 0; i < phases->window_count; i++)
		fputc(phases->window[i] < LETTERS ? letters[phases->window[i]] : '+', out);
	fputc('\n', out);
}

static void print_run(struct wm_document *d, const struct wm_hw_feed *feed)
{
	FILE *out = d->out;
	const struct wm_hw_analysis *analysis = &feed->analysis;
	const struct wm_follow_stats *stats = wm_follow_stats(feed->follow);
	fprintf(out, "%llu instructions, %u thread%s, %llu path executions, %zu paths\n",
		(unsigned long long)analysis->instructions, stats->threads, stats->threads == 1 ? "" : "s",
		(unsigned long long)analysis->stats.finished, analysis->paths.count);
	const struct wm_hw_detector_stats *detector = &analysis->stats;
	if (detector->split || detector->dropped || detector->abandoned)
		fprintf(out, "%llu split at the limit of branches, %llu dropped by the path stack, %llu abandoned\n",
			(unsigned long long)detector->split, (unsigned long long)detector->dropped,
			(unsigned long long)detector->abandoned);
	if (analysis->core.cycles)
		fprintf(out, "%llu cycles, %llu of them waiting for the path profiler\n",
			(unsigned long long)analysis->core.cycles,
			(unsigned long long)analysis->core.queue_stall_cycles);
	for (size_t i = 0; i < analysis->judged_count; i++)
		print_table(&analysis->judged[i], &analysis->paths, out);
	print_phases(&analysis->phases, out);
	fputc('\n', out);
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
static void write_phases(FILE *out, const struct wm_hw_phases *phases)
{
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

static void write_tables(FILE *out, const struct wm_hw_analysis *analysis)
{
	if (!analysis->judged_count)
		return;
	fputs("<h2>Hot path tables</h2><div class=\"wide\"><table class=\"rest\"><tr><th>entries<th>ways<th>index"
	      "<th>replacement<th>metric<th class=\"num\">bytes<th class=\"num\">overlap<th class=\"num\">over "
	      "windows</tr>\n",
		out);
	for (size_t i = 0; i < analysis->judged_count; i++) {
		const struct wm_hw_judged *judged = &analysis->judged[i];
		const struct wm_hw_table_config *config = &judged->complete.config;
		fprintf(out,
			"<tr><td>%u<td>%u<td>%s<td>%s<td>%s<td class=\"num\">%llu<td class=\"num\">%.1f %%<td "
			"class=\"num\">",
			config->entries, config->ways, config->index == WM_HW_INDEX_XOR ? "xor" : "address",
			config->replacement == WM_HW_LFU ? "LFU" : "LRU", wm_hw_metric_name(config->metric),
			(unsigned long long)wm_hw_table_bytes(config, 48),
			100 * wm_hw_table_overlap(&judged->complete, &analysis->paths));
		if (judged->windows)
			fprintf(out, "%.1f %%", 100 * wm_hw_judged_window_overlap(judged));
		fputs("</tr>\n", out);
	}
	fputs("</table></div>\n", out);
}

static void write_run(struct wm_document *d, const struct wm_hw_feed *feed)
{
	write_phases(d->out, &feed->analysis.phases);
	write_tables(d->out, &feed->analysis);
}

static void write_count(struct wm_document *d, uint64_t number, const char *what)
{
	char text[32];
	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	wm_html_card(d, text, "%s", what);
}

static void write_summary(struct wm_document *d, const struct wm_hw_story *story, const struct wm_hw_feed *feed)
{
	wm_html_page(d, "index.html", "Hot paths");
	fputs("<h1>Hot paths</h1><div class=\"cards\">", d->out);
	if (feed) {
		write_count(d, feed->analysis.instructions, "instructions");
		write_count(d, wm_follow_stats(feed->follow)->threads, "threads");
	}
	write_count(d, story->total[WM_HW_FREQUENCY], "path executions");
	write_count(d, story->path_count, "different paths");
	fputs("</div>\n", d->out);
}

/* ---- Paths --------------------------------------------------------------------------------- */

/* The counts of a path by all metrics that were counted, or by all but one. */
static char *metrics_text(const struct wm_hw_story *story, const struct wm_hw_story_path *path, unsigned but)
{
	char *text = wm_xstrdup("");
	for (unsigned metric = 0; metric < WM_HW_METRIC_COUNT; metric++) {
		if (metric == but || !(story->metrics >> metric & 1))
			continue;
		char *longer = wm_xprintf("%s%s%s %s", text, *text ? ", " : "", wm_thousands(path->count[metric]),
			unit_of((enum wm_hw_metric)metric));
		free(text);
		text = longer;
	}
	return text;
}

/* The line above the lines of a path is like that of paths of functions, with a place instead of an id. */
static void begin_path(struct wm_document *d, const struct wm_hw_story *story, size_t i, enum wm_hw_end end)
{
	const struct wm_hw_story_path *path = &story->path[i];
	enum wm_hw_metric by = story->view->by;
	const char *place = wm_hw_story_place(story, path), *count = wm_thousands(path->count[by]);
	double share = wm_share(path->count[by], story->total[by]);
	char outcomes[WM_HW_MAX_BRANCHES + 1], *metrics = metrics_text(story, path, by);
	wm_hw_outcomes_text(&path->path, outcomes);
	const char *branches = *outcomes ? outcomes : "none";
	if (d->html) {
		wm_html_details(d, "", share, count, i < WM_HTML_OPEN);
		wm_html_print(d->out, "<code>%s</code><span class=\"soft\">branches %s, ends at %s</span>", place,
			branches, wm_hw_end_name(end));
		wm_html_brief(d);
		fputs("</summary>\n", d->out);
	} else {
		fprintf(d->out, "\n  %s%6.2f%% %13s  %s%s  branches %s  ends at %s\n", d->bold, share, count, place,
			d->plain, branches, wm_hw_end_name(end));
	}
	if (*metrics)
		fprintf(d->out, d->html ? "<p class=\"soft\">%s</p>\n" : "      %s\n", metrics);
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
		fputs(d->html ? "</details>\n" : "", d->out);
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
	size_t all = count_hot(story), most = d->html ? WM_HTML_DETAILED : story->view->paths;
	most = most < all ? most : all;
	if (d->html)
		write_summary(d, story, feed);
	if (feed) {
		wm_document_take(d, "", wm_hw_stopped_text(feed));
		(d->html ? write_run : print_run)(d, feed);
	}
	fprintf(d->out, d->html ? "<h2>Paths by %s</h2>\n" : "paths by %s:\n", wm_hw_metric_name(story->view->by));
	tell_paths(d, story, most);
	if (d->html)
		return;
	if (!all && story->path_count)
		fprintf(d->out, "no path has %s\n", unit_of(story->view->by));
	if (most < all)
		fprintf(d->out, "\n%zu more path%s; --all prints %s\n", all - most, wm_plural(all - most),
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
