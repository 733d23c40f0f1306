/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Failures, warnings and progress of a command, on stderr. */
#ifndef WM_SUPPORT_TERMINAL_H
#define WM_SUPPORT_TERMINAL_H

/* From now on, a failure outside of attempts (support/attempt.h) is printed and ends the process with exit code 1 (a mistake
 * of the user) or 2; warnings are printed; progress is shown if stderr is a terminal. */
void wm_terminal_use(void);

#endif
