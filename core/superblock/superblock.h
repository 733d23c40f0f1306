/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Superblocks: traces → a shape.  Hwu and Mahlke, "The Superblock: An Effective Technique for VLIW and Superscalar
 * Compilation", Journal of Supercomputing 7, 1993, which thesis07, section 2.3.1, describes.
 *
 * A *trace* is a sequence of blocks, each of which is a successor of the block before it; a block may occur several times.  The
 * shape (core/graph/shape.h) has an instance of the last block of every beginning of a trace.  Traces share the instances of the
 * beginnings that they have in common, and the beginning of one block is the first instance of the block.  Control is always in the
 * instance of the longest beginning that the blocks executed last end with.  So a walk that is inside a trace has executed what
 * the trace has before, and nothing joins it from elsewhere: this is tail duplication.  A walk that leaves a trace goes on in
 * the longest beginning that still fits, which is a first instance unless another trace overlaps.  (The instances are the states
 * of the automaton of Aho and Corasick, 1975.)  The shape has exactly the walks of the original.
 *
 * Three transformations of the paper are traces: a longer trace is an enlarged superblock; a trace that enters a loop and has
 * whole iterations peels them; one with a back edge inside unrolls the loop for iterations that follow each other as it says.
 */
#ifndef WM_CORE_SUPERBLOCK_SUPERBLOCK_H
#define WM_CORE_SUPERBLOCK_SUPERBLOCK_H

#include "core/graph/shape.h"

struct wm_trace {
	uint32_t length; /* at least 2 */
	const uint32_t *block;
};

/* A beginning of a trace. */
struct wm_beginning {
	uint32_t block; /* its last one */
	uint32_t length;
	uint32_t ordinal; /* of the edge to the last block, among the out-edges of the block before */
	uint32_t parent; /* the beginning that is one block shorter; WM_NONE: none */
	uint32_t child, sibling; /* a list: the beginnings that are one block longer; WM_NONE: its end */
	uint32_t shorter; /* the longest other beginning with which this one ends; WM_NONE: none */
};

struct wm_superblock_limits {
	const uint32_t *size; /* per block; NULL: each has size 1 */
	uint64_t growth; /* by how much all reached blocks together may grow */
	/* Whether loops may become irreducible, that is, be entered in several places.  Many of LLVM's passes leave such loops
	 * as they are.  May be changed between traces. */
	bool irreducible;
};

/* The traces that have been added.  The beginning i of one block is that of block i of the graph, whether it is used or not. */
struct wm_superblocks {
	struct wm_arena *arena;
	const struct wm_graph *graph;
	struct wm_superblock_limits limits;
	uint64_t original_size,
		size; /* of the reached blocks of the graph, and of the shape with the traces that were added */
	uint32_t irreducible_count;
	uint32_t count, capacity;
	struct wm_beginning *beginning;
};

/* WM_NO_MEMORY. */
enum wm_status wm_superblocks_init(struct wm_superblocks *superblocks, const struct wm_graph *graph,
	const struct wm_superblock_limits *limits, struct wm_arena *arena);
/* Adds a trace.  WM_BAD_PATH: a block is not a successor of the one before.  WM_TOO_MANY: a limit would be exceeded, and the
 * trace is not added.  WM_NO_MEMORY.  O(blocks + edges + beginnings · longest trace). */
enum wm_status wm_superblocks_add(struct wm_superblocks *superblocks, const struct wm_trace *trace);
/* The shape of all traces that were added; a block of the shape has the index of its beginning.  WM_NO_MEMORY. */
enum wm_status wm_superblocks_finish(
	struct wm_superblocks *superblocks, struct wm_shape *shape, struct wm_arena *arena);

#endif
