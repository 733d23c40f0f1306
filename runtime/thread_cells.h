/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The cells of threads. */
#ifndef WM_RUNTIME_THREAD_CELLS_H
#define WM_RUNTIME_THREAD_CELLS_H

#include "runtime/state.h"

/* `gs` updates: the distance of this thread; 0: it counts in the main cells, or is not attached. */
int64_t wm_thread_distance(void);
/* Maps private pages there, if nothing is mapped there and the stack of the main thread does not grow there. */
bool wm_map_exactly(char *low, size_t size);
/* Whether what `owner` has noted is free for `self`, a thread that has none yet.  If the id of a dead thread is
 * used again, the dead one is not recognised; a live thread is never taken for dead. */
bool wm_owner_is_dead(int owner, int self);
/* A chunk of this kind whose owner has ended, or NULL. */
struct wm_chunk *wm_chunk_of_dead_thread(enum wm_chunk_kind kind, int self);
/* The id of this thread, or -1 in a vfork child, which ends before its parent. */
int wm_owner_to_note(void);
/* Whether a chunk of kind THREAD is that of this thread. */
bool wm_is_own_cells(const struct wm_chunk *chunk);
void wm_threads_start(void);
void wm_threads_stop(void);
/* Records that a thread has no cells of its own. */
void wm_second_thread(void);

#endif
