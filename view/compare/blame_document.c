/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which paths go with failed runs: the most suspicious first.  HTML: an index of them, and a page for each function. */
#include "view/compare/blame_view.h"
#include "view/document/document.h"
#include <math.h>
#include <stdlib.h>

static const struct wm_suite_path *path_of(const struct wm_blame *blame, const struct wm_blame_path *path)
{
	return wm_delta_path(&blame->delta, wm_blame_way(blame, path), WM_FAILED);
}

/* "1", or "2 to 5" of paths with equal suspicion. */
static char *rank_text(const struct wm_blame_path *path)
{
	if (path->first_rank == path->last_rank)
		return wm_xprintf("%s", wm_thousands(path->first_rank));
	return wm_xprintf("%s to %s", wm_thousands(path->first_rank), wm_thousands(path->last_rank));
}

static char *runs_text(const struct wm_spectrum *s)
{
	return wm_xprintf(
		"%zu of %zu failed runs, %zu of %zu passed runs", s->failed_with, s->failed, s->passed_with, s->passed);
}

/* What the path is suspected of, besides the numbers. */
static void tell_reasons(struct wm_document *d, const struct wm_blame *blame, const struct wm_blame_path *path)
{
	const struct wm_delta_way *way = wm_blame_way(blame, path);
	const struct wm_delta_function *f = &blame->delta.function[way->function];
	if (path->untested)
		wm_document_say(d, "      ", "no test takes this path");
	if (!path->spectrum.passed_near)
		wm_document_say(d, "      ", "no passed run completes a path of this function");
	if (f->graph == WM_DELTA_CHANGED)
		wm_document_take(d, "      ", wm_delta_graph_text(f));
	wm_document_take(
		d, "      ", wm_blame_parting_text(&path->parting, path_of(blame, path)->function, &d->sources));
}

static void tell_path(struct wm_document *d, const struct wm_blame *blame, const struct wm_blame_path *path, bool open)
{
	const struct wm_suite_path *suite_path = path_of(blame, path);
	char *rank = rank_text(path), *runs = runs_text(&path->spectrum);
	char *words = wm_xprintf("rank %s  score %.3f  %s", rank, path->score, runs);
	wm_document_path_as(d, suite_path->function, suite_path->id,
		(double)path->spectrum.failed_with / (double)path->spectrum.failed, words, open);
	tell_reasons(d, blame, path);
	wm_document_path_end(d, suite_path->function, path->parting.position);
	free(words);
	free(runs);
	free(rank);
}

/* ---- The summary ------------------------------------------------------------------------------- */

static void tell_summary(struct wm_document *d, const struct wm_blame *blame)
{
	size_t only = 0;
	for (size_t i = 0; i < blame->path_count; i++)
		only += !blame->path[i].spectrum.passed_with;
	wm_document_say(d, "", "%s of %s path%s of failed runs %s taken by no passed run; ranked by %s",
		wm_thousands(only), wm_thousands(blame->path_count), wm_plural(blame->path_count),
		only == 1 ? "is" : "are", wm_measure_name[blame->measure]);
	if (blame->tests.test_count)
		wm_document_say(d, "", "%s path%s of failed runs %s not tested and ranked before all others",
			wm_thousands(blame->untested), wm_plural(blame->untested), blame->untested == 1 ? "is" : "are");
	wm_document_notes(d, blame->delta.note, blame->delta.note_count);
}

static void print_text(struct wm_document *d, const struct wm_blame *blame, size_t top)
{
	const struct wm_story_function *last = NULL;
	size_t limit = d->options->all ? SIZE_MAX : top;
	const struct wm_delta_side *side = blame->delta.side;
	fprintf(d->out, "%s%zu of %zu runs failed%s\n", d->bold, side[WM_FAILED].suite.test_count,
		side[WM_FAILED].suite.test_count + side[WM_PASSED].suite.test_count, d->plain);
	tell_summary(d, blame);
	for (size_t i = 0; i < blame->path_count && i < limit; i++) {
		const struct wm_story_function *function = path_of(blame, &blame->path[i])->function;
		if (function != last)
			d->form->function(d, function, i);
		last = function;
		tell_path(d, blame, &blame->path[i], true);
	}
	if (blame->path_count > limit)
		fprintf(d->out, "\n%s more path%s of failed runs (--top N or --all shows more)\n",
			wm_thousands(blame->path_count - limit), wm_plural(blame->path_count - limit));
	d->form->refused(d, blame->delta.refused, blame->delta.refused_count);
}

