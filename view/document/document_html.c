/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The HTML form of a document. */
#include "support/fail.h"
#include "support/printable.h"
#include "support/progress.h"
#include "support/xalloc.h"
#include "view/document/document.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void put_character(FILE *out, const char *text, struct wm_character character)
{
	char escaped[WM_ESCAPED_BYTE];
	if (character.printable || *text == '\t' || *text == '\n') {
		fwrite(text, 1, character.length, out);
		return;
	}
	for (size_t i = 0; i < character.length; i++) {
		wm_escape_byte(escaped, (unsigned char)text[i]);
		fwrite(escaped, 1, sizeof escaped, out);
	}
}

static void escape_bytes(FILE *out, const char *text, size_t length)
{
	static const char special[] = "&<>\"'";
	static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	struct wm_character character;
	for (size_t i = 0; i < length; i += character.length) {
		const char *found = memchr(special, text[i], sizeof special - 1);
		character = wm_character_at(text + i, length - i);
		if (found)
			fputs(entity[found - special], out);
		else
			put_character(out, text + i, character);
	}
}

void wm_html_print(FILE *out, const char *markup, ...)
{
	va_list texts;
	va_start(texts, markup);
	for (const char *next; (next = strstr(markup, "%s")); markup = next + 2) {
		const char *text = va_arg(texts, const char *);
		fwrite(markup, 1, (size_t)(next - markup), out);
		escape_bytes(out, text, strlen(text));
	}
	va_end(texts);
	fputs(markup, out);
}

/* ---- Pages --------------------------------------------------------------------------------- */

/* Which option adds the source that the page lacks. */
static void advise(struct wm_document *page)
{
	char *advice = page->missing ? wm_source_advice(&page->sources, page->missing) : NULL;
	wm_document_take(page, "", advice);
	free(page->missing);
	page->missing = NULL;
}

static void finish_page(struct wm_document *page)
{
	fprintf(page->out, "<footer>Counts are exact; functions without exact counts are listed as refused or "
			   "skipped.</footer></main></body></html>\n");
	wm_pages_close(&page->pages);
	page->out = NULL;
}

/* Ends the page, or the section: its page may get others. */
static void end_page(struct wm_document *page)
{
	if (!page->out)
		return;
	advise(page);
	if (!page->in_section) {
		finish_page(page);
		return;
	}
	fputs("</section>\n", page->out);
	wm_pages_close(&page->pages);
	page->out = NULL;
	page->in_section = false;
}

FILE *wm_html_data(struct wm_document *page, const char *name)
{
	end_page(page);
	return wm_pages_open(&page->pages, name);
}

void wm_html_data_end(struct wm_document *page)
{
	wm_pages_close(&page->pages);
}

void wm_html_script(struct wm_document *page, const char *up, const char *name)
{
	fprintf(page->out, "<script src=\"%s%s\"></script>\n", up, name);
}

void wm_html_page(struct wm_document *page, const char *name, const char *title)
{
	end_page(page);
	page->out = wm_pages_open(&page->pages, name);
	wm_html_print(page->out,
		"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' file:; "
		"style-src "
		"'self' file: 'unsafe-inline'; img-src data:\">"
		"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>%s</title>"
		"<link rel=\"stylesheet\" href=\"%sstyle.css\"></head><body><main>\n",
		title, strchr(name, '/') ? "../" : "");
}

static void begin(struct wm_document *page, const struct wm_document_title *title)
{
	const struct wm_story *story = title->story;
	wm_html_page(page, "index.html", title->title);
	wm_html_print(page->out, "<h1>%s</h1>", title->heading);
	if (story)
		fputs("<p class=\"sub\">", page->out);
	for (size_t i = 0; story && i < story->object_count; i++)
		wm_html_print(page->out, i ? ", %s" : "%s", story->object[i].path);
	if (story)
		fputs("</p>\n", page->out);
	if (title->explanation)
		wm_html_print(page->out, "<p class=\"sub\">%s</p>\n", title->explanation);
}

