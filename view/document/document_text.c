/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text form of a document, for a terminal or a pipe: plain ASCII; bold and colour only on a terminal. */
#include "view/document/document_text.h"
#include "support/printable.h"
#include "support/standard_output.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include <ctype.h>
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

static const char *outcome_colour(const struct wm_document *page, const char *outcome)
{
	static const char *const bad[] = {"false", "threw"};
	size_t length = strlen(outcome);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (length >= strlen(bad[i]) && strcmp(outcome + length - strlen(bad[i]), bad[i]) == 0)
			return page->bad;
	return page->good;
}

void wm_document_source(struct wm_document *page, const char *text, size_t length, size_t used)
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

/* Of a long sequence of rows without a decision, only the first and the last rows are printed. */
enum { RUN_SHOWN = 2, RUN_SHORTENED = 7 };

static size_t rows_to_skip(struct wm_document *page, const struct wm_document_row *row, size_t count)
{
	size_t run = 0;
	if (page->options->full)
		return 0;
	while (run < count && !row[run].outcome[0] && !row[run].step->begins[0])
		run++;
	return run >= RUN_SHORTENED - RUN_SHOWN ? run - RUN_SHOWN : 0;
}

/* Wider outcomes are printed below their line, so that the source stays aligned. */
enum { WIDEST_LABEL = 32, WIDEST_OUTCOME = 28 };

static void print_row(struct wm_document *page, const struct wm_document_row *row, int labels, int outcomes)
{
	const struct wm_source_step *step = row->step;
	const char *outcome = row->outcome, *colour = outcome_colour(page, outcome);
	if (step->begins[0])
		fprintf(page->out, "        %s%*s%s\n", page->dim,
			labels + 2 + 2 * (int)step->depth + (int)strlen(step->begins), step->begins, page->plain);
	fprintf(page->out, "      %s%s%s%s %*s%s", page->bold, row->highlighted ? ">" : " ", page->plain, page->dim,
		labels, row->label, page->plain);
	bool wide = row->text && (int)strlen(outcome) > outcomes;
	int width = wide ? 0 : (int)strlen(outcome), indent = 2 * (int)step->depth;
	if (*outcome || row->text)
		fprintf(page->out, "  %s%s%s", colour, wide ? "" : outcome, page->plain);
	if (row->text) {
		fprintf(page->out, "%*s  ", (outcomes > width ? outcomes - width : 0) + indent, "");
		wm_document_source(page, row->text, row->length, (size_t)(8 + labels + 2 + outcomes + 2 + indent));
	}
	fputc('\n', page->out);
	if (wide)
		fprintf(page->out, "%*s%s%s%s\n", 8 + labels + 2, "", colour, outcome, page->plain);
}

/* The width of a column, which a text widens unless it is wider than `most`. */
static int widened(int width, const char *text, int most)
{
	int own = (int)strlen(text);
	return own > width && own <= most ? own : width;
}

void wm_text_rows(struct wm_document *page, const struct wm_document_row *row, size_t count)
{
	int labels = 5, outcomes = 5;
	for (size_t i = 0; i < count; i++) {
		labels = widened(labels, row[i].label, WIDEST_LABEL);
		outcomes = widened(outcomes, row[i].outcome, WIDEST_OUTCOME);
	}
	for (size_t i = 0, quiet = 0; i < count; i++) {
		quiet = row[i].outcome[0] ? 0 : quiet + 1;
		size_t skip = quiet == RUN_SHOWN + 1 ? rows_to_skip(page, &row[i], count - i) : 0;
		if (skip)
			fprintf(page->out, "        %s%*s%s\n", page->dim, labels, "...", page->plain);
		i += skip;
		print_row(page, &row[i], labels, outcomes);
	}
}

