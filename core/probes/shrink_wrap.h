/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shrink wrapping: in which blocks an activation holds a resource that some of its blocks need, such as a frame around
 * calls.  The resource is acquired on every edge from a block that does not hold it to one that does, and released on
 * every edge in the other direction.  An activation begins and returns without it.
 */
#ifndef WM_CORE_PROBES_SHRINK_WRAP_H
#define WM_CORE_PROBES_SHRINK_WRAP_H

#include "core/numbering/weights.h"

struct wm_shrink_wrap_costs {
	double acquire, release;
};

/*
 * `held`, per block: on call the blocks that need the resource; on return all blocks that hold it.  The choice is a
 * minimum cut, so that no other choice costs less; of equally cheap choices, it is the one with the fewest blocks.  Where the search takes too long, all blocks
 * hold the resource.  WM_NO_MEMORY: `held` is unchanged.  O(edges · WM_SHRINK_WRAP_ROUNDS).
 */
enum { WM_SHRINK_WRAP_ROUNDS = 4096 };
enum wm_status wm_shrink_wrap(bool *held, const struct wm_graph *graph, const struct wm_weights *weights,
	struct wm_shrink_wrap_costs costs, struct wm_arena *arena);

#endif
