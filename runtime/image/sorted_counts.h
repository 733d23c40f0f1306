/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of cells and paths, each once and in order, so that counts of two moments can be compared. */
#ifndef WM_RUNTIME_IMAGE_SORTED_COUNTS_H
#define WM_RUNTIME_IMAGE_SORTED_COUNTS_H

#include "runtime/image/packed_counts.h"

struct wm_sorted_counts {
	struct wm_sorted_count *count;
	size_t size; /* how many */
	size_t mapped; /* bytes of memory */
};

/* The sum of the chunks of a writer.  False: there is no memory.  O(n log n) at most, and O(n) if the chunks have one copy of the
 * cells. */
bool wm_sorted_counts_read(struct wm_sorted_counts *sorted, const struct wm_counts_writer *writer);
/* Appends groups of abi/counts.h with what was counted after `earlier`.  Names of paths (abi/sequence.h) are left out. */
void wm_sorted_counts_put_since(
	struct wm_counts_writer *writer, const struct wm_sorted_counts *later, const struct wm_sorted_counts *earlier);
void wm_sorted_counts_release(struct wm_sorted_counts *sorted);
/* Replaces all chunks of a writer, which are those of a base, by one that counts the same.  If there is no memory for that, they
 * stay as they are. */
void wm_counts_fold(struct wm_counts_writer *writer);

#endif
