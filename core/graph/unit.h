/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A unit: the functions that are planned together, with their call sites.  In the compiler, a unit is a module; for
 * `waymark number` and `waymark replay` it is a graph file; in the link step it is a program or shared object.  A scheme
 * for single functions is given one graph of the unit; a scheme of paths across calls is given the whole unit.
 */
#ifndef WM_CORE_GRAPH_UNIT_H
#define WM_CORE_GRAPH_UNIT_H

#include "core/graph/graph.h"

/* A call site.  Calls of intrinsics and inline assembly are not call sites. */
struct wm_call {
	uint32_t block;
	uint32_t position; /* index among the call sites of the block, from 0 */
	uint32_t callee; /* index of a function of the unit; WM_NONE: indirect, or not in the unit */
	bool may_not_return; /* the activation may end inside the call: by exit, longjmp or an exception */
	bool unwinds; /* the call is an invoke: it ends the block, whose last edge leads to a landing pad */
	bool twice; /* the call may return twice, as setjmp does */
	/* No path ever crosses the call, because its callee is not known when the caller is compiled, or may be replaced, or
	 * because no probe can be executed directly after the call. */
	bool opaque;
	/* The call replaces the return of its block: the frame is gone while the callee runs, and the path has ended. */
	bool tail;
	/* The last call of a block with the end NORETURN, but not what ends the block: an intrinsic or assembly after the call
	 * does not return, such as a trap. */
	bool followed;
};
struct wm_unit_function {
	const char *name; /* linkage name */
	const struct wm_graph *graph;
	uint32_t call_count;
	struct wm_call *call; /* sorted by block, then by position */
};
struct wm_unit {
	uint32_t function_count;
	struct wm_unit_function *function;
};

/* The index of the first call site of a block; the other call sites of the block follow it.  call_count: the block
 * has no call site.  O(log calls). */
uint32_t wm_unit_first_call(const struct wm_unit_function *function, uint32_t block);
/* The call site of a function that calls `callee` at this place; WM_NONE: there is none.  O(log calls + calls of the
 * block). */
uint32_t wm_unit_find_call(const struct wm_unit_function *function, uint32_t block, uint32_t position, uint32_t callee);
/* The call site that may unwind along this edge, to its landing pad; WM_NONE when there is none.  O(log calls + calls of
 * the block). */
uint32_t wm_unit_unwinding_call(const struct wm_unit_function *function, uint32_t edge);

/* Whether a call may unwind to this block.  O(calls). */
bool wm_unit_is_landing_pad(const struct wm_unit_function *function, uint32_t block);

/* Whether this call is the last of its block and does not return there: a tail call, or, in a block with the end NORETURN,
 * the call that does not return.  Paths of single functions end before it. */
bool wm_unit_is_last_call(const struct wm_unit_function *function, uint32_t call);

#endif
