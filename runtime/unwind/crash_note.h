/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The activations of a thread that a signal ends, in a chunk with WM_CRASH_SUMS (abi/crash.h). */
#ifndef WM_RUNTIME_UNWIND_CRASH_NOTE_H
#define WM_RUNTIME_UNWIND_CRASH_NOTE_H

#include "runtime/unwind/unwind.h"

/* The signal that ends the process. */
struct wm_fatal {
	int signal, code; /* si_code */
	uint64_t address; /* si_addr */
	bool blocked; /* some signal was blocked */
};

/* Notes the activations of this object from `begin` on, and the signal; `walk` is memory to use.  Does nothing in an object with
 * -fwaymark-crash, whose threads have frames already, and where an earlier signal has been noted or there is no memory.  Called
 * with the lock held. */
void wm_crash_note(const struct wm_fatal *fatal, const struct wm_frame *begin, struct wm_walk *walk);

#endif
