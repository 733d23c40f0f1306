/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The name of the file, from its pattern (WAYMARK_FILE). */
#ifndef WM_RUNTIME_FILE_NAME_H
#define WM_RUNTIME_FILE_NAME_H

#include "runtime/state/state.h"

/* Turns wm.pattern into a path.  Negative errno on failure. */
int wm_name_set(const char *pattern);
/* Warns about unknown % letters. */
void wm_name_check(void);
/* *path is valid until the next call. */
int wm_name_expand(const char **path);
/* How messages name the file: its path, or without a file the path that was tried last, in which the letters of the pattern are
 * replaced. */
const char *wm_name_told(void);
/* The pool that belongs to the path that was expanded last; "": there is none. */
const char *wm_name_pool(void);
/* Inserts ".N" before the extension. */
int wm_name_suffix(char out[WM_PATH], const char *path, unsigned number);
const char *wm_environment(const char *name);

#endif
