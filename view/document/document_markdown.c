/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A document as Markdown, for a comment on a change: the dialect that GitHub and GitLab have in common.  It has as much room
 * as the text.  Paths are collapsed, and their lines are those of the text.  What comes from a program or its source is
 * either in a block of code, whose fence is longer than any in it, or escaped, so that it neither ends an element nor
 * notifies people.
 */
#include "support/xalloc.h"
#include "view/document/document_text.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Texts ---------------------------------------------------------------------------------- */

/* Whether the character could be markup where it stands; underscores in names are none. */
static bool is_markup(const char *start, const char *text)
{
	if (*text == '_')
		return text == start || !isalnum((unsigned char)text[-1]) || !isalnum((unsigned char)text[1]);
	if (*text == '.' || *text == ')')
		return (text[1] == ' ' || !text[1]) && strspn(start, "0123456789") == (size_t)(text - start);
	return strchr("\\`*[]<#|~&$", *text) || (text == start && strchr("-+=>", *text));
}

/* Entities mean the same in Markdown and in its markup.  A name after "@" would notify somebody: a space without width
 * is between them. */
static void put_text(FILE *out, const char *text)
{
	for (const char *start = text; *text; text++)
		if (*text == '@')
			fputs("@&#8203;", out);
		else if (*text == '\n')
			fputs("<br>", out);
		else if (is_markup(start, text))
			fprintf(out, "&#%d;", *text);
		else
			fputc(*text, out);
}

static const char *without_indent(const char *text)
{
	return text + strspn(text, " \n");
}

static void put_bold(FILE *out, const char *text)
{
	if (!*text)
		return;
	fputs("<b>", out);
	put_text(out, text);
	fputs("</b>", out);
}

static void put_code(FILE *out, const char *text)
{
	fputs("<code>", out);
	put_text(out, text);
	fputs("</code>", out);
}

/* Ends an element that stands alone. */
static void end_paragraph(struct wm_document *page)
{
	fputs("\n\n", page->out);
}

/* ---- Sentences ------------------------------------------------------------------------------ */

static void title(struct wm_document *page, const struct wm_document_title *title)
{
	fputs("## ", page->out);
	put_text(page->out, title->heading);
	end_paragraph(page);
}

static void put_function(FILE *out, const struct wm_story_function *function)
{
	char place[512];
	wm_place_text(function, place, sizeof place);
	put_code(out, function->brief);
	if (*place)
		fputc(' ', out);
	put_text(out, place);
}

static void function_heading(struct wm_document *page, const struct wm_story_function *function, size_t number)
{
	(void)number;
	page->told++;
	fputs("### ", page->out);
	put_function(page->out, function);
	end_paragraph(page);
}

static void heading(struct wm_document *page, const char *text)
{
	fputs("### ", page->out);
	put_text(page->out, text);
	end_paragraph(page);
}

static void sentence(struct wm_document *page, const char *prefix, const char *text)
{
	put_text(page->out, without_indent(prefix));
	put_text(page->out, without_indent(text));
	end_paragraph(page);
}

static void headline(struct wm_document *page, const char *prefix, const char *bold, const char *rest)
{
	put_text(page->out, without_indent(prefix));
	put_bold(page->out, bold);
	put_text(page->out, rest);
	end_paragraph(page);
}

static void warning(struct wm_document *page, const char *prefix, const char *text)
{
	headline(page, prefix, text, "");
}

/* Items of a list are indented in the text; what introduces them is not. */
static void listed(struct wm_document *page, const char *text)
{
	bool item = *text == ' ';
	fputs(item ? "- " : "\n", page->out);
	put_text(page->out, without_indent(text));
	/* What follows an item without an empty line is a part of it. */
	end_paragraph(page);
}

static void name(struct wm_document *page, const char *name)
{
	if (!name) {
		if (page->column)
			end_paragraph(page);
		page->column = 0;
		return;
	}
	if (page->column++)
		fputs(", ", page->out);
	put_code(page->out, name);
}

static void remark(struct wm_document *page, const char *text, const char *code)
{
	put_text(page->out, text);
	if (code) {
		fputc(' ', page->out);
		put_code(page->out, code);
	}
	end_paragraph(page);
}

