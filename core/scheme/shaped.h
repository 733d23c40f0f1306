/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The plan of a shape: the same paths with the same ids, over instances of blocks.
 *
 * A path of the original plan is one walk over instances, if every path that begins at a block begins at its
 * first instance.  Then every node of the shape's DAG has as many paths to End as the node of its origin, the
 * numbering gives each edge the value of its origin, and ids are those of the original plan.  What is known of a
 * set of paths can so be computed on the shape, where instances tell apart what blocks do not.
 */
#ifndef WM_CORE_SCHEME_SHAPED_H
#define WM_CORE_SCHEME_SHAPED_H

#include "core/graph/shape.h"
#include "core/scheme/scheme.h"

/* `plan` must have events_are_edges, and edges on which its paths end must lead to first instances in the shape:
 * WM_BAD_GRAPH otherwise.  The shaped plan has no depth-first search tree, so no loops can be found in it.
 * O(edges). */
enum wm_status wm_plan_shape(
	struct wm_plan *shaped, const struct wm_plan *plan, const struct wm_shape *shape, struct wm_arena *arena);

#endif
