/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which outcomes, lines and paths go with failed runs: the most suspicious first.  HTML: an index of them, and a page for each
 * function. */
#include "analysis/tell/abandoned.h"
#include "analysis/tell/edge_words.h"
#include "support/printable.h"
#include "support/xalloc.h"
#include "view/compare/blame_view.h"
#include "view/document/document.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct wm_suite_path *path_of(const struct wm_blame *blame, const struct wm_blame_path *path)
{
	return wm_delta_path(&blame->delta, wm_blame_way(blame, path), WM_FAILED);
}

/* "1", or "2 to 5" of several with equal suspicion. */
static char *rank_text(const struct wm_suspect *suspect)
{
	if (suspect->first_rank == suspect->last_rank)
		return wm_xprintf("%s", wm_thousands(suspect->first_rank));
	return wm_xprintf("%s to %s", wm_thousands(suspect->first_rank), wm_thousands(suspect->last_rank));
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
	if (path->suspect.untested)
		wm_document_say(d, "      ", "no test takes this path");
	if (!path->suspect.spectrum.passed_near)
		wm_document_say(d, "      ", "no passed run completes a path of this function");
	if (f->graph == WM_DELTA_CHANGED)
		wm_document_take(d, "      ", wm_delta_graph_text(f));
	wm_document_take(
		d, "      ", wm_blame_parting_text(&path->parting, path_of(blame, path)->function, &d->sources));
}

static size_t function_of(const void *closure, size_t item)
{
	const struct wm_blame *blame = closure;
	return wm_blame_way(blame, &blame->path[item])->function;
}

static void tell_function(struct wm_document *d, const void *closure, size_t number)
{
	const struct wm_blame *blame = closure;
	d->form->function(d, wm_delta_function(&blame->delta.function[number]), number);
}

static void tell_path(struct wm_document *d, const void *closure, size_t item, bool open)
{
	const struct wm_blame *blame = closure;
	const struct wm_blame_path *path = &blame->path[item];
	const struct wm_suite_path *suite_path = path_of(blame, path);
	char *rank = rank_text(&path->suspect), *runs = runs_text(&path->suspect.spectrum);
	char *words = wm_xprintf("rank %s  score %.3f  %s", rank, path->suspect.score, runs);
	wm_document_path_as(d, suite_path->function, suite_path->id,
		(double)path->suspect.spectrum.failed_with / (double)path->suspect.spectrum.failed, words, open);
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
		only += !blame->path[i].suspect.spectrum.passed_with;
	const struct wm_delta_side *side = blame->delta.side;
	wm_document_figure(d, "", wm_thousands(side[WM_FAILED].suite.test_count), "of %s runs failed",
		wm_thousands(side[WM_FAILED].suite.test_count + side[WM_PASSED].suite.test_count));
	d->form->figures_end(d);
	wm_document_say(d, "", "%s of %s path%s of failed runs %s taken by no passed run; ranked by %s",
		wm_thousands(only), wm_thousands(blame->path_count), wm_plural(blame->path_count),
		only == 1 ? "is" : "are", wm_measure_name[blame->measure]);
	if (blame->tests.test_count)
		wm_document_say(d, "", "%s path%s of failed runs %s not tested and ranked before all others",
			wm_thousands(blame->untested), wm_plural(blame->untested), blame->untested == 1 ? "is" : "are");
	if (blame->abandoned) {
		char *left = wm_abandoned_text(blame->abandoned);
		wm_document_say(d, "",
			"%s (by exit, longjmp, an exception or the end of the process); what they did on the paths "
			"that "
			"they did not complete is not counted",
			left);
		free(left);
	}
	wm_document_notes(d, blame->delta.note, blame->delta.note_count);
}

/* ---- Outcomes and lines -------------------------------------------------------------------------- */

/* Per function of the story of the failed runs: the number of its page, or SIZE_MAX. */
static size_t *number_pages(const struct wm_blame *blame)
{
	const struct wm_story *story = &blame->delta.side[WM_FAILED].suite.story;
	size_t *page = wm_xrealloc(NULL, story->function_count + 1, sizeof *page);
	for (size_t f = 0; f < story->function_count; f++)
		page[f] = SIZE_MAX;
	for (size_t i = 0; i < blame->path_count; i++)
		page[path_of(blame, &blame->path[i])->function - story->function] = function_of(blame, i);
	return page;
}

