/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Another program that answers a question, such as git. */
#ifndef WM_SUPPORT_CAPTURE_H
#define WM_SUPPORT_CAPTURE_H

#include "support/buffer.h"

/* Runs command[0], which is searched for as in a shell, without a shell and with an empty standard input, and waits until it
 * has ended.  Returns its exit status, or 128 and the number of the signal that ended it; `output` and `errors` receive what it
 * wrote.  -1: the program could not be executed; errno gives the reason, and nothing is to be released. */
int wm_capture(char *const *command, struct wm_buffer *output, struct wm_buffer *errors);

/* The same in another directory. */
int wm_capture_in(const char *directory, char *const *command, struct wm_buffer *output, struct wm_buffer *errors);

#endif
