/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The report for a terminal or a pipe: a table of functions, then the hottest
 * paths of each.  Plain ASCII; bold and colour only where somebody looks at it.
 */
#include "tool/report.h"
#include "tool/steps.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct page {
	FILE *out;
	const struct wm_story *story;
	const struct wm_report_options *options;
	struct wm_sources sources;
	struct wm_steps steps;
	size_t width; /* 0: lines are never cut */
	const char *bold, *dim, *good, *bad, *plain;
};

static bool wants_colour(const struct wm_report_options *options, FILE *out)
{
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
	if (options->colour != WM_COLOUR_AUTO)
		return options->colour == WM_COLOUR_ALWAYS;
	return isatty(fileno(out)) && !(no_colour && *no_colour) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static void page_init(
	struct page *page, const struct wm_story *story, const struct wm_report_options *options, FILE *out)
{
	struct winsize size;
	*page = (struct page){.out = out,
		.story = story,
		.options = options,
		.bold = "",
		.dim = "",
		.good = "",
		.bad = "",
		.plain = ""};
	page->sources = (struct wm_sources){.directory = options->source_dir, .off = options->no_source};
	if (wants_colour(options, out)) {
		page->bold = "\033[1m";
		page->dim = "\033[2m";
		page->good = "\033[32m";
		page->bad = "\033[33m";
		page->plain = "\033[0m";
	}
	if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
		page->width = size.ws_col;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static const char *total_possible(const struct wm_story *story)
{
	static char text[32];
	if (story->paths_possible < 0x1p53)
		return wm_thousands((uint64_t)story->paths_possible);
	snprintf(text, sizeof text, "10^%.1f", log10(story->paths_possible));
	return text;
}

static void print_head(struct page *page)
{
	const struct wm_story *story = page->story;
	fprintf(page->out, "%s%s path execution%s%s in %s raw profile%s of %zu object%s\n", page->bold,
		wm_thousands(story->executions), plural(story->executions), page->plain,
		wm_thousands(story->profile->runs), plural(story->profile->runs), story->object_count,
		plural(story->object_count));
	fprintf(page->out, "%s of %s functions ran, %s of %s possible paths\n", wm_thousands(story->functions_ran),
		wm_thousands(story->function_count), wm_thousands(story->paths_ran), total_possible(story));
	if (story->profile->kill_unsafe_runs)
		fprintf(page->out,
			"%s raw profile%s of them written at exit only: had the program been killed, nothing would "
			"have been kept\n",
			wm_thousands(story->profile->kill_unsafe_runs), plural(story->profile->kill_unsafe_runs));
	for (size_t i = 0; i < story->note_count; i++)
		fprintf(page->out, "note: %s\n", story->note[i]);
}

/* "dir/file.c:12", "file.c", or "" */
static const char *place_of(const struct wm_story_function *function, char *text, size_t size)
{
	const char *file = wm_story_file(function);
	text[0] = 0;
	if (file && function->map->line)
		snprintf(text, size, "%s:%u", wm_short_file(file), function->map->line);
	else if (file)
		snprintf(text, size, "%s", wm_short_file(file));
	return text;
}

static void print_table(struct page *page, size_t limit)
{
	const struct wm_story *story = page->story;
	size_t shown = 0;
	fprintf(page->out, "\n%s  share    executions       entries  paths ran           function%s\n", page->dim,
		page->plain);
	for (size_t i = 0; i < story->function_count && shown < limit; i++) {
		const struct wm_story_function *function = &story->function[i];
		char paths[64], place[512];
		if (function->state != WM_STORY_RAN || !wm_report_wants(function, page->options))
			continue;
		snprintf(
			paths, sizeof paths, "%s of %s", wm_thousands(function->ran_count), wm_possible_text(function));
		place_of(function, place, sizeof place);
		fprintf(page->out, "%6.2f%% %13s %13s  %-18s  %s%s%s%s%s%s%s\n",
			wm_share(function->executions, story->executions), wm_thousands(function->executions),
			wm_thousands(function->balance.entries), paths, page->bold, function->display, page->plain,
			*place ? "  " : "", page->dim, place, page->plain);
		shown++;
	}
}

static const char *outcome_colour(const struct page *page, const char *outcome)
{
	if (strcmp(outcome, "false") == 0 || strcmp(outcome, "threw") == 0)
		return page->bad;
	return page->good;
}

/* Tabs become spaces so that columns stay put. */
static void print_source(struct page *page, const char *text, size_t length, size_t used)
{
	size_t room = page->width > used + 8 ? page->width - used - 1 : SIZE_MAX, column = 0;
	for (size_t i = 0; i < length && column < room; i++) {
		size_t stop = text[i] == '\t' ? (column / 4 + 1) * 4 : column + 1;
		for (; column < stop && column < room; column++)
			fputc(text[i] == '\t' || (unsigned char)text[i] < ' ' ? ' ' : text[i], page->out);
	}
}

static void label_of(const struct wm_story_function *function, const struct wm_step *step, char *text, size_t size)
{
	const char *home = wm_story_file(function);
	if (!step->line)
		snprintf(text, size, "block %u", step->block);
	else if (step->file && home && strcmp(step->file, home) != 0)
		snprintf(text, size, "%s:%u", wm_short_file(step->file), step->line);
	else
		snprintf(text, size, "%u", step->line);
}

/* A long run of rows without a decision is told by its ends. */
enum { RUN_SHOWN = 2, RUN_SHORTENED = 7 };

static size_t rows_to_skip(struct page *page, const struct wm_row *rows, size_t count, size_t at)
{
	char outcome[8];
	size_t run = 0;
	if (page->options->full)
		return 0;
	for (size_t i = at; i < count; i++, run++) {
		wm_row_outcome(&page->steps, &rows[i], outcome, sizeof outcome);
		if (outcome[0])
			break;
	}
	return run >= RUN_SHORTENED - RUN_SHOWN ? run - RUN_SHOWN : 0;
}

static void print_row(
	struct page *page, const struct wm_story_function *function, const struct wm_row *row, int labels, int outcomes)
{
	const struct wm_step *step = &page->steps.step[row->first];
	char label[512], outcome[256];
	size_t length;
	label_of(function, step, label, sizeof label);
	wm_row_outcome(&page->steps, row, outcome, sizeof outcome);
	const char *text = wm_source_line(&page->sources, step->file, step->line, function->object->path, &length);
	fprintf(page->out, "        %s%*s%s", page->dim, labels, label, page->plain);
	if (*outcome || text)
		fprintf(page->out, "  %s%s%s", outcome_colour(page, outcome), outcome, page->plain);
	if (text) {
		fprintf(page->out, "%*s  ", outcomes - (int)strlen(outcome) > 0 ? outcomes - (int)strlen(outcome) : 0,
			"");
		print_source(page, text, length, (size_t)(8 + labels + 2 + outcomes + 2));
	}
	fputc('\n', page->out);
}

static void print_rows(struct page *page, const struct wm_story_function *function)
{
	struct wm_row *rows;
	size_t count = wm_steps_rows(&page->steps, &rows);
	count = wm_rows_drop_braces(&page->steps, rows, count, &page->sources, function->object->path);
	int labels = 5, outcomes = 5;
	for (size_t i = 0; i < count; i++) {
		char label[512], outcome[256];
		label_of(function, &page->steps.step[rows[i].first], label, sizeof label);
		wm_row_outcome(&page->steps, &rows[i], outcome, sizeof outcome);
		int label_width = (int)strlen(label), outcome_width = (int)strlen(outcome);
		labels = label_width > labels && label_width <= 32 ? label_width : labels;
		outcomes = outcome_width > outcomes && outcome_width <= 24 ? outcome_width : outcomes;
	}
	for (size_t i = 0, quiet = 0; i < count; i++) {
		char outcome[8];
		wm_row_outcome(&page->steps, &rows[i], outcome, sizeof outcome);
		quiet = outcome[0] ? 0 : quiet + 1;
		size_t skip = quiet == RUN_SHOWN + 1 ? rows_to_skip(page, rows, count, i) : 0;
		if (skip)
			fprintf(page->out, "        %s%*s%s\n", page->dim, labels, "...", page->plain);
		i += skip;
		print_row(page, function, &rows[i], labels, outcomes);
	}
	free(rows);
}

/* Where the path begins and ends, with lines where they are known. */
static void ends_text(
	const struct wm_story_function *function, const struct wm_block_path *path, char *text, size_t size)
{
	static const char *const starts[] = {"entry", "loop head", "cut"};
	static const char *const ends[] = {[WM_END_RETURN] = "return",
		[WM_END_NORETURN] = "noreturn call",
		[WM_END_UNWIND] = "unwind",
		[WM_END_BACKEDGE] = "back edge",
		[WM_END_CUT] = "cut"};
	char from[32] = "", to[32] = "";
	uint32_t line = path->start == WM_START_ENTRY ? 0 : wm_block_line(function, path->block[0]);
	if (line)
		snprintf(from, sizeof from, " at %u", line);
	if (path->last_edge != WM_NONE &&
		(line = wm_block_line(function, function->map->graph.edge_to[path->last_edge])))
		snprintf(to, sizeof to, " to %u", line);
	snprintf(text, size, "%s%s -> %s%s", starts[path->start], from, ends[path->end] ? ends[path->end] : "?", to);
}

static void print_path(struct page *page, const struct wm_story_function *function, const struct wm_story_path *path)
{
	struct wm_arena arena;
	struct wm_block_path blocks;
	char ends[128];
	wm_arena_init(&arena);
	wm_story_decode(function, path->id, &blocks, &arena);
	wm_steps_build(&page->steps, function, &blocks);
	ends_text(function, &blocks, ends, sizeof ends);
	fprintf(page->out, "\n  %s%6.2f%% %13s  path %" PRIu64 "%s  %s\n", page->bold,
		wm_share(path->count, function->executions), wm_thousands(path->count), path->id, page->plain, ends);
	print_rows(page, function);
	wm_arena_release(&arena);
}

static void print_balance(struct page *page, const struct wm_story_function *function)
{
	const struct wm_balance *b = &function->balance;
	if (!page->options->balance && !b->abandoned && !b->inherited && !b->resumed)
		return;
	fprintf(page->out,
		"  balance: %s inherited + %s entries + %s loop restarts + %s resumed = %s completed + %s abandoned\n",
		wm_thousands(b->inherited), wm_thousands(b->entries), wm_thousands(b->restarts),
		wm_thousands(b->resumed), wm_thousands(b->completed), wm_thousands(b->abandoned));
}

static void print_function(struct page *page, const struct wm_story_function *function)
{
	char place[512];
	size_t limit = page->options->all ? SIZE_MAX : page->options->paths;
	place_of(function, place, sizeof place);
	fprintf(page->out, "\n%s%s%s%s%s\n", page->bold, function->display, page->plain, *place ? "  " : "", place);
	fprintf(page->out, "  %.2f%%: %s execution%s of %s of %s path%s, %s entr%s%s\n",
		wm_share(function->executions, page->story->executions), wm_thousands(function->executions),
		plural(function->executions), wm_thousands(function->ran_count), wm_possible_text(function),
		function->countable && function->path_count == 1 ? "" : "s", wm_thousands(function->balance.entries),
		function->balance.entries == 1 ? "y" : "ies",
		function->map->status == WM_SPLIT ? "; split: cut where it had too many paths" : "");
	print_balance(page, function);
	for (size_t i = 0; i < function->ran_count && i < limit; i++)
		print_path(page, function, &function->path[i]);
	if (limit && function->ran_count > limit) {
		uint64_t rest = 0;
		for (size_t i = limit; i < function->ran_count; i++)
			rest += function->path[i].count;
		fprintf(page->out, "\n  %6.2f%% %13s  in %s more path%s (--paths N shows more)\n",
			wm_share(rest, function->executions), wm_thousands(rest),
			wm_thousands(function->ran_count - limit), plural(function->ran_count - limit));
	}
}

/* A function with one path has nothing to tell beyond its row in the table. */
static bool has_choice(const struct page *page, const struct wm_story_function *function)
{
	return page->options->all || page->options->function || !function->countable || function->path_count > 1;
}

static void print_functions(struct page *page, size_t limit)
{
	size_t told = 0, ran = 0;
	for (size_t i = 0; i < page->story->function_count; i++) {
		const struct wm_story_function *function = &page->story->function[i];
		if (function->state != WM_STORY_RAN || !wm_report_wants(function, page->options))
			continue;
		ran++;
		bool details = page->options->paths || page->options->all || page->options->balance;
		if (details && told < limit && has_choice(page, function))
			print_function(page, function), told++;
	}
	if (ran > limit)
		fprintf(page->out, "\n%s more function%s ran (--functions N or --all shows them)\n",
			wm_thousands(ran - limit), plural(ran - limit));
}

/* Names in columns would need their widths; a wrapped list reads as well. */
static void print_names(struct page *page, const char *what, enum wm_story_state state)
{
	size_t count = 0, column = 0, width = page->width ? page->width : 100;
	for (size_t i = 0; i < page->story->function_count; i++)
		count += page->story->function[i].state == state &&
			 wm_report_wants(&page->story->function[i], page->options);
	if (!count)
		return;
	fprintf(page->out, "\n%s function%s %s%s\n", wm_thousands(count), plural(count), what,
		page->options->all	  ? ":"
		: page->options->function ? ""
					  : " (--all names them)");
	if (!page->options->all)
		return;
	for (size_t i = 0; i < page->story->function_count; i++) {
		const struct wm_story_function *function = &page->story->function[i];
		if (function->state != state || !wm_report_wants(function, page->options))
			continue;
		size_t length = strlen(function->display) + 2;
		if (column && column + length > width)
			fputc('\n', page->out), column = 0;
		fprintf(page->out, "  %s", function->display);
		column += length;
	}
	fputc('\n', page->out);
}

static void print_skipped(struct page *page)
{
	size_t count = 0;
	for (size_t i = 0; i < page->story->function_count; i++) {
		const struct wm_story_function *function = &page->story->function[i];
		if (function->state != WM_STORY_SKIPPED || !wm_report_wants(function, page->options))
			continue;
		if (!count++)
			fprintf(page->out, "\nnot instrumented:\n");
		if (count <= 20 || page->options->all)
			fprintf(page->out, "  %s: %s\n", function->display, wm_story_reason(function));
	}
	if (count > 20 && !page->options->all)
		fprintf(page->out, "  and %s more (--all names them)\n", wm_thousands(count - 20));
}

static void print_refused(struct page *page)
{
	for (size_t i = 0; i < page->story->refused_count; i++) {
		const struct wm_story_refusal *refusal = &page->story->refused[i];
		if (!i)
			fprintf(page->out, "\n%srefused%s, because these counts would not be exact:\n", page->bold,
				page->plain);
		char *name = wm_demangle(refusal->name);
		fprintf(page->out, "  function %s: %s\n", name, refusal->reason);
		free(name);
	}
}

void wm_report_text(const struct wm_story *story, const struct wm_report_options *options, FILE *out)
{
	struct page page;
	size_t limit = options->all ? SIZE_MAX : options->functions;
	page_init(&page, story, options, out);
	print_head(&page);
	if (story->functions_ran) {
		print_table(&page, limit);
		print_functions(&page, limit);
	}
	print_names(&page, "never ran", WM_STORY_IDLE);
	print_skipped(&page);
	print_refused(&page);
	wm_steps_release(&page.steps);
	wm_sources_release(&page.sources);
}
