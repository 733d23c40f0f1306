/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which pages of a copy of the cells may contain something other than zeros.  Most programs touch few pages of their cells, and
 * whoever only reads an untouched page makes the kernel allocate it. */
#ifndef WM_RUNTIME_CHUNK_TOUCHED_H
#define WM_RUNTIME_CHUNK_TOUCHED_H

#include "runtime/state/state.h"

struct wm_range {
	size_t begin, end; /* bytes, from the first cell; multiples of 8 */
};

/* Where a copy of the cells is, and how its touched pages are found. */
struct wm_copy_of_cells {
	const char *cells; /* laid out as wm.object.cells; page-exact */
	uint64_t offset; /* of the cells in the live file; 0: private memory */
	int fd; /* the live file; < 0: it cannot be opened */
};

/* Of this process, with the live file if the copy is in it. */
struct wm_copy_of_cells wm_main_copy(int fd);
struct wm_copy_of_cells wm_thread_copy(const struct wm_chunk *chunk, int fd);

#define WM_MOST_RANGES 1024u

/* Stores ascending, disjoint ranges that contain every cell that is not zero; returns how many.  If the kernel cannot tell
 * the touched pages, there is one range with all cells. */
size_t wm_touched(const struct wm_copy_of_cells *copy, struct wm_range range[WM_MOST_RANGES]);

/* Whether the file system tells by SEEK_DATA which pages of a mapped file were written to.  The cells are mapped to this file. */
bool wm_tells_data(int fd);

#endif
