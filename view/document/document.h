/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A report, which is written once and becomes text for a terminal or a pipe, Markdown, or a directory of HTML pages.
 *
 * A report is one function that walks the result of an analysis and calls elements: sentences, figures, tables, functions,
 * paths with their source lines, lists of what was refused.  An element is a member of struct wm_document_form, which is
 * implemented as text (document_text.c: plain ASCII; bold and colour only on a terminal), as Markdown
 * (document_markdown.c) and as HTML (document_html.c).  The words are the same in all.  A form decides how much it has room for: text shows the hottest rows
 * of a table and says what it leaves out; pages contain whole tables, which their readers sort and search.
 */
#ifndef WM_VIEW_DOCUMENT_DOCUMENT_H
#define WM_VIEW_DOCUMENT_DOCUMENT_H

#include "analysis/tell/steps.h"
#include "view/document/function_pages.h"
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

/* What a document is about. */
struct wm_document_title {
	const char *title, *heading;
	const char *explanation; /* NULL, or how the page is read */
	const struct wm_story *story; /* NULL, or its binaries are named */
};

/* A column of a table.  Cells are added from left to right, each by the function that its kind of content needs. */
enum { WM_COLUMN_LAST = -2, WM_COLUMN_NONE = -1 };
struct wm_column {
	const char *head;
	bool number;
	/* Text: from the end of the column before; negative: of a column that is aligned to the left; 0: only in pages; or
	 * WM_COLUMN_LAST, for a remark at the end of a row, without a head. */
	int width;
	const char *
		whole; /* NULL, or the cells are "PART of WHOLE", which pages have as two columns, of this name the second */
};
struct wm_table {
	const struct wm_column *column;
	size_t count;
	/* What a reader of the pages can hide: the rows that do not matter.  NULL: the rows are no functions, and can be sorted only. */
	const char *others;
	size_t most; /* rows in the text */
	/* The column by which the rows are ordered when the table is told; WM_COLUMN_NONE: by something that is no column. */
	int ordered_by;
	bool ascending; /* the smallest first, such as ranks */
};
enum wm_tag { WM_TAG_PLAIN, WM_TAG_GOOD, WM_TAG_POOR, WM_TAG_BAD };

/* Something with source lines that has no id: a segment, a sequence, a path of machine code. */
struct wm_item {
	double percent;
	const char *count, *name, *words; /* `name` or NULL */
	bool decisions; /* pages: shown while the lines are collapsed */
	bool open; /* pages: the lines are not collapsed */
};

struct wm_document;
struct wm_told_list;
struct wm_document_form {
	/* Whether the form is whole: nothing is left out because of the options for the length of lists. */
	bool whole;
	/* Begins the document. */
	void (*title)(struct wm_document *document, const struct wm_document_title *title);
	/* Begins what is said of one function: a heading, or a section of a page in f/. */
	void (*function)(struct wm_document *document, const struct wm_story_function *function, size_t number);
	/* Of a part of a page; text has none. */
	void (*heading)(struct wm_document *document, const char *text);
	/* Functions that were refused, with the reasons; nothing if there are none.  They are the end of a text, whenever this is
	 * called; the list must outlive the document. */
	void (*refused)(struct wm_document *document, const struct wm_story_refusal *refused, size_t count);
	/* A sentence that says what the document leaves out, which is the end of a text, too; takes it from the heap. */
	void (*left_out)(struct wm_document *document, char *sentence);
	/* A number of the summary, with the words that explain it.  `before` joins it with the figure before, in a text: the
	 * first figure begins a line, and is the headline if its `before` is "". */
	void (*figure)(struct wm_document *document, const char *before, const char *number, const char *words);
	void (*figures_end)(struct wm_document *document);
	void (*sentence)(struct wm_document *document, const char *prefix, const char *text);
	/* A sentence that begins with bold words. */
	void (*headline)(struct wm_document *document, const char *prefix, const char *bold, const char *rest);
	/* A sentence that must not be overlooked. */
	void (*warning)(struct wm_document *document, const char *prefix, const char *text);
	/* A line of a list that pages have in a table, and a name of a wrapped list, of which the last is NULL: nothing in pages. */
	void (*listed)(struct wm_document *document, const char *text);
	void (*name)(struct wm_document *document, const char *name);
	/* Says something of the path before its lines; `code` is NULL or a word to be copied. */
	void (*remark)(struct wm_document *document, const char *text, const char *code);
	/* Says where a path leaves the known ones: by an edge that no known path takes, or not. */
	void (*parting)(struct wm_document *document, bool edge_known, const char *text);
	/* A line with what is known of the code called `name`, which may be "". */
	void (*line)(struct wm_document *document, const char *prefix, const char *name, const char *words);
	/* A path: with its own count; with other words than share and count, of which pages also draw the share, from 0 to 1; or one that need not have run. */
	void (*path)(struct wm_document *document, const struct wm_story_path *path, uint64_t whole, bool open);
	void (*path_as)(struct wm_document *document, uint64_t id, double share, const char *words, bool open);
	void (*path_possible)(struct wm_document *document, const char *prefix, uint64_t id, const char *words,
		const char *contradiction, bool open);
	void (*rows)(struct wm_document *document, const struct wm_document_row *row, size_t count);
	void (*path_end)(struct wm_document *document);
	void (*item)(struct wm_document *document, const struct wm_item *item);
	void (*item_end)(struct wm_document *document);
	/* Says that a list leaves out `count` paths with `executions` of `whole`.  `what` is in the singular; the command prints
	 * them all as JSON. */
	void (*more)(struct wm_document *document, const char *command, const char *what, size_t count,
		uint64_t executions, uint64_t whole);
	/* Begins a table; false: the form has none here, and no rows are added. */
	bool (*table)(struct wm_document *document, const struct wm_table *table);
	/* Begins a row; false: the table leaves it out.  Text has only rows that matter. */
	bool (*row)(struct wm_document *document, bool matters);
	/* `key` is what the column is sorted by. */
	void (*cell)(struct wm_document *document, double key, const char *text);
	/* A cell of a column with `whole`; NULL: it is not known. */
	void (*cell_of)(struct wm_document *document, uint64_t part, const char *whole, double key);
	void (*cell_share)(struct wm_document *document, double percent, const char *instead_or_null);
	void (*cell_tag)(struct wm_document *document, enum wm_tag tag, const char *text, const char *reason);
	/* The name of a function, which links to its section if `linked`. */
	void (*cell_function)(
		struct wm_document *document, const struct wm_story_function *function, size_t number, bool linked);
	void (*row_end)(struct wm_document *document);
	void (*table_end)(struct wm_document *document);
	/* What a text cannot have, such as a drawing or a link: `write` adds markup to the page. */
	void (*markup)(struct wm_document *document, void (*write)(struct wm_document *document, void *closure),
		void *closure);
	/* Tells items that belong to functions: see struct wm_told_list. */
	void (*list)(struct wm_document *document, const struct wm_told_list *list);
	void (*end)(struct wm_document *document);
};

