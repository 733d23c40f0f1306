/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What changed between two sets of runs.  Text: a summary, a table of functions, then the most important differences.
 * HTML: an index of functions, and a page for each function with differences.
 */
#include "support/xalloc.h"
#include "view/compare/delta_view.h"
#include "view/document/document.h"
#include <math.h>
#include <stdlib.h>

static const char *const side_name[WM_SIDES] = {[WM_OLD] = "old", [WM_NEW] = "new"};

/* ---- Sentences ------------------------------------------------------------------------------ */

/* "old: 3 runs, 1,200 path executions; new: …" */
static void tell_sides(struct wm_document *d, const struct wm_delta *delta)
{
	const struct wm_delta_side *old = &delta->side[WM_OLD], *new = &delta->side[WM_NEW];
	wm_document_say(d, "", "old: %zu run%s, %s path executions; new: %zu run%s, %s path executions",
		old->suite.test_count, wm_plural(old->suite.test_count), wm_thousands(old->executions),
		new->suite.test_count, wm_plural(new->suite.test_count), wm_thousands(new->executions));
}

static void tell_graphs(struct wm_document *d, const struct wm_delta *delta)
{
	if (delta->graphs[WM_DELTA_SAME] == delta->function_count)
		return;
	wm_document_say(d, "",
		"functions that ran: %zu with an unchanged graph, %zu changed, %zu only in old, %zu only in new",
		delta->graphs[WM_DELTA_SAME], delta->graphs[WM_DELTA_CHANGED], delta->graphs[WM_DELTA_ONLY_OLD],
		delta->graphs[WM_DELTA_ONLY_NEW]);
}

/* The functions whose graph is not the same. */
static void list_changed(struct wm_document *d, const struct wm_delta *delta, size_t limit)
{
	size_t told = 0, left = 0;
	for (size_t f = 0; f < delta->function_count; f++) {
		const struct wm_delta_function *function = &delta->function[f];
		if (function->graph == WM_DELTA_SAME || told++ >= limit) {
			left += function->graph != WM_DELTA_SAME;
			continue;
		}
		char *graph = wm_delta_graph_text(function);
		wm_document_list(d, "  %s: %s", wm_delta_function(function)->brief, graph);
		free(graph);
	}
	if (left)
		wm_document_list(d, "  and %s more (--all lists them)", wm_thousands(left));
}

/* What the numbers of the summary leave out. */
static void tell_quiet(struct wm_document *d, const struct wm_delta *delta)
{
	char *tested = wm_xprintf(" or have a q-value above %g", delta->limits.q);
	char *rare = wm_xprintf(" or ran fewer than %s times on both sides", wm_thousands(delta->limits.count));
	if (delta->quiet)
		wm_document_say(d, "",
			"%s more %s not counted as different: they changed their share by less than %g percentage "
			"points%s%s",
			wm_thousands(delta->quiet), delta->quiet == 1 ? "is" : "are", 100 * delta->limits.change,
			delta->tested ? tested : "", delta->limits.count ? rare : "");
	if (!delta->tested)
		wm_document_say(d, "",
			"no test for significance: it needs two runs or more on each side (--old FILE... --new "
			"FILE...)");
	free(tested);
	free(rare);
}

/* "q = 0.003 (p = 0.0004); in 5 of 5 old runs and 5 of 5 new runs", or "". */
static char *test_text(const struct wm_delta *delta, const struct wm_delta_way *way)
{
	size_t old = delta->side[WM_OLD].suite.test_count, new = delta->side[WM_NEW].suite.test_count;
	if (old + new == 2)
		return NULL;
	char *q = isnan(way->q) ? wm_xstrdup("")
				: wm_xprintf("%ssignificant: q = %.2g (p = %.2g); ",
					  way->q <= delta->limits.q ? "" : "not ", way->q, way->p);
	char *text = wm_xprintf("%sin %zu of %zu old run%s and %zu of %zu new run%s", q, way->part[WM_OLD].runs, old,
		wm_plural(old), way->part[WM_NEW].runs, new, wm_plural(new));
	free(q);
	return text;
}

/* Why the way is not the same path on both sides; NULL: it is. */
static char *code_text(const struct wm_delta *delta, const struct wm_delta_way *way)
{
	const struct wm_delta_function *function = &delta->function[way->function];
	int shown = wm_delta_shown(way);
	const struct wm_delta_part *part = &way->part[shown];
	if (!way->code_changed || function->graph != WM_DELTA_CHANGED)
		return NULL;
	if (way->part[WM_OLD].path_count && way->part[WM_NEW].path_count)
		return wm_xprintf("%zu old path%s and %zu new path%s go the same way through the matched blocks; the "
				  "hottest new one is shown",
			way->part[WM_OLD].path_count, wm_plural(way->part[WM_OLD].path_count),
			way->part[WM_NEW].path_count, wm_plural(way->part[WM_NEW].path_count));
	if (!part->unmatched)
		return wm_xprintf("it takes an edge that the %s graph does not have", side_name[!shown]);
	return wm_xprintf("it goes through %u block%s without a match in the %s graph", part->unmatched,
		wm_plural(part->unmatched), side_name[!shown]);
}

/* ---- The table ------------------------------------------------------------------------------ */

