/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Warnings on stderr. */
#ifndef WM_RUNTIME_FILE_WARN_H
#define WM_RUNTIME_FILE_WARN_H

#include "runtime/state/state.h"

/* Each kind of warning is one line on stderr per process.  GROWTH is per object, because it is given while the program
 * runs, when other copies of the runtime must not be searched for.  Must not be called with the lock held. */
enum wm_warning {
	WM_WARN_NAME = 1,
	WM_WARN_LATE = 2,
	WM_WARN_LOST = 4,
	WM_WARN_GROWTH = 8,
	WM_WARN_STREAM = 16,
	WM_WARN_POOL = 32
};
/* Prints only if descriptor 2 is still the same file as at the start; otherwise the program uses it for data. */
void wm_warn(enum wm_warning warning, const char *what, const char *which, int error);

#endif
