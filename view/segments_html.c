/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The page of `waymark segments --html` and `waymark wpp --segments N --html`: path segments with their source lines. */
#include "view/html.h"
#include "view/segments.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_way(struct wm_html *site, const struct wm_projected_segment *segment)
{
	char *way = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&way, &size);
	if (!out)
		wm_bug("out of memory");
	wm_segment_print_way(out, segment);
	if (fclose(out))
		wm_bug("out of memory");
	fputs("<code>", site->out);
	wm_html_text(site->out, way);
	fputs("</code>", site->out);
	free(way);
}

static void write_segment(struct wm_html *site, const struct wm_segment_set *set, size_t i, uint64_t whole)
{
	const struct wm_projected_segment *segment = &set->segments.segment[i];
	const struct wm_story_function *first = wm_segment_steps(set, segment, &site->steps);
	fprintf(site->out, "<details class=\"path\"%s><summary>", i < WM_HTML_OPEN ? " open" : "");
	wm_html_share(site, wm_share(segment->count, whole));
	fprintf(site->out, "<span class=\"count\">%s%s</span><span>", segment->at_least ? "&ge; " : "",
		wm_thousands(segment->count));
	write_way(site, segment);
	fputs("</span></summary>\n", site->out);
	if (segment->perhaps_tested)
		fputs("<p class=\"soft\">perhaps tested</p>\n", site->out);
	if (segment->hidden)
		fputs("<p class=\"soft\">no untested path in these functions</p>\n", site->out);
	if (first)
		wm_html_steps(site, first, WM_NONE);
	fputs("</details>\n", site->out);
}

static void write_head(struct wm_html *site, const char *head)
{
	char *copy = wm_xstrdup(head), *rest = copy, *line;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			wm_html_notes(site, &line, 1);
	free(copy);
}

void wm_segments_html(
	const struct wm_segment_set *set, const char *title, const char *head, const struct wm_report_options *options)
{
	struct wm_html site = {0};
	const struct wm_projection *segments = &set->segments;
	uint64_t whole = 0;
	size_t wanted = 0;
	for (size_t i = 0; i < segments->count; i++)
		whole += segments->segment[i].count;
	wm_html_site_begin(&site, options);
	wm_html_open(&site, "index.html");
	wm_html_begin(&site, "Waymark: path segments", "");
	fprintf(site.out,
		"<h1>%s</h1><p class=\"sub\">Paths through calls, the most frequent first, with their share of the "
		"executions of all these segments.</p>\n",
		title);
	write_head(&site, head);
	for (size_t i = 0; i < segments->count; i++)
		if (wm_segment_wanted(set, &segments->segment[i], &site.steps, &options->filter) &&
			wanted++ < WM_HTML_DETAILED)
			write_segment(&site, set, i, whole);
	if (wanted > WM_HTML_DETAILED)
		fprintf(site.out, "<p class=\"soft\">%s more segments; <code>--json</code> lists them all.</p>\n",
			wm_thousands(wanted - WM_HTML_DETAILED));
	wm_html_end(&site);
	wm_html_close(&site);
	wm_html_site_end(&site);
}

void wm_segment_print_way(FILE *out, const struct wm_projected_segment *segment)
{
	char *copy = wm_xstrdup(segment->text), *rest = copy, *word;
	const char *last = "";
	while ((word = strsep(&rest, " "))) {
		char *colon = strrchr(word, ':');
		if (colon)
			*colon = 0;
		if (strcmp(word, last) != 0)
			fprintf(out, "%s%s", *last ? " " : "", word);
		last = word;
	}
	free(copy);
}
