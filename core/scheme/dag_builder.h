/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the schemes that build a DAG have in common; for files of core/ only.
 *
 * Nodes are numbered in a topological order, Start and End apart, and edges added
 * in the order of their nodes: those of Start first, then wm_dag_builder_close for
 * each node behind its last edge.
 */
#ifndef WM_CORE_DAG_BUILDER_H
#define WM_CORE_DAG_BUILDER_H

#include "core/scheme/scheme.h"

struct wm_dag_builder {
	const struct wm_graph *graph;
	const struct wm_dfs *dfs;
	const bool *cut, *keeps;
	struct wm_dag dag;
	uint32_t restart_count;
	uint32_t *restart; /* per block: its Start edge; before that, WM_NONE where it gets one, else 0 */
	uint32_t *surrogate; /* per block: its surrogate edge; NULL: there are none */
};

/* An edge that ends a path in the acyclic scheme: a back edge or a cut. */
bool wm_dag_builder_stops(const struct wm_dag_builder *builder, uint32_t cfg_edge);

/* Takes the graph from the plan and finds the blocks with a Start edge: targets of
 * edges that stop.  `keeps`, per block, names heads to which back edges lead with
 * a surrogate edge instead; NULL: none. */
enum wm_status wm_dag_builder_init(
	struct wm_dag_builder *builder, const struct wm_plan *plan, const bool *keeps, struct wm_arena *arena);
/* Memory for the DAG: `nodes` without Start and End, at most `edges` without those of Start. */
enum wm_status wm_dag_builder_alloc(
	struct wm_dag_builder *builder, uint32_t nodes, uint64_t edges, struct wm_arena *arena);

struct wm_dag_edge *wm_dag_builder_add(
	struct wm_dag_builder *builder, uint32_t from, uint32_t to, enum wm_edge_kind kind);
/* Start → node, for the restarts at this block. */
void wm_dag_builder_add_restart(struct wm_dag_builder *builder, uint32_t block, uint32_t node);
/* node → End: the path ends on this control-flow edge. */
void wm_dag_builder_add_stop(struct wm_dag_builder *builder, uint32_t node, uint32_t cfg_edge);
/* The node is complete. */
void wm_dag_builder_close(struct wm_dag_builder *builder, uint32_t node, uint32_t block);

#endif
