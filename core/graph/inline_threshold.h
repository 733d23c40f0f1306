/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The threshold of a budget (core/graph/inline_budget.h): the smallest heat such that all calls that are at least as hot
 * fit. */
#ifndef WM_CORE_GRAPH_INLINE_THRESHOLD_H
#define WM_CORE_GRAPH_INLINE_THRESHOLD_H

#include "core/graph/inline_budget.h"
#include "core/graph/supergraph.h"

/* `unit`, `count`, `size` and `room` of the budget must be set, and the inlining must name the budget.  `order`: callers
 * first.  WM_NO_MEMORY.  O(64 · room · nesting of calls). */
enum wm_status wm_inline_threshold_find(
	const struct wm_inlining *inlining, const uint32_t *order, struct wm_arena *arena);

#endif
