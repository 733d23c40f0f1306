/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The spooler as `waymark run --wpp` starts it: a child process that runs `waymark spool`. */
#ifndef WM_CMD_CMD_SPOOL_H
#define WM_CMD_CMD_SPOOL_H

#include <sys/types.h>

struct wm_spooler {
	pid_t pid;
	int end; /* of a pipe: closing it ends the spooler */
};
/* Also sets WAYMARK_SPOOL, for programs that are started from now on. */
void wm_spooler_start(struct wm_spooler *spooler, const char *directory);
/* Lets it move what is still to be moved, and waits for its end. */
void wm_spooler_stop(struct wm_spooler *spooler);

#endif
