/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * sigaction and signal, which see the default action where the runtime watches for a signal (runtime/process/fatal_signals.c): programs
 * look whether somebody handles a signal before they do it.  The action that they set is the one that is set, but the
 * default action stays watched.
 */
#include "runtime/notify/leave_functions.h"

#include <errno.h>
#include <stddef.h>

__attribute__((weak, visibility("hidden"))) bool __wm_fatal_action(int signal, struct sigaction *action);
__attribute__((weak, visibility("hidden"))) bool __wm_is_fatal_handler(const void *handler);

typedef int set_action(int signal, const struct sigaction *new, struct sigaction *old);

static bool is_ours(const void *handler)
{
	return __wm_is_fatal_handler && __wm_is_fatal_handler(handler);
}

static int change_action(set_action *real, int signal, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction ours;
	bool watch = new && new->sa_handler == SIG_DFL &&__wm_fatal_action &&__wm_fatal_action(signal, &ours);
	int result = real(signal, watch ? &ours : new, old);
	if (result == 0 && old && is_ours((const void *)old->sa_sigaction)) {
		for (size_t i = 0; i < sizeof old->sa_mask / sizeof *old->sa_mask.__val; i++)
			old->sa_mask.__val[i] = 0;
		old->sa_handler = SIG_DFL;
		old->sa_flags = 0;
	}
	return result;
}

WM_SANITIZED(int, sigaction, int signal, const struct sigaction *new, struct sigaction *old)
WM_REPLACE(int, sigaction, int signal, const struct sigaction *new, struct sigaction *old)
{
	if (WM_BEYOND(sigaction))
		return change_action(WM_BEYOND(sigaction), signal, new, old);
	errno = ENOSYS;
	return -1;
}

/* Afterwards the default action is watched again. */
static void (*seen(int signal, void (*set)(int), void (*old)(int)))(int)
{
	struct sigaction ours;
	if (set == SIG_DFL && old != SIG_ERR && __wm_fatal_action && __wm_fatal_action(signal, &ours) &&
		WM_BEYOND(sigaction))
		WM_BEYOND(sigaction)(signal, &ours, NULL);
	return is_ours((const void *)old) ? SIG_DFL : old;
}

#define SIGNAL(name) \
	WM_SANITIZED(__sighandler_t, name, int number, __sighandler_t handler) \
	WM_REPLACE(__sighandler_t, name, int number, __sighandler_t handler) \
	{ \
		if (WM_BEYOND(name)) \
			return seen(number, handler, WM_BEYOND(name)(number, handler)); \
		errno = ENOSYS; \
		return SIG_ERR; \
	}

SIGNAL(signal)
SIGNAL(sysv_signal)
SIGNAL(__sysv_signal)

__attribute__((visibility("hidden"))) bool __wm_hides_handlers(void);
bool __wm_hides_handlers(void)
{
	return WM_IS_REPLACED(sigaction) && WM_IS_REPLACED(signal);
}
