/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cmd/push_signals.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

enum { GRACE = 1 }; /* seconds */

static volatile sig_atomic_t ended, is_talking, anew;

static void note_end(int number)
{
	(void)number;
	ended = 1;
	if (is_talking)
		alarm(GRACE);
}

static void note_anew(int number)
{
	(void)number;
	anew = 1;
}

static void end_now(int number)
{
	(void)number;
	_exit(0);
}

static sigset_t end_signals(void)
{
	sigset_t both;
	sigemptyset(&both);
	sigaddset(&both, SIGTERM);
	sigaddset(&both, SIGINT);
	return both;
}

void wm_push_signals_catch(void)
{
	struct sigaction end = {.sa_handler = note_end}, alarmed = {.sa_handler = end_now},
			 hung_up = {.sa_handler = note_anew};
	sigset_t blocked = end_signals();
	sigaddset(&blocked, SIGHUP);
	sigemptyset(&end.sa_mask);
	sigemptyset(&alarmed.sa_mask);
	sigemptyset(&hung_up.sa_mask);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	sigaction(SIGHUP, &hung_up, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	sigaction(SIGALRM, &alarmed, NULL);
	signal(SIGPIPE, SIG_IGN);
}

bool wm_push_is_ended(void)
{
	sigset_t pending;
	sigemptyset(&pending);
	sigpending(&pending);
	return ended || sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1;
}

bool wm_push_begins_anew(void)
{
	bool is_anew = anew;
	anew = 0;
	return is_anew;
}

void wm_push_begin_talk(void)
{
	const sigset_t both = end_signals();
	is_talking = 1;
	if (ended)
		alarm(GRACE);
	sigprocmask(SIG_UNBLOCK, &both, NULL);
}

void wm_push_end_talk(void)
{
	const sigset_t both = end_signals();
	sigprocmask(SIG_BLOCK, &both, NULL);
	is_talking = 0;
	alarm(0);
}

void wm_push_wait(struct pollfd *event, uint64_t milliseconds)
{
	struct timespec time = {(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000};
	sigset_t none;
	sigemptyset(&none);
	if (!ended)
		ppoll(event, event ? 1 : 0, &time, &none);
}
