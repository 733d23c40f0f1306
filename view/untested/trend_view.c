/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/untested/trend_view.h"
#include "support/output.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* 100 % is everything: a share is never rounded up. */
static char *percent_text(const struct wm_trend_commit *commit)
{
	return wm_xprintf("%.1f%%", floor(1000 * wm_trend_share(commit)) / 10);
}

static void print_date(char text[16], int64_t seconds)
{
	struct tm date;
	time_t time = (time_t)seconds;
	if (!gmtime_r(&time, &date) || !strftime(text, 16, "%Y-%m-%d", &date))
		memcpy(text, "?", 2);
}

/* ---- Charts --------------------------------------------------------------------------------- */

enum { WIDTH = 1160, HEIGHT = 170, EDGE = 10, HEAD = 26 };

struct chart {
	const struct wm_trend *trend;
	const char *heading;
	double (*value)(const struct wm_trend_commit *commit);
	char *(*text)(const struct wm_trend_commit *commit); /* heap */
	double most;
};

static double share_of(const struct wm_trend_commit *commit)
{
	return wm_trend_share(commit);
}

static double paths_of(const struct wm_trend_commit *commit)
{
	return (double)commit->paths;
}

static char *paths_text(const struct wm_trend_commit *commit)
{
	return wm_xstrdup(wm_thousands(commit->paths));
}

static double across(const struct wm_trend *trend, size_t i)
{
	return trend->count > 1 ? EDGE + (double)i * (WIDTH - 2 * EDGE) / (double)(trend->count - 1) : WIDTH / 2.0;
}

static double down(const struct chart *chart, const struct wm_trend_commit *commit)
{
	double part = chart->most > 0 ? chart->value(commit) / chart->most : 0;
	return HEIGHT - EDGE - part * (HEIGHT - HEAD - EDGE);
}

static void draw_line(const struct chart *chart, FILE *out)
{
	fputs("<polyline fill=\"none\" stroke=\"var(--accent)\" stroke-width=\"2\" points=\"", out);
	for (size_t i = 0; i < chart->trend->count; i++)
		if (chart->trend->commit[i].known)
			fprintf(out, "%.1f,%.1f ", across(chart->trend, i), down(chart, &chart->trend->commit[i]));
	fputs("\"/>\n", out);
}

static void draw_points(const struct chart *chart, FILE *out)
{
	for (size_t i = 0; i < chart->trend->count; i++) {
		const struct wm_trend_commit *commit = &chart->trend->commit[i];
		if (!commit->known)
			continue;
		char *text = chart->text(commit);
		fprintf(out, "<circle r=\"4\" fill=\"var(--accent)\" cx=\"%.1f\" cy=\"%.1f\">", across(chart->trend, i),
			down(chart, commit));
		wm_html_print(out, "<title>%s: %s</title></circle>\n", commit->name, text);
		free(text);
	}
}

/* From nothing at the bottom to the largest number at the top. */
static void draw(const struct chart *chart, FILE *out)
{
	wm_html_print(out, "<h2>%s</h2>\n<div class=\"wide\"><svg role=\"img\" aria-label=\"%s\"", chart->heading,
		chart->heading);
	fprintf(out, " viewBox=\"0 0 %d %d\" style=\"display:block;width:100%%\">\n", WIDTH, HEIGHT);
	fprintf(out, "<path stroke=\"var(--line)\" d=\"M0 %dH%dM0 %dH%d\"/>\n", HEIGHT - EDGE, WIDTH, HEAD, WIDTH);
	fprintf(out, "<text x=\"%d\" y=\"%d\" font-size=\"13\" fill=\"var(--soft)\">%s%s</text>\n", EDGE, HEAD - 8,
		chart->value == share_of ? "100%" : wm_thousands((uint64_t)chart->most),
		chart->value == share_of ? "" : " paths");
	draw_line(chart, out);
	draw_points(chart, out);
	fputs("</svg></div>\n", out);
}

static void write_charts(struct wm_document *d, void *closure)
{
	const struct wm_trend *trend = closure;
	struct chart share = {trend, "Tested outcomes", share_of, percent_text, 1};
	struct chart paths = {trend, "Tested paths", paths_of, paths_text, 0};
	for (size_t i = 0; i < trend->count; i++)
		paths.most = fmax(paths.most, paths_of(&trend->commit[i]));
	draw(&share, d->out);
	draw(&paths, d->out);
	fputs("<h2>Commits</h2>\n", d->out);
}

