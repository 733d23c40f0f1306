/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How often a function was entered, its blocks were executed and its control-flow edges were taken, as the trails of the
 * paths that ran have it.  Only the active part of a trail counts (core/trail/trail.h), so that each execution of a block counts
 * once, whatever the scheme.
 */
#ifndef WM_CORE_TRAIL_EXECUTIONS_H
#define WM_CORE_TRAIL_EXECUTIONS_H

#include "core/trail/trail.h"

struct wm_executions {
	uint64_t entries; /* by crossed calls only; a path that begins at the entry does not say so here */
	uint64_t *block, *edge; /* per block and control-flow edge */
	bool saturated; /* a count does not fit 63 bits, and stays at 2^63-1 */
};

/* All counts are 0.  WM_NO_MEMORY. */
enum wm_status wm_executions_init(struct wm_executions *ran, const struct wm_graph *graph, struct wm_arena *arena);
/* Adds to a count of *ran. */
void wm_executions_add(struct wm_executions *ran, uint64_t *sum, uint64_t count);
/* Adds a trail that was taken `count` times; ran[f] is of the function with the index f of the trail.  `entered`, of
 * trail->count numbers, is working memory.  O(length). */
void wm_executions_add_trail(
	struct wm_executions *const *ran, const struct wm_trail *trail, uint64_t count, uint32_t *entered);

#endif
