/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The report.  Text: a table of functions, then the hottest paths of each.  HTML: an index of functions, and a section of a page for
 * each function that was executed.
 */
#include "analysis/join/story_checks.h"
#include "analysis/suite/takers.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include "view/report/report.h"
#include "view/report/source_pages.h"
#include <inttypes.h>
#include <stdlib.h>

/* ---- What was executed --------------------------------------------------------------------- */

/* How many paths are possible; nobody reads all digits of a large number. */
static const char *possible_paths(const struct wm_story_function *function, char text[WM_NUMBER_SIZE])
{
	enum { READABLE = 1000000000 };
	if (function->possible.countable && function->possible.count < READABLE)
		return wm_thousands_print(function->possible.count, text);
	snprintf(text, WM_NUMBER_SIZE, "10^%.1f", function->possible.log10);
	return text;
}

static void tell_runs(struct wm_document *d, const struct wm_story *story, const struct wm_story_totals *total)
{
	struct wm_report_runs used = wm_report_runs(story);
	wm_document_figure(d, "", wm_thousands(total->executions),
		"path execution%s in %s raw profile%s of %zu object%s", wm_plural(total->executions),
		wm_thousands(used.runs), wm_plural(used.runs), used.objects, wm_plural(used.objects));
}

/* How many paths are possible is told only where a reader can compare it with those that ran; of a program with loops it is
 * often beyond all use, as 10^18. */
static void tell_different(struct wm_document *d, const struct wm_story_totals *total)
{
	enum { COMPARABLE = 1000000 };
	const char *ran = wm_thousands(total->paths_ran);
	if (total->paths_possible <= COMPARABLE)
		wm_document_figure(d, ", ", ran, "of %s possible paths", wm_thousands((uint64_t)total->paths_possible));
	else
		wm_document_figure(d, ", ", ran, "different path%s", wm_plural(total->paths_ran));
}

static void tell_checks(struct wm_document *d, const struct wm_story *story)
{
	struct wm_left_out sum = wm_story_left_out(story, &d->options->filter);
	char *text = wm_story_left_out_text(story, sum.outcomes);
	if (text && sum.paths)
		wm_document_say(d, "", "%s of what is possible, but %s path%s that ran took one (--checks counts all)",
			text, wm_thousands(sum.paths), wm_plural(sum.paths));
	else if (text)
		wm_document_say(
			d, "", "%s of what is possible (--checks counts %s)", text, sum.outcomes == 1 ? "it" : "them");
	free(text);
}

/* What the functions of which a report tells paths have done.  A residual build does not know whether tests begin like an unfinished
 * path. */
static const char *what_ran(const struct wm_story *story)
{
	for (size_t i = 0; i < story->function_count; i++)
		if (story->function[i].residual && story->function[i].unfinished_count)
			return "took untested paths or were left in calls";
	return story->total.functions_residual ? "took untested paths" : "ran";
}

static void tell_summary(struct wm_document *d, const struct wm_story *story, const struct wm_story_totals *total)
{
	const char *refusal = wm_story_all_refused(story);
	char *reason = refusal ? wm_xprintf(": %s", refusal) : NULL;
	char *refused = total->functions_refused
				? wm_xprintf(" and %s %s refused", wm_thousands(total->functions_refused),
					  total->functions_refused == 1 ? "is" : "are")
				: wm_xstrdup("");
	if (reason)
		d->form->headline(d, "", "every run was refused", reason);
	tell_runs(d, story, total);
	wm_document_figure(d, "\n", wm_thousands(total->functions_ran), "of %s functions %s%s",
		wm_thousands(total->functions - total->functions_skipped), what_ran(story), refused);
	tell_different(d, total);
	d->form->figures_end(d);
	free(refused);
	free(reason);
	tell_checks(d, story);
	if (story->profile->kill_unsafe_runs)
		wm_document_say(d, "",
			"%s raw profile%s of them written at exit only: had the program been killed, nothing would "
			"have been kept",
			wm_thousands(story->profile->kill_unsafe_runs), wm_plural(story->profile->kill_unsafe_runs));
}

