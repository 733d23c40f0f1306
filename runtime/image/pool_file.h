/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pools (abi/pool.h): processes of one build that add their counts to one file when they end. */
#ifndef WM_RUNTIME_IMAGE_POOL_FILE_H
#define WM_RUNTIME_IMAGE_POOL_FILE_H

#include "runtime/state/state.h"

/* The file that was named last (wm_name_pool) belongs to the image. */
void wm_pool_remember(void);
/* Adds what the image has counted to the pool, and removes the file of the image.  Returns whether the pool has the counts; if
 * not, the file stays as it is.  Called with the lock held. */
bool wm_pool_leave(void);
/* Warns if there was a reason that the user should know.  Called without the lock. */
void wm_pool_warn(void);

/* pool_sum.c: the chunks of a pool in private memory, from the first of WM_CHUNK_RUNS to the end. */
struct wm_pool_chunks {
	char *memory;
	size_t size;
};
/* Checks and copies the fields of the chunk at `offset`.  False: it is damaged. */
bool wm_pool_chunk(const struct wm_pool_chunks *chunks, size_t offset, struct wm_raw_chunk *chunk);
/* Computes both checksums of a chunk. */
void wm_pool_seal(struct wm_raw_chunk *chunk);
/* Makes one chunk of all, in new memory.  False: one of them is damaged or has times, or there is no memory. */
bool wm_pool_sum(const struct wm_pool_chunks *chunks, struct wm_pool_chunks *sum);

#endif
