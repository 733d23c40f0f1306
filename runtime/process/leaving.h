/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tells all copies of the runtime that activations are left.  The C library functions that leave them are replaced in executables
 * (runtime/notify), whose copy of the runtime has the list of all copies: each one enters itself when it starts.  Copies in a program
 * without such an executable record what the end of the process leaves.
 */
#ifndef WM_RUNTIME_PROCESS_LEAVING_H
#define WM_RUNTIME_PROCESS_LEAVING_H

#include "runtime/unwind/leave.h"

#include <stddef.h>

#define WM_MOST_LEAVERS 64u

/* The other copies; those for which there is no room are not told. */
struct wm_leavers {
	void (*leave[WM_MOST_LEAVERS])(const struct wm_leaving *leaving);
	uint32_t any; /* there is, or was, one */
	uint32_t readers; /* threads that are calling them */
	void (*watch)(void); /* watches for signals that end the process; NULL: the executable has not started yet */
};

void wm_leaving_start(void);
/* Called by the destructor, after which the code of this copy may be gone. */
void wm_leaving_stop(void);
/* In the child of a fork. */
void wm_leaving_fork(void);
/* Calls all copies. */
void wm_leaving_tell(const struct wm_leaving *leaving);
/* Whether any copy has sites. */
bool wm_leaving_matters(void);

/* fatal_signals.c */
void wm_fatal_signals_forget(void);

#endif
