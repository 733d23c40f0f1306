/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Event counting: Ball, "Efficiently counting program events with support for on-line queries", TOPLAS 1994.
 *
 * A potential per node of a DAG, equal at Start and End, may be added to every out-edge and taken from every
 * in-edge without changing the sum of any whole path.  A spanning tree fixes potentials that make its own edges
 * zero; the other edges, the chords, keep the rest: their increments.
 */
#ifndef WM_CORE_PROBES_SPANNING_H
#define WM_CORE_PROBES_SPANNING_H

#include "core/numbering/weights.h"

struct wm_spanning {
	const struct wm_dag *dag;
	/* Per DAG edge, or NULL: edges that the tree takes before all others, whatever their weights. */
	const bool *first;
	/* Per DAG edge, or NULL: edges to End where an addition is an instruction of its own. */
	const bool *adds;
	/* Per DAG edge, after wm_spanning_sort: that of a restart is the sum of those of the edges that it follows. */
	double *weight;
	uint32_t *sorted; /* DAG edges in the order in which the tree takes them */
	struct wm_rooted *node;
	uint32_t trees; /* how many there still are: the last join makes it one */
	bool *taken; /* per DAG edge, or NULL: wm_spanning_make sets it for the edges of the tree */
};

/* The caller may then set `first`, `adds` and `taken`.  WM_NO_MEMORY.  O(edges). */
enum wm_status wm_spanning_init(struct wm_spanning *spanning, const struct wm_dag *dag, struct wm_arena *arena);
/* Edges by weight; among equals, those without a value first: a tree of such edges leaves every other edge its own
 * value.  Not needed if `first` is a whole tree.  WM_NO_MEMORY.  O(edges). */
enum wm_status wm_spanning_sort(
	struct wm_spanning *spanning, const struct wm_weights *weights, const int64_t *value, struct wm_arena *arena);
/* The tree; which edges it takes does not depend on the values.  `real_first`: edges where an addition is an
 * instruction of its own come before all others; it is free where a path starts or ends. */
void wm_spanning_make(struct wm_spanning *spanning, const int64_t *value, bool real_first);
/* Per DAG edge, modulo 2^64: 0 for the edges of the tree. */
void wm_spanning_increments(struct wm_spanning *spanning, const int64_t *value, uint64_t *increment);
/* What is missing in a sum of increments from Start to this node: the potential of the node. */
uint64_t wm_spanning_potential(struct wm_spanning *spanning, uint32_t node);

#endif
