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
 * common caller and calls from there (core/trail/original.h).
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

/* The marks of a block.  `origins` NULL: nothing was inlined into the function, and the block has one mark, *own. */
const struct wm_mark *wm_origins_marks(
	const struct wm_origins *origins, uint32_t block, struct wm_mark *own, uint32_t *count);

#endif
