/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where the pairs of a function are placed that profiles paths across calls (unit_program.h): a spanning tree, and what
 * is known about increments and potentials before the unit is numbered.
 *
 * The first out-edge of a node has the value ⟨0, 0⟩ in every numbering.  So two nodes that a tree edge of this kind
 * connects have the same potential; Start and End always have the potential ⟨0, 0⟩.  An edge is *level* if its increment
 * is ⟨0, 0⟩ in every numbering, and a node is level if its potential is.
 */
#ifndef WM_CORE_PROBES_UNIT_TREE_H
#define WM_CORE_PROBES_UNIT_TREE_H

#include "core/numbering/weights.h"
#include "core/scheme/unit_scheme.h"

/* Chooses a spanning tree and sets tree[e], per DAG edge: e is in the tree.  There are two candidates: the tree with the
 * fewest expected additions, and the tree of first out-edges, with which every node is level.  Calls at nodes that are
 * not level cost additional instructions, so the second is better for functions that make many calls.
 * WM_NO_MEMORY.  O(edges + sites). */
enum wm_status wm_unit_tree(
	const struct wm_plan *plan, const struct wm_weights *weights, bool *tree, struct wm_arena *arena);

struct wm_unit_levels {
	const struct wm_dag *dag;
	const bool *tree; /* NULL: naive placement, with which every node is level */
	uint32_t *group; /* union-find over level edges */
};
/* WM_NO_MEMORY.  O(edges). */
enum wm_status wm_unit_levels_make(
	struct wm_unit_levels *levels, const struct wm_dag *dag, const bool *tree, struct wm_arena *arena);
bool wm_unit_edge_is_level(const struct wm_unit_levels *levels, uint32_t edge);
bool wm_unit_node_is_level(const struct wm_unit_levels *levels, uint32_t node);

#endif
