/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Causes before consequences: an order of what the failed runs executed, and which outcome others follow from.
 *
 * What is executed first may be the cause of what is executed later, and not the reverse.  Counts do not say when something was
 * executed; code does.  The order is that of a walk over the blocks that failed runs executed: it begins at `main`, goes through a function
 * so that every block comes after the blocks that lead to it without a back edge and, where that does not decide, in
 * the order in which the compiler emitted them, which is that of the source; and it goes into a function at the first call of it.
 * So a decision comes before what it dominates, a caller's decision before those of the functions that are called after it, and
 * decisions in a called function before those of the caller after the call.  Functions that no such call reaches, because they are called
 * through pointers, follow, callers first.
 */
#ifndef WM_ANALYSIS_BLAME_CAUSE_ORDER_H
#define WM_ANALYSIS_BLAME_CAUSE_ORDER_H

#include "analysis/blame/executed.h"

struct wm_cause_order {
	const struct wm_executed *executed;
	/* Per item that is a block: its place in the order before its first call, and after its last one; 0: failed runs did not
	 * execute it. */
	uint64_t *enter, *leave;
};

/* O(blocks + edges + calls), nearly: successors are sorted. */
void wm_cause_order_find(struct wm_cause_order *order, const struct wm_executed *executed, uint32_t failed);
void wm_cause_order_release(struct wm_cause_order *order);

/* The place of a line of a block, and of the decision at the end of a block. */
uint64_t wm_cause_order_line(const struct wm_cause_order *order, const struct wm_executed_place *place);
uint64_t wm_cause_order_decision(const struct wm_cause_order *order, size_t function, uint32_t block);

#endif
