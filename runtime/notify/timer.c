/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Timers that start a thread when they expire. */
#include "runtime/notify/announce.h"

#include <errno.h>
#include <time.h>

WM_REPLACE(int, timer_create, clockid_t clock, struct sigevent *event, timer_t *timer)
{
	struct sigevent copy;
	if (WM_REAL(timer_create))
		return WM_REAL(timer_create)(clock, wm_announced_event(event, &copy), timer);
	errno = ENOSYS;
	return -1;
}
