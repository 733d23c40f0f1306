/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A shape is a graph whose blocks are instances of the blocks of another graph, the original.  Shapes are the only
 * way in which code is duplicated.  A shape is computed before probes are placed or, in a build with a profile (policy/chosen_superblocks.h),
 * instead of probes; the compiler then clones the blocks
 * that the shape adds and redirects branches along its edges (plugin/inline/clone.h).  A path over a shape is reported by
 * the origins of its blocks.
 *
 * Let n be origin_count, the number of blocks of the original.  Block b < n of the shape is the *first instance* of
 * block b of the original.  Blocks from n on are further instances; origin[] names their originals.  An instance has
 * the out-edges of its origin in the same order, and each leads to an instance of the block to which the edge of the
 * origin leads.
 */
#ifndef WM_CORE_GRAPH_SHAPE_H
#define WM_CORE_GRAPH_SHAPE_H

#include "core/graph/graph.h"

struct wm_shape {
	const struct wm_graph *original;
	uint32_t origin_count;
	struct wm_graph graph;
	uint32_t *origin; /* per block: the block that it is an instance of */
	bool *unlikely; /* per block: the block is expected to run rarely; for code layout */
};

/* The edge of the original of which this edge of the shape is an instance. */
uint32_t wm_shape_edge_origin(const struct wm_shape *shape, uint32_t edge);

/* Builds a shape: create further instances with copy, give the targets of edges with lead, then call finish. */
struct wm_shape_builder {
	struct wm_arena *arena;
	const struct wm_graph *original;
	uint32_t count, capacity;
	uint32_t *origin;
	bool *unlikely;
	/* Per block: the target instance of each out-edge; NULL: the first instances, as in the original. */
	uint32_t **target;
};
enum wm_status wm_shape_builder_init(
	struct wm_shape_builder *builder, const struct wm_graph *original, struct wm_arena *arena);
/* Creates a further instance of a block and returns its index.  WM_NONE: out of memory. */
uint32_t wm_shape_builder_copy(struct wm_shape_builder *builder, uint32_t origin);
/* Sets the targets of the out-edges of a block.  target[] has one instance per out-edge of the origin. */
enum wm_status wm_shape_builder_lead(struct wm_shape_builder *builder, uint32_t block, const uint32_t *target);
/* WM_BAD_GRAPH: the target of some edge is not an instance of the block to which the edge of the origin leads. */
enum wm_status wm_shape_builder_finish(struct wm_shape_builder *builder, struct wm_shape *shape);

#endif