static const char *paged_file(const struct wm_story_function *function)
{
	const char *file = wm_story_file(function);
	return file ? file : "";
}

uint32_t wm_html_function_page(struct wm_document *page, const struct wm_story_function *function, size_t number)
{
	return wm_function_page(&page->function_pages, paged_file(function), number);
}

static void open_function_page(struct wm_document *page, uint32_t number)
{
	char name[32];
	snprintf(name, sizeof name, "f/%u.html", number);
	page->out = wm_pages_open(&page->pages, name);
}

static void begin_function_page(struct wm_document *page, uint32_t number, const char *file)
{
	char name[32];
	snprintf(name, sizeof name, "f/%u.html", number);
	wm_html_page(page, name, *file ? wm_short_file(file) : "functions");
	wm_html_print(page->out,
		"<p><a href=\"../index.html\">&larr; all functions</a> &middot; <a href=\"#\">functions of "
		"%s</a></p>\n",
		*file ? wm_short_file(file) : "unknown files");
	if (page->scripted)
		fputs("<noscript><p class=\"note\">The paths of this page need JavaScript; <code>waymark report "
		      "--file</code> prints them.</p></noscript>\n",
			page->out);
}

static void function_page(struct wm_document *page, const struct wm_story_function *function, size_t number)
{
	char place[512];
	const struct wm_map_function *map = function->map;
	uint32_t own = wm_html_function_page(page, function, number);
	wm_progress("writing pages", page->told++, 0);
	end_page(page);
	if (wm_function_page_begin(&page->function_pages, own))
		begin_function_page(page, own, paged_file(function));
	else
		open_function_page(page, own);
	page->in_section = true;
	page->section = number;
	fprintf(page->out, "<section class=\"function\" id=\"f%zu\">\n", number);
	wm_html_print(page->out, "<h1 class=\"mono\" style=\"font-size:20px\">%s</h1><p class=\"sub\">%s",
		function->display, wm_place_text(function, place, sizeof place));
	wm_html_print(page->out, "%s%s", *place ? ", " : "",
		map->status == WM_EXACT ? map->scheme : wm_story_status(function));
	fprintf(page->out, ", %s graph of %u block%s</p>\n", wm_stage_text(map->stage), map->graph.block_count,
		wm_plural(map->graph.block_count));
}

static void heading(struct wm_document *page, const char *text)
{
	wm_html_print(page->out, "<h2>%s</h2>\n", text);
}

void wm_html_note_missing(struct wm_document *page, const char *file, uint32_t line)
{
	bool missing = file && line && !page->sources.off && wm_source_state(&page->sources, file) != WM_SOURCE_SHOWN;
	if (missing && !page->missing)
		page->missing = wm_xstrdup(file);
}

