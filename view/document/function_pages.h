/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which page tells of which function: functions of one source file share pages, because a large program has too many functions for a
 * file each.  A page has so few functions that a browser opens it at once.
 */
#ifndef WM_VIEW_DOCUMENT_FUNCTION_PAGES_H
#define WM_VIEW_DOCUMENT_FUNCTION_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_PAGE_FUNCTIONS = 40 };

struct wm_function_pages {
	void *files; /* a tree of tsearch(3) */
	uint32_t *page; /* per function: plus 1; 0: it has none yet */
	size_t function_count;
	bool *begun; /* per page */
	size_t count;
};

/* The page of function `number`, of the source file `file`.  The first call for a function decides it. */
uint32_t wm_function_page(struct wm_function_pages *pages, const char *file, size_t number);
/* Begins the page; false: it was begun before. */
bool wm_function_page_begin(struct wm_function_pages *pages, uint32_t page);
void wm_function_pages_release(struct wm_function_pages *pages);

#endif
