/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shapes (core/graph/shape.h) → IR: clones basic blocks and redirects branches along the edges of the shape. */
#ifndef WM_PLUGIN_INLINE_CLONE_H
#define WM_PLUGIN_INLINE_CLONE_H

#include "core/graph/shape.h"
#include "plugin/extract/extract.h"

/* Whether an instruction in another block, or a phi, uses the value of this one. */
bool wm_is_used_elsewhere(LLVMValueRef instruction);

/* Whether the blocks of a function can be cloned. */
bool wm_may_clone(LLVMValueRef ir);

/*
 * Gives a function the blocks of a shape.  *shaped receives the anchors of the shape's graph.  `dfs` is the search
 * of the shape's graph; blocks that it does not reach are removed.  Runs before any probe is written.  WM_NO_MEMORY: the
 * function is unchanged in behaviour and keeps its blocks.
 */
enum wm_status wm_clone_shape(LLVMValueRef ir, const struct wm_shape *shape, const struct wm_dfs *dfs,
	const struct wm_anchors *anchors, struct wm_anchors *shaped, struct wm_arena *arena);

#endif