void wm_text_ends(const struct wm_path_ends *path, char *text, size_t size)
{
	static const char *const ends[] = {[WM_END_RETURN] = "return",
		[WM_END_NORETURN] = "noreturn call",
		[WM_END_UNWIND] = "unwind",
		[WM_END_BACKEDGE] = "back edge",
		[WM_END_CUT] = "cut"};
	char from[32] = "", to[32] = "", call[WM_CALL_WORDS];
	uint32_t line = path->start == WM_START_ENTRY ? 0 : wm_block_line(path->first, path->block);
	if (line)
		snprintf(from, sizeof from, " at %u", line);
	wm_path_call_words(path, call);
	if (path->edge != WM_NONE && (line = wm_block_line(path->last, path->last->map->graph.edge_to[path->edge])))
		snprintf(to, sizeof to, " to %u", line);
	snprintf(text, size, "%s%s -> %s%s", wm_start_words(path->start), from,
		path->end == WM_END_CALL ? call
		: ends[path->end]	 ? ends[path->end]
					 : "?",
		to);
}

static void print_path(struct wm_document *page, const struct wm_story_path *path, uint64_t whole, bool open)
{
	char ends[128];
	(void)open;
	wm_text_ends(&page->ends, ends, sizeof ends);
	fprintf(page->out, "\n  %s%6.2f%% %13s  %s%s  %s\n", page->bold, wm_share(path->count, whole),
		wm_thousands(path->count), wm_path_label(path->id), page->plain, ends);
	if (path->first_seen)
		fprintf(page->out, "      first seen %s by process %" PRIu64 "\n", wm_time_text(path->first_seen),
			path->pid);
}

static void print_path_as(struct wm_document *page, uint64_t id, double share, const char *words, bool open)
{
	char ends[128];
	(void)open;
	(void)share;
	wm_text_ends(&page->ends, ends, sizeof ends);
	fprintf(page->out, "\n  %s%s  %s%s  %s\n", page->bold, words, wm_path_label(id), page->plain, ends);
}

static void print_path_possible(struct wm_document *page, const char *prefix, uint64_t id, const char *words,
	const char *contradiction, bool open)
{
	char ends[128];
	(void)open;
	wm_text_ends(&page->ends, ends, sizeof ends);
	fprintf(page->out, "%s%spath %" PRIu64 "%s  %s\n", prefix, page->bold, id, page->plain, ends);
	if (contradiction)
		fprintf(page->out, "  likely infeasible: %s\n", contradiction);
	if (*words)
		fprintf(page->out, "      %s\n", words);
}

static void print_item(struct wm_document *page, const struct wm_item *item)
{
	fprintf(page->out, "\n  %s%6.2f%% %13s%s%s%s%s%s\n", page->bold, item->percent, item->count,
		item->name ? "  " : "", item->name ? item->name : "", page->plain, *item->words ? "  " : "",
		item->words);
}

static void print_more(struct wm_document *page, const char *command, const char *what, size_t count,
	uint64_t executions, uint64_t whole)
{
	(void)command;
	fprintf(page->out, "\n  %6.2f%% %13s  in %s more %s%s (--paths N shows more)\n", wm_share(executions, whole),
		wm_thousands(executions), wm_thousands(count), what, wm_plural(count));
}

static void print_nothing(struct wm_document *page)
{
	(void)page;
}

/* ---- Sentences ------------------------------------------------------------------------------ */

/* The binaries are those of the command line. */
static void print_title(struct wm_document *page, const struct wm_document_title *title)
{
	(void)page, (void)title;
}

static void print_function(struct wm_document *page, const struct wm_story_function *function, size_t number)
{
	char place[512];
	(void)number;
	page->told++;
	wm_place_text(function, place, sizeof place);
	fprintf(page->out, "\n%s%s%s%s%s\n", page->bold, function->brief, page->plain, *place ? "  " : "", place);
}

static void print_heading(struct wm_document *page, const char *text)
{
	(void)page, (void)text;
}

static void print_sentence(struct wm_document *page, const char *prefix, const char *text)
{
	fprintf(page->out, "%s%s\n", prefix, text);
}

static void print_headline(struct wm_document *page, const char *prefix, const char *bold, const char *rest)
{
	fprintf(page->out, "%s%s%s%s%s\n", prefix, page->bold, bold, page->plain, rest);
}

static void print_warning(struct wm_document *page, const char *prefix, const char *text)
{
	fprintf(page->out, "%s%s%s%s\n", prefix, page->bad, text, page->plain);
}

static void print_listed(struct wm_document *page, const char *text)
{
	fprintf(page->out, "%s\n", text);
}

