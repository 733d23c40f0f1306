/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What calls cost, in executed basic blocks: the input of profilers that show callers and callees.
 *
 * A recording knows the calling context of every block.  A profile knows how often each block was executed and each direct
 * call was made, but not for which caller a callee did its work; so each function is a context of its own, and the cost of a
 * call is known only if no other call enters any function that it may lead to (wm_costs_of_flows).
 */
#ifndef WM_ANALYSIS_COVERAGE_COSTS_H
#define WM_ANALYSIS_COVERAGE_COSTS_H

#include "analysis/join/filter.h"
#include "analysis/replay/recording_view.h"
#include "analysis/tell/flow.h"

/* A function that was called in a context.  A recursive call returns to the context of the activation of the same function
 * that is open already, so that there are finitely many. */
struct wm_cost_node {
	uint32_t parent; /* the context of the caller, which has a smaller index; WM_NONE: no caller is known */
	uint32_t site; /* the call site in the caller; WM_NONE: not known */
	const struct wm_story_function *function;
};

/* Blocks that were executed in a context. */
struct wm_cost_place {
	uint32_t node;
	const struct wm_map_line *line; /* of the function's module; NULL: not known */
	uint64_t blocks;
};

struct wm_cost_call {
	const struct wm_story_function *caller, *callee;
	uint32_t site; /* in the caller */
	uint64_t count;
	bool known; /* `blocks` is known */
	uint64_t blocks; /* executed while such a call was open */
};

/* Arrays from malloc. */
struct wm_costs {
	size_t node_count, place_count, call_count;
	struct wm_cost_node *node;
	struct wm_cost_place *place; /* by node, file and line */
	struct wm_cost_call *call; /* by caller, site and callee */
	uint64_t blocks; /* of all places */
};

/* Functions whose counts are not known, or that the filter does not pass, have neither node nor calls.  The call sites of functions with inexact counts are left out.  The cost of
 * a call is known if all entries of its callee come from this call site, and if the callee and all functions that it leads to
 * by direct calls have exact counts, do not call it recursively, and are entered only by direct calls among them.  If one of
 * them calls through a pointer, or code that is not instrumented, then no function but main may be entered otherwise than by
 * direct calls.  O(functions · calls). */
void wm_costs_of_flows(struct wm_costs *costs, const struct wm_flows *flows, const struct wm_function_filter *filter);
/* All costs are known. */
void wm_costs_of_recording(struct wm_costs *costs, const struct wm_wpp_view *view);
void wm_costs_release(struct wm_costs *costs);

/* Where a call site is; NULL: not known. */
const struct wm_map_line *wm_call_place(const struct wm_story_function *function, uint32_t site);

#endif
