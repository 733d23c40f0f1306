/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Builds a DAG; shared by the schemes, internal to core/.
 *
 * Nodes are numbered in a topological order, apart from Start and End.  Edges are added node by node in that order:
 * first the edges of Start, then for each node its edges followed by wm_dag_builder_end_node.
 */
#ifndef WM_CORE_DAG_BUILDER_H
#define WM_CORE_DAG_BUILDER_H

#include "core/scheme/scheme.h"

struct wm_dag_builder {
	const struct wm_graph *graph;
	const struct wm_dfs *dfs;
	const bool *cut, *keeps;
	const bool *call_edge; /* per edge, or NULL: a call ends paths on it */
	struct wm_dag dag;
	uint32_t restart_count;
	/* Per block: its Start edge.  Until that edge is added: WM_NONE if the block will have one, else 0. */
	uint32_t *restart;
	bool *behind_call; /* per block: a path begins there after a call; NULL: there are no such blocks */
	uint32_t *surrogate; /* per block: its surrogate edge; NULL: there are none */
};

/* Whether a control-flow edge ends a path in the acyclic scheme: it is a back edge, a cut edge, or has a call that ends
 * paths. */
bool wm_dag_builder_stops(const struct wm_dag_builder *builder, uint32_t cfg_edge);

/* Takes the graph from the plan and finds the blocks that need a Start edge: the targets of edges that end a path.
 * `keeps`, per block, names loop heads whose paths keep their context, so that their back edges restart with a
 * surrogate edge instead; NULL: none. */
enum wm_status wm_dag_builder_init(
	struct wm_dag_builder *builder, const struct wm_plan *plan, const bool *keeps, struct wm_arena *arena);
/* Allocates the DAG.  `nodes` excludes Start and End; `edges` is an upper bound that excludes the edges of Start. */
enum wm_status wm_dag_builder_alloc(
	struct wm_dag_builder *builder, uint32_t nodes, uint64_t edges, struct wm_arena *arena);

struct wm_dag_edge *wm_dag_builder_add(
	struct wm_dag_builder *builder, uint32_t from, uint32_t to, enum wm_edge_kind kind);
/* Adds Start → node, with which paths begin at this block after a back edge or cut edge. */
void wm_dag_builder_add_restart(struct wm_dag_builder *builder, uint32_t block, uint32_t node);
/* Adds node → End: the path ends on this control-flow edge. */
void wm_dag_builder_add_stop(struct wm_dag_builder *builder, uint32_t node, uint32_t cfg_edge);
/* All edges of the node have been added. */
void wm_dag_builder_end_node(struct wm_dag_builder *builder, uint32_t node, uint32_t block);

#endif
