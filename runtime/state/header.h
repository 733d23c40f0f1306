/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The header and the function table, in private memory and in the file. */
#ifndef WM_RUNTIME_STATE_HEADER_H
#define WM_RUNTIME_STATE_HEADER_H

#include "runtime/state/state.h"

bool wm_header_make(void);
void wm_header_release(void);
void wm_header_set_flags(uint64_t flags);
void wm_header_clear_flags(uint64_t flags);
/* Records that a thread has no cells of its own. */
void wm_second_thread(void);
/* Records that counts of a function are lost for good. */
void wm_header_lose(size_t func, uint64_t amount);
/* Records that all counts of all functions are in doubt. */
void wm_header_lose_all(void);
/* Records that a kill would lose counts of a function; by = -1 revokes it. */
void wm_header_doubt(size_t func, int64_t by);
void wm_header_store(void);
/* Gives *header a new run id, pid and time, and resets the fields of a live file. */
void wm_new_run(struct wm_raw_header *header);
/* Sets the checksum of *header, which covers the table too. */
void wm_seal(struct wm_raw_header *header);

#endif
