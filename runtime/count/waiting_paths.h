/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pending paths of threads. */
#ifndef WM_RUNTIME_COUNT_WAITING_PATHS_H
#define WM_RUNTIME_COUNT_WAITING_PATHS_H

/* In the child of a fork.  Programs without pending paths do not have it. */
__attribute__((weak)) void wm_waiting_fork(void);

#endif
