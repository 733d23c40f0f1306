/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Look-ups of names that start a thread when they are done. */
#include "runtime/notify/announce.h"

#include <netdb.h>

WM_REPLACE(int, getaddrinfo_a, int mode, struct gaicb **list, int count, struct sigevent *event)
{
	struct sigevent copy;
	if (WM_REAL(getaddrinfo_a))
		return WM_REAL(getaddrinfo_a)(mode, list, count, wm_announced_event(event, &copy));
	return EAI_SYSTEM;
}
