/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A control-flow graph, and the analyses that are based on one depth-first search of it.
 *
 * Blocks are numbered 0 … block_count-1; block 0 is the entry.  The out-edges of block b are the edges
 * first_edge[b] … first_edge[b+1]-1, in successor order.  Edge e leads from edge_from[e] to edge_to[e].  Parallel
 * edges are merged: no block lists a successor twice.  A block without out-edges is an exit block, and its `end` is
 * not WM_END_NONE.  Blocks that the entry does not reach keep their index but take part in nothing.
 */
#ifndef WM_CORE_GRAPH_H
#define WM_CORE_GRAPH_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include <stdbool.h>
#include <stdint.h>

#define WM_NONE UINT32_MAX

/* How a path ends.  RETURN, NORETURN and UNWIND are properties of exit blocks.  CALL: before a call. */
enum wm_end { WM_END_NONE, WM_END_RETURN, WM_END_NORETURN, WM_END_UNWIND, WM_END_BACKEDGE, WM_END_CUT, WM_END_CALL };
/* CALL: after a call. */
enum wm_start { WM_START_ENTRY, WM_START_LOOP, WM_START_CUT, WM_START_CALL };

struct wm_graph {
	uint32_t block_count, edge_count;
	uint32_t *first_edge; /* block_count + 1 */
	uint32_t *edge_from, *edge_to;
	uint8_t *end; /* enum wm_end per block */
	/* Per edge, or NULL: a call happens on the edge (core/graph/parts.h).  Paths of schemes with `at_calls` end on it. */
	const bool *call_edge;
};

/* Builds a graph: add the blocks in order, each with its successors, then call finish.  A successor that is named
 * twice is added once. */
struct wm_graph_builder {
	struct wm_arena *arena;
	struct wm_graph graph;
	uint32_t edge_capacity, block_capacity;
	uint32_t *seen; /* per block: the last block that named it as a successor; detects parallel edges in O(1) */
};
enum wm_status wm_graph_builder_init(struct wm_graph_builder *builder, struct wm_arena *arena, uint32_t block_count);
/* WM_BAD_GRAPH if more than block_count blocks are added or a successor is out of range. */
enum wm_status wm_graph_builder_add(
	struct wm_graph_builder *builder, const uint32_t *successors, uint32_t count, enum wm_end end);
enum wm_status wm_graph_builder_finish(struct wm_graph_builder *builder, struct wm_graph *graph);

/* Returns the edge from → to, or WM_NONE. */
uint32_t wm_graph_find_edge(const struct wm_graph *graph, uint32_t from, uint32_t to);

/*
 * The depth-first search from the entry that visits successors in order.  Not recursive.  O(blocks + edges).
 *   reverse_postorder   the reached blocks, entry first: a topological order of the graph without its back edges
 *   position            per block: its index in reverse_postorder, or WM_NONE
 *   back_edge           per edge: whether the search finds the target of the edge on its stack.  This is the
 *                       definition of a back edge everywhere in Waymark
 *   is_head             per block: whether a back edge leads to it
 *   tree                the tree of the search, for other files of core/
 */
struct wm_dfs_tree;
struct wm_dfs {
	uint32_t reached;
	uint32_t *reverse_postorder, *position;
	bool *back_edge, *is_head;
	const struct wm_dfs_tree *tree;
};
enum wm_status wm_dfs_run(struct wm_dfs *dfs, const struct wm_graph *graph, struct wm_arena *arena);

/*
 * The loop nesting forest after Havlak: one loop per loop head.  A loop is natural when its head dominates the
 * sources of its back edges and no edge enters the body elsewhere; otherwise it is irreducible.  `loop_of` is the
 * innermost loop of a block or WM_NONE; `parent` is the enclosing loop; `depth` is 1 for an outermost loop.  Loops
 * are sorted by the position of their heads in reverse_postorder, so a parent precedes its children.
 */
struct wm_loop {
	uint32_t head, parent, depth;
	bool irreducible;
};
struct wm_loops {
	uint32_t count;
	struct wm_loop *loop;
	uint32_t *loop_of;
};
enum wm_status wm_loops_run(
	struct wm_loops *loops, const struct wm_graph *graph, const struct wm_dfs *dfs, struct wm_arena *arena);

#endif
