/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is untested: a summary, a table of functions, and the untested paths or outcomes of each.  Text: of the functions that are
 * executed most; then functions that no test enters.  HTML: an index of functions, and a page for each with something untested.
 */
#include "support/string_builder.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/untested/sightings_view.h"
#include "view/untested/untested_summary.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TESTS_NAMED = 3, INSTANCES_NAMED = 3 };

/* ---- The table ------------------------------------------------------------------------------ */

/* Whether there is something to tell of a function. */
static bool has(const struct wm_untested_answer *a, size_t number)
{
	return a->gaps ? wm_gap_function_has(&a->gaps->function[number]) : number < a->field->functions_with_paths;
}

static void tell_gap_cells(struct wm_document *d, const struct wm_gap_function *f)
{
	bool paths = f->seeks_paths;
	wm_document_number(d, f->untaken, true);
	wm_document_number(d, f->decisions, true);
	d->form->cell(d, (double)f->outside, paths ? wm_paths_text((double)f->outside) : "");
	d->form->cell(d, (double)f->sought, paths ? wm_paths_text((double)f->sought) : "");
	wm_document_number(d, f->base.field->executions, true);
}

static void tell_tested(struct wm_document *d, const struct wm_untested_function *f)
{
	static const char *const words[] = {[WM_TESTED] = "tested",
		[WM_TESTED_ENTERED] = "only entered",
		[WM_TESTED_NEVER] = "no test runs it",
		[WM_TESTED_UNKNOWN] = "not known"};
	const char *text = f->tested == WM_TESTED && f->path_count ? "in part" : words[f->tested];
	d->form->cell_tag(d, f->tested != WM_TESTED ? WM_TAG_BAD : f->path_count ? WM_TAG_POOR : WM_TAG_GOOD, text, "");
}

static void tell_field_cells(struct wm_document *d, const struct wm_untested *u, const struct wm_untested_function *f)
{
	bool known = !f->field->residual;
	uint64_t ran = wm_untested_ran_paths(f);
	d->form->cell_share(d, wm_share(f->executions, wm_untested_ran(f)), known ? NULL : "");
	wm_document_number(d, f->executions, true);
	d->form->cell_of(d, f->path_count, known ? wm_thousands(ran) : NULL, known ? (double)ran : 0);
	wm_document_number(d, f->edge_count, u->tests);
	tell_tested(d, f);
}

