/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The parts of a function: its graph with every block divided at its calls.  The edge from a part to the next part of
 * the same block stands for the call; it is a *call edge*.  A block that ends in an invoke is divided there too: its last part
 * has the edge to the landing pad and the edge on which the call returns.  A call before which paths end anyway (wm_unit_is_last_call)
 * does not divide its block.
 *
 * Let n be the number of blocks.  Part p < n is the first part of block p; the parts after calls follow, in the order
 * of their call sites.  Every part after a call has one in-edge, the call edge.
 */
#ifndef WM_CORE_GRAPH_PARTS_H
#define WM_CORE_GRAPH_PARTS_H

#include "core/graph/unit.h"

struct wm_parts {
	const struct wm_unit_function *function;
	struct wm_graph graph; /* of parts; graph.call_edge is set */
	uint32_t *block; /* per part: the block to which it belongs */
	uint32_t *behind; /* per part: the call site after which it begins; WM_NONE: it begins its block */
	uint32_t *before; /* per part: the call site before which it ends; WM_NONE: it ends its block */
	uint32_t *last; /* per block: its last part, which has its out-edges and its end */
	/* Per call site: the part that begins after it, or WM_NONE if it does not divide its block. */
	uint32_t *site_part;
	uint32_t *edge; /* per edge: the edge of the function's graph, or WM_NONE for a call edge */
};
/* WM_TOO_MANY: there are 2^32 parts or edges.  O(blocks + edges + calls). */
enum wm_status wm_parts_make(struct wm_parts *parts, const struct wm_unit_function *function, struct wm_arena *arena);
/* Whether an edge of the parts leads from an invoke to its landing pad. */
bool wm_parts_unwinds(const struct wm_parts *parts, uint32_t edge);
/* Whether control may come back to an activation other than by a return: some call unwinds to a landing pad of the
 * function, or may return twice. */
bool wm_parts_has_frames(const struct wm_parts *parts);

#endif