static void parting(struct wm_document *page, bool edge_known, const char *text)
{
	headline(page, "", edge_known ? "new path: " : "new edge: ", text);
}

static void line(struct wm_document *page, const char *prefix, const char *name, const char *words)
{
	put_text(page->out, without_indent(prefix));
	if (*name) {
		put_code(page->out, name);
		fputc(' ', page->out);
	}
	put_text(page->out, words);
	end_paragraph(page);
}

static void figure(struct wm_document *page, const char *before, const char *number, const char *words)
{
	char *text = wm_xprintf("%s %s", number, words);
	if (*before)
		put_text(page->out, before);
	if (*before)
		put_text(page->out, text);
	else
		put_bold(page->out, text);
	free(text);
}

/* ---- Paths ---------------------------------------------------------------------------------- */

/* What is collapsed under this line, which is markup. */
static void begin_details(struct wm_document *page, bool open)
{
	fprintf(page->out, "<details%s><summary>", open ? " open" : "");
}

static void end_summary(struct wm_document *page, const char *bold, const char *words)
{
	put_bold(page->out, bold);
	if (*bold && *words)
		fputc(' ', page->out);
	put_text(page->out, words);
	fputs("</summary>\n\n", page->out);
}

static void begin_path(struct wm_document *page, const char *words, uint64_t id, bool open)
{
	char ends[128];
	char *bold = wm_xprintf("%s%s%s", words, *words ? " " : "", wm_path_label(id));
	wm_text_ends(&page->ends, ends, sizeof ends);
	begin_details(page, open);
	end_summary(page, bold, ends);
	free(bold);
}

static void path(struct wm_document *page, const struct wm_story_path *path, uint64_t whole, bool open)
{
	char *words = wm_xprintf("%.2f%% %s", wm_share(path->count, whole), wm_thousands(path->count));
	begin_path(page, words, path->id, open);
	free(words);
	if (path->first_seen)
		fprintf(page->out, "first seen %s by process %" PRIu64 "\n\n", wm_time_text(path->first_seen),
			path->pid);
}

static void path_as(struct wm_document *page, uint64_t id, double share, const char *words, bool open)
{
	(void)share;
	begin_path(page, words, id, open);
}

static void path_possible(struct wm_document *page, const char *prefix, uint64_t id, const char *words,
	const char *contradiction, bool open)
{
	begin_path(page, without_indent(prefix), id, open);
	if (contradiction)
		sentence(page, "likely infeasible: ", contradiction);
	if (*words)
		sentence(page, "", words);
}

static void item(struct wm_document *page, const struct wm_item *item)
{
	char *bold = wm_xprintf(
		"%.2f%% %s%s%s", item->percent, item->count, item->name ? " " : "", item->name ? item->name : "");
	begin_details(page, item->open);
	end_summary(page, bold, item->words);
	free(bold);
}

static void end_details(struct wm_document *page)
{
	fputs("</details>\n\n", page->out);
}

