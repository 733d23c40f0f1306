/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shapes (core/graph/shape.h) → IR: clones blocks, and sends control where the edges of the shape lead. */
#ifndef WM_PLUGIN_CLONE_H
#define WM_PLUGIN_CLONE_H

#include "core/graph/shape.h"
#include "core/scheme/scheme.h"
#include "plugin/extract.h"

/* Whether the blocks of a function can be cloned. */
bool wm_may_clone(LLVMValueRef ir);

/*
 * Gives a function the blocks of a shape, and in *shaped the anchors of its graph.  `plan`, of the shape, says
 * which of its blocks are reached; others are removed.  Before any probe is written, behind the last pass of LLVM.
 * WM_NO_MEMORY: the function computes what it did, and has its old blocks.
 */
enum wm_status wm_clone_shape(LLVMValueRef ir, const struct wm_shape *shape, const struct wm_plan *plan,
	const struct wm_anchors *anchors, struct wm_anchors *shaped, struct wm_arena *arena);

#endif
