/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an instrumented object keeps for each thread besides its cells, and compiled code uses.
 *
 * Code that can only be part of an executable accesses the thread-local variable WM_THREAD_SYMBOL.  A shared object has no
 * thread-local variables, because the C library reserves little room for those of objects that are opened later: code that may
 * be part of one calls WM_THREAD_FUNCTION, once per call of an instrumented function, which returns the address.
 */
#ifndef WM_ABI_THREAD_H
#define WM_ABI_THREAD_H

#include "abi/unit_tables.h"

struct wm_thread {
	int64_t delta; /* `delta` updates: offset of the cells of this thread; 0: not known */
	struct wm_mailbox mailbox; /* paths across calls */
	uint64_t stream_cursor; /* recordings: address of the next word */
	uint64_t waiting_count; /* pending paths: how many wait */
	char *crash_top; /* -fwaymark-crash: the next frame */
	uint64_t *crash_paths; /* -fwaymark-crash: wm_crash_head.next */
};
/* Referenced by modules that can only be part of an executable: their functions do not check whether the object is attached to
 * the thread.  If such a module becomes part of a shared object all the same, the object is attached to all threads at once. */
#define WM_UNCHECKED_SYMBOL "__wm_unchecked"
#define WM_THREAD_SYMBOL "__wm_thread"
#define WM_THREAD_FUNCTION "__wm_own"

#endif