static void print_remark(struct wm_document *page, const char *text, const char *code)
{
	fprintf(page->out, "      %s%s%s\n", text, code ? " " : "", code ? code : "");
}

static void print_parting(struct wm_document *page, bool edge_known, const char *text)
{
	fprintf(page->out, "      %snew %s: %s%s\n", page->bad, edge_known ? "path" : "edge", text, page->plain);
}

static void print_line(struct wm_document *page, const char *prefix, const char *name, const char *words)
{
	fprintf(page->out, "%s%s%s%s%s%s%s%s\n", prefix, page->bold, name, page->plain, *name ? "  " : "", page->dim,
		words, page->plain);
}

static void print_figure(struct wm_document *page, const char *before, const char *number, const char *words)
{
	bool bold = !*before;
	fprintf(page->out, "%s%s%s %s%s", before, bold ? page->bold : "", number, words, bold ? page->plain : "");
}

static void end_figures(struct wm_document *page)
{
	fputc('\n', page->out);
}

/* ---- Tables --------------------------------------------------------------------------------- */

/* A text in the next column. */
static void put_cell(struct wm_document *page, const char *text)
{
	int width = page->table->column[page->cells++].width;
	if (width > 0)
		fprintf(page->out, "%*s", width, text);
	else if (width < 0 && *text)
		fprintf(page->out, "  %-*s", -width - 2, text);
}

/* Heads of pages begin with a capital. */
static void put_head(struct wm_document *page, const char *head)
{
	char text[64];
	snprintf(text, sizeof text, "%s", head);
	text[0] = (char)tolower((unsigned char)text[0]);
	put_cell(page, page->table->column[page->cells].width == WM_COLUMN_LAST ? "" : text);
}

static bool begin_table(struct wm_document *page, const struct wm_table *table)
{
	page->table = table;
	page->rows = 0;
	return table->most;
}

/* The heads are printed with the first row. */
static bool begin_row(struct wm_document *page, bool matters)
{
	const struct wm_table *table = page->table;
	page->cells = 0;
	if (!matters || page->rows >= table->most)
		return false;
	if (!page->rows++) {
		fprintf(page->out, "\n%s", page->dim);
		for (size_t i = 0; i < table->count; i++)
			put_head(page, table->column[i].head);
		fprintf(page->out, "%s\n", page->plain);
		page->cells = 0;
	}
	return true;
}

static void end_row(struct wm_document *page)
{
	fputc('\n', page->out);
}

static void cell(struct wm_document *page, double key, const char *text)
{
	(void)key;
	put_cell(page, *text || page->table->column[page->cells].width < 0 ? text : "-");
}

static void cell_of(struct wm_document *page, uint64_t part, const char *whole, double key)
{
	char text[64];
	(void)key;
	if (whole)
		snprintf(text, sizeof text, "%s of %s", wm_thousands(part), whole);
	else
		snprintf(text, sizeof text, "%s", wm_thousands(part));
	put_cell(page, text);
}

static void cell_share(struct wm_document *page, double percent, const char *instead)
{
	char text[32];
	snprintf(text, sizeof text, "%.2f%%", percent);
	put_cell(page, instead ? "-" : text);
}

static void cell_tag(struct wm_document *page, enum wm_tag tag, const char *text, const char *reason)
{
	(void)tag, (void)reason;
	put_cell(page, text);
}

static void cell_function(
	struct wm_document *page, const struct wm_story_function *function, size_t number, bool linked)
{
	char place[512];
	(void)number, (void)linked;
	page->cells++;
	wm_place_text(function, place, sizeof place);
	fprintf(page->out, "  %s%s%s%s%s%s%s", page->bold, function->brief, page->plain, *place ? "  " : "", page->dim,
		place, page->plain);
}

void wm_text_no_markup(struct wm_document *page, void (*write)(struct wm_document *page, void *closure), void *closure)
{
	(void)page, (void)write, (void)closure;
}

