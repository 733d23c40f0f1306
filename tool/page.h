/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Text for a terminal or a pipe, as report, residual and tests print it: plain
 * ASCII; bold and colour only where somebody looks at it.
 */
#ifndef WM_TOOL_PAGE_H
#define WM_TOOL_PAGE_H

#include "tool/report.h"
#include "tool/steps.h"

struct wm_page {
	FILE *out;
	const struct wm_story *story;
	const struct wm_report_options *options;
	struct wm_sources sources;
	struct wm_steps steps; /* of the path told last */
	size_t width; /* 0: lines are never cut */
	const char *bold, *dim, *good, *bad, *plain;
};

void wm_page_init(struct wm_page *page, const struct wm_report_options *options, FILE *out);
void wm_page_release(struct wm_page *page);

/* The line that opens a path: its share of `whole`, count, id, start and end. */
void wm_page_path(struct wm_page *page, const struct wm_story_function *function, const struct wm_story_path *path,
	uint64_t whole);
/* The same of a path that need not have run: id, start and end. */
void wm_page_possible_path(struct wm_page *page, const struct wm_story_function *function, uint64_t id);
/* Its lines and outcomes, after one of these; the decision of block `marked`
 * (WM_NONE: none) is pointed at. */
void wm_page_rows(struct wm_page *page, const struct wm_story_function *function, uint32_t marked);
void wm_page_refused(struct wm_page *page, const struct wm_story_refusal *refused, size_t count);
/* Names of functions or tests, wrapped; call with NULL to end the last line. */
void wm_page_name(struct wm_page *page, size_t *column, const char *name);

/* "" or "s" */
const char *wm_plural(uint64_t count);
/* "dir/file.c:12", "file.c", or "" */
const char *wm_place_text(const struct wm_story_function *function, char *text, size_t size);

#endif
