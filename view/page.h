/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Text output of report, residual and tests, for a terminal or a pipe: plain ASCII; bold and colour only on a
 * terminal.
 */
#ifndef WM_VIEW_PAGE_H
#define WM_VIEW_PAGE_H

#include "analysis/story/steps.h"
#include "view/report.h"

struct wm_page {
	FILE *out;
	const struct wm_story *story;
	const struct wm_report_options *options;
	struct wm_sources sources;
	struct wm_steps steps; /* of the path that was printed last */
	size_t width; /* 0: lines are never cut */
	const char *bold, *dim, *good, *bad, *plain;
};

void wm_page_init(struct wm_page *page, const struct wm_report_options *options, FILE *out);
void wm_page_release(struct wm_page *page);

/* Prints the first line of a path: its share of `whole`, count, id, start and end. */
void wm_page_path(struct wm_page *page, const struct wm_story_function *function, const struct wm_story_path *path,
	uint64_t whole);
/* The same for a path that need not have run: id, start and end. */
void wm_page_possible_path(struct wm_page *page, const struct wm_story_function *function, uint64_t id);
/* Prints the source lines and outcomes of the path whose first line was printed last.  The decision of block
 * `highlighted` (WM_NONE: none) is highlighted. */
void wm_page_rows(struct wm_page *page, const struct wm_story_function *function, uint32_t highlighted);
void wm_page_refused(struct wm_page *page, const struct wm_story_refusal *refused, size_t count);
/* Says how many functions in system headers a list leaves out; nothing if there are none. */
void wm_page_unlisted(FILE *out, size_t count);
/* Names of functions or tests, wrapped; call with NULL to end the last line. */
void wm_page_name(struct wm_page *page, size_t *column, const char *name);

/* "" or "s" */
const char *wm_plural(uint64_t count);
/* "dir/file.c:12", "file.c", or "" */
const char *wm_place_text(const struct wm_story_function *function, char *text, size_t size);

#endif
