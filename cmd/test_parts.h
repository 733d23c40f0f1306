/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A raw profile whose process gave names to tests (waymark_test_begin), as a profile per test. */
#ifndef WM_CMD_TEST_PARTS_H
#define WM_CMD_TEST_PARTS_H

#include <stdbool.h>

/* name "": outside of tests.  The file is a profile beside the raw one. */
typedef void wm_take_test_part(void *closure, const char *name, const char *file);
/* False: the profile has no names, or cannot be read; nothing was taken. */
bool wm_test_parts(const char *path, wm_take_test_part *take, void *closure);

#endif
