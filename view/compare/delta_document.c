/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What changed between two sets of runs.  Text: a summary, a table of functions, then the most important differences.
 * HTML: an index of functions, and a page for each function with differences.
 */
#include "view/compare/delta_view.h"
#include "view/document/document.h"
#include <math.h>
#include <stdlib.h>

static const char *const side_name[WM_SIDES] = {[WM_OLD] = "old", [WM_NEW] = "new"};

/* ---- Sentences ------------------------------------------------------------------------------ */

static char *changes_text(const size_t changes[WM_DELTA_CHANGES])
{
	return wm_xprintf("%s appeared, %s vanished, %s became hotter, %s became colder",
		wm_thousands(changes[WM_DELTA_APPEARED]), wm_thousands(changes[WM_DELTA_VANISHED]),
		wm_thousands(changes[WM_DELTA_HOTTER]), wm_thousands(changes[WM_DELTA_COLDER]));
}

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

/* Text only: the functions whose graph is not the same; the index of the pages has them all. */
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
		fprintf(d->out, "  %s: %s\n", wm_delta_function(function)->brief, graph);
		free(graph);
	}
	if (left)
		fprintf(d->out, "  and %s more (--all lists them)\n", wm_thousands(left));
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

static void print_table(struct wm_document *d, const struct wm_delta *delta, size_t limit)
{
	fprintf(d->out, "\n%s     old      new  appeared vanished   hotter   colder  function%s\n", d->dim, d->plain);
	for (size_t i = 0; i < delta->function_count && i < limit; i++) {
		const struct wm_delta_function *f = &delta->function[i];
		char place[512], *graph = wm_delta_graph_text(f);
		const struct wm_story_function *shown = wm_delta_function(f);
		wm_place_text(shown, place, sizeof place);
		fprintf(d->out, "%7.2f%% %7.2f%%  %8zu %8zu %8zu %8zu  %s%s%s%s%s%s%s%s%s\n", 100 * f->share[WM_OLD],
			100 * f->share[WM_NEW], f->changes[WM_DELTA_APPEARED], f->changes[WM_DELTA_VANISHED],
			f->changes[WM_DELTA_HOTTER], f->changes[WM_DELTA_COLDER], d->bold, shown->brief, d->plain,
			*place ? "  " : "", d->dim, place, f->graph == WM_DELTA_SAME ? "" : "  ",
			f->graph == WM_DELTA_SAME ? "" : graph, d->plain);
		free(graph);
	}
}

static void write_row(struct wm_document *d, const struct wm_delta *delta, size_t number)
{
	const struct wm_delta_function *f = &delta->function[number];
	size_t different = 0;
	char *graph = wm_delta_graph_text(f);
	for (int c = 0; c < WM_DELTA_CHANGES; c++)
		different += f->changes[c];
	fprintf(d->out, "<tr%s><td class=\"num\" data-key=\"%.9f\">%+.2f</td>", different ? " data-ran=\"1\"" : "",
		fabs(f->share[WM_NEW] - f->share[WM_OLD]), 100 * (f->share[WM_NEW] - f->share[WM_OLD]));
	for (int s = 0; s < WM_SIDES; s++) {
		fprintf(d->out, "<td data-key=\"%.9f\">", f->share[s]);
		wm_html_share(d, 100 * f->share[s]);
		fputs("</td>", d->out);
	}
	for (int c = WM_DELTA_APPEARED; c < WM_DELTA_CHANGES; c++)
		wm_html_number(d, f->changes[c], true);
	wm_html_print(d->out, "<td>%s</td>", graph);
	wm_html_name(d, wm_delta_function(f), number, different);
	fputs("</tr>\n", d->out);
	free(graph);
}

