/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Indirect calls whose targets the list of call sites names (policy/site_list.h) become chains of direct calls:
 *
 *     p(x)    becomes    p == f ? f(x) : p == g ? g(x) : p(x)
 *
 * The direct calls are call sites of the unit at the place of the indirect call, so that they can be inlined, and the origins
 * of blocks stay those of the original graph.  Calls stay as they are if they are musttail, have operand bundles, or lack the
 * source line that a direct call must have.
 */
#ifndef WM_PLUGIN_INLINE_INLINE_TARGETS_H
#define WM_PLUGIN_INLINE_INLINE_TARGETS_H

#include "plugin/inline/inline.h"

/* The most targets of a call; others are left to the indirect call. */
#define WM_LISTED_TARGETS 8u

/* Adds the direct calls to the IR, the unit and the anchors of all functions.  Must be called before anything is tagged.
 * Sets `changed` of the functions that it changes.  WM_NO_MEMORY. */
enum wm_status wm_inline_targets(struct wm_inline_request *request, struct wm_arena *arena);

#endif
