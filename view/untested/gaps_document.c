/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What no test took.  Text: a summary, the gaps of the functions that the tests execute most, and the functions that no test
 * enters.  HTML: an index of functions, and a page for each function with gaps.
 */
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/untested/gaps_view.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { TESTS_NAMED = 3 };

/* Whether paths were sought in some function. */
static bool has_paths(const struct wm_gaps *gaps)
{
	return gaps->question.level != WM_GAP_EDGE && (gaps->sought > 0 || !gaps->count);
}

/* "outcome" or "path": what is missing first, and what gates count. */
static const char *noun(const struct wm_gaps *gaps)
{
	return wm_gaps_count_paths(gaps) && has_paths(gaps) ? "path" : "outcome";
}

static size_t function_total(const struct wm_gaps *gaps)
{
	return gaps->count + gaps->never_count + gaps->known_never;
}

/* What is listed. */
static const char *untested_nouns(const struct wm_gaps *gaps)
{
	static const char *const nouns[] = {
		[WM_GAP_BOTH] = "outcomes and paths", [WM_GAP_PATH] = "paths", [WM_GAP_EDGE] = "outcomes"};
	return nouns[has_paths(gaps) ? gaps->question.level : WM_GAP_EDGE];
}

/* ---- The summary ---------------------------------------------------------------------------- */

/* A number of possible paths that nobody can compare with anything is not told. */
static void tell_paths(struct wm_document *d, const struct wm_gaps *gaps)
{
	enum { COMPARABLE = 1000000 };
	const char *tested = wm_thousands(gaps->tested_paths);
	if (gaps->sought <= COMPARABLE)
		wm_document_figure(d, ", ", tested, "of their %s path%s %s tested", wm_paths_text(gaps->sought),
			gaps->sought == 1 ? "" : "s", gaps->tested_paths == 1 ? "is" : "are");
	else
		wm_document_figure(d, ", ", tested, "of their paths %s tested", gaps->tested_paths == 1 ? "is" : "are");
}

static void tell_summary(struct wm_document *d, const struct wm_gaps *gaps)
{
	size_t all = function_total(gaps);
	if (!all) {
		d->form->headline(d, "", "nothing is compared",
			gaps->refused_count	 ? ": the functions are refused, see below"
			: gaps->question.touches ? ": no function that is compiled with Waymark has a changed line"
						 : ": no function is compiled with Waymark");
		return;
	}
	wm_document_figure(d, "", wm_thousands(gaps->untaken), "of %s outcome%s of decisions %s untested",
		wm_thousands(gaps->decisions), wm_plural(gaps->decisions), gaps->untaken == 1 ? "is" : "are");
	wm_document_figure(d, ", ", wm_thousands(gaps->count), "of %s function%s %s entered by tests",
		wm_thousands(all), wm_plural(all), gaps->count == 1 ? "is" : "are");
	if (has_paths(gaps))
		tell_paths(d, gaps);
	d->form->figures_end(d);
}

/* "2 outcomes and 3 paths"; heap. */
static char *unknown_text(uint64_t outcomes, double paths)
{
	char *of_outcomes = outcomes ? wm_xprintf("%s outcome%s", wm_thousands(outcomes), wm_plural(outcomes)) : NULL;
	char *of_paths = paths > 0 ? wm_xprintf("%s path%s", wm_paths_text(paths), paths == 1 ? "" : "s") : NULL;
	char *text = wm_xprintf("%s%s%s", of_outcomes ? of_outcomes : "", of_outcomes && of_paths ? " and " : "",
		of_paths ? of_paths : "");
	free(of_outcomes);
	free(of_paths);
	return text;
}

/* What is neither tested nor untested. */
static void tell_unknown(struct wm_document *d, const struct wm_gaps *gaps)
{
	enum { SHOWN = 20 };
	size_t limit = d->options->all ? SIZE_MAX : SHOWN, shown = 0;
	if (!gaps->unknown)
		return;
	char *sum = unknown_text(gaps->unknown_outcomes, gaps->unknown_paths), *left = wm_abandoned_text(gaps->left);
	wm_document_say(d, "\n",
		"not known: whether tests took %s, because %s (by exit, longjmp, an exception or the end of "
		"the process)",
		sum, left);
	free(sum);
	free(left);
	for (size_t i = 0; i < gaps->count && shown < limit; i++) {
		const struct wm_gap_function *f = &gaps->function[i];
		char place[512];
		if (!wm_gap_function_unknown(f))
			continue;
		char *text = unknown_text(f->unknown_outcomes, (double)f->unknown_paths);
		wm_place_text(f->base.field, place, sizeof place);
		wm_document_say(d, "  ", "%s%s%s, %s%s%s", f->base.field->brief, *place ? "  " : "", place, text,
			f->base.tested == WM_TESTED_ENTERED ? "; " : "",
			f->base.tested == WM_TESTED_ENTERED ? wm_tested_text(WM_TESTED_ENTERED) : "");
		free(text);
		shown++;
	}
	if (gaps->unknown > shown)
		wm_document_say(d, "  ", "%s more (--all lists them)", wm_thousands(gaps->unknown - shown));
}