/* Items in the order of their importance, each of which belongs to a function: text tells as many as there is room for, and
 * pages tell those of each function on its page. */
struct wm_told_list {
	const void *closure;
	size_t count, function_count;
	size_t most; /* in the text */
	size_t (*function_of)(const void *closure, size_t item);
	void (*tell_function)(struct wm_document *document, const void *closure, size_t function);
	void (*tell)(struct wm_document *document, const void *closure, size_t item, bool open);
	const char *one, *many; /* what the items are: "path differs", "paths differ" */
	const char *command; /* which prints them all as JSON */
};

struct wm_document {
	const struct wm_report_options *options;
	const struct wm_document_form *form;
	FILE *out; /* the text, or the page that is being written */
	struct wm_sources sources;
	struct wm_steps steps; /* of the path that was told last */
	struct wm_path_ends ends; /* … and where it begins and ends */
	size_t told, untold; /* functions of a list: see wm_document_takes */
	const struct wm_table *table; /* that is being written */
	size_t cells, rows; /* so far: of the row, of the table */
	bool figures; /* there is one already */
	/* Text.  The styles are "" in HTML. */
	size_t width; /* 0: lines are never cut */
	size_t column; /* of a list of names */
	const char *bold, *dim, *good, *bad, *plain;
	const struct wm_story_refusal *refused; /* said at the end */
	size_t refused_count;
	char *left_out; /* likewise; NULL: nothing is */
	/* HTML */
	struct wm_pages pages;
	struct wm_function_pages function_pages;
	bool scripted; /* pages of functions load scripts */
	bool in_section; /* the page that is being written is one of functions … */
	size_t section; /* … and this is the function that is told */
	char *missing; /* NULL, or a file whose source the page lacks */
};

/* Begins a document in the form that options->html or options->markdown selects; text goes to `out`.  HTML: ends in wm_fail if options->html names
 * a directory that is neither empty nor a report. */
void wm_document_begin(struct wm_document *document, const struct wm_report_options *options, FILE *out);
void wm_document_text_begin(struct wm_document *document, FILE *out); /* what only wm_document_begin calls */
void wm_document_markdown_begin(struct wm_document *document, FILE *out);
void wm_document_html_begin(struct wm_document *document);
/* Ends the document, says which source files were not found, and releases it. */
void wm_document_end(struct wm_document *document);

/* How many items of a list the document has, if text has `in_text` without --all. */
size_t wm_document_limit(const struct wm_document *document, size_t in_text, size_t in_pages);
/* … of the paths of a function, with their lines. */
size_t wm_document_most_paths(const struct wm_document *document);
/* Whether the document tells of the next function of a list: pages of every one, text of those that matter, as many as
 * --functions says unless `all`.  form->function counts it as told, or this function as untold. */
