/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report as HTML: an index of functions, and a page for each function that was executed. */
#include "view/html.h"
#include <inttypes.h>
#include <stdlib.h>

struct site {
	struct wm_html html;
	const struct wm_story *story;
};

static const char *total_possible(const struct wm_story *story)
{
	static char text[64];
	if (story->paths_possible < 0x1p53)
		return wm_thousands((uint64_t)story->paths_possible);
	snprintf(text, sizeof text, "10<sup>%.1f</sup>", story->paths_possible_log10);
	return text;
}

static const char *possible_markup(const struct wm_story_function *function)
{
	static char text[64];
	if (function->possible.countable)
		return wm_thousands(function->possible.count);
	snprintf(text, sizeof text, "10<sup>%.1f</sup>", function->possible.log10);
	return text;
}

static void rest_of_paths(struct site *site, const struct wm_story_function *function)
{
	size_t end = function->ran_count < WM_HTML_LISTED ? function->ran_count : WM_HTML_LISTED;
	if (function->ran_count <= WM_HTML_DETAILED)
		return;
	fprintf(site->html.out, "<h2>The other paths</h2><div class=\"wide\"><table class=\"rest\"><tbody>\n");
	for (size_t i = WM_HTML_DETAILED; i < end; i++) {
		const struct wm_story_path *path = &function->path[i];
		fputs("<tr><td>", site->html.out);
		wm_html_share(&site->html, wm_share(path->count, function->executions));
		fprintf(site->html.out,
			"</td><td class=\"num\">%s</td><td>path %" PRIu64
			"</td><td class=\"soft\">%s &rarr; %s</td></tr>\n",
			wm_thousands(path->count), path->id, wm_html_start(path->start), wm_html_end_words(path->end));
	}
	fputs("</tbody></table></div>\n", site->html.out);
	if (end < function->ran_count)
		fprintf(site->html.out,
			"<p class=\"soft\">%s more paths ran; <code>waymark report --json</code> lists them all.</p>\n",
			wm_thousands(function->ran_count - end));
}

static void balance_note(struct site *site, const struct wm_balance *b)
{
	if (!b->abandoned && !b->inherited && !b->resumed && !site->html.options->balance)
		return;
	fprintf(site->html.out,
		"<p class=\"note\">%s inherited + %s entries + %s loop restarts + %s resumed = %s completed + %s "
		"abandoned</p>\n",
		wm_thousands(b->inherited), wm_thousands(b->entries), wm_thousands(b->restarts),
		wm_thousands(b->resumed), wm_thousands(b->completed), wm_thousands(b->abandoned));
}

static void function_cards(struct site *site, const struct wm_story_function *function)
{
	char text[96];
	fputs("<div class=\"cards\">", site->html.out);
	snprintf(text, sizeof text, "%.2f%%", wm_share(function->executions, site->story->executions));
	wm_html_card(&site->html, text, "of all path executions");
	wm_html_card(&site->html, wm_thousands(function->executions), "path executions");
	if (!function->residual)
		wm_html_card(&site->html, wm_thousands(function->balance.entries), "entries");
	snprintf(text, sizeof text, "of %s possible paths ran", possible_markup(function));
	wm_html_card(&site->html, wm_thousands(function->ran_count), text);
	snprintf(text, sizeof text, "%s &middot; %s graph &middot; %u blocks",
		function->map->status == WM_SPLIT ? "split where it had too many paths" : function->map->scheme,
		wm_stage_text(function->map->stage), function->map->graph.block_count);
	wm_html_card(&site->html, wm_story_status(function), text);
	fputs("</div>\n", site->html.out);
}

static void function_page(struct site *site, const struct wm_story_function *function, size_t number)
{
	char name[32];
	snprintf(name, sizeof name, "f/%zu.html", number);
	wm_html_open(&site->html, name);
	wm_html_begin(&site->html, function->display, "../");
	fputs("<p><a href=\"../index.html\">&larr; all functions</a></p>\n<h1 class=\"mono\" style=\"font-size:20px\">",
		site->html.out);
	wm_html_text(site->html.out, function->display);
	fputs("</h1><p class=\"sub\">", site->html.out);
	wm_html_place(&site->html, function);
	fputs("</p>\n", site->html.out);
	function_cards(site, function);
	if (!function->residual && !function->across.unbalanced)
		balance_note(site, &function->balance);
	fputs("<h2>Paths, hottest first</h2>\n", site->html.out);
	for (size_t i = 0; i < function->ran_count && i < WM_HTML_DETAILED; i++) {
		wm_html_path_begin(&site->html, function, &function->path[i], function->executions, i < WM_HTML_OPEN);
		wm_html_path_end(&site->html, function, WM_NONE);
	}
	rest_of_paths(site, function);
	wm_html_end(&site->html);
	wm_html_close(&site->html);
}

/* The index */

