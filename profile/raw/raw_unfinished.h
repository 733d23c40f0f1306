/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a chunk of unfinished paths (abi/unfinished.h), which may be hostile.  Private to profile/. */
#ifndef WM_PROFILE_RAW_RAW_UNFINISHED_H
#define WM_PROFILE_RAW_RAW_UNFINISHED_H

#include "profile/raw/raw_file.h"

/* func: index in the function table, any number.  False: it makes no sense, or there is no memory. */
typedef bool wm_raw_take_unfinished(void *closure, uint64_t func, const struct wm_unfinished_path *path);

/* Gives the records of the chunk at `offset`, also those behind one that makes no sense.  Unused ones are left out, and what is left
 * behind the last whole record is none.  False: `used` is larger than the chunk, or `take` has returned false. */
bool wm_raw_unfinished_read(const struct wm_raw_file *file, uint64_t offset, const struct wm_raw_chunk *chunk,
	wm_raw_take_unfinished *take, void *closure);

#endif
