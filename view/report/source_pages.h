/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The pages of annotated source, in the directory of an HTML report:
 *
 *     s/NUMBER.html, s/NUMBER.js    a source file: the page, and its text, counts, decisions and calls (source_pages.c)
 *     f/PAGE.js                     of each function of a page that ran: its blocks, paths and drawing (function_data.c), and its
 *                                   callers and callees (function_calls.c)
 *     f/tests.js                    the names of tests, if some are known (function_data.c)
 *
 * The scripts of view/assets show them.
 */
#ifndef WM_VIEW_REPORT_SOURCE_PAGES_H
#define WM_VIEW_REPORT_SOURCE_PAGES_H

#include "analysis/suite/suite.h"
#include "support/printable.h"
#include "view/report/annotated_source.h"
#include "view/report/drawing.h"

/* Of a function with more paths, only the hottest are in its page. */
enum { WM_PAGE_PATHS = 20000 };

/* The table of directories and files of the index. */
void wm_source_tree(struct wm_document *document, const struct wm_annotated *annotated);
/* The pages of all files. */
void wm_source_pages(struct wm_document *document, const struct wm_annotated *annotated);
/* The number of the page of a file of the module of a function; -1: there is none. */
int wm_source_page_number(
	const struct wm_annotated *annotated, const struct wm_story_function *function, uint32_t file);
/* All calls, by callee and by caller. */
struct wm_call_sites {
	size_t count;
	struct wm_call_site *site;
};
struct wm_page_calls {
	struct wm_call_sites callers, callees;
};
void wm_page_calls_make(struct wm_page_calls *calls, const struct wm_annotated *annotated);
void wm_page_calls_release(struct wm_page_calls *calls);
/* Adds the callers and callees of a function to its data. */
void wm_page_calls_add(json_t *object, struct wm_document *document, const struct wm_story *story,
	const struct wm_page_calls *calls, const struct wm_story_function *function);
/* The data of a function that ran. */
void wm_function_data(struct wm_document *document, const struct wm_annotated *annotated,
	const struct wm_page_calls *calls, size_t number, struct wm_drawings *drawings);
/* The names of the tests to which the data of functions refer. */
void wm_tests_data(struct wm_document *document, const struct wm_suite *suite);

#endif
