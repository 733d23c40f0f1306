/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes counts without their zeros: the chunks of abi/counts.h.  The time follows what was touched. */
#ifndef WM_RUNTIME_IMAGE_PACKED_COUNTS_H
#define WM_RUNTIME_IMAGE_PACKED_COUNTS_H

#include "runtime/state/state.h"

/* Chunks in private memory that grows as they are written. */
struct wm_counts_writer {
	char *memory;
	size_t size, used; /* bytes; `used` ends the last chunk that is finished or begun */
	size_t begin; /* of the chunk being written */
	int error; /* negative errno: there was no memory, and what was written is incomplete */
};

/* Whose cells are meant: those of all threads, or the main cells and those of this thread. */
enum wm_threads { WM_THREADS_ALL, WM_THREADS_SELF };

/* Appends bytes of finished chunks. */
void wm_counts_copy(struct wm_counts_writer *writer, const void *chunks, size_t size);
/* Appends a chunk with what the image has counted; `flags` is 0 or WM_COUNTS_BASE.  Returns whether it counted anything. */
bool wm_counts_collect(struct wm_counts_writer *writer, enum wm_threads threads, uint64_t flags);
/* Replaces all chunks, which are those of a base, by one that counts the same.  If there is no memory for that, they stay as they
 * are. */
void wm_counts_fold(struct wm_counts_writer *writer);
void wm_counts_release(struct wm_counts_writer *writer);

#endif