static void tell_row(struct wm_document *d, const struct wm_delta *delta, size_t number)
{
	const struct wm_delta_function *f = &delta->function[number];
	size_t different = 0;
	char difference[32], *graph = f->graph == WM_DELTA_SAME ? wm_xstrdup("") : wm_delta_graph_text(f);
	for (int c = 0; c < WM_DELTA_CHANGES; c++)
		different += f->changes[c];
	snprintf(difference, sizeof difference, "%+.2f", 100 * (f->share[WM_NEW] - f->share[WM_OLD]));
	if (d->form->row(d, different)) {
		d->form->cell(d, fabs(f->share[WM_NEW] - f->share[WM_OLD]), difference);
		for (int s = 0; s < WM_SIDES; s++)
			d->form->cell_share(d, 100 * f->share[s], NULL);
		for (int c = WM_DELTA_APPEARED; c < WM_DELTA_CHANGES; c++)
			wm_document_number(d, f->changes[c], true);
		d->form->cell_function(d, wm_delta_function(f), number, different);
		d->form->cell(d, NAN, graph);
		d->form->row_end(d);
	}
	free(graph);
}

static void tell_table(struct wm_document *d, const struct wm_delta *delta, size_t limit)
{
	static const struct wm_column columns[] = {{"Difference, points", true, 0, NULL}, {"Old", false, 8, NULL},
		{"New", false, 9, NULL}, {"Appeared", true, 10, NULL}, {"Vanished", true, 9, NULL},
		{"Hotter", true, 9, NULL}, {"Colder", true, 9, NULL}, {"Function", false, -10, NULL},
		{"Graph", false, WM_COLUMN_LAST, NULL}};
	const struct wm_table table = {columns, sizeof columns / sizeof *columns, "also those without differences",
		limit, WM_COLUMN_NONE, false};
	if (!d->form->table(d, &table))
		return;
	for (size_t i = 0; i < delta->function_count; i++)
		tell_row(d, delta, i);
	d->form->table_end(d);
}

/* ---- Differences ---------------------------------------------------------------------------- */

/* The lines of an old path are those of the old source. */
static void exchange_sources(struct wm_document *d, const struct wm_delta *delta, int side)
{
	struct wm_sources kept = d->sources;
	if (side == WM_NEW)
		return;
	d->sources = *delta->sources[WM_OLD];
	*delta->sources[WM_OLD] = kept;
}

static size_t function_of(const void *closure, size_t item)
{
	const struct wm_delta *delta = closure;
	return delta->way[item].function;
}

static void tell_function(struct wm_document *d, const void *closure, size_t number)
{
	const struct wm_delta *delta = closure;
	const struct wm_delta_function *f = &delta->function[number];
	d->form->function(d, wm_delta_function(f), number);
	if (f->graph != WM_DELTA_SAME)
		wm_document_take(d, "  ", wm_delta_graph_text(f));
}

static void tell_way(struct wm_document *d, const void *closure, size_t item, bool open)
{
	const struct wm_delta *delta = closure;
	const struct wm_delta_way *way = &delta->way[item];
	const struct wm_delta_part *old = &way->part[WM_OLD], *new = &way->part[WM_NEW];
	int side = wm_delta_shown(way);
	const struct wm_suite_path *path = wm_delta_path(delta, way, side);
	char *words = wm_xprintf("%-8s %6.2f%% -> %6.2f%%  %s -> %s times", wm_delta_change_text(way->change),
		100 * old->share, 100 * new->share, wm_thousands(old->executions), wm_thousands(new->executions));
	exchange_sources(d, delta, side);
	wm_document_path_as(d, path->function, path->id, way->part[side].share, words, open);
	wm_document_take(d, "      ", test_text(delta, way));
	wm_document_take(d, "      ", code_text(delta, way));
	wm_document_path_end(d, path->function, WM_NONE);
	exchange_sources(d, delta, side);
	free(words);
}

/* ---- The report ----------------------------------------------------------------------------- */

static void tell_summary(struct wm_document *d, const struct wm_delta *delta)
{
	wm_document_figure(d, "", wm_thousands(delta->different), "of %s path%s differ%s",
		wm_thousands(delta->way_count), wm_plural(delta->way_count), delta->different == 1 ? "s" : "");
	d->form->figure(d, ": ", wm_thousands(delta->changes[WM_DELTA_APPEARED]), "appeared");
	d->form->figure(d, ", ", wm_thousands(delta->changes[WM_DELTA_VANISHED]), "vanished");
	d->form->figure(d, ", ", wm_thousands(delta->changes[WM_DELTA_HOTTER]), "became hotter");
	d->form->figure(d, ", ", wm_thousands(delta->changes[WM_DELTA_COLDER]), "became colder");
	d->form->figures_end(d);
}

static void tell(struct wm_document *d, const struct wm_delta *delta, size_t top)
{
	const struct wm_document_title title = {
		"Waymark: what changed", "What changed", NULL, &delta->side[WM_NEW].suite.story};
	const struct wm_told_list ways = {.closure = delta,
		.count = delta->different,
		.function_count = delta->function_count,
		.most = top,
		.function_of = function_of,
		.tell_function = tell_function,
		.tell = tell_way,
		.one = "path differs",
		.many = "paths differ",
		.command = "diff"};
	size_t limit = d->options->all ? SIZE_MAX : top;
	d->form->title(d, &title);
	tell_summary(d, delta);
	tell_sides(d, delta);
	tell_graphs(d, delta);
	list_changed(d, delta, limit);
	tell_quiet(d, delta);
	wm_document_notes(d, delta->note, delta->note_count);
	d->form->refused(d, delta->refused, delta->refused_count);
	wm_document_left_out(d, &delta->side[WM_NEW].suite.story);
	tell_table(d, delta, limit);
	d->form->list(d, &ways);
}

void wm_delta_print(const struct wm_delta *delta, const struct wm_report_options *options, uint64_t top)
{
	struct wm_document d;
	if (wm_report_wants_document(options)) {
		wm_document_begin(&d, options, stdout);
		tell(&d, delta, top);
		wm_document_end(&d);
	}
	if (options->json)
		wm_delta_json(delta, options, stdout);
	wm_report_warn_refused(delta->refused_count, options);
}
