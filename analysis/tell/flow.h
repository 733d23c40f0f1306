/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The flow of a story: how often every block was entered and every control-flow edge was taken, as the paths that ran have
 * it (core/trail/executions.h).
 */
#ifndef WM_ANALYSIS_TELL_FLOW_H
#define WM_ANALYSIS_TELL_FLOW_H

#include "analysis/tell/abandoned.h"
#include "core/trail/executions.h"

struct wm_flow {
	const struct wm_story_function *function; /* its map has the graph */
	bool known; /* false: the function is not instrumented, refused, or residual, and its counts mean nothing */
	/* Whether the counts are exact.  They are not if activations were left inside a call, whose last paths nobody counts, or
	 * if setjmp returned twice, so that the beginning of a path is counted twice.  Then they are the least that is certain. */
	bool exact;
	/* On completed paths.  entries: activations, also by crossed calls, and of inlined copies.  What precedes a second return of
	 * setjmp counts once. */
	struct wm_executions ran;
	uint64_t *ended; /* per block: how often its end was executed; a call in it may return twice, or not at all */
	struct wm_abandoned abandoned; /* what the counts do not say */
};

struct wm_flows {
	struct wm_arena arena;
	/* First the functions of the story, in their order; then further bodies of inline functions in units of paths across
	 * calls, of which the story has only one. */
	size_t count, function_count;
	struct wm_flow *flow;
};

/* What is known of a line of a block; line_count: of its decision. */
struct wm_line_flow {
	uint64_t count; /* at least */
	bool maybe; /* the count is 0, and abandoned paths may have executed it */
};
struct wm_line_flow wm_flow_line(const struct wm_flow *flow, uint32_t block, uint32_t line);
/* How often a block was entered, at least; and whether no path is known to have entered it, and abandoned ones may have. */
uint64_t wm_flow_entered(const struct wm_flow *flow, uint32_t block);
bool wm_flow_block_maybe(const struct wm_flow *flow, uint32_t block);
/* Whether no completed path took an edge, and abandoned ones may have. */
bool wm_flow_edge_maybe(const struct wm_flow *flow, uint32_t edge);

/* Ends in wm_fail if a count does not fit 63 bits.  The story must outlive the flows. */
void wm_flows_build(struct wm_flows *flows, const struct wm_story *story);
void wm_flows_release(struct wm_flows *flows);

/* The context (core/graph/origin.h) in which control is at the entry of each block of a function, 0 for all blocks if nothing
 * was inlined; in the arena. */
uint32_t *wm_flow_contexts(const struct wm_map_function *map, struct wm_arena *arena);
/* Whether the entry of the function reaches each block; in the arena. */
const bool *wm_flow_reached(const struct wm_map_function *map, struct wm_arena *arena);

#endif
