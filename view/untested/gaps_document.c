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
static bool of_paths(const struct wm_gaps *gaps)
{
	return gaps->question.level == WM_GAP_PATH && (gaps->sought > 0 || !gaps->count);
}

static size_t function_total(const struct wm_gaps *gaps)
{
	return gaps->count + gaps->never_count + gaps->known_never;
}

/* ---- The summary ---------------------------------------------------------------------------- */

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
	wm_document_figure(d, "", wm_thousands(gaps->count), "of %s function%s %s entered by tests", wm_thousands(all),
		wm_plural(all), gaps->count == 1 ? "is" : "are");
	if (of_paths(gaps))
		wm_document_figure(d, ", ", wm_thousands(gaps->tested_paths), "of their %s path%s %s tested",
			wm_paths_text(gaps->sought), gaps->sought == 1 ? "" : "s",
			gaps->tested_paths == 1 ? "is" : "are");
	wm_document_figure(d, ", ", wm_thousands(gaps->untaken), "of %s outcome%s of their decisions %s untested",
		wm_thousands(gaps->decisions), wm_plural(gaps->decisions), gaps->untaken == 1 ? "is" : "are");
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
		wm_paths_text(gaps->known), of_paths(gaps) ? "path" : "outcome", gaps->known == 1 ? "" : "s",
		gaps->known_never, wm_plural(gaps->known_never));
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
	const struct wm_gap *gap = &f->gap[number];
	begin_path(d, f, gap, number < WM_HTML_OPEN);
	tell_news(d, f, gap);
	tell_tests(d, gaps, gap);
	wm_document_path_end(d, f->base.field, gap->path.position);
}

static void tell_outcome(
	struct wm_document *d, const struct wm_gaps *gaps, const struct wm_gap_function *f, size_t number)
{
	const struct wm_gap *gap = &f->gap[number];
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
	if (f->level == WM_GAP_PATH)
		wm_document_say(d, "  ", "%s of %s path%s %s untested; %s of %s outcomes of decisions %s untested",
			wm_paths_text((double)f->outside), wm_paths_text((double)f->sought), wm_plural(f->sought),
			f->outside == 1 ? "is" : "are", wm_thousands(f->untaken), wm_thousands(f->decisions),
			f->untaken == 1 ? "is" : "are");
	else
		wm_document_say(d, "  ", "%s of %s outcome%s of decisions %s untested", wm_thousands(f->untaken),
			wm_thousands(f->decisions), wm_plural(f->decisions), f->untaken == 1 ? "is" : "are");
	if (f->known)
		wm_document_say(d, "  ", "%s of them %s in the baseline%s", wm_paths_text((double)f->known),
			f->known == 1 ? "is" : "are",
			f->changed ? ", which has another graph of this function: it has all their decisions" : "");
	if (f->unsearched)
		wm_document_say(d, "  ", "paths are not sought here, because %s", f->unsearched);
	if (f->base.tested == WM_TESTED_ENTERED)
		wm_document_say(d, "  ", "%s", wm_tested_text(WM_TESTED_ENTERED));
}

/* Says what the list leaves out. */
static void tell_rest(struct wm_document *d, const struct wm_gap_function *f, size_t shown)
{
	double more = (double)f->total + (double)f->infeasible - (double)shown;
	/* Without a tested path there is none that is nearest. */
	if (f->base.tested == WM_TESTED_ENTERED && f->level == WM_GAP_PATH)
		return;
	if (more > 0)
		wm_document_say(d, "\n  ", "%s more untested %s%s (--most N shows more)", wm_paths_text(more),
			f->level == WM_GAP_PATH ? "path" : "outcome", more == 1 ? "" : "s");
	if (f->stopped)
		wm_document_say(d, "  ",
			"the search was ended early, so that paths as near as the last may be missing in the list");
}

/* How many gaps of a function are shown. */
static size_t shown_of(const struct wm_document *d, const struct wm_gap_function *f)
{
	size_t most = f->level == WM_GAP_PATH ? SIZE_MAX : wm_document_limit(d, d->options->paths, SIZE_MAX);
	return f->count < most ? f->count : most;
}

static void tell_function(struct wm_document *d, const struct wm_gaps *gaps, size_t number)
{
	const struct wm_gap_function *f = &gaps->function[number];
	size_t shown = shown_of(d, f);
	d->form->function(d, f->base.field, number);
	tell_counts(d, f);
	for (size_t i = 0; i < shown; i++)
		(f->level == WM_GAP_PATH ? tell_path : tell_outcome)(d, gaps, f, i);
	tell_rest(d, f, shown);
}

static void tell_functions(struct wm_document *d, const struct wm_gaps *gaps)
{
	for (size_t i = 0; i < gaps->count; i++)
		if (wm_gap_function_has(&gaps->function[i]) && wm_document_takes(d, true, false))
			tell_function(d, gaps, i);
	if (d->untold)
		wm_document_list(d, "\n%s more function%s %s untested %s (--functions N or --all shows them)",
			wm_thousands(d->untold), wm_plural(d->untold), d->untold == 1 ? "has" : "have",
			of_paths(gaps) ? "paths" : "outcomes");
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
	bool paths = f->level == WM_GAP_PATH;
	d->form->row(d, wm_gap_function_has(f));
	d->form->cell(d, (double)f->outside, paths ? wm_paths_text((double)f->outside) : "");
	d->form->cell(d, (double)f->sought, paths ? wm_paths_text((double)f->sought) : "");
	wm_document_number(d, f->untaken, true);
	wm_document_number(d, f->decisions, true);
	wm_document_number(d, f->base.field->executions, true);
	d->form->cell_function(d, f->base.field, number, wm_gap_function_has(f));
	d->form->row_end(d);
}

static void tell_never(struct wm_document *d, const struct wm_story_function *function)
{
	d->form->row(d, true);
	for (int i = 0; i < 2; i++)
		d->form->cell(d, (double)function->possible.count, wm_possible_text(function));
	for (int i = 0; i < 2; i++)
		d->form->cell(d, NAN, "");
	d->form->cell(d, 0, "no test enters it");
	d->form->cell_function(d, function, 0, false);
	d->form->row_end(d);
}

static void tell_table(struct wm_document *d, const struct wm_gaps *gaps)
{
	static const struct wm_column columns[] = {{"Untested paths", true, 0, NULL}, {"Paths", true, 0, NULL},
		{"Untested outcomes", true, 0, NULL}, {"Outcomes", true, 0, NULL},
		{"Executions in the tests", true, 0, NULL}, {"Function", false, 0, NULL}};
	static const struct wm_table table = {
		columns, sizeof columns / sizeof *columns, "also those of which everything is tested", 0};
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
			wm_thousands(gaps->throws), of_paths(gaps) ? "paths" : "outcomes",
			gaps->throws == 1 ? "it" : "them");
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
