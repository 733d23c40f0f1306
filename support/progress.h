/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_SUPPORT_PROGRESS_H
#define WM_SUPPORT_PROGRESS_H

#include <stddef.h>

/* Tells the listener of the attempt how far the work is; without an attempt, a command prints it on stderr if that is a terminal.
 * `total` 0: it is not known. */
void wm_progress(const char *what, size_t done, size_t total);
void wm_progress_end(void);

#endif
