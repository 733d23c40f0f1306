/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The plan of a shape: the same paths with the same ids, over instances of blocks.
 *
 * If every path that begins at a block begins at the first instance of the block, each path of the original plan
 * corresponds to exactly one path over instances.  Every node of the shape's DAG then has as many paths to End as the
 * node of its origin, every edge has the value of its origin, and every path has its original id.  A set of paths can
 * therefore be analysed on the shape, where the instances distinguish paths that pass through the same block.
 */
#ifndef WM_CORE_SCHEME_SHAPED_H
#define WM_CORE_SCHEME_SHAPED_H

#include "core/graph/shape.h"
#include "core/scheme/scheme.h"

/* WM_BAD_GRAPH: `plan` does not have events_are_edges, or an edge on which paths end does not lead to a first
 * instance.  The plan of a shape has no depth-first search tree, so loops cannot be found in it.  O(edges). */
enum wm_status wm_plan_shape(
	struct wm_plan *shaped, const struct wm_plan *plan, const struct wm_shape *shape, struct wm_arena *arena);

#endif
