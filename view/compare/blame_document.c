/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which paths go with failed runs: the most suspicious first.  HTML: an index of them, and a page for each function. */
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
	wm_document_notes(d, blame->delta.note, blame->delta.note_count);
}

/* ---- The table --------------------------------------------------------------------------------- */

/* A function, by its most suspicious path. */
static void tell_row(struct wm_document *d, const struct wm_blame *blame, const struct wm_blame_path *path, size_t f)
{
	char *rank = rank_text(path), score[32];
	snprintf(score, sizeof score, "%.3f", path->score);
	d->form->row(d, true);
	d->form->cell(d, (double)path->first_rank, rank);
	d->form->cell(d, isfinite(path->score) ? path->score : 1e300, score);
	wm_document_number(d, path->spectrum.failed_with, true);
	wm_document_number(d, path->spectrum.passed_with, true);
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
	const struct wm_document_title title = {"Waymark: which paths go with failed runs",
		"Which paths go with failed runs", NULL, &blame->delta.side[WM_FAILED].suite.story};
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
