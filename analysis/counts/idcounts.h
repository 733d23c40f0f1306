/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of path ids, in a hash table. */
#ifndef WM_ANALYSIS_COUNTS_IDCOUNTS_H
#define WM_ANALYSIS_COUNTS_IDCOUNTS_H

#include "core/base/id_count.h"
#include <stddef.h>
#include <stdint.h>

struct wm_id_counts {
	struct wm_id_count *slot; /* count 0: free */
	size_t used, capacity; /* a power of two, at most half used */
	uint64_t total;
};
void wm_id_counts_add(struct wm_id_counts *counts, uint64_t id, uint64_t amount);
/* Moves the counts to the first `used` slots, in order; nothing may be counted after it. */
void wm_id_counts_sort(struct wm_id_counts *counts, int (*order)(const void *, const void *));
void wm_id_counts_release(struct wm_id_counts *counts);

/* An order for sorting, as wm_by_id: descending counts, then ascending ids. */
int wm_by_count(const void *a, const void *b);

#endif