void wm_text_list(struct wm_document *page, const struct wm_told_list *list)
{
	size_t last = SIZE_MAX, most = wm_document_limit(page, list->most, 0);
	for (size_t i = 0; i < list->count && i < most; i++) {
		size_t function = list->function_of(list->closure, i);
		if (function != last)
			list->tell_function(page, list->closure, function);
		last = function;
		list->tell(page, list->closure, i, true);
	}
	if (list->count > most)
		fprintf(page->out, "\n%s more %s (--top N or --all shows them)\n", wm_thousands(list->count - most),
			list->count - most == 1 ? list->one : list->many);
}

/* ---- What is left out ----------------------------------------------------------------------- */

static void print_refusal(struct wm_document *page, const struct wm_story_refusal *refusal, bool binary)
{
	char *name = wm_demangle(refusal->name);
	fprintf(page->out, "  function %s%s%s: %s\n", name, binary ? " in " : "", binary ? refusal->binary : "",
		refusal->reason);
	free(name);
}

void wm_text_refused(struct wm_document *page)
{
	const struct wm_story_refusal *refused = page->refused;
	size_t count = page->refused_count;
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

void wm_text_take_refused(struct wm_document *page, const struct wm_story_refusal *refused, size_t count)
{
	page->refused = refused;
	page->refused_count = count;
}

void wm_text_take_left_out(struct wm_document *page, char *sentence)
{
	page->left_out = sentence;
}

void wm_text_left_out(struct wm_document *page)
{
	if (page->left_out)
		fprintf(page->out, "\n%s\n", page->left_out);
	free(page->left_out);
	page->left_out = NULL;
}

/* Names are printed as a wrapped list; columns would require the width of all names in advance. */
static void print_name(struct wm_document *page, const char *name)
{
	size_t length = name ? strlen(name) + 2 : 0, width = page->width ? page->width : 100;
	if (page->column && (!name || page->column + length > width)) {
		fputc('\n', page->out);
		page->column = 0;
	}
	if (name)
		fprintf(page->out, "  %s", name);
	page->column += length;
}

char *wm_text_absent(const struct wm_sources *sources)
{
	if (!sources->absent_count)
		return NULL;
	return wm_xprintf("%zu source file%s not found (the first is %s); --source-dir DIR names a directory in which "
			  "%s, --no-source looks for none",
		sources->absent_count, sources->absent_count == 1 ? " is" : "s are", sources->absent,
		sources->absent_count == 1 ? "it is" : "they are");
}

static void end(struct wm_document *page)
{
	char *absent = wm_text_absent(&page->sources);
	wm_text_left_out(page);
	wm_text_refused(page);
	if (absent)
		fprintf(page->out, "\n%s\n", absent);
	free(absent);
}

void wm_document_text_begin(struct wm_document *page, FILE *out)
{
	static const struct wm_document_form form = {.title = print_title,
		.function = print_function,
		.heading = print_heading,
		.refused = wm_text_take_refused,
		.left_out = wm_text_take_left_out,
		.figure = print_figure,
		.figures_end = end_figures,
		.sentence = print_sentence,
		.headline = print_headline,
		.warning = print_warning,
		.listed = print_listed,
		.name = print_name,
		.remark = print_remark,
		.parting = print_parting,
		.line = print_line,
		.path = print_path,
		.path_as = print_path_as,
		.path_possible = print_path_possible,
		.rows = wm_text_rows,
		.path_end = print_nothing,
		.item = print_item,
		.item_end = print_nothing,
		.more = print_more,
		.table = begin_table,
		.row = begin_row,
		.cell = cell,
		.cell_of = cell_of,
		.cell_share = cell_share,
		.cell_tag = cell_tag,
		.cell_function = cell_function,
		.row_end = end_row,
		.table_end = print_nothing,
		.markup = wm_text_no_markup,
		.list = wm_text_list,
		.end = end};
	struct winsize size;
	int terminal = wm_stream_descriptor(out);
	page->form = &form;
	page->out = out;
	if (wants_colour(page->options, out)) {
		page->bold = wm_style(WM_STYLE_BOLD);
		page->dim = wm_style(WM_STYLE_DIM);
		page->good = wm_style(WM_STYLE_GREEN);
		page->bad = wm_style(WM_STYLE_YELLOW);
		page->plain = wm_style(WM_STYLE_PLAIN);
	}
	if (isatty(terminal) && ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
		page->width = size.ws_col;
}
