/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Unwinds the stack of this thread by the tables in .eh_frame, from activation to activation, without locks, memory or the libraries of the
 * compiler.  Only stack memory that can be read is read, and each activation is farther out than the one before it; so
 * a damaged stack ends the walk early, at worst with activations that never were.
 *
 * A walk is larger than the stack of a signal handler may be.
 */
#ifndef WM_RUNTIME_UNWIND_UNWIND_H
#define WM_RUNTIME_UNWIND_UNWIND_H

#include "runtime/unwind/frame_rules.h"
#include "runtime/unwind/stack_memory.h"

#define WM_MOST_ACTIVATIONS 65536u /* that are visited */

struct wm_walk {
	struct wm_frame frame; /* the present activation */
	struct wm_stack stack;
	struct wm_unwind_object object;
	struct wm_description description; /* of the activation before the present one, if it was described */
	struct wm_rules rules;
	struct wm_rules_memory memory;
	unsigned switches; /* to other stacks */
};

void wm_walk_begin(struct wm_walk *walk, const struct wm_frame *frame);
/* Goes on to the caller.  False: there is none, or it cannot be found. */
bool wm_walk_step(struct wm_walk *walk);
/* Whether an exception may continue in the present activation. */
bool wm_walk_lands(struct wm_walk *walk);

#endif