static void figure(struct wm_document *page, const char *before, const char *number, const char *words)
{
	(void)before;
	fputs(page->figures ? "" : "<div class=\"cards\">", page->out);
	page->figures = true;
	wm_html_print(page->out, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n", number, words);
}

static void figures_end(struct wm_document *page)
{
	fputs(page->figures ? "</div>\n" : "", page->out);
	page->figures = false;
}

void wm_html_share(struct wm_document *page, double percent)
{
	fprintf(page->out, "<span class=\"share\"><i style=\"width:%.2f%%\"></i><b>%.2f%%</b></span>", percent,
		percent);
}

static void sentence(struct wm_document *page, const char *prefix, const char *text)
{
	(void)prefix;
	wm_html_print(page->out, "<p class=\"note\">%s</p>\n", text);
}

static void headline(struct wm_document *page, const char *prefix, const char *bold, const char *rest)
{
	(void)prefix;
	wm_html_print(page->out, "<p class=\"note\"><b>%s</b>%s</p>\n", bold, rest);
}

static void warning(struct wm_document *page, const char *prefix, const char *text)
{
	(void)prefix;
	wm_html_print(page->out, "<p class=\"note refused\">%s</p>\n", text);
}

/* The table of the index has it. */
static void nothing_listed(struct wm_document *page, const char *text)
{
	(void)page, (void)text;
}

static void remark(struct wm_document *page, const char *text, const char *code)
{
	wm_html_print(page->out, "<p class=\"soft\">%s", text);
	if (code)
		wm_html_print(page->out, " <code>%s</code>", code);
	fputs("</p>\n", page->out);
}

static void parting(struct wm_document *page, bool edge_known, const char *text)
{
	wm_html_print(page->out, "<p class=\"new\"><span class=\"tag %s\">%s</span> %s</p>\n",
		edge_known ? "case" : "bad", edge_known ? "new path" : "new edge", text);
}

static void code_line(struct wm_document *page, const char *prefix, const char *name, const char *words)
{
	(void)prefix;
	fputs("<p>", page->out);
	if (*name)
		wm_html_print(page->out, "<code>%s</code> ", name);
	wm_html_print(page->out, "<span class=\"soft\">%s</span></p>\n", words);
}

/* ---- Paths --------------------------------------------------------------------------------- */

static const char *outcome_class(const char *outcome)
{
	if (strcmp(outcome, "true") == 0)
		return "true";
	if (strcmp(outcome, "false") == 0)
		return "false";
	if (strcmp(outcome, "threw") == 0)
		return "bad";
	if (strcmp(outcome, "returned") == 0)
		return "plain";
	return "case";
}

static void outcome_tags(struct wm_document *page, const struct wm_row *row)
{
	char decision[WM_CONDITION_MAX + WM_OUTCOME_MAX];
	for (size_t i = row->first; i < row->end; i++) {
		const struct wm_source_step *step = &page->steps.step[i];
		if (!step->decision.outcome[0])
			continue;
		wm_html_print(page->out, "<i class=%s>%s</i> ", outcome_class(step->decision.outcome),
			wm_decision_text(&step->decision, decision));
	}
}

static bool has_outcome(const struct wm_document *page, const struct wm_document_row *row)
{
	for (size_t i = row->row.first; i < row->row.end; i++)
		if (page->steps.step[i].decision.outcome[0])
			return true;
	return false;
}

/* Whether the row can be in the cells of the one before it, which is most of the lines of a block. */
static bool continues_row(const struct wm_document *page, const struct wm_document_row *row)
{
	const struct wm_source_step *step = row->step, *before = row[-1].step;
	return step->function == before->function && step->block == before->block && step->address == before->address &&
	       step->depth == before->depth && !step->begins[0] && !row->highlighted && !row[-1].highlighted &&
	       !has_outcome(page, row);
}

static void padding(struct wm_document *page, unsigned depth)
{
	if (depth)
		fprintf(page->out, " style=\"padding-left:%uem\"", 2 * depth);
}

static void row_head(struct wm_document *page, const struct wm_document_row *row)
{
	const struct wm_source_step *step = row->step;
	if (step->begins[0]) {
		fputs("<tr><td><td colspan=\"2\" class=\"soft\"", page->out);
		padding(page, step->depth);
		wm_html_print(page->out, ">%s\n", step->begins);
	}
	fputs(row->highlighted ? "<tr class=parts" : "<tr", page->out);
	if (step->address)
		fprintf(page->out, " title=%#" PRIx64, step->address);
	fputc('>', page->out);
}

/* Lines of one block.  Cells keep line ends, so that each line is beside its number. */
static void step_rows(struct wm_document *page, const struct wm_document_row *row, size_t count)
{
	row_head(page, row);
	for (size_t i = 0; i < count; i++)
		wm_html_print(page->out, i ? "\n%s" : "<td>%s", row[i].label);
	fputs("<td>", page->out);
	outcome_tags(page, &row->row);
	fputs("<td", page->out);
	padding(page, row->step->depth);
	for (size_t i = 0; i < count; i++) {
		wm_html_note_missing(page, row[i].text ? NULL : row[i].step->file, row[i].step->line);
		fputc(i ? '\n' : '>', page->out);
		if (row[i].text)
			escape_bytes(page->out, row[i].text, row[i].length);
	}
	fputs("</td>\n", page->out);
}

/* Steps are most of the bytes of a report, so that end tags and quotes are left out where HTML allows it, and the style sheet knows
 * the columns and the outcomes. */
static void step_table(struct wm_document *page, const struct wm_document_row *row, size_t count)
{
	fputs("<table class=\"steps mono\"><tbody>\n", page->out);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && continues_row(page, &row[end]);)
			end++;
		step_rows(page, &row[first], end - first);
	}
	fputs("</tbody></table>\n", page->out);
}

