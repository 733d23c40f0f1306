/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that nobody announced. */
#ifndef WM_RUNTIME_UNSEEN_H
#define WM_RUNTIME_UNSEEN_H

#include "runtime/sys.h"

void wm_unseen_start(void);
/* In the child, which has one thread. */
void wm_unseen_fork(void);
/* Whether there is no other thread that could count. */
bool wm_unseen_none(void);
/* Called before a file is finished.  Makes no system call if `quiet`. */
void wm_unseen_detect(bool quiet);

#endif
