/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The report as text: a table of functions, then the hottest paths of each.  Plain ASCII; bold and colour only on a
 * terminal.
 */
#include "view/page.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *total_possible(const struct wm_story *story)
{
	static char text[32];
	if (story->paths_possible < 0x1p53)
		return wm_thousands((uint64_t)story->paths_possible);
	snprintf(text, sizeof text, "10^%.1f", story->paths_possible_log10);
	return text;
}

static void print_head(struct wm_page *page)
{
	const struct wm_story *story = page->story;
	struct wm_report_runs used = wm_report_runs(story);
	const char *refusal = wm_story_all_refused(story);
	if (refusal)
		fprintf(page->out, "%severy run was refused%s: %s\n", page->bold, page->plain, refusal);
	fprintf(page->out, "%s%s path execution%s%s in %s raw profile%s of %zu object%s\n", page->bold,
		wm_thousands(story->executions), wm_plural(story->executions), page->plain, wm_thousands(used.runs),
		wm_plural(used.runs), used.objects, wm_plural(used.objects));
	fprintf(page->out, "%s of %s functions %s", wm_thousands(story->functions_ran),
		wm_thousands(wm_report_instrumented(story)), story->functions_residual ? "took untested paths" : "ran");
	if (story->functions_refused)
		fprintf(page->out, " and %s %s refused", wm_thousands(story->functions_refused),
			story->functions_refused == 1 ? "is" : "are");
	fprintf(page->out, ", %s of %s possible paths\n", wm_thousands(story->paths_ran), total_possible(story));
	if (story->profile->kill_unsafe_runs)
		fprintf(page->out,
			"%s raw profile%s of them written at exit only: had the program been killed, nothing would "
			"have been kept\n",
			wm_thousands(story->profile->kill_unsafe_runs), wm_plural(story->profile->kill_unsafe_runs));
	for (size_t i = 0; i < story->note_count; i++)
		fprintf(page->out, "note: %s\n", story->note[i]);
}

static void print_balance(struct wm_page *page, const struct wm_balance *b)
{
	if (!page->options->balance && !b->abandoned && !b->inherited && !b->resumed)
		return;
	fprintf(page->out,
		"  balance: %s inherited + %s entries + %s loop restarts + %s resumed = %s completed + %s abandoned\n",
		wm_thousands(b->inherited), wm_thousands(b->entries), wm_thousands(b->restarts),
		wm_thousands(b->resumed), wm_thousands(b->completed), wm_thousands(b->abandoned));
}

/* Of paths across calls: how the unit was numbered. */
static void print_units(struct wm_page *page)
{
	for (size_t u = 0; u < page->story->units.count; u++) {
		const struct wm_story_unit *unit = &page->story->units.unit[u];
		char *text = wm_report_unit_text(unit);
		if (!text)
			continue;
		fprintf(page->out, "%s (`waymark show --calls` lists them)\n", text);
		print_balance(page, &unit->balance);
		free(text);
	}
}

/* A function that only runs as a part of paths that begin elsewhere has none of its own. */
static bool has_paths(const struct wm_story_function *function)
{
	return function->state == WM_STORY_RAN && (!function->across.unit || function->ran_count);
}

static void print_table(struct wm_page *page, size_t limit)
{
	const struct wm_story *story = page->story;
	size_t shown = 0;
	fprintf(page->out, "\n%s  share    executions       entries  paths ran           function%s\n", page->dim,
		page->plain);
	for (size_t i = 0; i < story->function_count && shown < limit; i++) {
		const struct wm_story_function *function = &story->function[i];
		char paths[64], place[512];
		if (!has_paths(function) || !wm_filter_passes(&page->options->filter, function))
			continue;
		snprintf(
			paths, sizeof paths, "%s of %s", wm_thousands(function->ran_count), wm_possible_text(function));
		wm_place_text(function, place, sizeof place);
		fprintf(page->out, "%6.2f%% %13s %13s  %-18s  %s%s%s%s%s%s%s\n",
			wm_share(function->executions, story->executions), wm_thousands(function->executions),
			function->residual ? "-" : wm_thousands(function->balance.entries), paths, page->bold,
			function->brief, page->plain, *place ? "  " : "", page->dim, place, page->plain);
		shown++;
	}
}

static void print_path(struct wm_page *page, const struct wm_story_function *function, const struct wm_story_path *path)
{
	wm_page_path(page, function, path, function->executions);
	wm_page_rows(page, function, WM_NONE);
}

/* Only what a reader of the paths would miss. */
static void print_loops(struct wm_page *page, const struct wm_story_function *function)
{
	for (size_t i = 0; i < function->loops.count; i++) {
		const struct wm_story_loop *loop = &function->loops.loop[i];
		uint32_t line = wm_block_line(function, loop->head);
		if (loop->reason)
			fprintf(page->out, "  loop at %s %u, %u iteration%s: %s\n", line ? "line" : "block",
				line ? line : loop->head, loop->k, wm_plural(loop->k), loop->reason);
	}
}

