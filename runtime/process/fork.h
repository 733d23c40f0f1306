/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The handlers of pthread_atfork. */
#ifndef WM_RUNTIME_PROCESS_FORK_H
#define WM_RUNTIME_PROCESS_FORK_H

void wm_fork_prepare(void);
void wm_fork_parent(void);
void wm_fork_child(void);

#endif
