/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A unit: the functions that are planned together, with their call sites.  It is a module in the compiler, a
 * whole program at link time, and a graph file for `waymark number` and `waymark replay`.  A scheme for single
 * functions is given one graph of it, a scheme for whole programs the unit.
 */
#ifndef WM_CORE_GRAPH_UNIT_H
#define WM_CORE_GRAPH_UNIT_H

#include "core/graph/graph.h"

/* A call site.  Calls of intrinsics and inline assembly are none. */
struct wm_call {
	uint32_t block;
	uint32_t position; /* among the call sites of the block, from 0 */
	uint32_t callee; /* index of a function of the unit; WM_NONE: indirect, or defined elsewhere */
	bool may_not_return; /* the call may leave the function for good: exit, longjmp, an exception */
	bool unwinds; /* the block ends in this call, an invoke: its last edge leads to a landing pad */
};
struct wm_unit_function {
	const char *name; /* linkage name */
	const struct wm_graph *graph;
	uint32_t call_count;
	struct wm_call *call; /* by block, then by position */
};
struct wm_unit {
	uint32_t function_count;
	struct wm_unit_function *function;
};

/* The first call site of a block; those of the block follow it.  call_count when there is none.  O(log calls). */
uint32_t wm_unit_first_call(const struct wm_unit_function *function, uint32_t block);
/* The call site that may unwind along this edge, to its landing pad; WM_NONE when there is none.  O(log calls + calls of
 * the block). */
uint32_t wm_unit_unwinding_call(const struct wm_unit_function *function, uint32_t edge);

#endif