static void tell_balance(struct wm_document *d, const struct wm_balance *b)
{
	if (d->options->balance || b->abandoned || b->inherited || b->resumed)
		wm_document_say(d, "  balance: ",
			"%s inherited + %s entries + %s loop restarts + %s resumed = %s completed + %s abandoned%s%s%s",
			wm_thousands(b->inherited), wm_thousands(b->entries), wm_thousands(b->restarts),
			wm_thousands(b->resumed), wm_thousands(b->completed), wm_thousands(b->abandoned),
			b->unfinished ? ", of which " : "", b->unfinished ? wm_thousands(b->unfinished) : "",
			b->unfinished ? " are known up to a call" : "");
}

/* Of paths across calls: how the unit was numbered. */
static void tell_units(struct wm_document *d, const struct wm_story *story)
{
	for (size_t u = 0; u < story->units.count; u++) {
		const struct wm_story_unit *unit = &story->units.unit[u];
		char *text = wm_report_unit_text(unit);
		if (!text)
			continue;
		wm_document_say(d, "", "%s (`waymark show --calls` lists them)", text);
		tell_balance(d, &unit->balance);
		free(text);
	}
}

/* ---- The table ----------------------------------------------------------------------------- */

/* A function that only runs as a part of paths that begin elsewhere has none of its own. */
static bool has_paths(const struct wm_story_function *function)
{
	return function->state == WM_STORY_RAN && (!wm_story_crosses_calls(function) || function->ran_count);
}

static enum wm_tag status_tag(const struct wm_story_function *function)
{
	if (function->state == WM_STORY_REFUSED)
		return WM_TAG_BAD;
	return function->map->status == WM_EXACT ? WM_TAG_PLAIN : WM_TAG_POOR;
}

/* What stands for the share of a function that did not run. */
static const char *idle_text(const struct wm_story_function *function)
{
	if (function->state != WM_STORY_IDLE)
		return "";
	return function->residual ? "none untested" : "never ran";
}

/* `whole`: executions of all functions. */
static void tell_row(struct wm_document *d, uint64_t whole, const struct wm_story_function *function, size_t number)
{
	char text[WM_NUMBER_SIZE];
	bool ran = function->state == WM_STORY_RAN, told = ran || function->state == WM_STORY_IDLE;
	if (!d->form->row(d, has_paths(function) && wm_filter_passes(&d->options->filter, function)))
		return;
	d->form->cell_share(d, wm_share(function->executions, whole), ran ? NULL : idle_text(function));
	wm_document_number(d, function->executions, told);
	wm_document_number(d, function->balance.entries, told && !function->residual);
	d->form->cell_of(
		d, function->ran_count, told ? possible_paths(function, text) : NULL, function->possible.log10);
	d->form->cell_tag(d, status_tag(function), wm_story_status(function), wm_story_reason(function));
	d->form->cell_function(d, function, number, ran);
	d->form->row_end(d);
}

