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
/* ALL: everything.  SUMS: without times.  BASE: what a later image inherits, as WM_COUNTS_BASE; without times and unfinished
 * paths. */
enum wm_collect { WM_COLLECT_ALL, WM_COLLECT_SUMS, WM_COLLECT_BASE };
/* Appends a chunk with what the image has counted.  Returns whether it counted anything. */
bool wm_counts_collect(struct wm_counts_writer *writer, enum wm_threads threads, enum wm_collect what);
void wm_counts_release(struct wm_counts_writer *writer);

/* For writers of other chunks.  Failures are kept in writer->error. */

/* Begins a chunk with its header. */
void wm_counts_begin(struct wm_counts_writer *writer);
void wm_counts_put(struct wm_counts_writer *writer, uint64_t value);
/* A group of cells, which begins with the first of them, the one with the highest index; 0 ends it if it has begun. */
struct wm_cells_group {
	struct wm_counts_writer *writer;
	uint64_t next; /* the lowest index so far; at first the number of cells */
	bool begun;
};
void wm_counts_put_cell(struct wm_cells_group *group, uint64_t index, uint64_t value);
/* Ends the chunk, with the size and the checksum of its body; `thread` is the field of the header.  False: there was no memory, or
 * the chunk is one of COUNTS without a body; it is removed then. */
bool wm_counts_end(struct wm_counts_writer *writer, enum wm_chunk_kind kind, uint64_t thread);

#endif
