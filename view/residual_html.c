/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Untested paths as HTML: an index of functions, and a page for each function with untested paths. */
#include "view/html.h"
#include "view/page.h"
#include "view/residual.h"
#include <inttypes.h>
#include <stdlib.h>

struct site {
	struct wm_html html;
	const struct wm_untested *untested;
};

static void count_card(struct site *site, uint64_t number, const char *what)
{
	wm_html_card(&site->html, wm_thousands(number), what);
}

static void percent_card(struct site *site, double percent, const char *what)
{
	char text[32];
	snprintf(text, sizeof text, "%.2f%%", percent);
	wm_html_card(&site->html, text, what);
}

static void residue_cards(struct site *site, const struct wm_untested *u)
{
	count_card(site, u->untested_paths, "untested paths ran; the number of tested paths is not known");
	count_card(site, u->untested_executions, "executions of them");
	count_card(site, u->functions_with_paths,
		u->functions_with_paths == 1 ? "function has untested paths" : "functions have untested paths");
}

static void share_cards(struct site *site, const struct wm_untested *u)
{
	char text[128];
	snprintf(text, sizeof text, "of %s path%s that ran were never tested", wm_thousands(u->paths),
		wm_plural(u->paths));
	count_card(site, u->untested_paths, text);
	percent_card(site, wm_share(u->untested_paths, u->paths), "of the paths");
	percent_card(site, wm_share(u->untested_executions, u->executions), "of path executions");
	snprintf(text, sizeof text, "of %s function%s have untested paths", wm_thousands(u->function_count),
		wm_plural(u->function_count));
	count_card(site, u->functions_with_paths, text);
}

static void index_cards(struct site *site)
{
	const struct wm_untested *u = site->untested;
	char text[128];
	fputs("<div class=\"cards\">", site->html.out);
	if (u->residual)
		residue_cards(site, u);
	else
		share_cards(site, u);
	if (!u->tests) {
		fputs("</div>\n", site->html.out);
		return;
	}
	snprintf(text, sizeof text, "untested edge%s, in %s function%s", wm_plural(u->untested_edges),
		wm_thousands(u->functions_with_edges), wm_plural(u->functions_with_edges));
	count_card(site, u->untested_edges, text);
	count_card(site, u->hidden_paths, "untested paths that edge coverage cannot see");
	fputs("</div>\n", site->html.out);
}

static void tested_tag(struct site *site, const struct wm_untested_function *f)
{
	static const char *const words[] = {[WM_TESTED] = "tested",
		[WM_TESTED_ENTERED] = "only entered",
		[WM_TESTED_NEVER] = "no test runs it",
		[WM_TESTED_UNKNOWN] = "not known"};
	const char *text = f->tested == WM_TESTED && f->path_count ? "in part" : words[f->tested];
	const char *style = f->tested != WM_TESTED ? "tag bad" : f->path_count ? "tag false" : "tag true";
	fprintf(site->html.out, "<td><span class=\"%s\">%s</span></td>", style, text);
}

static void index_row(struct site *site, size_t number)
{
	const struct wm_untested_function *f = &site->untested->function[number];
	double share = wm_share(f->executions, f->field->executions);
	char page[32];
	snprintf(page, sizeof page, "f/%zu.html", number);
	fprintf(site->html.out, "<tr%s>", f->path_count ? " data-ran=\"1\"" : "");
	wm_html_number(&site->html, f->executions, true);
	fprintf(site->html.out, "<td data-key=\"%.9f\">", share);
	if (!f->field->residual)
		wm_html_share(&site->html, share);
	fputs("</td>", site->html.out);
	wm_html_number(&site->html, f->path_count, true);
	wm_html_number(&site->html, f->field->ran_count, !f->field->residual);
	wm_html_number(&site->html, f->edge_count, site->untested->tests);
	tested_tag(site, f);
	wm_html_name(&site->html, f->field, f->path_count ? page : NULL);
	fputs("</tr>\n", site->html.out);
}

static void index_page(struct site *site)
{
	static const struct wm_html_column columns[] = {{"Untested executions", true}, {"Of its executions", false},
		{"Untested paths", true}, {"Paths ran", true}, {"Untested edges", true}, {"Tests", false},
		{"Function", false}};
	const struct wm_untested *u = site->untested;
	wm_html_open(&site->html, "index.html");
	wm_html_begin(&site->html, "Waymark: untested paths", "");
	fputs("<h1>What ran in the field and was never tested</h1><p class=\"sub\">", site->html.out);
	for (size_t i = 0; i < u->field->object_count; i++) {
		fputs(i ? ", " : "", site->html.out);
		wm_html_text(site->html.out, u->field->object[i].path);
	}
	fputs("</p>\n", site->html.out);
	index_cards(site);
	wm_html_notes(&site->html, u->note, u->note_count);
	wm_html_refused(&site->html, u->refused, u->refused_count);
	wm_html_table_begin(
		&site->html, columns, sizeof columns / sizeof *columns, "also those whose paths are all tested");
	for (size_t i = 0; i < u->function_count; i++)
		index_row(site, i);
	wm_html_table_end(&site->html);
	wm_html_end(&site->html);
	wm_html_close(&site->html);
}