/* ---- Pages ------------------------------------------------------------------------------------- */

/* Per function of the comparison, its most suspicious path. */
static size_t *find_first(const struct wm_blame *blame)
{
	size_t *first = wm_xmalloc((blame->delta.function_count + 1) * sizeof *first);
	for (size_t f = 0; f < blame->delta.function_count; f++)
		first[f] = SIZE_MAX;
	for (size_t i = blame->path_count; i-- > 0;)
		first[wm_blame_way(blame, &blame->path[i])->function] = i;
	return first;
}

static void write_row(struct wm_document *d, const struct wm_blame *blame, const size_t *first, size_t f)
{
	const struct wm_blame_path *path = &blame->path[first[f]];
	char *rank = rank_text(path);
	fprintf(d->out, "<tr data-ran=\"1\"><td class=\"num\" data-key=\"%zu\">%s</td>", SIZE_MAX - path->first_rank,
		rank);
	fprintf(d->out, "<td class=\"num\" data-key=\"%.9g\">%.3f</td>", isfinite(path->score) ? path->score : 1e300,
		path->score);
	wm_html_number(d, path->spectrum.failed_with, true);
	wm_html_number(d, path->spectrum.passed_with, true);
	wm_html_name(d, path_of(blame, path)->function, f, true);
	fputs("</tr>\n", d->out);
	free(rank);
}

/* Functions in the order of their most suspicious paths. */
static void write_table(struct wm_document *d, const struct wm_blame *blame, const size_t *first)
{
	static const struct wm_html_column columns[] = {
		{"Rank", true}, {"Score", true}, {"Failed runs", true}, {"Passed runs", true}, {"Function", false}};
	wm_html_table_begin(d, columns, sizeof columns / sizeof *columns, "all functions of failed runs");
	for (size_t i = 0; i < blame->path_count; i++) {
		size_t f = wm_blame_way(blame, &blame->path[i])->function;
		if (first[f] == i)
			write_row(d, blame, first, f);
	}
	wm_html_table_end(d);
}

static void write_function(struct wm_document *d, const struct wm_blame *blame, size_t f, size_t first)
{
	size_t told = 0;
	d->form->function(d, path_of(blame, &blame->path[first])->function, f);
	fputs("<h2>Paths of failed runs, the most suspicious first</h2>\n", d->out);
	for (size_t i = first; i < blame->path_count; i++)
		if (wm_blame_way(blame, &blame->path[i])->function == f && told++ < WM_HTML_DETAILED)
			tell_path(d, blame, &blame->path[i], told <= WM_HTML_OPEN);
	if (told > WM_HTML_DETAILED)
		wm_document_say(d, "", "%s more paths ran; waymark blame --json lists them all",
			wm_thousands(told - WM_HTML_DETAILED));
}

static void write_pages(struct wm_document *d, const struct wm_blame *blame)
{
	const struct wm_delta_side *side = blame->delta.side;
	size_t *first = find_first(blame);
	wm_html_page(d, "index.html", "Waymark: which paths go with failed runs");
	fputs("<h1>Which paths go with failed runs</h1>", d->out);
	wm_html_objects(d, &side[WM_FAILED].suite.story);
	fputs("<div class=\"cards\">", d->out);
	wm_html_card(d, wm_thousands(side[WM_FAILED].suite.test_count), "failed runs");
	wm_html_card(d, wm_thousands(side[WM_PASSED].suite.test_count), "passed runs");
	fputs("</div>\n", d->out);
	tell_summary(d, blame);
	d->form->refused(d, blame->delta.refused, blame->delta.refused_count);
	write_table(d, blame, first);
	for (size_t f = 0; f < blame->delta.function_count; f++)
		if (first[f] != SIZE_MAX)
			write_function(d, blame, f, first[f]);
	free(first);
}

void wm_blame_print(const struct wm_blame *blame, const struct wm_report_options *options, uint64_t top)
{
	struct wm_document d;
	if (wm_report_wants_document(options)) {
		wm_document_begin(&d, options, stdout);
		if (d.html)
			write_pages(&d, blame);
		else
			print_text(&d, blame, top);
		wm_document_end(&d);
	}
	if (options->json)
		wm_blame_json(blame, options, stdout);
	wm_report_warn_refused(blame->delta.refused_count, options);
}