/* For readers who do not see the lines. */
static void decisions(struct wm_document *page, bool open)
{
	if (open)
		return;
	char decision[WM_CONDITION_MAX + WM_OUTCOME_MAX];
	size_t shown = 0;
	fputs("<span class=\"brief\">", page->out);
	for (size_t i = 0; i < page->steps.count && shown <= 12; i++) {
		const struct wm_source_step *step = &page->steps.step[i];
		if (!step->decision.outcome[0] || strcmp(step->decision.outcome, "returned") == 0)
			continue;
		if (shown++ == 12) {
			fputs("<i class=plain>&hellip;</i>", page->out);
			break;
		}
		fprintf(page->out, "<i class=%s>", outcome_class(step->decision.outcome));
		if (step->line)
			fprintf(page->out, "%u ", step->line);
		wm_html_print(page->out, "%s</i>", wm_decision_text(&step->decision, decision));
	}
	fputs("</span>", page->out);
}

static const char *end_words(const struct wm_path_ends *ends, char call[WM_CALL_WORDS])
{
	static const char *const words[] = {[WM_END_RETURN] = "return",
		[WM_END_NORETURN] = "a call that does not return",
		[WM_END_UNWIND] = "unwinding",
		[WM_END_BACKEDGE] = "back edge",
		[WM_END_CALL] = NULL};
	wm_path_call_words(ends, call);
	if (ends->end == WM_END_CALL)
		return call;
	return ends->end < sizeof words / sizeof *words && words[ends->end] ? words[ends->end] : "cut";
}

/* What a span has begun with. */
static void put_ends(struct wm_document *page)
{
	char call[WM_CALL_WORDS];
	wm_html_print(page->out, "%s", wm_start_words(page->ends.start));
	fputs(" &rarr; ", page->out);
	wm_html_print(page->out, "%s</span>", end_words(&page->ends, call));
}

static void path_end(struct wm_document *page)
{
	const struct wm_path_ends *ends = &page->ends;
	char call[WM_CALL_WORDS];
	wm_html_print(page->out, "<div class=\"end\">ends at: %s", end_words(ends, call));
	if (ends->edge != WM_NONE) {
		uint32_t target = ends->last->map->graph.edge_to[ends->edge], line = wm_block_line(ends->last, target);
		fprintf(page->out, " to %s %u", line ? "line" : "block", line ? line : target);
	}
	fputs("</div></details>\n", page->out);
}

/* Begins what </summary> ends and </details> closes. */
static void details(struct wm_document *page, const char *id, double percent, const char *count, bool open)
{
	fprintf(page->out, "<details class=\"path\"%s%s><summary>", id, open ? " open" : "");
	wm_html_share(page, percent);
	wm_html_print(page->out, "<span class=\"count\">%s</span>", count);
}

static void path_begin(struct wm_document *page, const struct wm_story_path *path, uint64_t whole, bool open)
{
	char id[64];
	snprintf(id, sizeof id, " id=\"f%zup%" PRIu64 "\"", page->section, path->id);
	details(page, id, wm_share(path->count, whole), wm_thousands(path->count), open);
	fprintf(page->out, "<span>%s</span><span class=\"soft\">", wm_path_label(path->id));
	put_ends(page);
	decisions(page, open);
	fputs("</summary>\n", page->out);
	if (path->first_seen)
		fprintf(page->out, "<p class=\"soft\">first seen %s by process %" PRIu64 "</p>\n",
			wm_time_text(path->first_seen), path->pid);
}

