/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Paths that were executed → how often each block and edge of a shape is executed, if the same is executed again.  A shape without
 * copies gives the counts of the original graph.
 *
 * Only the active part of a path is counted.  Where the active part begins in the shape follows from what the path has before it;
 * a path that does not begin at the entry of the function begins where a back edge or a cut edge leads that ends another path.
 */
#ifndef WM_CORE_SUPERBLOCK_ROUTING_H
#define WM_CORE_SUPERBLOCK_ROUTING_H

#include "core/graph/shape.h"
#include "core/scheme/scheme.h"

struct wm_routed_path {
	struct wm_block_path path;
	uint64_t count;
};

/* Counts that would exceed 2^63-1 are 2^63-1. */
struct wm_routing {
	uint64_t entries; /* executions of paths that begin at the entry of the function */
	uint64_t *block, *edge; /* per block and edge of the shape */
};

/* WM_UNKNOWN: the beginning of an active part is not unique: some path may begin in several instances, and what it has before
 * its active part does not tell which.  WM_BAD_PATH: a path is none of the original graph.  WM_NO_MEMORY.
 * O(length of all paths · (out-degree + copies of loop heads)). */
enum wm_status wm_route(struct wm_routing *routing, const struct wm_shape *shape, const struct wm_routed_path *path,
	size_t path_count, struct wm_arena *arena);

#endif
