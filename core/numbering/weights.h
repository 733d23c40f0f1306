/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Weights: how often the edges of a control-flow graph are expected to run. */
#ifndef WM_CORE_NUMBERING_WEIGHTS_H
#define WM_CORE_NUMBERING_WEIGHTS_H

#include "core/numbering/dag.h"

/* Expected executions, from a profile, from LLVM or from wm_weights_static.  The scale does not matter. */
struct wm_weights {
	double *edge; /* per control-flow edge */
	double *block; /* per block; the weight of exit events */
	double entry;
};
/* The weight of the event for which a DAG edge stands; 0 if it stands for none. */
double wm_weights_of(const struct wm_weights *weights, const struct wm_dag *dag, const struct wm_dag_edge *edge);
/* Estimates from the graph alone: the entry runs once, branches are equally likely, loops iterate. */
enum wm_status wm_weights_static(
	struct wm_weights *weights, const struct wm_graph *graph, const struct wm_dfs *dfs, struct wm_arena *arena);
/* The same, for a caller that has already found the loops. */
enum wm_status wm_weights_from_loops(struct wm_weights *weights, const struct wm_graph *graph, const struct wm_dfs *dfs,
	const struct wm_loops *loops, struct wm_arena *arena);

#endif
