/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Message queues that start a thread when a message arrives. */
#include "runtime/notify/announce.h"

#include <errno.h>
#include <mqueue.h>

WM_REPLACE(int, mq_notify, mqd_t queue, const struct sigevent *event)
{
	struct sigevent copy;
	if (WM_REAL(mq_notify))
		return WM_REAL(mq_notify)(queue, wm_announced_event((struct sigevent *)(uintptr_t)event, &copy));
	errno = ENOSYS;
	return -1;
}
