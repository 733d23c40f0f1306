/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files that wait for a store that cannot be reached, which must not fill the disk of the machine. */
#ifndef WM_CMD_PUSH_QUEUE_H
#define WM_CMD_PUSH_QUEUE_H

#include "cmd/push_directory.h"

struct wm_push_queue {
	const struct wm_push_directory *directory; /* its files are looked at anew, and the list in it stays as it is */
	uint64_t limit; /* MiB of files of processes that have ended; 0: there is none */
	uint64_t removed; /* files that were removed without being stored */
	int64_t next; /* not earlier does wm_push_queue_limit_again look; seconds of the monotonic clock */
};

/* Removes the oldest files beyond the limit, and names them.  Ends in wm_fail if the directory cannot be read. */
void wm_push_queue_limit(struct wm_push_queue *queue);
/* The same, as often as it is cheap: for whoever calls it every second.  The argument is the queue. */
void wm_push_queue_limit_again(void *queue);

#endif