static void path_begin_as(struct wm_document *page, uint64_t id, double share, const char *words, bool open)
{
	details(page, "", 100 * share, words, open);
	fprintf(page->out, "<span>%s</span><span class=\"soft\">", wm_path_label(id));
	put_ends(page);
	decisions(page, open);
	fputs("</summary>\n", page->out);
}

static void path_possible(struct wm_document *page, const char *prefix, uint64_t id, const char *words,
	const char *contradiction, bool open)
{
	(void)prefix;
	fprintf(page->out, "<details class=\"path\" id=\"f%zup%" PRIu64 "\"%s><summary><span>path %" PRIu64 "</span>",
		page->section, id, open ? " open" : "", id);
	fputs("<span class=\"soft\">", page->out);
	put_ends(page);
	wm_html_print(page->out, "<span class=\"soft\">%s%s%s</span>", words, *words && contradiction ? ", " : "",
		contradiction ? "likely infeasible" : "");
	decisions(page, open);
	fputs("</summary>\n", page->out);
	if (contradiction)
		wm_html_print(page->out, "<p class=\"note\">likely infeasible: %s</p>\n", contradiction);
}

static void item_begin(struct wm_document *page, const struct wm_item *item)
{
	details(page, "", item->percent, item->count, item->open);
	if (item->name)
		wm_html_print(page->out, "<code>%s</code>", item->name);
	wm_html_print(page->out, "<span class=\"soft\">%s</span>", item->words);
	if (item->decisions)
		decisions(page, item->open);
	fputs("</summary>\n", page->out);
}

static void item_end(struct wm_document *page)
{
	fputs("</details>\n", page->out);
}

static void more(struct wm_document *page, const char *command, const char *what, size_t count, uint64_t executions,
	uint64_t whole)
{
	(void)executions, (void)whole;
	fprintf(page->out, "<p class=\"soft\">%s more %ss ran; <code>waymark %s --json</code> lists them all.</p>\n",
		wm_thousands(count), what, command);
}

/* ---- Lists --------------------------------------------------------------------------------- */

static void refused_list(struct wm_document *page, const struct wm_story_refusal *refused, size_t count)
{
	if (!count)
		return;
	fprintf(page->out,
		"<details class=\"note refused\"%s><summary>%zu refused, because the counts would not be "
		"exact</summary><ul>",
		count <= 5 ? " open" : "", count);
	for (size_t first = 0, end; first < count; first = end) {
		end = wm_refused_alike(refused, first, count);
		fputs("<li>", page->out);
		for (size_t i = first; i < end; i++) {
			char *name = wm_demangle(refused[i].name);
			wm_html_print(page->out, i == first ? "<code>%s</code>" : ", <code>%s</code>", name);
			free(name);
		}
		wm_html_print(page->out, ": %s</li>\n", refused[first].reason);
	}
	fputs("</ul></details>\n", page->out);
}

static void left_out(struct wm_document *page, char *sentence)
{
	wm_html_print(page->out, "<p class=\"soft\">%s</p>\n", sentence);
	free(sentence);
}

static void head(struct wm_document *page, bool number, const char *order, const char *text)
{
	fprintf(page->out, "<th aria-sort=\"%s\"%s><button>%s</button></th>", order, number ? " class=\"num\"" : "",
		text);
}

static void table_tools(struct wm_document *page, const char *others)
{
	fputs("<div class=\"tools\"><input id=\"search\" type=\"search\" placeholder=\"Find functions by name, file or "
	      "status\" aria-label=\"Find functions\">",
		page->out);
	fprintf(page->out,
		"<label><input id=\"idle\" type=\"checkbox\" checked> %s</label><span id=\"shown\" "
		"class=\"soft\"></span></div>\n",
		others);
}

/* The classes of a table name its columns of numbers, so that their cells need none. */
static void number_classes(struct wm_document *page, const struct wm_table *table)
{
	unsigned position = 1;
	for (size_t i = 0; i < table->count; i++)
		for (int cells = table->column[i].whole ? 2 : 1; cells; cells--, position++)
			if (table->column[i].number)
				fprintf(page->out, " num-%u", position);
}