/* Which part of what is untested the report is about. */
static void tell_scope(struct wm_document *d, const struct wm_gaps *gaps)
{
	if (gaps->question.scope)
		wm_document_say(d, "", "only %s", gaps->question.scope);
	if (!gaps->question.baseline)
		return;
	wm_document_say(d, "",
		"%s untested %s%s and %zu function%s that no test enters are in the baseline and are not listed",
		wm_paths_text(gaps->known), noun(gaps), gaps->known == 1 ? "" : "s", gaps->known_never,
		wm_plural(gaps->known_never));
	if (gaps->changed)
		wm_document_say(d, "",
			"the graph%s of %zu function%s differ%s from the baseline; of %s, only what takes a decision "
			"that the "
			"baseline does not have is listed",
			wm_plural(gaps->changed), gaps->changed, wm_plural(gaps->changed),
			gaps->changed == 1 ? "s" : "", gaps->changed == 1 ? "it" : "them");
}

/* ---- Gaps ----------------------------------------------------------------------------------- */

static void tell_tests(struct wm_document *d, const struct wm_gaps *gaps, const struct wm_gap *gap)
{
	char *tests = wm_gap_tests_text(gaps, gap, TESTS_NAMED);
	if (tests)
		wm_document_say(d, "      ", "nearest test%s: %s", wm_plural(gap->test_count), tests);
	free(tests);
}

static void tell_news(struct wm_document *d, const struct wm_gap_function *f, const struct wm_gap *gap)
{
	char *news = wm_gap_text(f, gap, &d->sources);
	d->form->parting(d, gap->path.edge_tested, news);
	if (gap->lost)
		wm_document_say(d, "      ", "a test of the baseline took this path");
	free(news);
}

/* The first line of a path that never ran. */
static void begin_path(struct wm_document *d, const struct wm_gap_function *f, const struct wm_gap *gap, bool open)
{
	char *words = gap->distance == 1 ? wm_xstrdup("")
					 : wm_xprintf("%" PRIu32 " decisions differ from path %" PRIu64, gap->distance,
						   gap->path.nearest->id);
	wm_document_path_possible(d, "\n  ", f->base.field, gap->own.id, words, open);
	free(words);
}

static void tell_path(struct wm_document *d, const struct wm_gaps *gaps, const struct wm_gap_function *f, size_t number)
{
	const struct wm_gap *gap = &f->paths.gap[number];
	begin_path(d, f, gap, number < WM_HTML_OPEN);
	tell_news(d, f, gap);
	tell_tests(d, gaps, gap);
	wm_document_path_end(d, f->base.field, gap->path.position);
}

static void tell_outcome(
	struct wm_document *d, const struct wm_gaps *gaps, const struct wm_gap_function *f, size_t number)
{
	const struct wm_gap *gap = &f->outcomes.gap[number];
	const char *lost = gap->lost ? "; a test of the baseline took it" : "";
	char *text = wm_gap_text(f, gap, &d->sources), *tests = wm_gap_tests_text(gaps, gap, TESTS_NAMED);
	if (tests)
		wm_document_say(d, "  ", "%s (test%s that come%s here: %s)%s", text, wm_plural(gap->test_count),
			gap->test_count == 1 ? "s" : "", tests, lost);
	else if (gap->distance > 1)
		wm_document_say(d, "  ", "%s (no test comes here)%s", text, lost);
	else
		wm_document_say(d, "  ", "%s%s", text, lost);
	free(text);
	free(tests);
}

/* ---- Functions ------------------------------------------------------------------------------ */

static void tell_counts(struct wm_document *d, const struct wm_gap_function *f)
{
	char *outcomes = wm_xprintf("%s of %s outcome%s of decisions %s untested", wm_thousands(f->untaken),
		wm_thousands(f->decisions), wm_plural(f->decisions), f->untaken == 1 ? "is" : "are");
	if (f->seeks_paths)
		wm_document_say(d, "  ", "%s; %s of %s path%s %s untested", outcomes, wm_paths_text((double)f->outside),
			wm_paths_text((double)f->sought), wm_plural(f->sought), f->outside == 1 ? "is" : "are");
	else
		wm_document_say(d, "  ", "%s", outcomes);
	free(outcomes);
}

