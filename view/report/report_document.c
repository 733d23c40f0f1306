/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The report.  Text: a table of functions, then the hottest paths of each.  HTML: an index of functions, and a page for each
 * function that was executed.
 */
#include "view/document/document.h"
#include "view/report/source_pages.h"
#include <inttypes.h>
#include <stdlib.h>

/* ---- What was executed --------------------------------------------------------------------- */

static const char *total_possible(const struct wm_document *d, const struct wm_story *story)
{
	return story->paths_possible < 0x1p53 ? wm_thousands((uint64_t)story->paths_possible)
					      : wm_document_power(d, story->paths_possible_log10);
}

static const char *possible_paths(const struct wm_document *d, const struct wm_story_function *function)
{
	return function->possible.countable ? wm_thousands(function->possible.count)
					    : wm_document_power(d, function->possible.log10);
}

static void print_summary(struct wm_document *d, const struct wm_story *story)
{
	struct wm_report_runs used = wm_report_runs(story);
	const char *refusal = wm_story_all_refused(story);
	if (refusal)
		fprintf(d->out, "%severy run was refused%s: %s\n", d->bold, d->plain, refusal);
	fprintf(d->out, "%s%s path execution%s%s in %s raw profile%s of %zu object%s\n", d->bold,
		wm_thousands(story->executions), wm_plural(story->executions), d->plain, wm_thousands(used.runs),
		wm_plural(used.runs), used.objects, wm_plural(used.objects));
	fprintf(d->out, "%s of %s functions %s", wm_thousands(story->functions_ran),
		wm_thousands(wm_report_instrumented(story)), story->functions_residual ? "took untested paths" : "ran");
	if (story->functions_refused)
		fprintf(d->out, " and %s %s refused", wm_thousands(story->functions_refused),
			story->functions_refused == 1 ? "is" : "are");
	fprintf(d->out, ", %s of %s possible paths\n", wm_thousands(story->paths_ran), total_possible(d, story));
	if (story->profile->kill_unsafe_runs)
		fprintf(d->out,
			"%s raw profile%s of them written at exit only: had the program been killed, nothing would "
			"have been kept\n",
			wm_thousands(story->profile->kill_unsafe_runs), wm_plural(story->profile->kill_unsafe_runs));
}

static void write_summary(struct wm_document *d, const struct wm_story *story)
{
	uint64_t runs = wm_report_runs(story).runs;
	wm_html_page(d, "index.html", "Waymark report");
	fputs("<h1>Which paths ran</h1>", d->out);
	wm_html_objects(d, story);
	fputs("<div class=\"cards\">", d->out);
	wm_html_card(d, wm_thousands(story->executions), "path executions");
	wm_html_card(d, wm_thousands(story->functions_ran), "of %s functions %s",
		wm_thousands(wm_report_instrumented(story)), story->functions_residual ? "took untested paths" : "ran");
	wm_html_card(d, wm_thousands(story->paths_ran), "of %s possible paths ran", total_possible(d, story));
	wm_html_card(d, wm_thousands(runs), runs == 1 ? "raw profile" : "raw profiles");
	fputs("</div>\n", d->out);
}

static void tell_balance(struct wm_document *d, const struct wm_balance *b)
{
	if (d->options->balance || b->abandoned || b->inherited || b->resumed)
		wm_document_say(d, "  balance: ",
			"%s inherited + %s entries + %s loop restarts + %s resumed = %s completed + %s abandoned",
			wm_thousands(b->inherited), wm_thousands(b->entries), wm_thousands(b->restarts),
			wm_thousands(b->resumed), wm_thousands(b->completed), wm_thousands(b->abandoned));
}