/* The cells that outcomes and lines have in common.  False: the table leaves out the row. */
static bool begin_suspect(struct wm_document *d, const struct wm_suspect *suspect, bool matters)
{
	char score[32], runs[WM_SIDES][64];
	const struct wm_spectrum *s = &suspect->spectrum;
	if (!d->form->row(d, matters))
		return false;
	char *rank = rank_text(suspect);
	snprintf(score, sizeof score, "%.3f", suspect->score);
	snprintf(runs[WM_FAILED], sizeof *runs, "%zu of %zu", s->failed_with, s->failed);
	snprintf(runs[WM_PASSED], sizeof *runs, "%zu of %zu", s->passed_with, s->passed);
	d->form->cell(d, (double)suspect->first_rank, rank);
	d->form->cell(d, isfinite(suspect->score) ? suspect->score : 1e300, score);
	d->form->cell(d, (double)s->failed_with, runs[WM_FAILED]);
	d->form->cell(d, (double)s->passed_with, runs[WM_PASSED]);
	free(rank);
	return true;
}

/* The first columns of both. */
#define SHARED \
	{"Rank", true, 14, NULL}, {"Score", true, 9, NULL}, {"Failed runs", true, 14, NULL}, \
	{ \
		"Passed runs", true, 14, NULL \
	}

static void tell_left_out(struct wm_document *d, size_t count, const char *one, const char *many)
{
	if (count && d->form->whole)
		wm_document_say(d, "", "%s more %s; `waymark blame --json` prints all", wm_thousands(count),
			count == 1 ? one : many);
	else if (count)
		wm_document_list(
			d, "\n%s more %s (--top N or --all shows them)", wm_thousands(count), count == 1 ? one : many);
}

static void tell_outcome(struct wm_document *d, const struct wm_blame_outcome *outcome, size_t page)
{
	if (!begin_suspect(d, &outcome->suspect, !outcome->folded))
		return;
	char *edge = wm_edge_text(outcome->function, outcome->edge, &d->sources);
	char *text =
		outcome->like ? wm_xprintf("%s (and %s like it)", edge, wm_thousands(outcome->like)) : wm_xstrdup(edge);
	d->form->cell_function(d, outcome->function, page, page != SIZE_MAX);
	d->form->cell(d, NAN, text);
	d->form->row_end(d);
	free(text);
	free(edge);
}

static void tell_outcomes(struct wm_document *d, const struct wm_blame *blame, const size_t *page, size_t top)
{
	const struct wm_story *story = &blame->delta.side[WM_FAILED].suite.story;
	static const struct wm_column columns[] = {
		SHARED, {"Function", false, WM_COLUMN_LAST, NULL}, {"Outcome", false, WM_COLUMN_LAST, NULL}};
	const struct wm_table table = {
		columns, sizeof columns / sizeof *columns, NULL, wm_document_limit(d, top, WM_HTML_LISTED), 0, true};
	size_t told = 0, more = 0;
	if (!blame->outcome_count)
		return;
	d->form->headline(d, "\n", "Outcomes of decisions",
		", the most suspicious first; among equal ones, what is executed first");
	if (!d->form->table(d, &table))
		return;
	for (size_t i = 0; i < blame->outcome_count; i++) {
		const struct wm_blame_outcome *outcome = &blame->outcome[i];
		bool counts = !outcome->folded || d->form->whole;
		if (told < table.most)
			tell_outcome(d, outcome, page[outcome->function - story->function]);
		else
			more += counts;
		told += counts;
	}
	d->form->table_end(d);
	tell_left_out(d, more, "outcome", "outcomes");
}

/* A line without its indentation, and not too long; heap. */
static char *line_text(struct wm_document *d, const struct wm_blame_line *line)
{
	enum { MOST = 100 };
	const struct wm_map_module *module = line->function->module;
	const struct wm_source_origin origin = {line->function->object->path, module};
	size_t length = 0, end = 0;
	const char *text =
		wm_source_line(&d->sources, module->file[line->place.file], line->place.line, &origin, &length);
	if (!text)
		return wm_xstrdup("");
	for (; length && (*text == ' ' || *text == '\t'); length--)
		text++;
	while (end < length && end < MOST)
		end += wm_character_at(text + end, length - end).length;
	char *copy = wm_xprintf("%.*s%s", (int)end, text, end < length ? "..." : "");
	for (char *c = copy; *c; c++)
		*c = *c == '\t' ? ' ' : *c;
	return copy;
}