static void print_function(struct wm_page *page, const struct wm_story_function *function)
{
	char place[512];
	size_t limit = page->options->all ? SIZE_MAX : page->options->paths;
	wm_place_text(function, place, sizeof place);
	fprintf(page->out, "\n%s%s%s%s%s\n", page->bold, function->brief, page->plain, *place ? "  " : "", place);
	fprintf(page->out, "  %.2f%%: %s execution%s of %s of %s path%s, ",
		wm_share(function->executions, page->story->executions), wm_thousands(function->executions),
		wm_plural(function->executions), wm_thousands(function->ran_count), wm_possible_text(function),
		function->possible.countable && function->possible.count == 1 ? "" : "s");
	if (function->residual)
		fputs("all untested", page->out);
	else
		fprintf(page->out, "%s entr%s", wm_thousands(function->balance.entries),
			function->balance.entries == 1 ? "y" : "ies");
	fprintf(page->out, "%s\n", function->map->status == WM_SPLIT ? "; split: cut where it had too many paths" : "");
	print_loops(page, function);
	if (!function->residual && !function->across.unbalanced)
		print_balance(page, &function->balance);
	for (size_t i = 0; i < function->ran_count && i < limit; i++)
		print_path(page, function, &function->path[i]);
	if (limit && function->ran_count > limit) {
		uint64_t rest = 0;
		for (size_t i = limit; i < function->ran_count; i++)
			rest += function->path[i].count;
		fprintf(page->out, "\n  %6.2f%% %13s  in %s more path%s (--paths N shows more)\n",
			wm_share(rest, function->executions), wm_thousands(rest),
			wm_thousands(function->ran_count - limit), wm_plural(function->ran_count - limit));
	}
}

/* For a function with one path, the row in the table contains everything. */
static bool has_choice(const struct wm_page *page, const struct wm_story_function *function)
{
	return page->options->all || page->options->filter.function || !function->possible.countable ||
	       function->possible.count > 1;
}

static void print_functions(struct wm_page *page, size_t limit)
{
	size_t told = 0, ran = 0;
	for (size_t i = 0; i < page->story->function_count; i++) {
		const struct wm_story_function *function = &page->story->function[i];
		if (!has_paths(function) || !wm_filter_passes(&page->options->filter, function))
			continue;
		ran++;
		bool details = page->options->paths || page->options->all || page->options->balance;
		if (details && told < limit && has_choice(page, function))
			print_function(page, function), told++;
	}
	if (ran > limit)
		fprintf(page->out, "\n%s more function%s ran (--functions N or --all shows them)\n",
			wm_thousands(ran - limit), wm_plural(ran - limit));
}

static bool is_idle(const struct wm_page *page, const struct wm_story_function *function, bool residual)
{
	return function->state == WM_STORY_IDLE && function->residual == residual &&
	       wm_filter_passes(&page->options->filter, function);
}

static void print_idle(struct wm_page *page, const char *what, bool residual)
{
	size_t count = 0, column = 0;
	for (size_t i = 0; i < page->story->function_count; i++)
		count += is_idle(page, &page->story->function[i], residual);
	if (!count)
		return;
	fprintf(page->out, "\n%s function%s %s%s\n", wm_thousands(count), wm_plural(count), what,
		page->options->all		 ? ":"
		: page->options->filter.function ? ""
		: count == 1			 ? " (--all names it)"
						 : " (--all names them)");
	if (!page->options->all)
		return;
	for (size_t i = 0; i < page->story->function_count; i++) {
		const struct wm_story_function *function = &page->story->function[i];
		if (is_idle(page, function, residual))
			wm_page_name(page, &column, function->brief);
	}
	wm_page_name(page, &column, NULL);
}

static void print_skipped(struct wm_page *page)
{
	size_t count = 0;
	for (size_t i = 0; i < page->story->function_count; i++) {
		const struct wm_story_function *function = &page->story->function[i];
		if (function->state != WM_STORY_SKIPPED || !wm_report_lists(function, page->options))
			continue;
		if (!count++)
			fprintf(page->out, "\nnot instrumented:\n");
		if (count <= 20 || page->options->all)
			fprintf(page->out, "  %s: %s\n", function->brief, wm_story_reason(function));
	}
	if (count > 20 && !page->options->all)
		fprintf(page->out, "  and %s more (--all names them)\n", wm_thousands(count - 20));
	wm_page_unlisted(page->out, wm_report_unlisted(page->story, page->options));
}

void wm_report_text(const struct wm_story *story, const struct wm_report_options *options, FILE *out)
{
	struct wm_page page;
	size_t limit = options->all ? SIZE_MAX : options->functions;
	wm_page_init(&page, options, out);
	page.story = story;
	print_head(&page);
	print_units(&page);
	if (story->functions_ran) {
		print_table(&page, limit);
		print_functions(&page, limit);
	}
	print_idle(&page, "took no untested path", true);
	print_idle(
		&page, wm_story_units_abandoned(story) ? "never ran, or only on abandoned paths" : "never ran", false);
	print_skipped(&page);
	wm_page_refused(&page, story->refused, story->refused_count);
	wm_page_release(&page);
}