/* Of paths across calls: how the unit was numbered. */
static void tell_units(struct wm_document *d, const struct wm_story *story)
{
	for (size_t u = 0; u < story->units.count; u++) {
		const struct wm_story_unit *unit = &story->units.unit[u];
		char *text = wm_report_unit_text(unit);
		if (!text)
			continue;
		if (d->html)
			wm_html_print(d->out, "<p>%s</p>\n", text);
		else
			fprintf(d->out, "%s (`waymark show --calls` lists them)\n", text);
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

static void print_table(struct wm_document *d, const struct wm_story *story, size_t limit)
{
	size_t shown = 0;
	fprintf(d->out, "\n%s  share    executions       entries  paths ran           function%s\n", d->dim, d->plain);
	for (size_t i = 0; i < story->function_count && shown < limit; i++) {
		const struct wm_story_function *function = &story->function[i];
		char paths[64], place[512];
		if (!has_paths(function) || !wm_filter_passes(&d->options->filter, function))
			continue;
		snprintf(paths, sizeof paths, "%s of %s", wm_thousands(function->ran_count),
			possible_paths(d, function));
		wm_place_text(function, place, sizeof place);
		fprintf(d->out, "%6.2f%% %13s %13s  %-18s  %s%s%s%s%s%s%s\n",
			wm_share(function->executions, story->executions), wm_thousands(function->executions),
			function->residual ? "-" : wm_thousands(function->balance.entries), paths, d->bold,
			function->brief, d->plain, *place ? "  " : "", d->dim, place, d->plain);
		shown++;
	}
}

static void write_status(struct wm_document *d, const struct wm_story_function *function)
{
	const char *style = function->state == WM_STORY_REFUSED ? "tag bad"
			    : function->map->status == WM_EXACT ? "tag"
								: "tag false";
	wm_html_print(d->out, "<td><span class=\"%s\" title=\"%s\">%s</span></td>", style, wm_story_reason(function),
		wm_story_status(function));
}

static void write_row(
	struct wm_document *d, const struct wm_story *story, const struct wm_story_function *function, size_t number)
{
	bool ran = function->state == WM_STORY_RAN, told = ran || function->state == WM_STORY_IDLE;
	double share = wm_share(function->executions, story->executions);
	fprintf(d->out, "<tr%s><td data-key=\"%.9f\">", ran ? " data-ran=\"1\"" : "", share);
	if (ran)
		wm_html_share(d, share);
	else
		fprintf(d->out, "<span class=\"soft\">%s</span>",
			!told		     ? ""
			: function->residual ? "none untested"
					     : "never ran");
	fputs("</td>", d->out);
	wm_html_number(d, function->executions, told);
	wm_html_number(d, function->balance.entries, told && !function->residual);
	wm_html_number(d, function->ran_count, told);
	fprintf(d->out, "<td class=\"num\" data-key=\"%.4f\">%s</td>", function->possible.log10,
		told ? possible_paths(d, function) : "");
	write_status(d, function);
	wm_html_name(d, function, number, ran);
	fputs("</tr>\n", d->out);
}

static void write_table(struct wm_document *d, const struct wm_story *story)
{
	static const struct wm_html_column columns[] = {{"Share", false}, {"Executions", true}, {"Entries", true},
		{"Paths ran", true}, {"Possible", true}, {"Status", false}, {"Function", false}};
	wm_html_table_begin(d, columns, sizeof columns / sizeof *columns, "also those that never ran");
	for (size_t i = 0; i < story->function_count; i++)
		if (wm_report_lists(&story->function[i], d->options))
			write_row(d, story, &story->function[i], i);
	wm_html_table_end(d);
	size_t unlisted = wm_report_unlisted(story, d->options);
	if (unlisted)
		fprintf(d->out,
			"<p class=\"soft\">%s functions in system headers are not instrumented; <code>--all</code> "
			"lists them.</p>\n",
			wm_thousands(unlisted));
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* Only what a reader of the paths would miss. */
static void print_loops(struct wm_document *d, const struct wm_story_function *function)
{
	for (size_t i = 0; i < function->loops.count; i++) {
		const struct wm_story_loop *loop = &function->loops.loop[i];
		uint32_t line = wm_block_line(function, loop->head);
		if (loop->reason)
			fprintf(d->out, "  loop at %s %u, %u iteration%s: %s\n", line ? "line" : "block",
				line ? line : loop->head, loop->k, wm_plural(loop->k), loop->reason);
	}
}

static void print_counts(struct wm_document *d, const struct wm_story *story, const struct wm_story_function *function)
{
	fprintf(d->out, "  %.2f%%: %s execution%s of %s of %s path%s, ",
		wm_share(function->executions, story->executions), wm_thousands(function->executions),
		wm_plural(function->executions), wm_thousands(function->ran_count), possible_paths(d, function),
		function->possible.countable && function->possible.count == 1 ? "" : "s");
	if (function->residual)
		fputs("all untested", d->out);
	else
		fprintf(d->out, "%s entr%s", wm_thousands(function->balance.entries),
			function->balance.entries == 1 ? "y" : "ies");
	fprintf(d->out, "%s\n", function->map->status == WM_SPLIT ? "; split: cut where it had too many paths" : "");
	print_loops(d, function);
}

static void write_counts(struct wm_document *d, const struct wm_story *story, const struct wm_story_function *function)
{
	char share[32];
	snprintf(share, sizeof share, "%.2f%%", wm_share(function->executions, story->executions));
	fputs("<div class=\"cards\">", d->out);
	wm_html_card(d, share, "of all path executions");
	wm_html_card(d, wm_thousands(function->executions), "path executions");
	if (!function->residual)
		wm_html_card(d, wm_thousands(function->balance.entries), "entries");
	wm_html_card(d, wm_thousands(function->ran_count), "of %s possible paths ran", possible_paths(d, function));
	wm_html_card(d, wm_story_status(function), "%s &middot; %s graph &middot; %u block%s",
		function->map->status == WM_SPLIT ? "split where it had too many paths" : function->map->scheme,
		wm_stage_text(function->map->stage), function->map->graph.block_count,
		wm_plural(function->map->graph.block_count));
	fputs("</div>\n", d->out);
}

/* The hottest paths of a function, for readers without scripts. */
static void write_paths(struct wm_document *d, const struct wm_story_function *function)
{
	enum { MOST = 5 };
	size_t shown = function->ran_count < MOST ? function->ran_count : MOST;
	uint64_t rest = 0;
	fputs("<h2>Paths, hottest first</h2>\n", d->out);
	for (size_t i = 0; i < shown; i++) {
		wm_document_path(d, function, &function->path[i], function->executions, i < WM_HTML_OPEN);
		wm_document_path_end(d, function, WM_NONE);
	}
	for (size_t i = shown; i < function->ran_count; i++)
		rest += function->path[i].count;
	if (shown < function->ran_count)
		wm_document_more(d, "report", "path", function->ran_count - shown, rest, function->executions);
}

static void tell_function(struct wm_document *d, const struct wm_story *story, size_t number)
{
	const struct wm_story_function *function = &story->function[number];
	size_t most = wm_document_most_paths(d), i;
	uint64_t rest = 0;
	d->form->function(d, function, number);
	print_counts(d, story, function);
	if (!function->residual && !function->across.unbalanced)
		tell_balance(d, &function->balance);
	for (i = 0; i < function->ran_count && i < most; i++) {
		wm_document_path(d, function, &function->path[i], function->executions, false);
		wm_document_path_end(d, function, WM_NONE);
	}
	for (size_t j = i; j < function->ran_count; j++)
		rest += function->path[j].count;
	if (i && i < function->ran_count)
		wm_document_more(d, "report", "path", function->ran_count - i, rest, function->executions);
}

/* For a function with one path, the row in the table contains everything. */
static bool has_choice(const struct wm_document *d, const struct wm_story_function *function)
{
	return d->options->all || d->options->filter.function || !function->possible.countable ||
	       function->possible.count > 1;
}

static void print_functions(struct wm_document *d, const struct wm_story *story, size_t limit)
{
	bool details = d->options->paths || d->options->all || d->options->balance;
	size_t told = 0, ran = 0;
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		if (!has_paths(function) || !wm_filter_passes(&d->options->filter, function))
			continue;
		ran++;
		if (details && told < limit && has_choice(d, function))
			tell_function(d, story, i), told++;
	}
	if (ran > limit)
		fprintf(d->out, "\n%s more function%s ran (--functions N or --all shows them)\n",
			wm_thousands(ran - limit), wm_plural(ran - limit));
}

/* The page of a function: links, what the script shows of its paths, and for readers without scripts the hottest of them. */
static void write_function(
	struct wm_document *d, const struct wm_annotated *annotated, const struct wm_page_calls *calls, size_t number)
{
	const struct wm_story *story = annotated->story;
	const struct wm_story_function *function = &story->function[number];
	d->form->function(d, function, number);
	wm_function_links(d, annotated, calls, number);
	write_counts(d, story, function);
	if (!function->residual && !function->across.unbalanced)
		tell_balance(d, &function->balance);
	fprintf(d->out, "<div id=\"paths\" data-number=\"%zu\"></div>\n<noscript>\n", number);
	write_paths(d, function);
	fputs("</noscript>\n", d->out);
	wm_html_script(d, "../", "paths.js");
	wm_html_script(d, "../", "function.js");
}

static void write_functions(struct wm_document *d, const struct wm_annotated *annotated)
{
	const struct wm_story *story = annotated->story;
	struct wm_drawings drawings;
	struct wm_page_calls calls;
	wm_page_calls_make(&calls, annotated);
	wm_drawings_make(&drawings, story);
	if (drawings.missing)
		wm_warn("%s", drawings.missing);
	for (size_t i = 0; i < story->function_count; i++) {
		wm_progress("writing pages", i, story->function_count);
		if (story->function[i].state != WM_STORY_RAN ||
			!wm_filter_passes(&d->options->filter, &story->function[i]))
			continue;
		write_function(d, annotated, &calls, i);
		wm_function_data(d, annotated, i, &drawings);
	}
	wm_drawings_release(&drawings);
	wm_page_calls_release(&calls);
	wm_progress_end();
}

/* ---- Functions without paths: a page has them in its table --------------------------------- */

static bool is_idle(const struct wm_document *d, const struct wm_story_function *function, bool residual)
{
	return function->state == WM_STORY_IDLE && function->residual == residual &&
	       wm_filter_passes(&d->options->filter, function);
}

static void print_idle(struct wm_document *d, const struct wm_story *story, const char *what, bool residual)
{
	size_t count = 0, column = 0;
	for (size_t i = 0; i < story->function_count; i++)
		count += is_idle(d, &story->function[i], residual);
	if (!count)
		return;
	fprintf(d->out, "\n%s function%s %s%s\n", wm_thousands(count), wm_plural(count), what,
		d->options->all		      ? ":"
		: d->options->filter.function ? ""
		: count == 1		      ? " (--all names it)"
					      : " (--all names them)");
	if (!d->options->all)
		return;
	for (size_t i = 0; i < story->function_count; i++)
		if (is_idle(d, &story->function[i], residual))
			wm_document_name(d, &column, story->function[i].brief);
	wm_document_name(d, &column, NULL);
}

static void print_skipped(struct wm_document *d, const struct wm_story *story)
{
	size_t count = 0;
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		if (function->state != WM_STORY_SKIPPED || !wm_report_lists(function, d->options))
			continue;
		if (!count++)
			fprintf(d->out, "\nnot instrumented:\n");
		if (count <= 20 || d->options->all)
			fprintf(d->out, "  %s: %s\n", function->brief, wm_story_reason(function));
	}
	if (count > 20 && !d->options->all)
		fprintf(d->out, "  and %s more (--all names them)\n", wm_thousands(count - 20));
}

/* ---- The report ---------------------------------------------------------------------------- */

static void print_text(struct wm_document *d, const struct wm_story *story)
{
	size_t limit = d->options->all ? SIZE_MAX : d->options->functions;
	print_summary(d, story);
	wm_document_notes(d, story->note, story->note_count);
	tell_units(d, story);
	if (story->functions_ran) {
		print_table(d, story, limit);
		print_functions(d, story, limit);
	}
	print_idle(d, story, "took no untested path", true);
	print_idle(d, story, wm_story_units_abandoned(story) ? "never ran, or only on abandoned paths" : "never ran",
		false);
	print_skipped(d, story);
	wm_print_unlisted(d->out, wm_report_unlisted(story, d->options));
	d->form->refused(d, story->refused, story->refused_count);
}

static void write_pages(struct wm_document *d, const struct wm_story *story)
{
	struct wm_annotated annotated;
	wm_annotate(&annotated, story, &d->options->filter, &d->sources);
	write_summary(d, story);
	tell_units(d, story);
	wm_document_notes(d, story->note, story->note_count);
	d->form->refused(d, story->refused, story->refused_count);
	wm_source_tree(d, &annotated);
	write_table(d, story);
	write_functions(d, &annotated);
	wm_source_pages(d, &annotated);
	wm_annotated_release(&annotated);
}

void wm_report_document(const struct wm_story *story, const struct wm_report_options *options, FILE *out)
{
	struct wm_document d;
	wm_document_begin(&d, options, out);
	(d.html ? write_pages : print_text)(&d, story);
	wm_document_end(&d);
}
