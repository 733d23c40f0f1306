/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of hash tables. */
#ifndef WM_RUNTIME_CHUNK_HASH_MEMORY_H
#define WM_RUNTIME_CHUNK_HASH_MEMORY_H

#include "runtime/chunk/hash_table.h"

/* Makes an empty table in a chunk.  NULL: out of memory. */
struct wm_table *wm_table_new(uint64_t slots, size_t func, struct wm_table *older);
/* Makes room for the first tables of the functions, so that they need no system call later. */
void wm_tables_reserve(void);
/* The next count of each function that has tables makes a new one. */
void wm_tables_forget(void);

#endif