static void tell_table(
	struct wm_document *d, const struct wm_story *story, const struct wm_story_totals *total, size_t limit)
{
	static const struct wm_column columns[] = {{"Share", false, 7, NULL}, {"Executions", true, 14, NULL},
		{"Entries", true, 14, NULL}, {"Paths ran", true, -20, "Possible"}, {"Status", false, 0, NULL},
		{"Function", false, -10, NULL}};
	const struct wm_table table = {columns, sizeof columns / sizeof *columns, "also those that never ran",
		total->functions_ran ? limit : 0, 1, false};
	if (d->form->table(d, &table)) {
		for (size_t i = 0; i < story->function_count; i++)
			if (wm_filter_passes(&d->options->filter, &story->function[i]))
				tell_row(d, total->executions, &story->function[i], i);
		d->form->table_end(d);
	}
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* Only what a reader of the paths would miss. */
static void tell_loops(struct wm_document *d, const struct wm_story_function *function)
{
	for (size_t i = 0; i < function->loops.count; i++) {
		const struct wm_story_loop *loop = &function->loops.loop[i];
		uint32_t line = wm_block_line(function, loop->head);
		if (loop->reason)
			wm_document_say(d, "  ", "loop at %s %u, %u iteration%s: %s", line ? "line" : "block",
				line ? line : loop->head, loop->k, wm_plural(loop->k), loop->reason);
	}
}

static void tell_counts(struct wm_document *d, uint64_t whole, const struct wm_story_function *function)
{
	char possible[WM_NUMBER_SIZE];
	const struct wm_balance *balance = &function->balance;
	char *entries = function->residual ? wm_xstrdup("all untested")
					   : wm_xprintf("%s entr%s", wm_thousands(balance->entries),
						     balance->entries == 1 ? "y" : "ies");
	wm_document_say(d, "  ", "%.2f%%: %s execution%s of %s of %s path%s, %s%s",
		wm_share(function->executions, whole), wm_thousands(function->executions),
		wm_plural(function->executions), wm_thousands(function->ran_count), possible_paths(function, possible),
		function->possible.countable && function->possible.count == 1 ? "" : "s", entries,
		function->map->status == WM_SPLIT ? "; split: cut where it had too many paths" : "");
	free(entries);
	tell_loops(d, function);
	if (!function->residual && !function->across.unbalanced)
		tell_balance(d, balance);
}

/* After the paths that were completed, with shares of their own. */
static void tell_unfinished(struct wm_document *d, const struct wm_story_function *function)
{
	enum { IN_PAGES = 5 };
	size_t most = wm_document_limit(d, d->options->paths, IN_PAGES);
	uint64_t whole = function->balance.unfinished, rest = 0;
	if (function->residual && function->unfinished_count)
		wm_document_say(d, "\n  ",
			"left in calls (whether tests begin like this is not known here; `waymark untested --field` "
			"compares)");
	for (size_t i = 0; i < function->unfinished_count; i++) {
		if (i >= most) {
			rest += function->unfinished[i].path.count;
			continue;
		}
		wm_document_path(d, function, &function->unfinished[i].path, whole, i < WM_HTML_OPEN);
		wm_document_path_end(d, function, WM_NONE);
	}
	if (most && most < function->unfinished_count)
		d->form->more(d, "report", "unfinished path", function->unfinished_count - most, rest, whole);
}

/* The script of a page shows paths. */
static void tell_paths(struct wm_document *d, const struct wm_story_function *function)
{
	size_t most = wm_document_limit(d, d->options->paths, 0);
	size_t shown = function->ran_count < most ? function->ran_count : most;
	uint64_t rest = 0;
	for (size_t i = 0; i < shown; i++) {
		wm_document_path(d, function, &function->path[i], function->executions, i < WM_HTML_OPEN);
		wm_document_path_end(d, function, WM_NONE);
	}
	for (size_t i = shown; i < function->ran_count; i++)
		rest += function->path[i].count;
	if (shown && shown < function->ran_count)
		d->form->more(d, "report", "path", function->ran_count - shown, rest, function->executions);
	tell_unfinished(d, function);
}

/* What pages have besides. */
struct pages {
	const struct wm_story *story;
	struct wm_story_totals total;
	struct wm_annotated annotated;
	struct wm_page_calls calls;
	struct wm_drawings drawings;
	size_t number; /* of the function that is told */
};

static void begin_pages(struct wm_document *d, void *closure)
{
	struct pages *pages = closure;
	wm_annotate(&pages->annotated, pages->story, &d->options->filter);
	for (size_t i = 0; i < pages->annotated.file_count; i++)
		wm_annotate_decisions(&pages->annotated, &pages->annotated.file[i], &d->sources);
	wm_page_calls_make(&pages->calls, &pages->annotated);
	wm_drawings_make(&pages->drawings, pages->story);
	if (pages->drawings.missing)
		wm_warn("%s", pages->drawings.missing);
	wm_source_tree(d, &pages->annotated);
	d->scripted = true;
}

static void write_source_link(struct wm_document *d, void *closure)
{
	const struct pages *pages = closure;
	const struct wm_story_function *function = &pages->story->function[pages->number];
	uint32_t line = function->map->line;
	int page = wm_source_page_number(&pages->annotated, function, function->map->file);
	size_t length;
	if (page < 0)
		return;
	const struct wm_annotated_file *file = &pages->annotated.file[page];
	fprintf(d->out, "<p><a href=\"../s/%d.html#L%u\">annotated source</a></p>\n", page, line);
	if (!wm_annotated_text(&d->sources, file, line, &length))
		wm_html_note_missing(d, file->given, line);
}

static void write_data(struct wm_document *d, void *closure)
{
	struct pages *pages = closure;
	fprintf(d->out, "<div class=\"drawn\" data-number=\"%zu\" data-page=\"%u\"></div>\n", pages->number,
		wm_html_function_page(d, &pages->story->function[pages->number], pages->number));
	wm_function_data(d, &pages->annotated, &pages->calls, pages->number, &pages->drawings);
}

static void end_pages(struct wm_document *d, void *closure)
{
	struct pages *pages = closure;
	wm_source_pages(d, &pages->annotated);
	if (d->options->takers)
		wm_tests_data(d, d->options->takers->suite);
	wm_drawings_release(&pages->drawings);
	wm_page_calls_release(&pages->calls);
	wm_annotated_release(&pages->annotated);
}

static void tell_function(struct wm_document *d, struct pages *pages)
{
	const struct wm_story_function *function = &pages->story->function[pages->number];
	d->form->function(d, function, pages->number);
	d->form->markup(d, write_source_link, pages);
	tell_counts(d, pages->total.executions, function);
	tell_paths(d, function);
	d->form->markup(d, write_data, pages);
}

/* For a function with one path, the row in the table contains everything. */
static bool has_choice(const struct wm_document *d, const struct wm_story_function *function)
{
	return d->options->all || d->options->filter.function || !function->possible.countable ||
	       function->possible.count > 1;
}

static void tell_functions(struct wm_document *d, struct pages *pages, size_t limit)
{
	const struct wm_story *story = pages->story;
	bool details = d->options->paths || d->options->all || d->options->balance;
	size_t ran = 0;
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		if (function->state != WM_STORY_RAN || !wm_filter_passes(&d->options->filter, function))
			continue;
		ran += has_paths(function);
		pages->number = i;
		if (wm_document_takes(d, details && has_paths(function) && has_choice(d, function), false))
			tell_function(d, pages);
		wm_story_forget_plan(function);
	}
	if (ran > limit)
		wm_document_list(d, "\n%s more function%s ran (--functions N or --all shows them)",
			wm_thousands(ran - limit), wm_plural(ran - limit));
}

