/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A report, which is written once and becomes text for a terminal or a pipe, or a directory of HTML pages.
 *
 * A report is one function that walks the result of an analysis and calls the elements below: sentences, headings, paths
 * with their source lines, lists of what was refused.  Each element has a text form (document_text.c: plain ASCII; bold and
 * colour only on a terminal) and an HTML form (document_html.c).  What has no counterpart in the other form is written by the
 * report itself, which asks `html`: text sums up in sentences and shows the hottest rows of a table; pages sum up in cards
 * and contain whole tables, which their readers sort and search.
 */
#ifndef WM_VIEW_DOCUMENT_DOCUMENT_H
#define WM_VIEW_DOCUMENT_DOCUMENT_H

#include "analysis/tell/steps.h"
#include "view/document/pages.h"
#include "view/document/view_options.h"

/* A page with more than this would take long to open; --json contains everything. */
enum { WM_HTML_DETAILED = 200, WM_HTML_LISTED = 2000, WM_HTML_OPEN = 5 };

/* A source line of a path. */
struct wm_document_row {
	struct wm_row row;
	const struct wm_source_step *step; /* the first one */
	char label[512]; /* its line, "file.c:12" or "block 3" */
	char outcome[WM_ROW_MAX]; /* "" or what is decided there */
	const char *text; /* of the line; NULL: not known */
	size_t length;
	bool highlighted;
};

/* What differs between the forms; reports call the first two, and the functions below call the others. */
struct wm_document;
struct wm_document_form {
	/* Begins what is said of one function: a heading, or the page f/NUMBER.html. */
	void (*function)(struct wm_document *document, const struct wm_story_function *function, size_t number);
	/* Functions that were refused, with the reasons; nothing if there are none. */
	void (*refused)(struct wm_document *document, const struct wm_story_refusal *refused, size_t count);
	void (*sentence)(struct wm_document *document, const char *prefix, const char *text);
	void (*path)(struct wm_document *document, const struct wm_story_path *path, uint64_t whole, bool open);
	void (*path_as)(struct wm_document *document, uint64_t id, double share, const char *words, bool open);
	void (*rows)(struct wm_document *document, const struct wm_document_row *row, size_t count);
	void (*path_end)(struct wm_document *document); /* NULL: the rows are its end */
	void (*end)(struct wm_document *document);
};

struct wm_document {
	const struct wm_report_options *options;
	const struct wm_document_form *form;
	bool html;
	FILE *out; /* the text, or the page that is being written */
	struct wm_sources sources;
	struct wm_steps steps; /* of the path that was told last */
	struct wm_path_ends ends; /* … and where it begins and ends */
	/* Text.  The styles are "" in HTML. */
	size_t width; /* 0: lines are never cut */
	const char *bold, *dim, *good, *bad, *plain;
	/* HTML */
	struct wm_pages pages;
	char *missing; /* NULL, or a file whose source the page lacks */
};

/* Begins a document in the form that options->html selects; text goes to `out`.  HTML: ends in wm_fail if options->html names
 * a directory that is neither empty nor a report. */
void wm_document_begin(struct wm_document *document, const struct wm_report_options *options, FILE *out);
void wm_document_text_begin(struct wm_document *document, FILE *out); /* what only wm_document_begin calls */
void wm_document_html_begin(struct wm_document *document);
/* Ends the document, says which source files were not found, and releases it. */
void wm_document_end(struct wm_document *document);

/* A sentence on a line of its own, which begins with `prefix`, or a paragraph of a page, without the prefix. */
__attribute__((format(printf, 3, 4))) void wm_document_say(
	struct wm_document *document, const char *prefix, const char *format, ...);
/* The same for a sentence on the heap, which is freed; NULL: nothing is said. */
void wm_document_take(struct wm_document *document, const char *prefix, char *sentence);
/* Notes of an analysis. */
void wm_document_notes(struct wm_document *document, char *const *note, size_t count);
/* How many paths of a list are shown with their lines. */
size_t wm_document_most_paths(const struct wm_document *document);
/* Begins a path of a function: its share of `whole`, count, id, start and end.  HTML: its lines are collapsed unless `open`. */
void wm_document_path(struct wm_document *document, const struct wm_story_function *function,
	const struct wm_story_path *path, uint64_t whole, bool open);
/* The same with other words than share and count on its first line; HTML also draws `share`, from 0 to 1. */
void wm_document_path_as(struct wm_document *document, const struct wm_story_function *function, uint64_t id,
	double share, const char *words, bool open);
/* Ends this path with its source lines and outcomes.  The decision of block `highlighted` (WM_NONE: none) is highlighted. */
void wm_document_path_end(struct wm_document *document, const struct wm_story_function *function, uint32_t highlighted);
/* Only the source lines and outcomes of document->steps; `function` is one of the binary. */
void wm_document_rows(struct wm_document *document, const struct wm_story_function *function, uint32_t highlighted);
/* Says that a list leaves out `count` paths with `executions` of `whole`.  `what` is in the singular; the command prints them all
 * as JSON. */