static bool table_begin(struct wm_document *page, const struct wm_table *table)
{
	if (table->others)
		table_tools(page, table->others);
	fputs("<div class=\"wide\"><table class=\"functions", page->out);
	number_classes(page, table);
	fputs("\"><thead><tr>", page->out);
	page->table = table;
	for (size_t i = 0; i < table->count; i++) {
		const struct wm_column *column = &table->column[i];
		const char *order = table->ascending ? "ascending" : "descending";
		head(page, column->number, (int)i == table->ordered_by ? order : "none", column->head);
		if (column->whole)
			head(page, column->number, "none", column->whole);
	}
	fputs("</tr></thead><tbody>\n", page->out);
	return true;
}

static void table_end(struct wm_document *page)
{
	fputs("</tbody></table></div>\n<script src=\"table.js\"></script>\n", page->out);
}

static bool row_begin(struct wm_document *page, bool matters)
{
	page->cells = 0;
	fprintf(page->out, "<tr%s>", matters ? " data-ran=\"1\"" : "");
	return true;
}

static void row_end(struct wm_document *page)
{
	fputs("\n", page->out);
}

/* An index has a row for each function of a program: cells have no end tags, and no key if `text` is its number. */
static void begin_cell(struct wm_document *page, double key, const char *text)
{
	bool number = page->table->column[page->cells++].number;
	fputs("<td", page->out);
	char digits[32] = "";
	if (number && key >= 0 && key < 0x1p53 && key == floor(key))
		wm_thousands_print((uint64_t)key, digits);
	if (!isnan(key) && (!*digits || strcmp(digits, text) != 0))
		fprintf(page->out, key == floor(key) ? " data-key=\"%.15g\"" : " data-key=\"%.9g\"", key);
	fputc('>', page->out);
}

static void cell(struct wm_document *page, double key, const char *text)
{
	begin_cell(page, key, text);
	wm_html_print(page->out, "%s", text);
}

static void cell_of(struct wm_document *page, uint64_t part, const char *whole, double key)
{
	cell(page, (double)part, wm_thousands(part));
	page->cells--;
	cell(page, key, whole ? whole : "");
}

static void cell_share(struct wm_document *page, double percent, const char *instead)
{
	begin_cell(page, percent, "");
	if (instead)
		wm_html_print(page->out, "<span class=\"soft\">%s</span>", instead);
	else
		wm_html_share(page, percent);
}

static void cell_tag(struct wm_document *page, enum wm_tag tag, const char *text, const char *reason)
{
	static const char *const style[] = {[WM_TAG_PLAIN] = "tag",
		[WM_TAG_GOOD] = "tag true",
		[WM_TAG_POOR] = "tag false",
		[WM_TAG_BAD] = "tag bad"};
	begin_cell(page, NAN, "");
	wm_html_print(
		page->out, *reason ? "<span class=\"%s\" title=\"%s\">" : "<span class=\"%s\">", style[tag], reason);
	wm_html_print(page->out, "%s</span>", text);
}

void wm_html_number(struct wm_document *page, uint64_t number, bool told)
{
	fprintf(page->out, "<td class=\"num\" data-key=\"%" PRIu64 "\">%s</td>", number,
		told ? wm_thousands(number) : "");
}

static void cell_function(
	struct wm_document *page, const struct wm_story_function *function, size_t number, bool linked)
{
	char place[512];
	page->cells++;
	fputs("<td class=\"name\">", page->out);
	if (linked)
		fprintf(page->out, "<a href=\"f/%u.html#f%zu\">", wm_html_function_page(page, function, number),
			number);
	wm_html_print(page->out, linked ? "<code>%s</code></a><small>%s" : "<code>%s</code><small>%s", function->brief,
		wm_place_text(function, place, sizeof place));
	if (function->state == WM_STORY_SKIPPED || function->state == WM_STORY_REFUSED)
		wm_html_print(page->out, " &middot; %s", wm_story_reason(function));
	fputs("</small>", page->out);
}