/* ---- Functions without paths: a page has them in its table --------------------------------- */

static bool is_idle(const struct wm_document *d, const struct wm_story_function *function, bool residual)
{
	return function->state == WM_STORY_IDLE && function->residual == residual &&
	       wm_filter_passes(&d->options->filter, function);
}

static void list_idle(struct wm_document *d, const struct wm_story *story, const char *what, bool residual)
{
	size_t count = 0;
	for (size_t i = 0; i < story->function_count; i++)
		count += is_idle(d, &story->function[i], residual);
	if (!count)
		return;
	wm_document_list(d, "\n%s function%s %s%s", wm_thousands(count), wm_plural(count), what,
		d->options->all		      ? ":"
		: d->options->filter.function ? ""
		: count == 1		      ? " (--all names it)"
					      : " (--all names them)");
	if (!d->options->all)
		return;
	for (size_t i = 0; i < story->function_count; i++)
		if (is_idle(d, &story->function[i], residual))
			d->form->name(d, story->function[i].brief);
	d->form->name(d, NULL);
}

static void list_skipped(struct wm_document *d, const struct wm_story *story)
{
	size_t count = 0;
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		if (function->state != WM_STORY_SKIPPED || !wm_filter_passes(&d->options->filter, function))
			continue;
		if (!count++)
			wm_document_list(d, "\nnot instrumented:");
		if (count <= 20 || d->options->all)
			wm_document_list(d, "  %s: %s", function->brief, wm_story_reason(function));
	}
	if (count > 20 && !d->options->all)
		wm_document_list(d, "  and %s more (--all names them)", wm_thousands(count - 20));
}

/* ---- The report ---------------------------------------------------------------------------- */

void wm_report_document(const struct wm_story *story, const struct wm_report_options *options, FILE *out)
{
	const struct wm_document_title title = {"Waymark report", "Which paths ran", NULL, story};
	size_t limit = options->all ? SIZE_MAX : options->functions;
	struct pages pages = {.story = story, .total = wm_filter_totals(&options->filter, story)};
	struct wm_document d;
	wm_document_begin(&d, options, out);
	d.form->title(&d, &title);
	tell_summary(&d, story, &pages.total);
	wm_document_notes(&d, story->note, story->note_count);
	tell_units(&d, story);
	d.form->refused(&d, story->refused, story->refused_count);
	wm_document_left_out(&d, story);
	d.form->markup(&d, begin_pages, &pages);
	tell_table(&d, story, &pages.total, limit);
	tell_functions(&d, &pages, limit);
	list_idle(&d, story, "took no untested path", true);
	list_idle(&d, story, wm_story_units_abandoned(story) ? "never ran, or only on abandoned paths" : "never ran",
		false);
	list_skipped(&d, story);
	d.form->markup(&d, end_pages, &pages);
	wm_document_end(&d);
}
