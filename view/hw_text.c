/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/hw.h"
#include "view/report.h"
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

static void print_run(const struct wm_hw_feed *feed, FILE *out)
{
	const struct wm_hw_analysis *analysis = &feed->analysis;
	const struct wm_follow_stats *stats = wm_follow_stats(feed->follow);
	char *stopped = wm_hw_stopped_text(feed);
	if (stopped)
		fprintf(out, "%s\n", stopped);
	free(stopped);
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

struct text {
	const struct wm_hw_story *story;
	struct wm_sources sources;
	struct wm_hw_rows rows;
	FILE *out;
};

/* Several branches of one line, in the order in which they were executed. */
static void print_outcomes(const char *outcomes, FILE *out)
{
	for (size_t i = 0; outcomes[i]; i++)
		fprintf(out, "%s%s", i ? ", " : "    [", outcomes[i] == 'T' ? "taken" : "not taken");
	if (*outcomes)
		fputc(']', out);
}

static void print_row(const struct wm_hw_row *row, struct wm_sources *sources, const char *binary, FILE *out)
{
	size_t length = 0;
	const char *line =
		wm_source_line(sources, row->file, row->line, &(struct wm_source_origin){binary, NULL}, &length);
	size_t skip = line ? strspn(line, " \t") : 0;
	if (skip > length)
		skip = length;
	if (row->file)
		fprintf(out, "      %s:%u", wm_short_file(row->file), row->line);
	else
		fprintf(out, "      0x%llx", (unsigned long long)row->address);
	if (line)
		fprintf(out, "  %.*s", (int)(length - skip), line + skip);
	print_outcomes(row->outcomes, out);
	fputc('\n', out);
}

void wm_hw_print_rows(const struct wm_hw_rows *rows, struct wm_sources *sources, const char *binary, FILE *out)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->row[i].file || *rows->row[i].outcomes)
			print_row(&rows->row[i], sources, binary, out);
}

static void print_others(struct text *text, const struct wm_hw_story_path *path)
{
	for (unsigned metric = 0; metric < WM_HW_METRIC_COUNT; metric++)
		if (metric != text->story->view->by && text->story->metrics >> metric & 1)
			fprintf(text->out, ", %llu %s", (unsigned long long)path->count[metric],
				unit_of((enum wm_hw_metric)metric));
}

static void print_path(struct text *text, size_t rank, const struct wm_hw_story_path *path)
{
	const struct wm_hw_story *story = text->story;
	const struct wm_code *code = wm_hw_story_code(story, path);
	enum wm_hw_metric by = story->view->by;
	char outcomes[WM_HW_MAX_BRANCHES + 1];
	wm_hw_rows_build(&text->rows, story, path);
	wm_hw_outcomes_text(&path->path, outcomes);
	fprintf(text->out, "%3zu. %5.1f %%  %llu %s", rank, wm_share(path->count[by], story->total[by]),
		(unsigned long long)path->count[by], unit_of(by));
	print_others(text, path);
	fprintf(text->out, "  %s  branches %s  ends at %s\n", wm_hw_story_place(story, path),
		*outcomes ? outcomes : "none", wm_hw_end_name(text->rows.end));
	if (code)
		wm_hw_print_rows(&text->rows, &text->sources, code->path, text->out);
}

/* Paths without events of the metric, which are last, are not printed. */
static size_t count_hot(const struct wm_hw_story *story)
{
	size_t count = story->path_count;
	while (count && !story->path[count - 1].count[story->view->by])
		count--;
	return count;
}

void wm_hw_print_text(const struct wm_hw_story *story, const struct wm_hw_feed *feed, FILE *out)
{
	const struct wm_hw_view *view = story->view;
	struct text text = {.story = story, .out = out};
	text.sources.directories = &view->source_dirs;
	text.sources.off = view->no_source;
	if (feed)
		print_run(feed, out);
	size_t all = count_hot(story), most = view->paths < all ? view->paths : all;
	for (size_t i = 0; i < most; i++)
		print_path(&text, i + 1, &story->path[i]);
	if (!all && story->path_count)
		fprintf(out, "no path has %s\n", unit_of(view->by));
	if (most < all)
		fprintf(out, "%zu more path%s; --all prints %s\n", all - most, all - most == 1 ? "" : "s",
			all - most == 1 ? "it" : "them");
	wm_hw_rows_release(&text.rows);
	wm_sources_release(&text.sources);
}

void wm_hw_print(const struct wm_hw_story *story, const struct wm_hw_feed *feed)
{
	if (story->view->html)
		wm_hw_print_html(story, feed, story->view->html);
	if (story->view->json)
		wm_hw_print_json(story, feed);
	else if (!story->view->html)
		wm_hw_print_text(story, feed, stdout);
}
