/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The exact part of cover.c.  Rows are the elements to cover, columns the sets that cover them; both are bit masks.
 */
#ifndef WM_CORE_COVER_COVER_SEARCH_H
#define WM_CORE_COVER_COVER_SEARCH_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_cover_search {
	uint32_t row_count, column_count;
	uint32_t row_words, column_words; /* words of a mask of rows, and of columns */
	uint64_t *row;   /* per row: a mask of columns */
	uint64_t *column; /* per column: a mask of rows */
	uint64_t *rows, *columns; /* masks of the rows and columns that are still considered */
	uint64_t budget;	 /* word operations left; 0: the search is over */
};

/* Whether the masks are small enough for the budget and for memory. */
bool wm_cover_search_fits(uint32_t rows, uint32_t columns, uint64_t budget);
enum wm_status wm_cover_search_init(
	struct wm_cover_search *search, uint32_t rows, uint32_t columns, uint64_t budget, struct wm_arena *arena);
void wm_cover_search_add(struct wm_cover_search *search, uint32_t row, uint32_t column);
/* The best cover found, in any order, and a lower bound on the number of columns of any cover. */
struct wm_cover_found {
	uint32_t count, *column;
	uint32_t least;
};
enum wm_status wm_cover_search_run(
	struct wm_cover_search *search, struct wm_cover_found *found, struct wm_arena *arena);

#endif
