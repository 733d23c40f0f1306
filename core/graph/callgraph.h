/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The call graph of a unit: which call sites are recursive, and an order of the functions that depends neither
 * on the order in which the unit lists them nor on the linker.
 *
 * A depth-first search starts at the function `main`, then at every other function that it has not seen, by
 * linkage name, and visits call sites by block and position.  Its retreating edges are the recursive sites.
 * Without them callers can stand before callees: `order` is such an order, in which `main` comes first and, where
 * calls do not decide, the callee of the earlier call site, then the smaller linkage name.  Sites in blocks that
 * the entry does not reach take no part.
 */
#ifndef WM_CORE_GRAPH_CALLGRAPH_H
#define WM_CORE_GRAPH_CALLGRAPH_H

#include "core/graph/unit.h"

struct wm_callgraph {
	uint32_t *order; /* the functions: callers first */
	uint32_t *position; /* per function: its index in `order` */
	bool **recursive; /* per function, per call site */
};
/* `dfs`: of every function.  O(functions · log functions + call sites), without recursion. */
enum wm_status wm_callgraph_run(
	struct wm_callgraph *callgraph, const struct wm_unit *unit, const struct wm_dfs *dfs, struct wm_arena *arena);

#endif