void wm_document_more(struct wm_document *document, const char *command, const char *what, size_t count,
	uint64_t executions, uint64_t whole);
/* Text only: the first line of a path that need not have run: id, start and end. */
void wm_document_possible_path(struct wm_document *document, const struct wm_story_function *function, uint64_t id);
/* Text only: says how many functions in system headers a list leaves out; nothing if there are none. */
void wm_print_unlisted(FILE *out, size_t count);
/* Text only: a source line on a line that has `used` columns already, cut at the width of the terminal.  Tabs are replaced by
 * spaces so that columns stay aligned.  No character is cut in two. */
void wm_document_source(struct wm_document *document, const char *text, size_t length, size_t used);
/* Text only: names of functions or tests, wrapped; call with NULL to end the last line. */
void wm_document_name(struct wm_document *document, size_t *column, const char *name);

/* "" or "s" */
const char *wm_plural(uint64_t count);
/* "dir/file.c:12", "file.c", or "" */
const char *wm_place_text(const struct wm_story_function *function, char *text, size_t size);
/* How a path begins: "entry", "loop head", "cut" or "call". */
const char *wm_start_words(enum wm_start start);
/* The number of paths of which there are 10 to the power of `log10`, as "10^23.4" or with markup. */
const char *wm_document_power(const struct wm_document *document, double log10);

/* What only pages have. */

/* Ends the page that is being written and begins another one: NAME.html with this title. */
void wm_html_page(struct wm_document *document, const char *name, const char *title);
/* Ends the page that is being written and begins a file that pages load; and ends that file. */
FILE *wm_html_data(struct wm_document *document, const char *name);
void wm_html_data_end(struct wm_document *document);
/* Loads a script of the report into the page. */
void wm_html_script(struct wm_document *document, const char *up, const char *name);
/* Prints markup in which %s is a text that is escaped; there are no other conversions. */
__attribute__((format(printf, 2, 3))) void wm_html_print(FILE *out, const char *markup, ...);
/* A number of the summary; `format` is markup.  The caller encloses its cards in <div class="cards">. */
__attribute__((format(printf, 3, 4))) void wm_html_card(
	struct wm_document *document, const char *number, const char *format, ...);
void wm_html_share(struct wm_document *document, double percent);
/* The names of the binaries, under the heading of an index. */
void wm_html_objects(struct wm_document *document, const struct wm_story *story);
/* Begins what </summary> ends and </details> closes: a path with its share and count, which is markup. */
void wm_html_details(struct wm_document *document, const char *id, double percent, const char *count, bool open);
/* Begins the path of document->steps, which need not have run, as wm_document_path; `words` say more about it. */
void wm_html_possible_path(
	struct wm_document *document, const struct wm_story_path *path, const char *words, bool open);
/* Only the decisions of document->steps, which are shown while the lines are collapsed. */
void wm_html_brief(struct wm_document *document);
/* Notes that the page has no text for a line, if that is because of the file: its end then says which option helps. */
void wm_html_note_missing(struct wm_document *document, const char *file, uint32_t line);
const char *wm_html_end_words(unsigned end);

/* The table of the index.  Rows with data-ran="1" stay visible when `others` is switched off. */
struct wm_html_column {
	const char *head;
	bool number;
};
void wm_html_table_begin(
	struct wm_document *document, const struct wm_html_column *columns, size_t count, const char *others);
void wm_html_table_end(struct wm_document *document);
void wm_html_number(struct wm_document *document, uint64_t number, bool told);
/* The cell with the name of a function, which links to f/NUMBER.html if `linked`. */
void wm_html_name(struct wm_document *document, const struct wm_story_function *function, size_t number, bool linked);

/* A report that tells something of each function of a story.  As HTML it is an index, with totals and a table, and what
 * tell_functions writes; as text it is the totals, what tell_functions writes, and what is left out. */
struct wm_function_report {
	const char *title, *heading; /* of the index; markup */
	const struct wm_html_column *columns;
	size_t column_count;
	const char *others; /* as in wm_html_table_begin */
	void (*say_totals)(struct wm_document *document, const void *totals);
	/* A row of the table, for each function that the options do not leave out. */
	void (*write_row)(struct wm_document *document, struct wm_story_function *function, size_t number);
	void (*tell_functions)(struct wm_document *document, const struct wm_story *story);
	void (*say_left_out)(struct wm_document *document, const struct wm_story *story);
};
void wm_function_report_write(const struct wm_function_report *report, const void *totals, const struct wm_story *story,
	const struct wm_report_options *options, FILE *out);

#endif
