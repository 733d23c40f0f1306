/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program that a command runs for the user.  The program keeps its terminal, its signals and its exit status, as
 * under time(1).
 */
#ifndef WM_SUPPORT_PROCESS_H
#define WM_SUPPORT_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts command[0], which is searched for as in a shell, with the current environment.  From then on, signals that are
 * sent to this process are passed to the program.  Returns 0 if the program could not be executed; errno gives the
 * reason. */
pid_t wm_process_start(char **command);
/* Whether the program has ended; *status receives its wait status.  `wait`: waits until it has ended. */
bool wm_process_ended(pid_t pid, bool wait, int *status);
/* After programs have ended: signals do again to this process what they did before the first was started. */
void wm_process_restore_signals(void);
/* The last signal that was sent to this process since it has started a program; 0: none. */
int wm_process_interrupted(void);
/* Returns the exit status for this process.  If the program was ended by a signal, this process ends itself by the same
 * signal, without a core file, so that its parent sees the same status. */
int wm_process_pass_on(int status);
/* Does the last work of a command whose program has ended, writes all output, and returns the exit status for this process:
 * that of the program, as above.  A failure of the work is printed, but hides no failure of the program: only if the program
 * has succeeded does this process exit with 1 or 2, as after any failure. */
int wm_process_finish(int status, void (*work)(void *argument), void *argument);

/* The file that a shell would execute, or the name itself if there is none; heap. */
char *wm_find_program(const char *name);

#endif
