/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Commands that answer with what they have when the user interrupts them (Ctrl-C), and say that they stopped early. */
#ifndef WM_SUPPORT_INTERRUPT_H
#define WM_SUPPORT_INTERRUPT_H

#include <stdbool.h>

/* From here on, the first SIGINT only makes wm_interrupted() true, and the second ends the process.  Forgets a SIGINT that
 * has come before.  Without effect where SIGINT is ignored. */
void wm_interrupt_catch(void);
/* To be called before each step of the work, which the caller leaves out if the result is true. */
bool wm_interrupted(void);
/* Whether steps were left out since wm_interrupt_catch(). */
bool wm_interrupt_stopped(void);
/* To be called after all output was written: if steps were left out, ends the process by SIGINT, as the caller expects. */
void wm_interrupt_pass_on(void);

#endif
