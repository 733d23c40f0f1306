/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Directories for files that nobody keeps. */
#ifndef WM_SUPPORT_SCRATCH_H
#define WM_SUPPORT_SCRATCH_H

#include <stdbool.h>

/* Makes a new directory NAME.XXXXXX, which only this user can read, in $TMPDIR or /tmp; its absolute path, heap.  Ends in
 * wm_fail if that is not possible. */
char *wm_scratch_make(const char *name);
/* Removes a directory and everything in it, except files for which `keep` (or NULL) is true; links are not followed. */
void wm_scratch_remove(const char *directory, bool (*keep)(const char *path));

#endif
