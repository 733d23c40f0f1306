/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often the edges of a control-flow graph are expected to run. */
#ifndef WM_CORE_NUMBERING_WEIGHTS_H
#define WM_CORE_NUMBERING_WEIGHTS_H

#include "core/numbering/dag.h"

/* Estimated executions of each CFG edge; the entry counts 1.0.  Only the order matters. */
struct wm_weights {
	double *edge; /* per CFG edge */
	double *block; /* per block: executions; the weight of exit events */
	double entry;
};
/* Of the event that an edge of the DAG stands for; 0 where there is none. */
double wm_weights_of(const struct wm_weights *weights, const struct wm_dag *dag, const struct wm_dag_edge *edge);
/* Loop nesting and equal branches, when nothing better is known. */
enum wm_status wm_weights_static(
	struct wm_weights *weights, const struct wm_graph *graph, const struct wm_dfs *dfs, struct wm_arena *arena);
/* The same for a caller that has the loops already. */
enum wm_status wm_weights_from_loops(struct wm_weights *weights, const struct wm_graph *graph, const struct wm_dfs *dfs,
	const struct wm_loops *loops, struct wm_arena *arena);

#endif
