/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A shape: a graph made of copies of the blocks of another graph.  It is the only way in which code is ever
 * duplicated.  The compiler clones the blocks that a shape says and sends control where its edges lead; what a
 * path is called follows from the origins of its blocks.
 *
 * Block b below origin_count is an instance of block b of the other graph, its *first instance*; blocks from
 * origin_count on are further instances.  An instance has the out-edges of its origin, in the same order; each
 * leads to an instance of the block that the edge of the origin leads to.
 */
#ifndef WM_CORE_GRAPH_SHAPE_H
#define WM_CORE_GRAPH_SHAPE_H

#include "core/graph/graph.h"

struct wm_shape {
	const struct wm_graph *original;
	uint32_t origin_count;
	struct wm_graph graph;
	uint32_t *origin; /* per block: the block that it is an instance of */
	bool *unlikely; /* per block: control seldom comes here; for the layout of code */
};

/* The edge of the original graph that an edge of a shape is an instance of. */
uint32_t wm_shape_edge_origin(const struct wm_shape *shape, uint32_t edge);

/* Building: instances are named when they are first needed; then every block says where its edges lead. */
struct wm_shape_builder {
	struct wm_arena *arena;
	const struct wm_graph *original;
	uint32_t count, capacity;
	uint32_t *origin;
	bool *unlikely;
	uint32_t **target; /* per block: per out-edge of its origin, an instance; NULL: as in the original */
};
enum wm_status wm_shape_builder_init(
	struct wm_shape_builder *builder, const struct wm_graph *original, struct wm_arena *arena);
/* A further instance of a block; WM_NONE: no memory. */
uint32_t wm_shape_builder_copy(struct wm_shape_builder *builder, uint32_t origin);
/* Where the edges of a block lead; target[] has one instance per out-edge of its origin. */
enum wm_status wm_shape_builder_lead(struct wm_shape_builder *builder, uint32_t block, const uint32_t *target);
/* WM_BAD_GRAPH: an edge leads to an instance of another block than its origin does. */
enum wm_status wm_shape_builder_finish(struct wm_shape_builder *builder, struct wm_shape *shape);

#endif
