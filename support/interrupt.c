/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "support/interrupt.h"
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupted;
static bool stopped, ever_stopped;

static void note_signal(int signal)
{
	(void)signal;
	interrupted = 1;
}

void wm_interrupt_catch(void)
{
	struct sigaction old, action = {.sa_handler = note_signal, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
	interrupted = 0;
	stopped = false;
	sigemptyset(&action.sa_mask);
	if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGINT, &action, NULL);
}

bool wm_interrupted(void)
{
	if (interrupted)
		stopped = ever_stopped = true;
	return interrupted;
}

bool wm_interrupt_stopped(void)
{
	return stopped;
}

void wm_interrupt_pass_on(void)
{
	if (!ever_stopped)
		return;
	signal(SIGINT, SIG_DFL);
	raise(SIGINT);
}
