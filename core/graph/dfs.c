/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/dfs_tree.h"
#include <string.h>

static uint32_t visit_block(struct wm_dfs_tree *tree, uint32_t block, uint32_t parent)
{
	uint32_t number = tree->reached++;
	tree->number[block] = number;
	tree->vertex[number] = block;
	tree->parent[number] = parent;
	return number;
}

/* `parent` is the stack; `cursor`, per number, counts the successors looked at.  Blocks
 * are left in postorder: the array is filled from its end. */
static void search_blocks(struct wm_dfs_tree *tree, const struct wm_graph *graph, uint32_t *cursor, uint32_t *left)
{
	uint32_t at = visit_block(tree, 0, WM_NONE);
	while (at != WM_NONE) {
		uint32_t block = tree->vertex[at];
		uint32_t edge = graph->first_edge[block] + cursor[at];
		if (edge < graph->first_edge[block + 1]) {
			cursor[at]++;
			if (tree->number[graph->edge_to[edge]] == WM_NONE)
				at = visit_block(tree, graph->edge_to[edge], at);
		} else {
			tree->last[at] = tree->reached - 1;
			*--left = block;
			at = tree->parent[at];
		}
	}
}

/* A target is on the stack exactly when it is left no earlier than the source. */
static void find_back_edges(struct wm_dfs *dfs, const struct wm_graph *graph)
{
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		uint32_t from = dfs->position[graph->edge_from[e]], to = graph->edge_to[e];
		if (from == WM_NONE || dfs->position[to] > from)
			continue;
		dfs->back_edge[e] = true;
		dfs->is_head[to] = true;
	}
}

static bool tree_alloc(struct wm_dfs_tree *tree, size_t blocks, struct wm_arena *arena)
{
	if (!tree)
		return false;
	*tree = (struct wm_dfs_tree){
		.vertex = WM_NEW(arena, uint32_t, blocks),
		.number = WM_NEW(arena, uint32_t, blocks),
		.parent = WM_NEW(arena, uint32_t, blocks),
		.last = WM_NEW(arena, uint32_t, blocks),
	};
	return tree->vertex && tree->number && tree->parent && tree->last;
}

enum wm_status wm_dfs_run(struct wm_dfs *dfs, const struct wm_graph *graph, struct wm_arena *arena)
{
	size_t blocks = graph->block_count;
	struct wm_dfs_tree *tree = WM_NEW(arena, struct wm_dfs_tree, 1);
	struct wm_dfs made = {
		.tree = tree,
		.reverse_postorder = WM_NEW(arena, uint32_t, blocks),
		.position = WM_NEW(arena, uint32_t, blocks),
		.back_edge = WM_NEW(arena, bool, graph->edge_count),
		.is_head = WM_NEW(arena, bool, blocks),
	};
	if (!tree_alloc(tree, blocks, arena) || !made.reverse_postorder || !made.position || !made.back_edge ||
		!made.is_head)
		return WM_NO_MEMORY;
	memset(tree->number, 0xff, blocks * sizeof *tree->number);
	/* The cursors are zero when the search begins and worthless when it ends. */
	search_blocks(tree, graph, made.position, made.reverse_postorder + blocks);
	made.reached = tree->reached;
	made.reverse_postorder += blocks - tree->reached;
	memset(made.position, 0xff, blocks * sizeof *made.position);
	for (uint32_t i = 0; i < made.reached; i++)
		made.position[made.reverse_postorder[i]] = i;
	find_back_edges(&made, graph);
	*dfs = made;
	return WM_OK;
}