static void tell_known(
	struct wm_document *d, const struct wm_gap_function *f, const struct wm_gap_list *list, const char *kind)
{
	if (list->known)
		wm_document_say(d, "  ", "%s untested %s%s %s in the baseline%s", wm_paths_text((double)list->known),
			kind, wm_plural(list->known), list->known == 1 ? "is" : "are",
			f->changed ? ", which has another graph of this function: it has all their decisions" : "");
}

static void tell_remarks(struct wm_document *d, const struct wm_gap_function *f)
{
	tell_known(d, f, &f->outcomes, "outcome");
	tell_known(d, f, &f->paths, f->lists_outcomes ? "path over tested outcomes" : "path");
	if (f->unsearched)
		wm_document_say(d, "  ", "paths are not sought here, because %s", f->unsearched);
	if (f->base.tested == WM_TESTED_ENTERED)
		wm_document_say(d, "  ", "%s", wm_tested_text(WM_TESTED_ENTERED));
}

/* Returns how many are shown. */
static size_t tell_outcomes(struct wm_document *d, const struct wm_gaps *gaps, const struct wm_gap_function *f)
{
	size_t most = wm_document_limit(d, d->options->paths, SIZE_MAX);
	size_t shown = f->outcomes.count < most ? f->outcomes.count : most, more = f->outcomes.count - shown;
	for (size_t i = 0; i < shown; i++)
		tell_outcome(d, gaps, f, i);
	if (more)
		wm_document_say(d, "  ", "%s more untested outcome%s (--most N shows more)", wm_thousands(more),
			wm_plural(more));
	return shown;
}

/* Says which paths the list leaves out. */
static void tell_more_paths(struct wm_document *d, const struct wm_gap_function *f, size_t shown)
{
	const struct wm_gap_list *list = &f->paths;
	double more = (double)list->total + (double)list->infeasible - (double)shown;
	/* Without a tested path there is none that is nearest. */
	if (more > 0 && f->base.tested != WM_TESTED_ENTERED)
		wm_document_say(d, "\n  ", "%s more untested path%s%s (--most N shows more)", wm_paths_text(more),
			more == 1 ? "" : "s",
			!f->lists_outcomes ? ""
			: more == 1	   ? " takes only tested outcomes"
					   : " take only tested outcomes");
	if (f->stopped)
		wm_document_say(d, "  ",
			"the search was ended early, so that paths as near as the last may be missing in the list");
}

/* Paths take the room in the text that outcomes leave. */
static void tell_paths_of(
	struct wm_document *d, const struct wm_gaps *gaps, const struct wm_gap_function *f, size_t outcomes)
{
	size_t room = d->options->paths > outcomes ? d->options->paths - outcomes : 0;
	size_t most = f->lists_outcomes ? wm_document_limit(d, room, SIZE_MAX) : SIZE_MAX;
	size_t shown = f->paths.count < most ? f->paths.count : most;
	if (shown && f->lists_outcomes)
		wm_document_say(d, "  ", "untested paths that take only tested outcomes:");
	for (size_t i = 0; i < shown; i++)
		tell_path(d, gaps, f, i);
	tell_more_paths(d, f, shown);
}

static void tell_function(struct wm_document *d, const struct wm_gaps *gaps, size_t number)
{
	const struct wm_gap_function *f = &gaps->function[number];
	d->form->function(d, f->base.field, number);
	tell_counts(d, f);
	tell_remarks(d, f);
	tell_paths_of(d, gaps, f, tell_outcomes(d, gaps, f));
}

static void tell_functions_with(struct wm_document *d, const struct wm_gaps *gaps, bool outcomes)
{
	for (size_t i = 0; i < gaps->count; i++) {
		const struct wm_gap_function *f = &gaps->function[i];
		if (wm_gap_function_has(f) && (f->outcomes.count > 0) == outcomes && wm_document_takes(d, true, false))
			tell_function(d, gaps, i);
	}
}

/* Outcomes are missing tests for certain, so that functions with untested outcomes come first. */
static void tell_functions(struct wm_document *d, const struct wm_gaps *gaps)
{
	tell_functions_with(d, gaps, true);
	tell_functions_with(d, gaps, false);
	if (d->untold)
		wm_document_list(d, "\n%s more function%s %s untested %s (--functions N or --all shows them)",
			wm_thousands(d->untold), wm_plural(d->untold), d->untold == 1 ? "has" : "have",
			untested_nouns(gaps));
}

