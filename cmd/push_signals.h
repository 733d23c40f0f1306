/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How `waymark push` ends.  SIGTERM and SIGINT are blocked except while it waits or talks to the store, so that none is missed
 * between a test and a wait.  A server that does not answer must not keep the agent: after a signal, the store has a second to
 * finish, and then the process ends with the status 0.  Nothing is lost, because the agent may be killed at any moment.
 *
 * SIGHUP ends nothing: the agent looks at the directory at once, tries the store again, and tells again what goes wrong, for a log that
 * was moved away.  It is blocked except while the agent waits for work.
 */
#ifndef WM_CMD_PUSH_SIGNALS_H
#define WM_CMD_PUSH_SIGNALS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

void wm_push_signals_catch(void);
/* Whether one of the signals has come. */
bool wm_push_is_ended(void);
/* Whether SIGHUP has come since the last call. */
bool wm_push_begins_anew(void);
/* Around everything that may wait for the store. */
void wm_push_begin_talk(void);
void wm_push_end_talk(void);
/* Waits for the event, which may be NULL, the time, or a signal. */
void wm_push_wait(struct pollfd *event, uint64_t milliseconds);

#endif