static void tell_line(struct wm_document *d, const struct wm_blame_line *line)
{
	if (!begin_suspect(d, &line->suspect, true))
		return;
	const char *file = wm_short_file(line->function->module->file[line->place.file]);
	char *place = wm_xprintf("%s:%u", file, line->place.line), *source = line_text(d, line);
	d->form->cell(d, NAN, place);
	d->form->cell(d, NAN, source);
	d->form->row_end(d);
	free(source);
	free(place);
}

static void tell_lines(struct wm_document *d, const struct wm_blame *blame, size_t top)
{
	static const struct wm_column columns[] = {
		SHARED, {"Line", false, WM_COLUMN_LAST, NULL}, {"Source", false, WM_COLUMN_LAST, NULL}};
	const struct wm_table table = {
		columns, sizeof columns / sizeof *columns, NULL, wm_document_limit(d, top, WM_HTML_LISTED), 0, true};
	if (!blame->line_count)
		return;
	d->form->headline(d, "\n", "Lines", ", in the same order");
	if (!d->form->table(d, &table))
		return;
	for (size_t i = 0; i < blame->line_count && i < table.most; i++)
		tell_line(d, &blame->line[i]);
	d->form->table_end(d);
	tell_left_out(d, blame->line_count > table.most ? blame->line_count - table.most : 0, "line", "lines");
}

/* ---- The table of functions ---------------------------------------------------------------------- */

/* A function, by its most suspicious path. */
static void tell_row(struct wm_document *d, const struct wm_blame *blame, const struct wm_blame_path *path, size_t f)
{
	char *rank = rank_text(&path->suspect), score[32];
	snprintf(score, sizeof score, "%.3f", path->suspect.score);
	d->form->row(d, true);
	d->form->cell(d, (double)path->suspect.first_rank, rank);
	d->form->cell(d, isfinite(path->suspect.score) ? path->suspect.score : 1e300, score);
	wm_document_number(d, path->suspect.spectrum.failed_with, true);
	wm_document_number(d, path->suspect.spectrum.passed_with, true);
	d->form->cell_function(d, path_of(blame, path)->function, f, true);
	d->form->row_end(d);
	free(rank);
}

/* Functions in the order of their most suspicious paths. */
static void tell_table(struct wm_document *d, const struct wm_blame *blame)
{
	static const struct wm_column columns[] = {{"Rank", true, 0, NULL}, {"Score", true, 0, NULL},
		{"Failed runs", true, 0, NULL}, {"Passed runs", true, 0, NULL}, {"Function", false, 0, NULL}};
	static const struct wm_table table = {
		columns, sizeof columns / sizeof *columns, "all functions of failed runs", 0, 0, true};
	if (!d->form->table(d, &table))
		return;
	bool *told = wm_xrealloc(NULL, blame->delta.function_count + 1, sizeof *told);
	memset(told, 0, (blame->delta.function_count + 1) * sizeof *told);
	for (size_t i = 0; i < blame->path_count; i++) {
		size_t f = function_of(blame, i);
		if (!told[f])
			tell_row(d, blame, &blame->path[i], f);
		told[f] = true;
	}
	free(told);
	d->form->table_end(d);
}

static void tell(struct wm_document *d, const struct wm_blame *blame, size_t top)
{
	const struct wm_document_title title = {"Waymark: what goes with failed runs", "What goes with failed runs",
		NULL, &blame->delta.side[WM_FAILED].suite.story};
	const struct wm_told_list paths = {.closure = blame,
		.count = blame->path_count,
		.function_count = blame->delta.function_count,
		.most = top,
		.function_of = function_of,
		.tell_function = tell_function,
		.tell = tell_path,
		.one = "path of failed runs",
		.many = "paths of failed runs",
		.command = "blame"};
	d->form->title(d, &title);
	tell_summary(d, blame);
	d->form->refused(d, blame->delta.refused, blame->delta.refused_count);
	wm_document_left_out(d, &blame->delta.side[WM_FAILED].suite.story);
	size_t *page = number_pages(blame);
	tell_outcomes(d, blame, page, top);
	tell_lines(d, blame, top);
	free(page);
	tell_table(d, blame);
	d->form->list(d, &paths);
}

void wm_blame_print(const struct wm_blame *blame, const struct wm_report_options *options, uint64_t top)
{
	struct wm_document d;
	if (wm_report_wants_document(options)) {
		wm_document_begin(&d, options, stdout);
		tell(&d, blame, top);
		wm_document_end(&d);
	}
	if (options->json)
		wm_blame_json(blame, options, stdout);
	wm_report_warn_refused(blame->delta.refused_count, options);
}
