/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Dominators, after Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001.  Block a dominates block b if
 * every walk from the entry to b goes through a.
 */
#ifndef WM_CORE_GRAPH_DOMINATORS_H
#define WM_CORE_GRAPH_DOMINATORS_H

#include "core/graph/graph.h"

struct wm_dominators {
	/* Per block: the last block before it that dominates it; WM_NONE: of the entry and of blocks that are not reached. */
	uint32_t *parent;
	/* Per block: the edge by which every walk from the entry comes to the block first; WM_NONE: there is more than one such
	 * edge, or none.  Every walk to a block takes the gates of the blocks that dominate it, and its own. */
	uint32_t *gate;
};

/* `dfs` is of the graph.  WM_NO_MEMORY.  O(blocks · edges) at worst, about O(edges) for graphs of real programs. */
enum wm_status wm_dominators_run(struct wm_dominators *dominators, const struct wm_graph *graph,
	const struct wm_dfs *dfs, struct wm_arena *arena);

#endif
