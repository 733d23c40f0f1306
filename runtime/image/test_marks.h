/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which counts belong to which test: the marks of abi/tests.h.  All functions are called with the lock held. */
#ifndef WM_RUNTIME_IMAGE_TEST_MARKS_H
#define WM_RUNTIME_IMAGE_TEST_MARKS_H

#include <stdbool.h>
#include <stddef.h>

/* Appends a mark with the counts since the last one; from now on counts belong to `name`, "": to no test.  Takes as long as a
 * snapshot.  Negative errno: there is no mark, and counts belong to whom they belonged. */
int wm_test_mark(const char *name);
/* A new image counts, from zero or from the start of the process: all its counts belong to the test in which the process is. */
void wm_test_marks_restart(void);
/* Whether the image has marks. */
bool wm_test_marks_exist(void);

/* Marks of an image in memory, which move to the file with it: whole chunks. */
size_t wm_test_marks_waiting(const char **chunks);
void wm_test_marks_stored(void);
/* Releases the memory. */
void wm_test_marks_drop(void);

#endif