/* ---- The document --------------------------------------------------------------------------- */

static void tell_summary(struct wm_document *d, const struct wm_trend *trend)
{
	const struct wm_trend_commit *last = wm_trend_last(trend);
	char *percent = percent_text(last);
	wm_document_figure(d, "", percent, "of %s outcome%s of decisions %s tested at %s", wm_thousands(last->outcomes),
		wm_plural(last->outcomes), last->outcomes == 1 ? "is" : "are", last->name);
	wm_document_figure(d, ", ", wm_thousands(last->paths), "path%s %s tested", wm_plural(last->paths),
		last->paths == 1 ? "is" : "are");
	wm_document_figure(d, ", ", wm_thousands(last->entered), "of %s function%s %s entered",
		wm_thousands(last->functions), wm_plural(last->functions), last->entered == 1 ? "is" : "are");
	d->form->figures_end(d);
	free(percent);
}

/* Rows that are not what they seem. */
static void tell_doubts(struct wm_document *d, const struct wm_trend *trend)
{
	size_t unknown = 0;
	for (size_t i = 0; i < trend->count; i++) {
		const struct wm_trend_commit *commit = &trend->commit[i];
		unknown += !commit->known;
		if (commit->refused)
			wm_document_say(d, "", "at %s, %s function%s %s refused and not among the numbers",
				commit->name, wm_thousands(commit->refused), wm_plural(commit->refused),
				commit->refused == 1 ? "is" : "are");
		if (commit->unknown)
			wm_document_say(d, "",
				"at %s, it is not known whether tests took %s outcome%s, which %s not among the "
				"numbers",
				commit->name, wm_thousands(commit->unknown), wm_plural(commit->unknown),
				commit->unknown == 1 ? "is" : "are");
	}
	if (unknown)
		wm_document_say(d, "", "no binary was given of %s commit%s, of which only the tests are known",
			wm_thousands(unknown), wm_plural(unknown));
}

static void tell_scope(struct wm_document *d, const struct wm_trend *trend)
{
	const struct wm_trend_commit *last = wm_trend_last(trend);
	char *text = wm_unscoped_text(&last->left_out);
	if (text)
		wm_document_say(d, "", "at %s, %s", last->name, text);
	free(text);
}

static void tell_row(struct wm_document *d, const struct wm_trend_commit *commit)
{
	const struct wm_trend_change *untested = &commit->untested_change, *paths = &commit->path_change;
	const uint64_t changes[] = {untested->fresh, untested->closed, untested->added, untested->removed};
	uint64_t tested = commit->outcomes - commit->untested;
	char date[16];
	print_date(date, commit->first);
	d->form->row(d, true);
	d->form->cell(d, (double)commit->first, date);
	wm_document_number(d, commit->tests, true);
	wm_document_number(d, tested, commit->known);
	wm_document_number(d, commit->outcomes, commit->known);
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
		wm_document_number(d, changes[i], commit->compared);
	wm_document_number(d, commit->paths, commit->known);
	wm_document_number(d, paths->fresh + paths->added, commit->compared);
	wm_document_number(d, paths->closed + paths->removed, commit->compared);
	d->form->cell(d, NAN, commit->name);
	d->form->row_end(d);
}

static void tell_table(struct wm_document *d, const struct wm_trend *trend)
{
	static const struct wm_column columns[] = {{"First run", true, 10, NULL}, {"Tests", true, 7, NULL},
		{"Tested outcomes", true, 17, NULL}, {"Outcomes", true, 10, NULL}, {"New untested", true, 14, NULL},
		{"Closed", true, 8, NULL}, {"Added", true, 7, NULL}, {"Removed", true, 9, NULL},
		{"Tested paths", true, 14, NULL}, {"Gained", true, 8, NULL}, {"Lost", true, 6, NULL},
		{"Commit", false, -2, NULL}};
	static const struct wm_table table = {columns, sizeof columns / sizeof *columns, NULL, SIZE_MAX, 0, true};
	if (!d->form->table(d, &table))
		return;
	for (size_t i = 0; i < trend->count; i++)
		tell_row(d, &trend->commit[i]);
	d->form->table_end(d);
}

