/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One page: a summary of the run, a picture of its phases, and its hottest paths with their lines. */
#include "view/html.h"
#include "view/hw.h"
#include "view/report.h"
#include <stdlib.h>
#include <string.h>

struct page {
	const struct wm_hw_story *story;
	struct wm_html html;
	struct wm_hw_rows rows;
};

static void card(struct page *page, uint64_t number, const char *what)
{
	char text[32];
	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	wm_html_card(&page->html, text, what);
}

/* Time runs from left to right, with one colour for each phase.  Consecutive phases have very different hues. */
static void phases(struct page *page, const struct wm_hw_phases *phases)
{
	FILE *out = page->html.out;
	if (phases->window_count < 2)
		return;
	fprintf(out,
		"<h2>Phases</h2><p class=\"sub\">%zu phases in %zu windows of equal length: windows of one colour have "
		"the "
		"same hot paths.</p><svg viewBox=\"0 0 %zu 40\" width=\"100%%\" height=\"40\" "
		"preserveAspectRatio=\"none\" role=\"img\" aria-label=\"phases\">\n",
		phases->phase_count, phases->window_count, phases->window_count);
	for (size_t i = 0, next; i < phases->window_count; i = next) {
		for (next = i + 1; next < phases->window_count && phases->window[next] == phases->window[i]; next++)
			;
		fprintf(out,
			"<rect x=\"%zu\" width=\"%zu\" height=\"40\" fill=\"hsl(%u 60%% 55%%)\"><title>phase %u, "
			"windows %zu to "
			"%zu</title></rect>\n",
			i, next - i, phases->window[i] * 137 % 360, phases->window[i] + 1, i + 1, next);
	}
	fputs("</svg>\n", out);
}

static void tables(struct page *page, const struct wm_hw_analysis *analysis)
{
	FILE *out = page->html.out;
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

static void row(struct wm_html *html, const struct wm_hw_row *row, const char *binary)
{
	FILE *out = html->out;
	size_t length = 0;
	const char *line =
		wm_source_line(&html->sources, row->file, row->line, &(struct wm_source_origin){binary, NULL}, &length);
	wm_html_note_missing(html, line ? NULL : row->file, row->line);
	char *copy = wm_xprintf("%.*s", (int)length, line ? line : "");
	fputs("<tr><td class=\"at\">", out);
	if (row->file) {
		wm_html_text(out, wm_short_file(row->file));
		fprintf(out, ":%u", row->line);
	} else {
		fprintf(out, "0x%llx", (unsigned long long)row->address);
	}
	fputs("<td class=\"src\"><code>", out);
	wm_html_text(out, copy);
	fputs("</code>", out);
	for (const char *outcome = row->outcomes; *outcome; outcome++)
		fprintf(out, " <span class=\"tag %s\">%s</span>", *outcome == 'T' ? "true" : "false",
			*outcome == 'T' ? "taken" : "not taken");
	fputs("</tr>\n", out);
	free(copy);
}

void wm_hw_html_rows(struct wm_html *html, const struct wm_hw_rows *rows, const char *binary)
{
	fputs("<table class=\"steps\">\n", html->out);
	for (size_t i = 0; i < rows->count; i++)
		if (rows->row[i].file || *rows->row[i].outcomes)
			row(html, &rows->row[i], binary);
	fputs("</table>\n", html->out);
}

static void path(struct page *page, const struct wm_hw_story_path *path, bool open)
{
	const struct wm_hw_story *story = page->story;
	const struct wm_code *code = wm_hw_story_code(story, path);
	enum wm_hw_metric by = story->view->by;
	FILE *out = page->html.out;
	wm_hw_rows_build(&page->rows, story, path);
	fprintf(out, "<details class=\"path\"%s><summary>", open ? " open" : "");
	wm_html_share(&page->html, wm_share(path->count[by], story->total[by]));
	fprintf(out, "<span class=\"count\">%llu</span><code>", (unsigned long long)path->count[by]);
	wm_html_text(out, wm_hw_story_place(story, path));
	fprintf(out, "</code><span class=\"soft\">ends at %s</span></summary><p class=\"new soft\">",
		wm_hw_end_name(page->rows.end));
	for (unsigned metric = 0; metric < WM_HW_METRIC_COUNT; metric++)
		if (story->metrics >> metric & 1)
			fprintf(out, "%s %llu &nbsp; ", wm_hw_metric_name((enum wm_hw_metric)metric),
				(unsigned long long)path->count[metric]);
	fputs("</p>", out);
	if (code)
		wm_hw_html_rows(&page->html, &page->rows, code->path);
	fputs("</details>\n", out);
}

static void summary(struct page *page, const struct wm_hw_feed *feed)
{
	fputs("<div class=\"cards\">", page->html.out);
	if (feed) {
		card(page, feed->analysis.instructions, "instructions");
		card(page, wm_follow_stats(feed->follow)->threads, "threads");
	}
	card(page, page->story->total[WM_HW_FREQUENCY], "path executions");
	card(page, page->story->path_count, "different paths");
	fputs("</div>\n", page->html.out);
	if (!feed)
		return;
	char *stopped = wm_hw_stopped_text(feed);
	wm_html_notes(&page->html, &stopped, stopped != NULL);
	free(stopped);
	phases(page, &feed->analysis.phases);
	tables(page, &feed->analysis);
}

void wm_hw_print_html(const struct wm_hw_story *story, const struct wm_hw_feed *feed, const char *directory)
{
	struct page page = {.story = story};
	struct wm_report_options options;
	wm_report_options_init(&options);
	options.html = directory;
	options.source_dirs = story->view->source_dirs;
	options.no_source = story->view->no_source;
	wm_html_site_begin(&page.html, &options);
	wm_html_open(&page.html, "index.html");
	wm_html_begin(&page.html, "Hot paths", "");
	fputs("<h1>Hot paths</h1>", page.html.out);
	summary(&page, feed);
	fprintf(page.html.out, "<h2>Paths by %s</h2>\n", wm_hw_metric_name(story->view->by));
	for (size_t i = 0; i < story->path_count && i < WM_HTML_DETAILED && story->path[i].count[story->view->by]; i++)
		path(&page, &story->path[i], i < WM_HTML_OPEN);
	wm_html_end(&page.html);
	wm_html_close(&page.html);
	wm_html_site_end(&page.html);
	wm_hw_rows_release(&page.rows);
}
