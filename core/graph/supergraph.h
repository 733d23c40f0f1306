/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Supergraphs: functions into which calls are inlined, for interprocedural preferential path profiles (thesis07,
 * sections 3.4.3 and 3.4.4).  A path of the supergraph of a function goes through the calls that are inlined; every
 * scheme for single functions can count it.
 *
 * Marked call sites are inlined, also in inlined bodies, as long as no chain of calls contains more than K copies of a
 * function: a function that is not recursive is copied once per context, a recursive one up to K deep.  Contexts are
 * chosen breadth first until the supergraph has `limit` blocks; a budget (core/graph/inline_budget.h) limits all
 * supergraphs of a unit together.  A call that is not inlined remains a call, which paths step over.
 *
 * The thesis does not say what happens to a call in an inlined body.  Here such calls are inlined too, because otherwise the
 * segments of depth K that begin in the inlined body would be lost.
 */
#ifndef WM_CORE_GRAPH_SUPERGRAPH_H
#define WM_CORE_GRAPH_SUPERGRAPH_H

#include "core/graph/origin.h"
#include "core/graph/unit.h"

/* Whether a call site is inlined in a context, and if not, why. */
enum wm_inline_choice {
	WM_INLINE_DONE,
	WM_INLINE_UNMARKED,
	WM_INLINE_UNKNOWN_CALLEE, /* the call is indirect, or its callee is not in the unit or may be replaced */
	WM_INLINE_RECURSIVE, /* K copies of the callee are open */
	WM_INLINE_TOO_LARGE, /* the supergraph would have too many blocks, or be nested too deep */
	WM_INLINE_REFUSED, /* the compiler cannot inline the call */
	WM_INLINE_IDLE, /* the caller itself is not executed, because all its calls are inlined */
	WM_INLINE_COLD, /* the budget is spent on calls that are executed more often */
	WM_INLINE_CHOICES,
};
/* One clause that says why a call is not inlined. */
const char *wm_inline_choice_text(enum wm_inline_choice choice);

#define WM_SUPERGRAPH_BLOCKS 20000u
#define WM_MAX_COPIES 64u
struct wm_inline_budget;
struct wm_inlining {
	const struct wm_unit *unit;
	const bool *const *marked; /* per function, per call site */
	uint32_t most_copies; /* K: 1 … WM_MAX_COPIES */
	uint32_t limit; /* blocks of a supergraph */
	struct wm_inline_budget *budget; /* NULL: there is none */
};
/* Whether to inline a call site of the function of a context.  `blocks` is how many blocks the supergraph has. */
enum wm_inline_choice wm_inlining_choose(const struct wm_inlining *inlining, const struct wm_origins *origins,
	uint32_t context, uint32_t site, uint32_t blocks);

/*
 * A supergraph.  A block with n inlined calls becomes n + 1 blocks: the parts before, between and after these calls.  Every
 * block has one mark.  A return of an inlined function leads to the part after its call; a resumed exception
 * leads to the landing pad of the nearest inlined invoke, or ends the path.
 */
struct wm_supergraph {
	struct wm_graph graph;
	struct wm_origins origins;
	enum wm_inline_choice **choice; /* per context, per call site of its function */
	uint32_t **callee; /* likewise: the context of the inlined call; WM_NONE: the call was not inlined */
	uint32_t **first; /* per context, per block of its function: its first part; the others follow it */
};
/* Chooses the contexts of the supergraph: sets the contexts of the origins, `choice` and `callee`, and spends the budget.
 * WM_NO_MEMORY. */
enum wm_status wm_supergraph_choose(
	struct wm_supergraph *supergraph, const struct wm_inlining *inlining, uint32_t root, struct wm_arena *arena);
/* The supergraph of function `root`.  WM_NO_MEMORY.  O(blocks + edges + call sites · nesting of calls). */
enum wm_status wm_supergraph_make(
	struct wm_supergraph *supergraph, const struct wm_inlining *inlining, uint32_t root, struct wm_arena *arena);
#endif
