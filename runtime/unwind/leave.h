/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Activations that are left inside a call: each one of this object on the stack is recorded with its unfinished path. */
#ifndef WM_RUNTIME_UNWIND_LEAVE_H
#define WM_RUNTIME_UNWIND_LEAVE_H

#include "runtime/unwind/frame.h"

enum wm_leaving_kind {
	WM_LEAVE_ALL, /* the process ends */
	WM_LEAVE_TO, /* longjmp: up to the activation in which the stack pointer was `target`, and its path too */
	WM_LEAVE_BELOW, /* exception: the activations inside the one whose stack pointer is `target` */
	WM_LEAVE_THREAD, /* thread: those outside the last activation in which an exception may continue */
};

struct wm_fatal; /* runtime/unwind/crash_note.h */

struct wm_leaving {
	enum wm_leaving_kind kind;
	bool in_handler; /* the lock must not be waited for */
	uint64_t target;
	struct wm_frame begin; /* itself not left, unless it stands in a call */
	const struct wm_fatal
		*fatal; /* NULL: the process is not ended by a signal; otherwise its frames are noted, too */
};

/* Records nothing if the target is not on the stack, or if a process shares the memory of its parent.  Keeps errno. */
void wm_leave(const struct wm_leaving *leaving);

#endif