/* ---- Functions that no test enters ---------------------------------------------------------- */

static void list_never(struct wm_document *d, const struct wm_gaps *gaps)
{
	enum { SHOWN = 20 };
	size_t limit = d->options->all ? SIZE_MAX : SHOWN;
	if (gaps->never_count)
		wm_document_list(d, "\n%s%s function%s %s entered by no test%s", d->bold,
			wm_thousands(gaps->never_count), wm_plural(gaps->never_count),
			gaps->never_count == 1 ? "is" : "are", d->plain);
	for (size_t i = 0; i < gaps->never_count && i < limit; i++) {
		char place[512];
		wm_place_text(gaps->never[i], place, sizeof place);
		wm_document_list(d, "  %s%s%s%s%s, %s path%s", gaps->never[i]->brief, *place ? "  " : "", d->dim, place,
			d->plain, wm_possible_text(gaps->never[i]), gaps->never[i]->possible.count == 1 ? "" : "s");
	}
	if (gaps->never_count > limit)
		wm_document_list(d, "  %s more (--all lists them)", wm_thousands(gaps->never_count - limit));
}

static void tell_row(struct wm_document *d, const struct wm_gaps *gaps, size_t number)
{
	const struct wm_gap_function *f = &gaps->function[number];
	bool paths = f->seeks_paths;
	d->form->row(d, wm_gap_function_has(f));
	wm_document_number(d, f->untaken, true);
	wm_document_number(d, f->decisions, true);
	d->form->cell(d, (double)f->outside, paths ? wm_paths_text((double)f->outside) : "");
	d->form->cell(d, (double)f->sought, paths ? wm_paths_text((double)f->sought) : "");
	wm_document_number(d, f->base.field->executions, true);
	d->form->cell_function(d, f->base.field, number, wm_gap_function_has(f));
	d->form->row_end(d);
}

static void tell_never(struct wm_document *d, const struct wm_story_function *function)
{
	d->form->row(d, true);
	for (int i = 0; i < 2; i++)
		d->form->cell(d, NAN, "");
	for (int i = 0; i < 2; i++)
		d->form->cell(d, (double)function->possible.count, wm_possible_text(function));
	d->form->cell(d, 0, "no test enters it");
	d->form->cell_function(d, function, 0, false);
	d->form->row_end(d);
}

static void tell_table(struct wm_document *d, const struct wm_gaps *gaps)
{
	static const struct wm_column columns[] = {{"Untested outcomes", true, 0, NULL}, {"Outcomes", true, 0, NULL},
		{"Untested paths", true, 0, NULL}, {"Paths", true, 0, NULL}, {"Executions in the tests", true, 0, NULL},
		{"Function", false, 0, NULL}};
	static const struct wm_table table = {
		columns, sizeof columns / sizeof *columns, "also those of which everything is tested", 0, 4, false};
	if (!d->form->table(d, &table))
		return;
	for (size_t i = 0; i < gaps->count; i++)
		tell_row(d, gaps, i);
	for (size_t i = 0; i < gaps->never_count; i++)
		tell_never(d, gaps->never[i]);
	d->form->table_end(d);
}

/* ---- The report ----------------------------------------------------------------------------- */

static void tell_advice(struct wm_document *d, const struct wm_gaps *gaps)
{
	if (gaps->throws)
		wm_document_list(d,
			"\nin %s of the nearest untested %s a call throws an exception (--exclude-throws leaves %s "
			"out)",
			wm_thousands(gaps->throws), untested_nouns(gaps), gaps->throws == 1 ? "it" : "them");
}

static void tell(struct wm_document *d, const struct wm_gaps *gaps)
{
	const struct wm_story *story = &gaps->suite->story;
	const struct wm_document_title title = {"Waymark: what no test took", "What no test took", NULL, story};
	d->form->title(d, &title);
	tell_summary(d, gaps);
	tell_scope(d, gaps);
	wm_document_notes(d, story->note, story->note_count);
	tell_unknown(d, gaps);
	d->form->refused(d, gaps->refused, gaps->refused_count);
	tell_table(d, gaps);
	tell_functions(d, gaps);
	list_never(d, gaps);
	tell_advice(d, gaps);
}

void wm_gaps_print(const struct wm_gaps *gaps, const struct wm_report_options *options)
{
	struct wm_document d;
	if (wm_report_wants_document(options)) {
		wm_document_begin(&d, options, stdout);
		tell(&d, gaps);
		wm_document_end(&d);
	}
	if (options->json)
		wm_gaps_json(gaps, options, stdout);
	wm_report_warn_refused(gaps->refused_count, options);
}
