/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How a traced process gets the memory that it shares with `waymark hw` (shared.h): it connects to
 * a socket in the abstract namespace, receives the descriptor of the memory, maps the memory and
 * closes both descriptors.  A forked child and a program that was started by exec connect again.
 *
 * Everybody sees the name of the socket, and anybody can take the name when `waymark hw` has been killed while the
 * program runs on.  Each side therefore asks the kernel for the user of the other one, and talks to its own user only.
 */
#ifndef WM_HARDWARE_ATTACH_H
#define WM_HARDWARE_ATTACH_H

#include "hardware/trace/shared.h"
#include <sys/types.h>

enum { WM_ATTACH_NAME = 32 };

/* Traced process.  Makes system calls only, so that a child of fork may call it.  NULL: nobody
 * of our user listens, or the reader does not want this process. */
struct wm_shared *wm_attach(const char *name);

/* Reader.  A listening socket and its name; -1: errno says why. */
int wm_attach_listen(char name[WM_ATTACH_NAME]);
/* The next process of our user that connects; 0: the listener was shut down. */
pid_t wm_attach_accept(int listener, int *connection);
/* Answers; -1 as memory refuses.  Closes the connection. */
void wm_attach_answer(int connection, int memory);

#endif
