/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "view/page.h"
#include "support/printable.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool wants_colour(const struct wm_report_options *options, FILE *out)
{
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
	if (options->colour != WM_COLOUR_AUTO)
		return options->colour == WM_COLOUR_ALWAYS;
	return isatty(wm_stream_descriptor(out)) && !(no_colour && *no_colour) &&
	       !(terminal && strcmp(terminal, "dumb") == 0);
}

void wm_page_init(struct wm_page *page, const struct wm_report_options *options, FILE *out)
{
	struct winsize size;
	*page = (struct wm_page){
		.out = out, .options = options, .bold = "", .dim = "", .good = "", .bad = "", .plain = ""};
	page->sources = (struct wm_sources){.directories = &options->source_dirs, .off = options->no_source};
	page->steps.sources = &page->sources;
	if (wants_colour(options, out)) {
		page->bold = wm_style(WM_STYLE_BOLD);
		page->dim = wm_style(WM_STYLE_DIM);
		page->good = wm_style(WM_STYLE_GREEN);
		page->bad = wm_style(WM_STYLE_YELLOW);
		page->plain = wm_style(WM_STYLE_PLAIN);
	}
	int terminal = wm_stream_descriptor(out);
	if (isatty(terminal) && ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
		page->width = size.ws_col;
}

void wm_page_release(struct wm_page *page)
{
	const struct wm_sources *sources = &page->sources;
	if (sources->absent_count)
		fprintf(page->out,
			"\n%zu source file%s not found (the first is %s); --source-dir DIR names a directory in which "
			"%s, "
			"--no-source looks for none\n",
			sources->absent_count, sources->absent_count == 1 ? " is" : "s are", sources->absent,
			sources->absent_count == 1 ? "it is" : "they are");
	wm_steps_release(&page->steps);
	wm_sources_release(&page->sources);
}

const char *wm_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

const char *wm_place_text(const struct wm_story_function *function, char *text, size_t size)
{
	const char *file = wm_story_file(function);
	text[0] = 0;
	if (file && function->map->line)
		snprintf(text, size, "%s:%u", wm_short_file(file), function->map->line);
	else if (file)
		snprintf(text, size, "%s", wm_short_file(file));
	if (function->records.elsewhere) {
		size_t used = strlen(text);
		snprintf(text + used, size - used, "%sin %s", used ? " " : "", function->object->path);
	}
	return text;
}

static const char *outcome_colour(const struct wm_page *page, const char *outcome)
{
	static const char *const bad[] = {"false", "threw"};
	size_t length = strlen(outcome);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (length >= strlen(bad[i]) && strcmp(outcome + length - strlen(bad[i]), bad[i]) == 0)
			return page->bad;
	return page->good;
}

/* Tabs are replaced by spaces so that columns stay aligned.  No character is cut in two. */
static void print_source(struct wm_page *page, const char *text, size_t length, size_t used)
{
	size_t room = page->width > used + 8 ? page->width - used - 1 : SIZE_MAX, column = 0;
	struct wm_character character;
	for (size_t i = 0; i < length && column < room; i += character.length) {
		size_t stop = text[i] == '\t' ? (column / 4 + 1) * 4 : column + 1;
		character = wm_character_at(text + i, length - i);
		if (text[i] != '\t')
			fwrite(text + i, 1, character.length, page->out);
		for (; text[i] == '\t' && column < stop && column < room; column++)
			fputc(' ', page->out);
		column = stop;
	}
}

static void label_of(const struct wm_source_step *step, char *text, size_t size)
{
	const char *home = wm_story_file(step->function);
	if (!step->line)
		snprintf(text, size, "block %u", step->block);
	else if (step->file && home && strcmp(step->file, home) != 0)
		snprintf(text, size, "%s:%u", wm_short_file(step->file), step->line);
	else
		snprintf(text, size, "%u", step->line);
}

/* Of a long sequence of rows without a decision, only the first and the last rows are printed. */
enum { RUN_SHOWN = 2, RUN_SHORTENED = 7 };

static size_t rows_to_skip(struct wm_page *page, const struct wm_row *rows, size_t count, size_t at)
{
	char outcome[8];
	size_t run = 0;
	if (page->options->full)
		return 0;
	for (size_t i = at; i < count; i++, run++) {
		wm_row_outcome(&page->steps, &rows[i], outcome, sizeof outcome);
		if (outcome[0] || page->steps.step[rows[i].first].begins[0])
			break;
	}
	return run >= RUN_SHORTENED - RUN_SHOWN ? run - RUN_SHOWN : 0;
}

/* Wider outcomes are printed below their line, so that the source stays aligned. */
enum { WIDEST_OUTCOME = 28 };

static void print_row(struct wm_page *page, const struct wm_story_function *function, const struct wm_row *row,
	int labels, int outcomes, bool mark)
{
	const struct wm_source_step *step = &page->steps.step[row->first];
	char label[512], outcome[WM_ROW_MAX];
	size_t length;
	label_of(step, label, sizeof label);
	wm_row_outcome(&page->steps, row, outcome, sizeof outcome);
	const char *text = wm_step_source(&page->sources, step, function, &length);
	if (step->begins[0])
		fprintf(page->out, "        %s%*s%s\n", page->dim,
			labels + 2 + 2 * (int)step->depth + (int)strlen(step->begins), step->begins, page->plain);
	fprintf(page->out, "      %s%s%s%s %*s%s", page->bold, mark ? ">" : " ", page->plain, page->dim, labels, label,
		page->plain);
	bool wide = text && (int)strlen(outcome) > outcomes;
	int width = wide ? 0 : (int)strlen(outcome), indent = 2 * (int)step->depth;
	if (*outcome || text)
		fprintf(page->out, "  %s%s%s", outcome_colour(page, outcome), wide ? "" : outcome, page->plain);
	if (text) {
		fprintf(page->out, "%*s  ", (outcomes > width ? outcomes - width : 0) + indent, "");
		print_source(page, text, length, (size_t)(8 + labels + 2 + outcomes + 2 + indent));
	}
	fputc('\n', page->out);
	if (wide)
		fprintf(page->out, "%*s%s%s%s\n", 8 + labels + 2, "", outcome_colour(page, outcome), outcome,
			page->plain);
}

void wm_page_rows(struct wm_page *page, const struct wm_story_function *function, uint32_t highlighted)
{
	struct wm_row *rows;
	size_t count = wm_steps_rows(&page->steps, &rows);
	count = wm_rows_tidy(&page->steps, rows, count, &page->sources, function);
	int labels = 5, outcomes = 5;
	for (size_t i = 0; i < count; i++) {
		char label[512], outcome[WM_ROW_MAX];
		label_of(&page->steps.step[rows[i].first], label, sizeof label);
		wm_row_outcome(&page->steps, &rows[i], outcome, sizeof outcome);
		int label_width = (int)strlen(label), outcome_width = (int)strlen(outcome);
		labels = label_width > labels && label_width <= 32 ? label_width : labels;
		outcomes = outcome_width > outcomes && outcome_width <= WIDEST_OUTCOME ? outcome_width : outcomes;
	}
	for (size_t i = 0, quiet = 0; i < count; i++) {
		char outcome[8];
		wm_row_outcome(&page->steps, &rows[i], outcome, sizeof outcome);
		quiet = outcome[0] ? 0 : quiet + 1;
		size_t skip = quiet == RUN_SHOWN + 1 ? rows_to_skip(page, rows, count, i) : 0;
		if (skip)
			fprintf(page->out, "        %s%*s%s\n", page->dim, labels, "...", page->plain);
		i += skip;
		print_row(page, function, &rows[i], labels, outcomes,
			wm_row_decides(&page->steps, &rows[i], highlighted));
	}
	free(rows);
}

/* Where the path begins and ends, with lines where they are known. */
static void ends_text(const struct wm_path_ends *path, char *text, size_t size)
{
	static const char *const starts[] = {"entry", "loop head", "cut", "call"};
	static const char *const ends[] = {[WM_END_RETURN] = "return",
		[WM_END_NORETURN] = "noreturn call",
		[WM_END_UNWIND] = "unwind",
		[WM_END_BACKEDGE] = "back edge",
		[WM_END_CUT] = "cut",
		[WM_END_CALL] = "call"};
	char from[32] = "", to[32] = "";
	uint32_t line = path->start == WM_START_ENTRY ? 0 : wm_block_line(path->first, path->block);
	if (line)
		snprintf(from, sizeof from, " at %u", line);
	if (path->edge != WM_NONE && (line = wm_block_line(path->last, path->last->map->graph.edge_to[path->edge])))
		snprintf(to, sizeof to, " to %u", line);
	snprintf(text, size, "%s%s -> %s%s", starts[path->start], from, ends[path->end] ? ends[path->end] : "?", to);
}

/* Builds the steps of the path, and the text of its start and end. */
static void decode(struct wm_page *page, const struct wm_story_function *function, uint64_t id, char *ends, size_t size)
{
	struct wm_path_ends path;
	wm_steps_tell(&page->steps, function, id, &path);
	ends_text(&path, ends, size);
}

void wm_page_path(struct wm_page *page, const struct wm_story_function *function, const struct wm_story_path *path,
	uint64_t whole)
{
	char ends[128];
	decode(page, function, path->id, ends, sizeof ends);
	fprintf(page->out, "\n  %s%6.2f%% %13s  path %" PRIu64 "%s  %s\n", page->bold, wm_share(path->count, whole),
		wm_thousands(path->count), path->id, page->plain, ends);
	if (path->first_seen)
		fprintf(page->out, "      first seen %s by process %" PRIu64 "\n", wm_time_text(path->first_seen),
			path->pid);
}

void wm_page_possible_path(struct wm_page *page, const struct wm_story_function *function, uint64_t id)
{
	char ends[128];
	decode(page, function, id, ends, sizeof ends);
	fprintf(page->out, "  %spath %" PRIu64 "%s  %s\n", page->bold, id, page->plain, ends);
}

static void print_refusal(struct wm_page *page, const struct wm_story_refusal *refusal, bool binary)
{
	char *name = wm_demangle(refusal->name);
	fprintf(page->out, "  function %s%s%s: %s\n", name, binary ? " in " : "", binary ? refusal->binary : "",
		refusal->reason);
	free(name);
}

void wm_page_refused(struct wm_page *page, const struct wm_story_refusal *refused, size_t count)
{
	enum { ALIKE = 3 };
	if (count)
		fprintf(page->out, "\n%srefused%s, because these counts would not be exact:\n", page->bold,
			page->plain);
	bool binary = false;
	for (size_t i = 1; i < count; i++)
		binary |= strcmp(refused[i].binary, refused[0].binary) != 0;
	for (size_t first = 0, end; first < count; first = end) {
		end = wm_refused_alike(refused, first, count);
		bool one_line = end - first > ALIKE && !page->options->all;
		if (one_line)
			fprintf(page->out, "  %s functions, the first of them %s: %s (--all names them)\n",
				wm_thousands(end - first), refused[first].name, refused[first].reason);
		for (size_t i = first; i < end && !one_line; i++)
			print_refusal(page, &refused[i], binary);
	}
}

void wm_page_unlisted(FILE *out, size_t count)
{
	if (count)
		fprintf(out,
			"\n%s function%s in system headers %s not instrumented (--all names %s; "
			"-fwaymark-system-headers "
			"instruments %s)\n",
			wm_thousands(count), wm_plural(count), count == 1 ? "is" : "are", count == 1 ? "it" : "them",
			count == 1 ? "it" : "them");
}

/* Names are printed as a wrapped list; columns would require the width of all names in advance. */
void wm_page_name(struct wm_page *page, size_t *column, const char *name)
{
	size_t length = name ? strlen(name) + 2 : 0, width = page->width ? page->width : 100;
	if (*column && (!name || *column + length > width)) {
		fputc('\n', page->out);
		*column = 0;
	}
	if (name)
		fprintf(page->out, "  %s", name);
	*column += length;
}