bool wm_document_takes(struct wm_document *document, bool matters, bool all);

/* form->figure, with words that are printed. */
__attribute__((format(printf, 4, 5))) void wm_document_figure(
	struct wm_document *document, const char *before, const char *number, const char *format, ...);
/* A sentence on a line of its own, which begins with `prefix`, or a paragraph of a page, without the prefix. */
__attribute__((format(printf, 3, 4))) void wm_document_say(
	struct wm_document *document, const char *prefix, const char *format, ...);
/* form->listed */
__attribute__((format(printf, 2, 3))) void wm_document_list(struct wm_document *document, const char *format, ...);
/* The same as wm_document_say for a sentence on the heap, which is freed; NULL: nothing is said. */
void wm_document_take(struct wm_document *document, const char *prefix, char *sentence);
/* Notes of an analysis. */
void wm_document_notes(struct wm_document *document, char *const *note, size_t count);
/* Begins a path of a function: its share of `whole`, count, id, start and end.  HTML: its lines are collapsed unless `open`. */
void wm_document_path(struct wm_document *document, const struct wm_story_function *function,
	const struct wm_story_path *path, uint64_t whole, bool open);
/* The same with form->path_as. */
void wm_document_path_as(struct wm_document *document, const struct wm_story_function *function, uint64_t id,
	double share, const char *words, bool open);
/* The same of a path that need not have run, with form->path_possible and why it likely cannot. */
void wm_document_path_possible(struct wm_document *document, const char *prefix,
	const struct wm_story_function *function, uint64_t id, const char *words, bool open);
/* Ends this path with its source lines and outcomes.  The decision of block `highlighted` (WM_NONE: none) is highlighted. */
void wm_document_path_end(struct wm_document *document, const struct wm_story_function *function, uint32_t highlighted);
/* Only the source lines and outcomes of document->steps; `function` is one of the binary. */
void wm_document_rows(struct wm_document *document, const struct wm_story_function *function, uint32_t highlighted);
/* A cell with a number; it is empty, or "-", if the number is not known. */
void wm_document_number(struct wm_document *document, uint64_t number, bool known);
/* Text only: a source line on a line that has `used` columns already, cut at the width of the terminal.  Tabs are replaced by
 * spaces so that columns stay aligned.  No character is cut in two. */
void wm_document_source(struct wm_document *document, const char *text, size_t length, size_t used);

/* Says how many functions of the story are not of the project and are left out for that; nothing if none is. */
void wm_document_left_out(struct wm_document *document, const struct wm_story *story);

/* "" or "s" */
const char *wm_plural(uint64_t count);
/* "dir/file.c:12", "file.c", or "" */
const char *wm_place_text(const struct wm_story_function *function, char *text, size_t size);
/* How a path begins: "entry", "loop head", "cut" or "call". */
const char *wm_start_words(enum wm_start start);

/* What the markup of pages is made of. */

/* Ends the page that is being written and begins another one: NAME.html with this title. */
void wm_html_page(struct wm_document *document, const char *name, const char *title);
/* The number of the page of a function, f/PAGE.html, in which its section is #fNUMBER. */
uint32_t wm_html_function_page(struct wm_document *document, const struct wm_story_function *function, size_t number);
/* Ends the page that is being written and begins, or goes on with, a file that pages load; and ends that file. */
FILE *wm_html_data(struct wm_document *document, const char *name);
void wm_html_data_end(struct wm_document *document);
/* Loads a script of the report into the page. */
void wm_html_script(struct wm_document *document, const char *up, const char *name);
/* Prints markup in which %s is a text that is escaped; there are no other conversions. */
__attribute__((format(printf, 2, 3))) void wm_html_print(FILE *out, const char *markup, ...);
void wm_html_share(struct wm_document *document, double percent);
void wm_html_number(struct wm_document *document, uint64_t number, bool told);
/* Notes that the page has no text for a line, if that is because of the file: its end then says which option helps. */
void wm_html_note_missing(struct wm_document *document, const char *file, uint32_t line);

/* A report that tells something of each function of a story: totals, a table, what is left out, and the functions. */
struct wm_function_report {
	struct wm_document_title title;
	struct wm_table table;
	void (*say_totals)(struct wm_document *document, const void *totals);
	/* A row of the table, for each function that the options do not leave out. */
	void (*tell_row)(struct wm_document *document, struct wm_story_function *function, size_t number);
	void (*tell_functions)(struct wm_document *document, const struct wm_story *story);
	void (*say_left_out)(struct wm_document *document, const struct wm_story *story);
};
void wm_function_report_write(const struct wm_function_report *report, const void *totals, const struct wm_story *story,
	const struct wm_report_options *options, FILE *out);

#endif
