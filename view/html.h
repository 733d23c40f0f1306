/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A directory of static HTML pages: an index with a table of functions, and one page per function.  No page loads
 * anything from the network.
 */
#ifndef WM_VIEW_HTML_H
#define WM_VIEW_HTML_H

#include "analysis/story/steps.h"
#include "support/output.h"
#include "view/report.h"

extern const char wm_html_style[];
extern const char wm_html_script[];

/* A page with more than this would take long to open; --json contains everything. */
enum { WM_HTML_DETAILED = 200, WM_HTML_LISTED = 2000, WM_HTML_OPEN = 5 };

struct wm_html {
	const struct wm_report_options *options;
	struct wm_sources sources;
	struct wm_steps steps;
	struct wm_path_ends ends; /* of the path between path_begin and path_end */
	char *target, *directory; /* where it goes; the new one beside it */
	char *path; /* of the page that is being written */
	struct wm_output page;
	FILE *out;	   /* page.file */
	char *missing; /* NULL, or a file whose source the page lacks */
};

/* Creates the new directory, with an empty directory f/ for the pages of functions.  Ends in wm_fail if options->html
 * names a directory that is neither empty nor a report. */
void wm_html_site_begin(struct wm_html *site, const struct wm_report_options *options);
/* Moves the new directory to its final name and releases the site. */
void wm_html_site_end(struct wm_html *site);

/* Begins a page; `root` is the relative path from the page to the directory of the index. */
void wm_html_open(struct wm_html *site, const char *name);
void wm_html_begin(struct wm_html *site, const char *title, const char *root);
void wm_html_end(struct wm_html *site);
/* Notes that the page has no text for a line, if that is because of the file: its end then says which option helps. */
void wm_html_note_missing(struct wm_html *site, const char *file, uint32_t line);
void wm_html_close(struct wm_html *site);

void wm_html_text(FILE *out, const char *text); /* escaped */
void wm_html_card(struct wm_html *site, const char *number, const char *what);
void wm_html_share(struct wm_html *site, double percent);
void wm_html_place(struct wm_html *site, const struct wm_story_function *function);
void wm_html_notes(struct wm_html *site, char *const *note, size_t count);
void wm_html_refused(struct wm_html *site, const struct wm_story_refusal *refused, size_t count);

/* The table of the index.  Rows with data-ran="1" stay visible when `others` is switched off. */
struct wm_html_column {
	const char *head;
	bool number;
};
void wm_html_table_begin(struct wm_html *site, const struct wm_html_column *columns, size_t count, const char *others);
void wm_html_table_end(struct wm_html *site);
void wm_html_number(struct wm_html *site, uint64_t number, bool told);
/* The table cell with the name of a function; `page` NULL: without a link. */
void wm_html_name(struct wm_html *site, const struct wm_story_function *function, const char *page);

/* Writes a path: its summary, then what the caller adds, then its lines.  The share is relative to `whole`.  The
 * decision of block `highlighted` (WM_NONE: none) is highlighted. */
void wm_html_path_begin(struct wm_html *site, const struct wm_story_function *function,
	const struct wm_story_path *path, uint64_t whole, bool open);
void wm_html_path_end(struct wm_html *site, const struct wm_story_function *function, uint32_t highlighted);
/* The table of the lines of site->steps. */
void wm_html_steps(struct wm_html *site, const struct wm_story_function *function, uint32_t highlighted);
const char *wm_html_start(unsigned start);
const char *wm_html_end_words(unsigned end);

#endif
