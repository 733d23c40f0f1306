/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The cells of threads. */
#ifndef WM_RUNTIME_THREAD_THREAD_CELLS_H
#define WM_RUNTIME_THREAD_THREAD_CELLS_H

#include "runtime/state/state.h"

/* `gs` updates: the distance of this thread; 0: it counts in the main cells, or is not attached. */
int64_t wm_thread_distance(void);
/* A chunk of this kind whose owner has ended, or NULL. */
struct wm_chunk *wm_chunk_of_dead_thread(enum wm_chunk_kind kind, int self);
/* Whether a chunk of kind THREAD is that of this thread. */
bool wm_is_own_cells(const struct wm_chunk *chunk);
void wm_threads_start(void);
void wm_threads_stop(void);

#endif
