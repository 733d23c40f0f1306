/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Correlated decisions: an outcome of one decision after which another decision always has the same outcome.
 *
 * A decision is a block with at least two out-edges; its outcomes are these edges.  On a path, the *last* decision at block a
 * before a decision at block b is looked at (a and b may be the same block, on a path over several iterations).  The pair of
 * outcomes (e, f) counts the executions of f in the active part of paths whose last outcome at a before is e; so every execution
 * of b is counted at most once for each a.  A decision on another path, as in an earlier iteration that the path does not
 * contain, is not known.
 *
 * e determines f if the pair (e, f) was executed, no pair (e, g) with another outcome g of b was, and such a g was executed after
 * another outcome of a.  Edge counts cannot show that.  Proof: let p be a path that was executed with e and then f at b, and q one
 * with another outcome g at b.  Exchange what follows b on the two paths, once: no edge count changes, and now e is followed by
 * g.  (Of schemes whose paths have a context or several iterations, the exchanged paths may differ in the iterations that
 * precede b.)
 *
 * The measure by which correlations are sorted is the number of bits by which e shortens the record of the outcomes of b after a:
 *
 *     bits = executions of (e, f) × -log2(executions of f after a / executions of all outcomes of b after a)
 *
 * A correlation is strong if it was often confirmed, and surprising if f is rare after other outcomes of a.
 */
#ifndef WM_CORE_CORRELATION_H
#define WM_CORE_CORRELATION_H

#include "core/graph/graph.h"

/* The decisions of a path that was executed, in order. */
struct wm_decided_path {
	uint32_t count;
	const uint32_t *edge; /* the outcomes: edges out of blocks with at least two out-edges */
	uint32_t fresh; /* index of the first one in the active part */
	uint64_t executions;
};

struct wm_correlation {
	uint32_t edge, determined; /* e and f */
	uint64_t count; /* executions of (e, f) */
	uint64_t outcomes, decisions; /* executions of f, and of all outcomes of its block, after any outcome of a */
	double bits;
};

/* Finds all correlations, descending bits, then descending count, then ascending edges; memory is in the arena.  Counts are at
 * most 2^64-1.  WM_TOO_MANY: more than `budget` pairs of decisions are on the paths; the time is linear in the number of these
 * pairs.  WM_NO_MEMORY. */
enum wm_status wm_correlations_find(const struct wm_graph *graph, const struct wm_decided_path *path, size_t path_count,
	uint64_t budget, struct wm_correlation **correlation, size_t *count, struct wm_arena *arena);

#endif
