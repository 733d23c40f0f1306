/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the body of a COUNTS chunk (abi/counts.h), which may be hostile.  Private to profile/. */
#ifndef WM_PROFILE_RAW_RAW_COUNTS_H
#define WM_PROFILE_RAW_RAW_COUNTS_H

#include "profile/base/function_counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The cells of a group that are not zero, in ascending order. */
struct wm_sparse_cells {
	struct wm_sparse_cell {
		uint64_t index, value;
	} *cell;
	size_t count;
};

struct wm_counts_sink {
	void *closure;
	uint64_t cell_count; /* of the file: indices of cells are below it */
	/* Each returns false if what it is given makes no sense, or there is no memory. */
	bool (*cells)(void *closure, const struct wm_sparse_cells *cells);
	bool (*path)(void *closure, uint64_t func, uint64_t id, uint64_t count, uint64_t time);
	/* NULL: a body with unfinished paths makes no sense. */
	bool (*unfinished)(void *closure, uint64_t func, const struct wm_unfinished_path *path);
};

/* False: a function of the sink returned false, the body makes no sense, or there is no memory (*no_memory is set then). */
bool wm_raw_counts_read(const uint8_t *body, uint64_t size, const struct wm_counts_sink *sink, bool *no_memory);

/* The checksum of the body of a chunk, which is padded to a multiple of eight bytes. */
uint64_t wm_raw_counts_sum(const uint8_t *body, uint64_t size);

/* The sum of the cells from `begin` to before `end`; `sum[i]` is that of the values before i.  O(log count). */
uint64_t wm_sparse_sum(const struct wm_sparse_cells *cells, const uint64_t *sum, uint64_t begin, uint64_t end);
/* The first cell that is not below `index`. */
size_t wm_sparse_find(const struct wm_sparse_cells *cells, uint64_t index);

#endif