static void write_table(struct wm_document *d, const struct wm_delta *delta)
{
	static const struct wm_html_column columns[] = {{"Difference, points", true}, {"Old share", false},
		{"New share", false}, {"Appeared", true}, {"Vanished", true}, {"Hotter", true}, {"Colder", true},
		{"Graph", false}, {"Function", false}};
	wm_html_table_begin(d, columns, sizeof columns / sizeof *columns, "also those without differences");
	for (size_t i = 0; i < delta->function_count; i++)
		write_row(d, delta, i);
	wm_html_table_end(d);
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

static void tell_way(struct wm_document *d, const struct wm_delta *delta, const struct wm_delta_way *way, bool open)
{
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

static void tell_function(struct wm_document *d, const struct wm_delta *delta, size_t number)
{
	const struct wm_delta_function *f = &delta->function[number];
	d->form->function(d, wm_delta_function(f), number);
	if (f->graph != WM_DELTA_SAME || d->html)
		wm_document_take(d, "  ", wm_delta_graph_text(f));
}

/* The most important differences, whatever function they are in. */
static void print_ways(struct wm_document *d, const struct wm_delta *delta, size_t limit)
{
	size_t last = SIZE_MAX;
	for (size_t w = 0; w < delta->different && w < limit; w++) {
		if (delta->way[w].function != last)
			tell_function(d, delta, delta->way[w].function);
		last = delta->way[w].function;
		tell_way(d, delta, &delta->way[w], true);
	}
	if (delta->different > limit)
		fprintf(d->out, "\n%s more path%s (--top N or --all shows them)\n",
			wm_thousands(delta->different - limit),
			delta->different - limit == 1 ? " differs" : "s differ");
}

static void write_page(struct wm_document *d, const struct wm_delta *delta, size_t number)
{
	size_t told = 0;
	tell_function(d, delta, number);
	wm_document_take(d, "", changes_text(delta->function[number].changes));
	for (size_t w = 0; w < delta->different; w++)
		if (delta->way[w].function == number && told++ < WM_HTML_DETAILED)
			tell_way(d, delta, &delta->way[w], told <= WM_HTML_OPEN);
	if (told > WM_HTML_DETAILED)
		wm_document_say(d, "", "%s more paths differ; waymark diff --json lists them all",
			wm_thousands(told - WM_HTML_DETAILED));
}

/* ---- The report ----------------------------------------------------------------------------- */

static size_t functions_different(const struct wm_delta *delta)
{
	size_t count = 0;
	for (size_t f = 0; f < delta->function_count; f++)
		for (int c = 0; c < WM_DELTA_CHANGES; c++)
			if (delta->function[f].changes[c]) {
				count++;
				break;
			}
	return count;
}

static void print_text(struct wm_document *d, const struct wm_delta *delta, size_t top)
{
	size_t limit = d->options->all ? SIZE_MAX : top, functions = functions_different(delta);
	char *changes = changes_text(delta->changes);
	fprintf(d->out, "%s%s of %s path%s differ%s%s: %s\n", d->bold, wm_thousands(delta->different),
		wm_thousands(delta->way_count), wm_plural(delta->way_count), delta->different == 1 ? "s" : "", d->plain,
		changes);
	free(changes);
	tell_sides(d, delta);
	tell_graphs(d, delta);
	list_changed(d, delta, limit);
	tell_quiet(d, delta);
	wm_document_notes(d, delta->note, delta->note_count);
	if (functions && limit)
		print_table(d, delta, functions < limit ? functions : limit);
	print_ways(d, delta, limit);
	d->form->refused(d, delta->refused, delta->refused_count);
}

static void write_pages(struct wm_document *d, const struct wm_delta *delta)
{
	size_t functions = functions_different(delta);
	wm_html_page(d, "index.html", "Waymark: what changed");
	fputs("<h1>What changed</h1>", d->out);
	wm_html_objects(d, &delta->side[WM_NEW].suite.story);
	fputs("<div class=\"cards\">", d->out);
	wm_html_card(d, wm_thousands(delta->changes[WM_DELTA_APPEARED]), "paths appeared");
	wm_html_card(d, wm_thousands(delta->changes[WM_DELTA_VANISHED]), "paths vanished");
	wm_html_card(d, wm_thousands(delta->changes[WM_DELTA_HOTTER]), "became hotter");
	wm_html_card(d, wm_thousands(delta->changes[WM_DELTA_COLDER]), "became colder");
	fputs("</div>\n", d->out);
	tell_sides(d, delta);
	tell_graphs(d, delta);
	tell_quiet(d, delta);
	wm_document_notes(d, delta->note, delta->note_count);
	d->form->refused(d, delta->refused, delta->refused_count);
	write_table(d, delta);
	for (size_t f = 0; f < functions; f++) {
		wm_progress("writing pages", f, functions);
		write_page(d, delta, f);
	}
	wm_progress_end();
}

void wm_delta_print(const struct wm_delta *delta, const struct wm_report_options *options, uint64_t top)
{
	struct wm_document d;
	if (wm_report_wants_document(options)) {
		wm_document_begin(&d, options, stdout);
		if (d.html)
			write_pages(&d, delta);
		else
			print_text(&d, delta, top);
		wm_document_end(&d);
	}
	if (options->json)
		wm_delta_json(delta, options, stdout);
	wm_report_warn_refused(delta->refused_count, options);
}