static void tell(struct wm_document *d, const struct wm_trend *trend)
{
	static const struct wm_document_title title = {"Waymark: what tests took, commit by commit",
		"What tests took, commit by commit",
		"Outcomes of decisions and paths in the order of the first runs of the commits. Untested outcomes are "
		"new or closed in functions that the commit before had, too, and added or removed with other code.",
		NULL};
	d->form->title(d, &title);
	tell_summary(d, trend);
	tell_doubts(d, trend);
	tell_scope(d, trend);
	d->form->markup(d, write_charts, (void *)trend);
	tell_table(d, trend);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *change_object(const struct wm_trend_commit *commit, const struct wm_trend_change *change)
{
	if (!commit->compared)
		return json_null();
	return wm_json_checked(json_pack("{s:o, s:o, s:o, s:o}", "new", wm_json_count(change->fresh), "added",
		wm_json_count(change->added), "closed", wm_json_count(change->closed), "removed",
		wm_json_count(change->removed)));
}

static json_t *commit_object(const struct wm_trend_commit *commit)
{
	json_t *object = wm_json_checked(json_pack("{s:o, s:I, s:I, s:b}", "commit", wm_json_text(commit->name),
		"first", (json_int_t)commit->first, "tests", (json_int_t)commit->tests, "known", commit->known));
	if (!commit->known)
		return object;
	json_object_set_new(object, "functions", wm_json_count(commit->functions));
	json_object_set_new(object, "functions_entered", wm_json_count(commit->entered));
	json_object_set_new(object, "functions_refused", wm_json_count(commit->refused));
	json_object_set_new(object, "functions_left_out", wm_json_count(commit->left_out.count));
	json_object_set_new(object, "outcomes", wm_json_count(commit->outcomes));
	json_object_set_new(object, "untested_outcomes", wm_json_count(commit->untested));
	json_object_set_new(object, "unknown_outcomes", wm_json_count(commit->unknown));
	json_object_set_new(object, "tested_paths", wm_json_count(commit->paths));
	json_object_set_new(object, "untested_outcomes_change", change_object(commit, &commit->untested_change));
	json_object_set_new(object, "tested_paths_change", change_object(commit, &commit->path_change));
	return object;
}

static void print_json(const struct wm_trend *trend)
{
	json_t *list = wm_json_checked(json_array());
	for (size_t i = 0; i < trend->count; i++)
		json_array_append_new(list, commit_object(&trend->commit[i]));
	json_t *document = wm_json_document("trend");
	json_object_set_new(document, "commits", list);
	wm_json_print(document);
}

void wm_trend_print(const struct wm_trend *trend, const struct wm_report_options *options)
{
	struct wm_document d;
	if (options->json) {
		print_json(trend);
		return;
	}
	wm_document_begin(&d, options, stdout);
	tell(&d, trend);
	wm_document_end(&d);
}

/* ---- The badge ------------------------------------------------------------------------------ */

void wm_trend_badge(const struct wm_trend *trend, const char *file)
{
	enum { LABEL = 108, CHARACTER = 8, SPACE = 12 };
	const struct wm_trend_commit *last = wm_trend_last(trend);
	char *value = percent_text(last);
	int width = (int)strlen(value) * CHARACTER + SPACE, whole = LABEL + width;
	/* From red over yellow to green. */
	int hue = (int)(120 * wm_trend_share(last));
	char *text = wm_xprintf(
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"20\" role=\"img\" "
		"aria-label=\"outcomes tested: %s\">\n"
		"<title>outcomes tested: %s</title>\n"
		"<rect width=\"%d\" height=\"20\" rx=\"3\" fill=\"#555\"/>\n"
		"<path d=\"M%d 0h%da3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-%dz\" fill=\"hsl(%d 60%% 38%%)\"/>\n"
		"<g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" "
		"font-size=\"11\">\n"
		"<text x=\"%d\" y=\"14\">outcomes tested</text>\n"
		"<text x=\"%d\" y=\"14\">%s</text>\n"
		"</g>\n</svg>\n",
		whole, value, value, whole, LABEL, width - 3, width - 3, hue, LABEL / 2, LABEL + width / 2, value);
	wm_write_file(file, text, strlen(text));
	free(text);
	free(value);
}
