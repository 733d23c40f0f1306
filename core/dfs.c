/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/dfs_tree.h"
#include <string.h>

static uint32_t visit(struct wm_dfs_tree *tree, uint32_t block, uint32_t parent)
{
	uint32_t number = tree->reached++;
	tree->number[block] = number;
	tree->vertex[number] = block;
	tree->parent[number] = parent;
	return number;
}

/* `parent` is the stack; `cursor`, per number, counts the successors looked at. */
static void search(struct wm_dfs_tree *tree, const struct wm_graph *graph, uint32_t *cursor)
{
	uint32_t left = 0, at = visit(tree, 0, WM_NONE);
	while (at != WM_NONE) {
		uint32_t block = tree->vertex[at];
		uint32_t edge = graph->first_edge[block] + cursor[at];
		if (edge < graph->first_edge[block + 1]) {
			cursor[at]++;
			if (tree->number[graph->edge_to[edge]] == WM_NONE)
				at = visit(tree, graph->edge_to[edge], at);
		} else {
			tree->last[at] = tree->reached - 1;
			tree->postorder[left++] = block;
			at = tree->parent[at];
		}
	}
}

enum wm_status wm_dfs_tree_run(struct wm_dfs_tree *tree, const struct wm_graph *graph, struct wm_arena *arena)
{
	size_t blocks = graph->block_count;
	struct wm_dfs_tree made = {
		.vertex = WM_NEW(arena, uint32_t, blocks),
		.number = WM_NEW(arena, uint32_t, blocks),
		.parent = WM_NEW(arena, uint32_t, blocks),
		.last = WM_NEW(arena, uint32_t, blocks),
		.postorder = WM_NEW(arena, uint32_t, blocks),
	};
	uint32_t *cursor = WM_NEW(arena, uint32_t, blocks);
	if (!made.vertex || !made.number || !made.parent || !made.last || !made.postorder || !cursor)
		return WM_NO_MEMORY;
	memset(made.number, 0xff, blocks * sizeof *made.number);
	search(&made, graph, cursor);
	*tree = made;
	return WM_OK;
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

enum wm_status wm_dfs_run(struct wm_dfs *dfs, const struct wm_graph *graph, struct wm_arena *arena)
{
	struct wm_dfs_tree tree;
	if (wm_dfs_tree_run(&tree, graph, arena) != WM_OK)
		return WM_NO_MEMORY;
	struct wm_dfs made = {
		.reached = tree.reached,
		.reverse_postorder = tree.vertex,
		.position = tree.number,
		.back_edge = WM_NEW(arena, bool, graph->edge_count),
		.is_head = WM_NEW(arena, bool, graph->block_count),
	};
	if (!made.back_edge || !made.is_head)
		return WM_NO_MEMORY;
	/* The preorder is not needed any more: its arrays take the reverse postorder. */
	for (uint32_t i = 0; i < tree.reached; i++) {
		uint32_t block = tree.postorder[tree.reached - 1 - i];
		made.reverse_postorder[i] = block;
		made.position[block] = i;
	}
	find_back_edges(&made, graph);
	*dfs = made;
	return WM_OK;
}
