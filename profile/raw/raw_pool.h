/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The chunks of a pool (abi/pool.h), which may be hostile.  Private to profile/. */
#ifndef WM_PROFILE_RAW_RAW_POOL_H
#define WM_PROFILE_RAW_RAW_POOL_H

#include "abi/pool.h"
#include "profile/raw/raw_file.h"

#include <stdbool.h>
#include <stdint.h>

/* The body of a chunk.  Nothing is aligned. */
struct wm_raw_runs {
	const uint8_t *run;
	uint64_t run_count;
	const uint8_t *base, *counts; /* groups of abi/counts.h */
	uint64_t base_size, counts_size;
};

/* `body` is what follows the header of a chunk of the file, which was loaded.  False: it is damaged, or there is no memory
 * (*no_memory is set then). */
bool wm_raw_runs_open(struct wm_raw_runs *runs, const struct wm_raw_file *file, const uint8_t *body,
	const struct wm_raw_chunk *chunk, bool *no_memory);
struct wm_raw_run wm_raw_runs_get(const struct wm_raw_runs *runs, uint64_t index);

#endif
