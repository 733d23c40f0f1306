/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process and its ancestors, for `waymark test`. */
#ifndef WM_RUNTIME_FILE_FAMILY_FILE_H
#define WM_RUNTIME_FILE_FAMILY_FILE_H

#include <stdbool.h>

/* Reads the variable, once: later the program may have changed its environment, or be changing it. */
void wm_family_init(void);
/* Whether WAYMARK_FAMILY is set. */
bool wm_family_wanted(void);
/* If WAYMARK_FAMILY is set: writes the file PATH.family beside a new raw profile, unless it exists.  abi/family.h
 * says what is in it.  A failure is ignored: the profile is then named after its program. */
void wm_family_write(const char *path);

#endif
