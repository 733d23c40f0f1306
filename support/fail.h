/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Failures and warnings.  A failure is one sentence that says what was wrong, where, and what to do.  In a command it ends the
 * process; a function of the library returns it to its caller (support/attempt.h).
 */
#ifndef WM_SUPPORT_FAIL_H
#define WM_SUPPORT_FAIL_H

/* A mistake of the user, and a defect of Waymark: the work is left, and the sentence goes to the innermost attempt of the
 * thread.  Without an attempt, a command prints "waymark NAME: <sentence>" on stderr and exits with code 1 or 2. */
_Noreturn void wm_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void wm_bug(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* wm_bug when memory lacks. */
_Noreturn void wm_no_memory(void);
/* A sentence for the listener of the attempt; without an attempt, a command prints the same on stderr.  Returns. */
void wm_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Set by cmd/main.c; used in messages. */
extern const char *wm_command_name;

#endif