static void markup(struct wm_document *page, void (*write)(struct wm_document *page, void *closure), void *closure)
{
	write(page, closure);
}

/* The first item of each function; list->count: it has none. */
static size_t *first_items(const struct wm_told_list *list)
{
	size_t *first = wm_xrealloc(NULL, list->function_count + 1, sizeof *first);
	for (size_t f = 0; f < list->function_count; f++)
		first[f] = list->count;
	for (size_t i = list->count; i-- > 0;)
		first[list->function_of(list->closure, i)] = i;
	return first;
}

static void list_page(struct wm_document *page, const struct wm_told_list *list, size_t function, size_t first)
{
	size_t told = 0;
	list->tell_function(page, list->closure, function);
	for (size_t i = first; i < list->count; i++)
		if (list->function_of(list->closure, i) == function && told++ < WM_HTML_DETAILED)
			list->tell(page, list->closure, i, told <= WM_HTML_OPEN);
	if (told > WM_HTML_DETAILED)
		fprintf(page->out, "<p class=\"soft\">%s more %s; <code>waymark %s --json</code> lists them all.</p>\n",
			wm_thousands(told - WM_HTML_DETAILED), told - WM_HTML_DETAILED == 1 ? list->one : list->many,
			list->command);
}

static void list_pages(struct wm_document *page, const struct wm_told_list *list)
{
	size_t *first = first_items(list);
	for (size_t f = 0; f < list->function_count; f++)
		if (first[f] < list->count)
			list_page(page, list, f, first[f]);
	free(first);
}

/* ---- The document -------------------------------------------------------------------------- */

static void finish_function_pages(struct wm_document *page)
{
	for (uint32_t i = 0; i < page->function_pages.count; i++) {
		if (!page->function_pages.begun[i])
			continue;
		open_function_page(page, i);
		if (page->scripted) {
			wm_html_script(page, "../", "paths.js");
			wm_html_script(page, "../", "function.js");
		}
		finish_page(page);
	}
	wm_function_pages_release(&page->function_pages);
}

static void end(struct wm_document *page)
{
	const struct wm_sources *sources = &page->sources;
	wm_progress_end();
	end_page(page);
	finish_function_pages(page);
	wm_pages_end(&page->pages);
	if (sources->refused_count)
		wm_warn("%zu source file%s outside the current directory and not in the pages (the first is %s); "
			"--source-dir DIR allows the files below DIR",
			sources->refused_count, sources->refused_count == 1 ? " is" : "s are", sources->refused);
	if (sources->absent_count)
		wm_warn("%zu source file%s not found (the first is %s); --source-dir DIR names a directory in which %s",
			sources->absent_count, sources->absent_count == 1 ? " is" : "s are", sources->absent,
			sources->absent_count == 1 ? "it is" : "they are");
}

void wm_document_html_begin(struct wm_document *page)
{
	static const struct wm_document_form form = {.whole = true,
		.title = begin,
		.function = function_page,
		.heading = heading,
		.refused = refused_list,
		.left_out = left_out,
		.figure = figure,
		.figures_end = figures_end,
		.sentence = sentence,
		.headline = headline,
		.warning = warning,
		.listed = nothing_listed,
		.name = nothing_listed,
		.remark = remark,
		.parting = parting,
		.line = code_line,
		.path = path_begin,
		.path_as = path_begin_as,
		.path_possible = path_possible,
		.rows = step_table,
		.path_end = path_end,
		.item = item_begin,
		.item_end = item_end,
		.more = more,
		.table = table_begin,
		.row = row_begin,
		.cell = cell,
		.cell_of = cell_of,
		.cell_share = cell_share,
		.cell_tag = cell_tag,
		.cell_function = cell_function,
		.row_end = row_end,
		.table_end = table_end,
		.markup = markup,
		.list = list_pages,
		.end = end};
	page->form = &form;
	wm_pages_begin(&page->pages, page->options->html);
}
