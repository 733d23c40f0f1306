/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tree of the depth-first search from the entry that visits successors in order.  Internal to core/: the
 * loop analysis uses it.
 *
 * The blocks that the search reaches have preorder numbers 0 … reached-1.  The subtree of number n is the range
 * n … last[n].
 */
#ifndef WM_CORE_DFS_TREE_H
#define WM_CORE_DFS_TREE_H

#include "core/graph/graph.h"

struct wm_dfs_tree {
	uint32_t reached;
	uint32_t *vertex; /* per number: its block */
	uint32_t *number; /* per block: its number, or WM_NONE */
	uint32_t *parent; /* per number: number of the tree parent; WM_NONE for 0 */
	uint32_t *last; /* per number: largest number of its subtree */
};

#endif