static size_t longest_fence(const char *text, size_t length, size_t longest)
{
	size_t run = 0;
	for (size_t i = 0; i < length; i++) {
		run = text[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void put_fence(struct wm_document *page, size_t length, const char *rest)
{
	for (size_t i = 0; i < length; i++)
		fputc('`', page->out);
	fputs(rest, page->out);
}

static void rows(struct wm_document *page, const struct wm_document_row *row, size_t count)
{
	size_t fence = 2;
	for (size_t i = 0; i < count; i++) {
		fence = longest_fence(row[i].text, row[i].text ? row[i].length : 0, fence);
		fence = longest_fence(row[i].outcome, strlen(row[i].outcome), fence);
	}
	put_fence(page, fence + 1, "\n");
	wm_text_rows(page, row, count);
	put_fence(page, fence + 1, "\n\n");
}

static void more(struct wm_document *page, const char *command, const char *what, size_t count, uint64_t executions,
	uint64_t whole)
{
	(void)command;
	fprintf(page->out, "%.2f%% (%s) in %s more ", wm_share(executions, whole), wm_thousands(executions),
		wm_thousands(count));
	put_text(page->out, what);
	fprintf(page->out, "%s (<code>--paths N</code> shows more)\n\n", wm_plural(count));
}

/* ---- Tables --------------------------------------------------------------------------------- */

static const struct wm_column *next_column(struct wm_document *page)
{
	return &page->table->column[page->cells++];
}

static void put_cell(struct wm_document *page, const char *text)
{
	if (!next_column(page)->width)
		return;
	fputs("| ", page->out);
	put_text(page->out, text);
	fputc(' ', page->out);
}

static bool begin_table(struct wm_document *page, const struct wm_table *table)
{
	page->table = table;
	page->rows = 0;
	return table->most;
}

static void put_heads(struct wm_document *page)
{
	const struct wm_table *table = page->table;
	for (page->cells = 0; page->cells < table->count;)
		put_cell(page,
			table->column[page->cells].width == WM_COLUMN_LAST ? "" : table->column[page->cells].head);
	fputs("|\n", page->out);
	for (size_t i = 0; i < table->count; i++)
		if (table->column[i].width)
			fputs(table->column[i].number ? "|---:" : "|---", page->out);
	fputs("|\n", page->out);
}

static bool begin_row(struct wm_document *page, bool matters)
{
	if (!matters || page->rows >= page->table->most)
		return false;
	if (!page->rows++)
		put_heads(page);
	page->cells = 0;
	return true;
}

/* A row may end before the last column. */
static void end_row(struct wm_document *page)
{
	while (page->cells < page->table->count)
		put_cell(page, "");
	fputs("|\n", page->out);
}

static void end_table(struct wm_document *page)
{
	if (page->rows)
		fputc('\n', page->out);
}

static void cell(struct wm_document *page, double key, const char *text)
{
	(void)key;
	put_cell(page, text);
}

static void cell_of(struct wm_document *page, uint64_t part, const char *whole, double key)
{
	char text[64];
	(void)key;
	snprintf(text, sizeof text, "%s%s%s", wm_thousands(part), whole ? " of " : "", whole ? whole : "");
	put_cell(page, text);
}

static void cell_share(struct wm_document *page, double percent, const char *instead)
{
	char text[32];
	snprintf(text, sizeof text, "%.2f%%", percent);
	put_cell(page, instead ? "" : text);
}

static void cell_tag(struct wm_document *page, enum wm_tag tag, const char *text, const char *reason)
{
	(void)tag, (void)reason;
	put_cell(page, text);
}

static void cell_function(
	struct wm_document *page, const struct wm_story_function *function, size_t number, bool linked)
{
	(void)number, (void)linked;
	next_column(page);
	fputs("| ", page->out);
	put_function(page->out, function);
	fputc(' ', page->out);
}

/* ---- The document --------------------------------------------------------------------------- */

static void end(struct wm_document *page)
{
	bool said = page->left_out || page->refused_count;
	char *absent = wm_text_absent(&page->sources);
	if (said)
		fputs("```\n", page->out);
	wm_text_left_out(page);
	wm_text_refused(page);
	if (said)
		fputs("```\n\n", page->out);
	if (absent)
		sentence(page, "", absent);
	free(absent);
}

void wm_document_markdown_begin(struct wm_document *page, FILE *out)
{
	static const struct wm_document_form form = {.title = title,
		.function = function_heading,
		.heading = heading,
		.refused = wm_text_take_refused,
		.left_out = wm_text_take_left_out,
		.figure = figure,
		.figures_end = end_paragraph,
		.sentence = sentence,
		.headline = headline,
		.warning = warning,
		.listed = listed,
		.name = name,
		.remark = remark,
		.parting = parting,
		.line = line,
		.path = path,
		.path_as = path_as,
		.path_possible = path_possible,
		.rows = rows,
		.path_end = end_details,
		.item = item,
		.item_end = end_details,
		.more = more,
		.table = begin_table,
		.row = begin_row,
		.cell = cell,
		.cell_of = cell_of,
		.cell_share = cell_share,
		.cell_tag = cell_tag,
		.cell_function = cell_function,
		.row_end = end_row,
		.table_end = end_table,
		.markup = wm_text_no_markup,
		.list = wm_text_list,
		.end = end};
	page->form = &form;
	page->out = out;
}
