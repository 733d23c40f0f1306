/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Small functions that are counted by the counters of their callers.
 *
 * A small function that always returns and has no decision executes its only path once for every
 * call.  Where a hot basic block calls such a function, the call need not count: it goes to a twin, which is
 * a copy of the function without probes, and a record (WM_FUNC_FOLLOWS in abi/abi.h) names the cells whose
 * counts are executions of that path as well:
 *
 *     cells of the caller's array: those of all paths through the basic block, if every execution of the block
 *         after its last call that may not return completes such a path, and if the ids of these paths are few runs;
 *     a block cell: a counter that the caller increments before the first of the calls, if the calls of one segment
 *         execute at least two small functions; one alone costs no more than its block cell.
 *
 * The twin's own calls of small functions go to twins too, and these functions have records of the same cells.
 * The small function is said to follow its caller.
 *
 * A call may not return because of exit, longjmp or an exception.  The calls of a block between two calls that
 * may not return are a segment: all of them are executed, or none.  Exactness rests on this: only a signal can end
 * a segment in the middle.
 *
 * This pays where functions are inlined, on the graph `source`.  Records take space, so only blocks follow that
 * an earlier profile calls hot.
 */
#ifndef WM_POLICY_FOLLOWERS_H
#define WM_POLICY_FOLLOWERS_H

#include "core/graph/unit.h"
#include "core/probes/counting.h"
#include "profile/base/function_counts.h"

/* What the unit does not say about a basic block. */
struct wm_follow_block {
	uint32_t instructions; /* at least 1; WM_NONE: a twin must not have this block (musttail, returns_twice) */
	uint32_t first_call, end_call; /* the call sites that run before a path ends in the block: [first, end) */
	bool may_not_return; /* after all of them is an intrinsic or assembly that may not return */
	bool returns; /* the block ends in an invoke that never unwinds: control takes its first edge only */
};
struct wm_follow_function {
	/* All NULL: the function is not instrumented.  It does not follow, and no function follows it. */
	const struct wm_plan *plan;
	const struct wm_counting *counting;
	const struct wm_weights *weights; /* executions, by the profile */
	const struct wm_follow_block *block; /* per block */
	/* Per call site: an intrinsic or assembly between the previous call site and this one may not return. */
	const bool *may_not_return_before;
	bool may_follow; /* always returns, or never ends; may be inlined; takes a fixed number of arguments */
	bool may_call_twins; /* is optimised, and none of its calls returns twice */
};

/* Cells of a caller that count the only path of `function` as well. */
struct wm_followed {
	uint32_t function;
	bool block_cell; /* block cells; else cells of the caller's array */
	uint64_t first, count;
};
/* What is decided about one function of the unit. */
struct wm_follow_choice {
	bool twin; /* some call goes to its twin */
	/* In its twin: the call sites that go to twins. */
	uint32_t inner_count;
	uint32_t *inner;
	/* In the function itself: the same; call sites before which block cell 0, 1, … is incremented; records. */
	uint32_t call_count;
	uint32_t *call;
	uint32_t block_cell_count;
	uint32_t *block_cell;
	uint32_t followed_count;
	struct wm_followed *followed;
};
/*
 * Fills choice[unit->function_count].  `least`: executions from which on a block is hot.  WM_NO_MEMORY: nothing
 * is decided.  O(blocks + calls) for blocks that are not hot; for each segment of a hot block O(edges), up to some
 * million edges for each caller.
 */
enum wm_status wm_follow_choose(struct wm_follow_choice *choice, const struct wm_unit *unit,
	const struct wm_follow_function *function, double least, struct wm_arena *arena);
/* The executions from which on a block is hot: a small share of all path executions of the profile. */
double wm_follow_least(const struct wm_profile *profile);

#endif
