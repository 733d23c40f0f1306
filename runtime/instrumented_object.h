/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The instrumented object: its constructor, and the run that begins with it. */
#ifndef WM_RUNTIME_INSTRUMENTED_OBJECT_H
#define WM_RUNTIME_INSTRUMENTED_OBJECT_H

#include "runtime/state.h"

/* The constructor; does nothing the second time. */
void wm_start(void);
/* Whether the process has one thread. */
bool wm_is_alone(void);
bool wm_forked_unseen(void);
/* Gives *header a new run id, pid and time, and resets the fields of a live file. */
void wm_new_run(struct wm_raw_header *header);

#endif