static void index_cards(struct site *site)
{
	const struct wm_story *story = site->story;
	char text[128];
	fputs("<div class=\"cards\">", site->html.out);
	wm_html_card(&site->html, wm_thousands(story->executions), "path executions");
	snprintf(text, sizeof text, "of %s functions %s", wm_thousands(wm_report_instrumented(story)),
		story->functions_residual ? "took untested paths" : "ran");
	wm_html_card(&site->html, wm_thousands(story->functions_ran), text);
	snprintf(text, sizeof text, "of %s possible paths ran", total_possible(story));
	wm_html_card(&site->html, wm_thousands(story->paths_ran), text);
	uint64_t runs = wm_report_runs(story).runs;
	wm_html_card(&site->html, wm_thousands(runs), runs == 1 ? "raw profile" : "raw profiles");
	fputs("</div>\n", site->html.out);
}

static void index_units(struct site *site)
{
	for (size_t u = 0; u < site->story->units.count; u++) {
		const struct wm_story_unit *unit = &site->story->units.unit[u];
		char *text = wm_report_unit_text(unit);
		if (!text)
			continue;
		fputs("<p>", site->html.out);
		wm_html_text(site->html.out, text);
		fputs("</p>\n", site->html.out);
		balance_note(site, &unit->balance);
		free(text);
	}
}

static void index_notes(struct site *site)
{
	index_units(site);
	wm_html_notes(&site->html, site->story->note, site->story->note_count);
	wm_html_refused(&site->html, site->story->refused, site->story->refused_count);
}

static void index_status(struct site *site, const struct wm_story_function *function)
{
	const char *reason = wm_story_reason(function);
	const char *style = function->state == WM_STORY_REFUSED ? "tag bad"
			    : function->map->status == WM_EXACT ? "tag"
								: "tag false";
	fprintf(site->html.out, "<td><span class=\"%s\" title=\"", style);
	wm_html_text(site->html.out, reason);
	fprintf(site->html.out, "\">%s</span></td>", wm_story_status(function));
}

static void index_row(struct site *site, const struct wm_story_function *function, size_t number)
{
	bool ran = function->state == WM_STORY_RAN, told = ran || function->state == WM_STORY_IDLE;
	double share = wm_share(function->executions, site->story->executions);
	char page[32];
	fprintf(site->html.out, "<tr%s><td data-key=\"%.9f\">", ran ? " data-ran=\"1\"" : "", share);
	if (ran)
		wm_html_share(&site->html, share);
	else
		fprintf(site->html.out, "<span class=\"soft\">%s</span>",
			!told		     ? ""
			: function->residual ? "none untested"
					     : "never ran");
	fputs("</td>", site->html.out);
	wm_html_number(&site->html, function->executions, told);
	wm_html_number(&site->html, function->balance.entries, told && !function->residual);
	wm_html_number(&site->html, function->ran_count, told);
	fprintf(site->html.out, "<td class=\"num\" data-key=\"%.4f\">%s</td>", function->possible.log10,
		told ? possible_markup(function) : "");
	index_status(site, function);
	snprintf(page, sizeof page, "f/%zu.html", number);
	wm_html_name(&site->html, function, ran ? page : NULL);
	fputs("</tr>\n", site->html.out);
}

static void index_unlisted(struct site *site)
{
	size_t count = wm_report_unlisted(site->story, site->html.options);
	if (count)
		fprintf(site->html.out,
			"<p class=\"soft\">%s functions in system headers are not instrumented; <code>--all</code> "
			"lists "
			"them.</p>\n",
			wm_thousands(count));
}

static void index_page(struct site *site)
{
	static const struct wm_html_column columns[] = {{"Share", false}, {"Executions", true}, {"Entries", true},
		{"Paths ran", true}, {"Possible", true}, {"Status", false}, {"Function", false}};
	wm_html_open(&site->html, "index.html");
	wm_html_begin(&site->html, "Waymark report", "");
	fputs("<h1>Which paths ran</h1><p class=\"sub\">", site->html.out);
	for (size_t i = 0; i < site->story->object_count; i++) {
		fputs(i ? ", " : "", site->html.out);
		wm_html_text(site->html.out, site->story->object[i].path);
	}
	fputs("</p>\n", site->html.out);
	index_cards(site);
	index_notes(site);
	wm_html_table_begin(&site->html, columns, sizeof columns / sizeof *columns, "also those that never ran");
	for (size_t i = 0; i < site->story->function_count; i++)
		if (wm_report_lists(&site->story->function[i], site->html.options))
			index_row(site, &site->story->function[i], i);
	wm_html_table_end(&site->html);
	index_unlisted(site);
	wm_html_end(&site->html);
	wm_html_close(&site->html);
}

void wm_report_html(const struct wm_story *story, const struct wm_report_options *options)
{
	struct site site = {.story = story};
	wm_html_site_begin(&site.html, options);
	for (size_t i = 0; i < story->function_count; i++) {
		wm_progress("writing pages", i, story->function_count);
		if (story->function[i].state == WM_STORY_RAN && wm_filter_passes(&options->filter, &story->function[i]))
			function_page(&site, &story->function[i], i);
	}
	wm_progress_end();
	index_page(&site);
	wm_html_site_end(&site.html);
}
