/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The records of unfinished paths: chunks of WM_CHUNK_UNFINISHED, as hash tables.  Called with the lock held. */
#ifndef WM_RUNTIME_UNWIND_LEFT_PATHS_H
#define WM_RUNTIME_UNWIND_LEFT_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds 1 to the count of a path of wm.object.func[function].  False: there is no memory. */
bool wm_unfinished_count(size_t function, uint32_t site, uint64_t sum);
/* Makes room for the first records, so that they need no system call later. */
void wm_unfinished_reserve(void);

#endif
