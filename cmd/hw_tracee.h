/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One process that runs under QEMU: the memory that is shared with it, and the feed that takes
 * what it executes. */
#ifndef WM_CMD_HW_TRACEE_H
#define WM_CMD_HW_TRACEE_H

#include "analysis/hw/hw.h"
#include "hardware/trace/shared.h"
#include <sys/types.h>

struct wm_hw_tracee {
	struct wm_hw_feed *feed;
	struct wm_shared *shared;
	pid_t pid; /* for --kill */
	int memory; /* descriptor */
	bool begun, stopped, killed;
};

/* Makes the memory.  `children`: the process is to hand its children on. */
void wm_hw_tracee_init(struct wm_hw_tracee *tracee, struct wm_hw_feed *feed, bool children);
void wm_hw_tracee_release(struct wm_hw_tracee *tracee);
/* Takes what the process has handed over; waits at most so long for the first of it. */
void wm_hw_tracee_take(struct wm_hw_tracee *tracee, unsigned timeout_ms);
/* The process has ended with this status, or has become another program: takes the rest and ends
 * the feed.  False: the process never executed anything. */
bool wm_hw_tracee_finish(struct wm_hw_tracee *tracee, int status);

/* hw_children.c: gives memory to every process that asks for it, to the first one that of `main`.
 * The others are children of the first or programs that one of them became, and get a profile
 * each, beside options->output; without an output they are refused. */
struct wm_hw_children;
struct wm_hw_children *wm_hw_children_new(struct wm_hw_tracee *main, const struct wm_hw_options *options);
/* What follows -plugin when an emulator starts. */
const char *wm_hw_children_plugin(const struct wm_hw_children *children);
/* Waits until all children have ended. */
void wm_hw_children_finish(struct wm_hw_children *children);

#endif
