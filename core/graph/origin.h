/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The origins of the blocks of a function into which calls were inlined (core/graph/supergraph.h): the function and block
 * from which the code was copied, and the calls through which control came there.
 *
 * A *context* is one inlined call: the context of its caller, the call site in the caller, and the callee.  Context 0 is
 * the function itself.  A *mark* says that, from its place in the block on, control is in a given block of the
 * function of a given context.  A block has any number of marks: the compiler merges blocks when it inlines, and adds
 * blocks without a mark, in which control stays in the block of the last mark.
 *
 * Calls and returns follow from the marks: where control goes from one context to another, it returns to their nearest
 * common caller and calls from there.
 */
#ifndef WM_CORE_GRAPH_ORIGIN_H
#define WM_CORE_GRAPH_ORIGIN_H

#include "core/graph/graph.h"

/* The deepest nesting of contexts. */
#define WM_CONTEXT_DEPTH 200u
struct wm_context {
	uint32_t parent; /* the context of the caller, which has a smaller index; WM_NONE: this is context 0 */
	uint32_t function; /* the callee.  In a unit: its index; in a map: as wm_call.callee */
	uint32_t block, position; /* the call site, in the original graph of the caller */
};

struct wm_mark {
	uint32_t context;
	uint32_t block; /* of the original graph of the function of the context */
	bool behind; /* control comes back to the block from an inlined call, instead of entering the block */
	uint32_t line; /* in a map: the index of the first source line of the block that follows the mark */
	bool pad; /* the block is a landing pad: exceptions lead to it */
};

struct wm_origins {
	uint32_t context_count;
	struct wm_context *context;
	uint32_t block_count;
	/* Per block, and one more: the marks of block b are first_mark[b] … first_mark[b + 1] - 1. */
	uint32_t *first_mark;
	struct wm_mark *mark;
};

/* The number of inlined calls that are open in a context. */
uint32_t wm_context_depth(const struct wm_origins *origins, uint32_t context);

enum wm_move_kind { WM_MOVE_BLOCK, WM_MOVE_CALL, WM_MOVE_RETURN };
/* One step of a path in terms of the original functions. */
struct wm_move {
	enum wm_move_kind kind;
	uint32_t context; /* BLOCK: of the block.  CALL: of the callee.  RETURN: of the caller */
	uint32_t
		block; /* BLOCK: the block that is entered.  CALL and RETURN: the block of the call site, in the caller */
	uint32_t depth; /* calls that the path has made and not returned from, counted so that none is below 0 */
	uint32_t at; /* index, on the path, of the block of the supergraph */
	uint32_t mark; /* index of the mark from which the move follows */
	bool lone; /* RETURN: the call is not on the path */
	bool unwinds; /* RETURN: an exception left the callee */
};
struct wm_moves {
	uint32_t count;
	struct wm_move *move;
	uint32_t first, last; /* the contexts in which the path begins and ends */
};
/* The moves along a sequence of blocks of the supergraph, in the arena.  A path whose first block has no mark begins in
 * the context of the first mark on it.  WM_NO_MEMORY. */
enum wm_status wm_origins_moves(const struct wm_origins *origins, const uint32_t *block, uint32_t length,
	struct wm_moves *moves, struct wm_arena *arena);

/*
 * The segments of depth K of a path (thesis07, section 3.4.2).  A subpath is a part of the path between calls and returns.
 * A segment begins at every subpath that ends at an inlined call, and is as long as possible: it ends before call K + 1,
 * where the activation in which it began returns, where an exception leaves an inlined call, or at the end of the path.
 */
struct wm_segment_range {
	/* Moves.  A segment that begins with a RETURN begins after that call.  A segment that begins where an exception is
	 * caught begins with the landing pad. */
	uint32_t first, end;
};
/* At most one segment per move: segment[] must have room for moves->count of them.  Returns how many there are. */
uint32_t wm_moves_segments(const struct wm_moves *moves, uint32_t depth, struct wm_segment_range *segment);

#endif