static void path_details(struct site *site, const struct wm_untested_function *f, size_t number)
{
	const struct wm_untested_path *path = &f->path[number];
	wm_html_path_begin(&site->html, f->field, path->path, wm_untested_whole(f), number < WM_HTML_OPEN);
	if (path->nearest) {
		char *news = wm_untested_news(f, path, &site->html.sources);
		fprintf(site->html.out, "<p class=\"new\"><span class=\"tag %s\">%s</span> ",
			path->edge_tested ? "case" : "bad", path->edge_tested ? "new path" : "new edge");
		wm_html_text(site->html.out, news);
		fputs("</p>\n", site->html.out);
		free(news);
	}
	wm_html_path_end(&site->html, f->field, path->position);
}

static void function_cards(struct site *site, const struct wm_untested_function *f)
{
	char text[96];
	fputs("<div class=\"cards\">", site->html.out);
	snprintf(text, sizeof text, f->field->residual ? "untested paths ran" : "of %s paths that ran are untested",
		wm_thousands(f->field->ran_count));
	count_card(site, f->path_count, text);
	snprintf(text, sizeof text, f->field->residual ? "executions of them" : "of %s executions are untested",
		wm_thousands(f->field->executions));
	count_card(site, f->executions, text);
	if (f->tested != WM_TESTED_UNKNOWN) {
		count_card(site, f->tests ? f->tests->ran_count : 0, "paths are tested");
		count_card(site, f->edge_count, "untested edges");
	}
	fputs("</div>\n", site->html.out);
}

static void edge_list(struct site *site, const struct wm_untested_function *f)
{
	if (*wm_tested_text(f->tested))
		fprintf(site->html.out, "<p class=\"note refused\">%s</p>\n", wm_tested_text(f->tested));
	else if (f->tested == WM_TESTED && f->hidden_count == f->path_count)
		fputs("<p class=\"note\">No edge is untested: edge coverage cannot see these paths.</p>\n",
			site->html.out);
	if (f->tested != WM_TESTED || !f->edge_count)
		return;
	char *list = wm_untested_edges_text(f, SIZE_MAX, &site->html.sources);
	fputs("<p class=\"note\">", site->html.out);
	wm_html_text(site->html.out, list);
	fputs("</p>\n", site->html.out);
	free(list);
}

static void function_page(struct site *site, size_t number)
{
	const struct wm_untested_function *f = &site->untested->function[number];
	char name[32];
	snprintf(name, sizeof name, "f/%zu.html", number);
	wm_html_open(&site->html, name);
	wm_html_begin(&site->html, f->field->display, "../");
	fputs("<p><a href=\"../index.html\">&larr; all functions</a></p>\n<h1 class=\"mono\" style=\"font-size:20px\">",
		site->html.out);
	wm_html_text(site->html.out, f->field->display);
	fputs("</h1><p class=\"sub\">", site->html.out);
	wm_html_place(&site->html, f->field);
	fputs("</p>\n", site->html.out);
	function_cards(site, f);
	edge_list(site, f);
	fputs("<h2>Untested paths, hottest first</h2>\n", site->html.out);
	for (size_t i = 0; i < f->path_count && i < WM_HTML_DETAILED; i++)
		path_details(site, f, i);
	if (f->path_count > WM_HTML_DETAILED)
		fprintf(site->html.out,
			"<p class=\"soft\">%s more untested paths ran; <code>waymark residual --json</code> lists them "
			"all.</p>\n",
			wm_thousands(f->path_count - WM_HTML_DETAILED));
	wm_html_end(&site->html);
	wm_html_close(&site->html);
}

void wm_untested_html(const struct wm_untested *untested, const struct wm_report_options *options)
{
	struct site site = {.untested = untested};
	wm_html_site_begin(&site.html, options);
	for (size_t i = 0; i < untested->functions_with_paths; i++) {
		wm_progress("writing pages", i, untested->functions_with_paths);
		function_page(&site, i);
	}
	wm_progress_end();
	index_page(&site);
	wm_html_site_end(&site.html);
}