static void tell_row(struct wm_document *d, const struct wm_untested_answer *a, size_t number)
{
	const struct wm_untested_function *f = wm_untested_at(a, number);
	if (!d->form->row(d, has(a, number)))
		return;
	if (a->gaps)
		tell_gap_cells(d, &a->gaps->function[number]);
	else
		tell_field_cells(d, a->field, f);
	d->form->cell_function(d, f->field, number, has(a, number));
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

static void tell_table(struct wm_document *d, const struct wm_untested_answer *a)
{
	static const struct wm_column of_gaps[] = {{"Untested outcomes", true, 0, NULL}, {"Outcomes", true, 0, NULL},
		{"Untested paths", true, 0, NULL}, {"Paths", true, 0, NULL}, {"Executions in the tests", true, 0, NULL},
		{"Function", false, 0, NULL}};
	static const struct wm_column of_field[] = {{"Untested", false, 8, NULL}, {"Executions", true, 14, NULL},
		{"Untested paths", true, -16, "Paths ran"}, {"Edges", true, 8, NULL}, {"Tests", false, 0, NULL},
		{"Function", false, -10, NULL}};
	size_t most = d->options->all ? SIZE_MAX : d->options->functions;
	_Static_assert(sizeof of_gaps == sizeof of_field, "both tables have as many columns");
	const struct wm_table table = {a->gaps ? of_gaps : of_field, sizeof of_gaps / sizeof *of_gaps,
		"also those of which everything is tested", a->gaps ? 0 : most, a->gaps ? 4 : 1, false};
	if (!d->form->table(d, &table))
		return;
	for (size_t i = 0; i < a->count; i++)
		tell_row(d, a, i);
	for (size_t i = 0; a->gaps && i < a->gaps->never_count; i++)
		tell_never(d, a->gaps->never[i]);
	d->form->table_end(d);
}

/* ---- What is untested of a function ---------------------------------------------------------- */

static void tell_gap_counts(struct wm_document *d, const struct wm_gap_function *f)
{
	char *outcomes = wm_xprintf("%s of %s outcome%s of decisions %s untested", wm_thousands(f->untaken),
		wm_thousands(f->decisions), wm_plural(f->decisions), f->untaken == 1 ? "is" : "are");
	uint64_t tested = f->sought - f->outside;
	if (f->seeks_paths)
		wm_document_say(d, "  ", "%s; %s of %s path%s %s tested", outcomes, wm_thousands(tested),
			wm_paths_text((double)f->sought), wm_plural(f->sought), tested == 1 ? "is" : "are");
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

static void tell_gap_remarks(struct wm_document *d, const struct wm_gap_function *f)
{
	tell_known(d, f, &f->outcomes, "outcome");
	tell_known(d, f, &f->paths, f->lists_outcomes ? "path over tested outcomes" : "path");
	if (f->unsearched)
		wm_document_say(d, "  ", "paths are not sought here, because %s", f->unsearched);
	if (f->base.tested == WM_TESTED_ENTERED)
		d->form->warning(d, "  ", wm_tested_text(WM_TESTED_ENTERED));
}

static void tell_field_counts(struct wm_document *d, const struct wm_untested_function *f)
{
	uint64_t paths = wm_untested_ran_paths(f), ran = wm_untested_ran(f);
	if (f->field->residual)
		wm_document_say(d, "  ", "%s untested path%s, %s execution%s", wm_thousands(f->path_count),
			wm_plural(f->path_count), wm_thousands(f->executions), wm_plural(f->executions));
	else
		wm_document_say(d, "  ", "%s of %s path%s that ran %s untested: %s of %s execution%s (%.2f%%)",
			wm_thousands(f->path_count), wm_thousands(paths), wm_plural(paths),
			f->path_count == 1 ? "is" : "are", wm_thousands(f->executions), wm_thousands(ran),
			wm_plural(ran), wm_share(f->executions, ran));
}

/* Tells the untested edges, which edge coverage would find too. */
static void tell_edges(struct wm_document *d, const struct wm_untested_function *f)
{
	enum { SHOWN = 8 };
	size_t most = wm_document_limit(d, SHOWN, SIZE_MAX);
	if (f->tested != WM_TESTED)
		return;
	if (f->hidden_count == f->path_count)
		wm_document_say(d, "  ", "no untested edge: edge coverage cannot see %s",
			f->path_count == 1 ? "this path" : "these paths");
	if (f->edge_count)
		wm_document_take(d, "  ", wm_untested_edges_text(f, most, &d->sources));
}

/* The first line of a path that never ran. */
static void begin_gap(struct wm_document *d, const struct wm_gap_function *f, const struct wm_gap *gap, bool open)
{
	char *words = gap->distance == 1 ? wm_xstrdup("")
					 : wm_xprintf("%" PRIu32 " decisions differ from path %" PRIu64, gap->distance,
						   gap->path.nearest->id);
	wm_document_path_possible(d, "\n  ", f->base.field, gap->own.id, words, open);
	free(words);
}

/* The name of the path for --triage, and what the store knows of it. */
static void tell_sightings(struct wm_document *d, const struct wm_untested *u, const struct wm_untested_function *f,
	const struct wm_untested_path *path)
{
	char id[WM_TRIAGE_ID_SIZE];
	if (wm_untested_is_unfinished(path))
		return;
	wm_triage_id_print(id, path->triage_id);
	if (u->triaging)
		d->form->remark(d, "triage id", id);
	if (u->sightings)
		wm_sightings_tell(d, u->sightings, f->field, path->path->id);
}

static void tell_nearest_tests(struct wm_document *d, const struct wm_gaps *gaps, const struct wm_gap *gap)
{
	char *tests = wm_gap_tests_text(gaps, gap, TESTS_NAMED);
	if (gap->lost)
		wm_document_say(d, "      ", "a test of the baseline took this path");
	if (tests)
		wm_document_say(d, "      ", "nearest test%s: %s", wm_plural(gap->test_count), tests);
	free(tests);
}

static void tell_path(struct wm_document *d, const struct wm_untested_answer *a, size_t function, size_t number)
{
	const struct wm_gap_function *of_gaps = a->gaps ? &a->gaps->function[function] : NULL;
	const struct wm_gap *gap = of_gaps ? &of_gaps->paths.gap[number] : NULL;
	const struct wm_untested_function *f = wm_untested_at(a, function);
	const struct wm_untested_path *path = gap ? &gap->path : &f->path[number];
	if (gap) {
		begin_gap(d, of_gaps, gap, number < WM_HTML_OPEN);
	} else {
		wm_document_path(d, f->field, path->path, wm_untested_whole(f), number < WM_HTML_OPEN);
		tell_sightings(d, a->field, f, path);
	}
	char *news = gap ? wm_gap_text(of_gaps, gap, &d->sources) : wm_untested_news(f, path, &d->sources);
	bool unfinished = !gap && wm_untested_is_unfinished(path);
	if (path->nearest || (unfinished && f->tested == WM_TESTED))
		d->form->parting(d, path->edge_tested || unfinished, news);
	free(news);
	if (gap)
		tell_nearest_tests(d, a->gaps, gap);
	wm_document_path_end(d, f->field, path->position);
}

/* Outcomes of a function that are told alike, as those of several operands in a macro are. */
struct told_outcome {
	const struct wm_gap *gap; /* the first of them */
	char *text;
	size_t places;
	bool vague;
};

/* What follows the text of an outcome; heap. */
static char *outcome_remarks(const struct wm_gaps *gaps, const struct told_outcome *told)
{
	struct wm_string text = {0};
	char *tests = wm_gap_tests_text(gaps, told->gap, TESTS_NAMED);
	wm_string_add(&text, "%s", told->text);
	if (told->places > 1)
		wm_string_add(&text, ", at %zu places of the line", told->places);
	if (tests)
		wm_string_add(&text, " (test%s that come%s here: %s)", wm_plural(told->gap->test_count),
			told->gap->test_count == 1 ? "s" : "", tests);
	else if (told->gap->distance > 1)
		wm_string_add(&text, " (no test comes here)");
	if (told->gap->behind)
		wm_string_add(&text, "; %s untested outcome%s behind it", wm_thousands(told->gap->behind),
			told->gap->behind == 1 ? " is" : "s are");
	if (told->gap->lost)
		wm_string_add(&text, "; a test of the baseline took it");
	free(tests);
	return text.text;
}

static void tell_outcome(struct wm_document *d, const struct wm_gaps *gaps, const struct told_outcome *told)
{
	wm_document_take(d, "  ", outcome_remarks(gaps, told));
}

/* ---- Functions ------------------------------------------------------------------------------ */

static void add_outcome(struct told_outcome *list, size_t *count, struct told_outcome outcome)
{
	for (size_t i = 0; i < *count; i++)
		if (list[i].gap->lost == outcome.gap->lost && strcmp(list[i].text, outcome.text) == 0) {
			list[i].places++;
			free(outcome.text);
			return;
		}
	list[(*count)++] = outcome;
}

/* Returns how many are told; heap. */
static size_t gather_outcomes(const struct wm_gap_function *f, struct wm_sources *sources, struct told_outcome **list)
{
	size_t count = 0;
	*list = wm_xmalloc((f->outcomes.count + 1) * sizeof **list);
	for (size_t i = 0; i < f->outcomes.count; i++) {
		const struct wm_gap *gap = &f->outcomes.gap[i];
		struct wm_decision decision;
		wm_decision_tell(&decision, f->base.field, gap->path.block, gap->path.edge, sources);
		add_outcome(*list, &count, (struct told_outcome){gap, wm_gap_text(f, gap, sources), 1, decision.vague});
	}
	return count;
}

/* Those of which nobody can say of what they are the outcome are the last.  Returns how many outcomes are shown. */
static size_t tell_listed(
	struct wm_document *d, const struct wm_gaps *gaps, const struct told_outcome *list, size_t count, size_t most)
{
	size_t told = 0, shown = 0;
	for (int vague = 0; vague < 2; vague++)
		for (size_t i = 0; i < count && told < most; i++)
			if (list[i].vague == vague) {
				tell_outcome(d, gaps, &list[i]);
				shown += list[i].places;
				told++;
			}
	return shown;
}

/* Returns how many are shown. */
static size_t tell_outcomes(struct wm_document *d, const struct wm_gaps *gaps, const struct wm_gap_function *f)
{
	struct told_outcome *list;
	size_t count = gather_outcomes(f, &d->sources, &list);
	size_t shown = tell_listed(d, gaps, list, count, wm_document_limit(d, d->options->paths, SIZE_MAX));
	size_t more = f->outcomes.count - shown;
	if (more)
		wm_document_say(d, "  ", "%s more untested outcome%s (--most N shows more)", wm_thousands(more),
			wm_plural(more));
	for (size_t i = 0; i < count; i++)
		free(list[i].text);
	free(list);
	return shown;
}

/* Says which paths the list leaves out. */
static void tell_more_paths(struct wm_document *d, const struct wm_gap_function *f, size_t shown)
{
	const struct wm_gap_list *list = &f->paths;
	double more = (double)list->total + (double)list->infeasible - (double)shown;
	/* Without a tested path there is none that is nearest. */
	if (more > 0 && f->base.tested != WM_TESTED_ENTERED)
		wm_document_say(d, shown ? "\n  " : "  ", "%s%s untested path%s%s (%s)", wm_paths_text(more),
			shown ? " more" : "", more == 1 ? "" : "s",
			!f->lists_outcomes ? ""
			: more == 1	   ? " takes only tested outcomes"
					   : " take only tested outcomes",
			f->outcomes.count ? "--level path lists paths" : "--most N shows more");
	if (f->stopped)
		wm_document_say(d, "  ",
			"the search was ended early, so that paths as near as the last may be missing in the list");
}

/* In the text, the paths of a function follow when all its outcomes are tested, or when it is asked for by name: until then they
 * are of less use than the outcomes of the next function. */
static void tell_gap_paths(struct wm_document *d, const struct wm_untested_answer *a, size_t number, size_t outcomes)
{
	const struct wm_gap_function *f = &a->gaps->function[number];
	size_t room = outcomes && !d->options->filter.function ? 0 : d->options->paths;
	size_t most = f->lists_outcomes ? wm_document_limit(d, room, SIZE_MAX) : SIZE_MAX;
	size_t shown = f->paths.count < most ? f->paths.count : most;
	if (shown && f->lists_outcomes)
		wm_document_say(d, "  ", "untested paths that take only tested outcomes:");
	for (size_t i = 0; i < shown; i++)
		tell_path(d, a, number, i);
	tell_more_paths(d, f, shown);
}

static void tell_gaps_of(struct wm_document *d, const struct wm_untested_answer *a, size_t number)
{
	const struct wm_gap_function *f = &a->gaps->function[number];
	tell_gap_counts(d, f);
	tell_gap_remarks(d, f);
	tell_gap_paths(d, a, number, tell_outcomes(d, a->gaps, f));
}

static void tell_paths_of(struct wm_document *d, const struct wm_untested_answer *a, size_t number)
{
	const struct wm_untested_function *f = wm_untested_at(a, number);
	size_t most = wm_document_most_paths(d), shown = f->path_count < most ? f->path_count : most;
	uint64_t rest = 0;
	tell_field_counts(d, f);
	if (*wm_tested_text(f->tested))
		d->form->warning(d, "  ", wm_tested_text(f->tested));
	tell_edges(d, f);
	d->form->heading(d, "Untested paths, hottest first");
	for (size_t i = 0; i < shown; i++)
		tell_path(d, a, number, i);
	for (size_t i = shown; i < f->path_count; i++)
		rest += f->path[i].path->count;
	if (f->path_count > shown)
		d->form->more(d, "untested", "untested path", f->path_count - shown, rest, wm_untested_whole(f));
}

/* Outcomes are missing tests for certain, so that functions with untested outcomes come first, unless a call throws in all of
 * them: those are the last outcomes of a function. */
static bool comes_first(const struct wm_untested_answer *a, size_t number)
{
	const struct wm_gap_list *outcomes = a->gaps ? &a->gaps->function[number].outcomes : NULL;
	return !outcomes || (outcomes->count && !outcomes->gap[0].throws);
}

static void tell_instances(struct wm_document *d, const struct wm_story_function *function)
{
	char *text = wm_instances_text(function, wm_document_limit(d, INSTANCES_NAMED, SIZE_MAX));
	if (text)
		wm_document_say(d, "  ", "%s", text);
	free(text);
}

static void tell_functions_with(struct wm_document *d, const struct wm_untested_answer *a, bool first)
{
	/* The functions of the field are in the table, too. */
	bool wanted = a->gaps || d->options->paths || d->options->all;
	for (size_t i = 0; i < a->count; i++) {
		if (!has(a, i) || comes_first(a, i) != first || !wm_document_takes(d, wanted, false))
			continue;
		d->form->function(d, wm_untested_at(a, i)->field, i);
		tell_instances(d, wm_untested_at(a, i)->field);
		(a->gaps ? tell_gaps_of : tell_paths_of)(d, a, i);
		wm_story_forget_plan(wm_untested_at(a, i)->field);
	}
}

static void tell_functions(struct wm_document *d, const struct wm_untested_answer *a)
{
	size_t with = a->gaps ? a->gaps->with_gaps : a->field->functions_with_paths;
	size_t limit = d->options->all || d->options->functions > with ? with : d->options->functions;
	tell_functions_with(d, a, true);
	tell_functions_with(d, a, false);
	if (with > limit)
		wm_document_list(d, "\n%s more function%s %s untested %s (--functions N or --all shows them)",
			wm_thousands(with - limit), wm_plural(with - limit), with - limit == 1 ? "has" : "have",
			a->gaps ? wm_untested_nouns(a->gaps) : "paths");
}

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

/* ---- The report ----------------------------------------------------------------------------- */

static void tell_advice(struct wm_document *d, const struct wm_gaps *gaps)
{
	if (gaps->throws)
		wm_document_list(d,
			"\nin %s of the nearest untested %s a call throws an exception (--exclude-throws leaves %s "
			"out)",
			wm_thousands(gaps->throws), wm_untested_nouns(gaps), gaps->throws == 1 ? "it" : "them");
}

static void write_sightings(struct wm_document *d, void *closure)
{
	const struct wm_untested *field = closure;
	if (field && field->sightings)
		wm_sightings_tables(d, field);
}

static void tell(struct wm_document *d, const struct wm_untested_answer *a)
{
	const struct wm_document_title title = {
		.title = a->gaps ? "Waymark: what no test took" : "Waymark: untested paths",
		.heading = a->gaps ? "What no test took" : "What ran in the field and was never tested",
		.story = a->story};
	d->form->title(d, &title);
	wm_untested_summarise(d, a);
	d->form->refused(d, a->refused, a->refused_count);
	wm_document_left_out(d, a->story);
	d->form->markup(d, write_sightings, (void *)a->field);
	tell_table(d, a);
	tell_functions(d, a);
	if (a->gaps) {
		list_never(d, a->gaps);
		wm_untested_list_unknown(d, a->gaps);
		tell_advice(d, a->gaps);
	}
}

void wm_untested_print(const struct wm_untested_answer *a, const struct wm_report_options *options,
	const struct wm_untested_forms *forms)
{
	struct wm_document d;
	bool findings = forms->sarif || forms->github;
	if (forms->sarif)
		wm_untested_sarif(a, options, forms->sarif);
	if (forms->github)
		wm_untested_annotate(a, options, stdout);
	if (findings ? options->html || options->markdown : wm_report_wants_document(options)) {
		wm_document_begin(&d, options, stdout);
		tell(&d, a);
		wm_document_end(&d);
	}
	if (options->json)
		wm_untested_json(a, options, stdout);
	wm_report_warn_refused(a->refused_count, options);
}
