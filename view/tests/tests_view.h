/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The results of `waymark tests`, for printing. */
#ifndef WM_VIEW_TESTS_TESTS_VIEW_H
#define WM_VIEW_TESTS_TESTS_VIEW_H

#include "analysis/change/changed.h"
#include "view/document/view_options.h"

struct wm_tests {
	const struct wm_suite *suite;
	uint32_t *order, *gain; /* the tests in an order that takes new paths early; the number of new paths of each */
	struct wm_cover cover;
	bool *kept; /* per test: whether it is in the smallest set */
	bool *judged; /* per test: whether it takes a path of the suite */
	struct wm_arena arena;
};

/* The paths that --path or --line select, as indices of suite->path. */
struct wm_query {
	const char *what; /* as typed */
	bool is_line;
	size_t count;
	uint32_t *path;
};

/* --changed: the query is about the touched paths. */
struct wm_tests_changed {
	const struct wm_change *change;
	const struct wm_changed *changed;
};

/* Whether the smallest set takes all paths of a test that is judged, and not in it. */
bool wm_tests_redundant(const struct wm_tests *tests, size_t test);

void wm_tests_text(const struct wm_tests *tests, const struct wm_report_options *options, FILE *out);
/* `asked` may be NULL. */
void wm_tests_json(
	const struct wm_tests *tests, const struct wm_query *query, const struct wm_tests_changed *asked, FILE *out);
void wm_query_text(
	const struct wm_suite *suite, const struct wm_query *query, const struct wm_report_options *options, FILE *out);

/* tests_changed.c: of tests that were studied with the touched paths only. */
/* One line for each thing that names of tests alone do not say: why tests were selected for lines without paths, and why no test
 * is. */
void wm_tests_changed_warn(const struct wm_tests *tests, const struct wm_tests_changed *asked);
void wm_tests_changed_text(const struct wm_tests *tests, const struct wm_tests_changed *asked,
	const struct wm_report_options *options, FILE *out);
json_t *wm_tests_changed_json(const struct wm_tests_changed *asked);

#endif
