/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that a command runs on the user's behalf.  The program keeps its terminal, its
 * signals and its exit status, as under time(1).
 */
#ifndef WM_TOOL_PROCESS_H
#define WM_TOOL_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts command[0], found as the shell does, with the current environment.  Signals sent to
 * us go to the program from now on.  0: it could not be executed; errno says why. */
pid_t wm_process_start(char **command);
/* Whether the program has ended, with its wait status; waits for it if asked to. */
bool wm_process_ended(pid_t pid, bool wait, int *status);
/* The exit status for us.  A program that died of a signal makes us die of it too, so that
 * whoever started us sees the same; one core file is enough. */
int wm_process_pass_on(int status);

/* The file that the shell would execute; the name itself when there is none.  On the heap. */
char *wm_find_program(const char *name);

#endif
