/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads and forks that nobody announced. */
#ifndef WM_RUNTIME_STATE_UNSEEN_H
#define WM_RUNTIME_STATE_UNSEEN_H

#include "runtime/system/sys.h"

void wm_unseen_start(void);
/* In the child, which has one thread. */
void wm_unseen_fork(void);
/* Whether there is no other thread that could count. */
bool wm_unseen_none(void);
/* Called before a file is finished.  Makes no system call if `quiet`. */
void wm_unseen_detect(bool quiet);

/* Forks of which the fork handlers do not know, such as those of a system call that the program makes itself. */

void wm_sentinel_make(void);
void wm_sentinel_release(void);
/* False: the kernel does not tell of such forks, or the sentinel was released. */
bool wm_sentinel_works(void);
/* Whether this address space was forked in that way; the counts are then those of another process. */
bool wm_forked_unseen(void);

#endif
