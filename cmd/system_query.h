/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WM_CMD_SYSTEM_QUERY_H
#define WM_CMD_SYSTEM_QUERY_H

#include <stddef.h>

/* Sets the variable WM_SYSTEM_QUERY (policy/system_headers.h) to the command that makes clang print its include directories:
 * clang with those of its arguments on which they depend. */
void wm_system_query_set(const char *clang, char *const *word, size_t count);

#endif
