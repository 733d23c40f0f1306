/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Acyclic paths: Ball and Larus, "Efficient path profiling", MICRO 1996, sections
 * 2 and 3.4.  A back edge t → h becomes t → End and Start → h.
 *
 * Departures: back edges with the same head share one Start edge, since the paths
 * that begin there are the same; cut edges are treated like back edges.
 *
 * Nodes are Start, End, then the reached blocks in reverse postorder.  O(edges).
 */
#include "core/scheme.h"

struct build {
	const struct wm_graph *graph;
	const struct wm_dfs *dfs;
	const bool *cut;
	struct wm_dag dag;
	uint32_t *restart; /* per block: its Start edge; before that, WM_NONE where it gets one */
};

static uint32_t node_of(const struct build *b, uint32_t block)
{
	return b->dfs->position[block] + 2;
}

static bool stops(const struct build *b, uint32_t e)
{
	return b->dfs->back_edge[e] || (b->cut && b->cut[e]);
}

static uint32_t out_degree(const struct wm_graph *graph, uint32_t block)
{
	return graph->first_edge[block + 1] - graph->first_edge[block];
}

static uint32_t mark_restarts(struct build *b)
{
	uint32_t count = 0;
	for (uint32_t e = 0; e < b->graph->edge_count; e++) {
		uint32_t to = b->graph->edge_to[e];
		if (b->dfs->position[b->graph->edge_from[e]] == WM_NONE || !stops(b, e) || b->restart[to] == WM_NONE)
			continue;
		b->restart[to] = WM_NONE;
		count++;
	}
	return count;
}

static bool alloc(struct build *b, struct wm_arena *arena)
{
	b->restart = WM_NEW(arena, uint32_t, b->graph->block_count);
	if (!b->restart)
		return false;
	uint32_t edges = 1 + mark_restarts(b);
	for (uint32_t i = 0; i < b->dfs->reached; i++) {
		uint32_t degree = out_degree(b->graph, b->dfs->reverse_postorder[i]);
		edges += degree ? degree : 1;
	}
	struct wm_dag *dag = &b->dag;
	dag->node_count = b->dfs->reached + 2;
	dag->node_block = WM_NEW(arena, uint32_t, dag->node_count);
	dag->first_edge = WM_NEW(arena, uint32_t, (size_t)dag->node_count + 1);
	dag->edge = WM_NEW(arena, struct wm_dag_edge, edges);
	dag->order = WM_NEW(arena, uint32_t, dag->node_count);
	return dag->node_block && dag->first_edge && dag->edge && dag->order;
}

static struct wm_dag_edge *add(struct build *b, uint32_t from, uint32_t to, enum wm_edge_kind kind)
{
	struct wm_dag_edge *edge = &b->dag.edge[b->dag.edge_count++];
	*edge = (struct wm_dag_edge){
		.from = from, .to = to, .cfg_edge = WM_NONE, .restart = WM_NONE, .kind = (uint8_t)kind};
	return edge;
}

static void add_start(struct build *b)
{
	add(b, WM_DAG_START, node_of(b, 0), WM_EDGE_ENTRY)->start = WM_START_ENTRY;
	for (uint32_t block = 0; block < b->graph->block_count; block++) {
		if (b->restart[block] != WM_NONE)
			continue;
		b->restart[block] = b->dag.edge_count;
		add(b, WM_DAG_START, node_of(b, block), WM_EDGE_RESTART)->start =
			b->dfs->is_head[block] ? WM_START_LOOP : WM_START_CUT;
	}
}

static void add_real(struct build *b, uint32_t e)
{
	const struct wm_graph *graph = b->graph;
	add(b, node_of(b, graph->edge_from[e]), node_of(b, graph->edge_to[e]), WM_EDGE_REAL)->cfg_edge = e;
}

static void add_stop(struct build *b, uint32_t e)
{
	struct wm_dag_edge *edge = add(b, node_of(b, b->graph->edge_from[e]), WM_DAG_END, WM_EDGE_STOP);
	edge->cfg_edge = e;
	edge->restart = b->restart[b->graph->edge_to[e]];
	edge->end = b->dfs->back_edge[e] ? WM_END_BACKEDGE : WM_END_CUT;
}

static void add_block(struct build *b, uint32_t block)
{
	uint32_t first = b->graph->first_edge[block], last = b->graph->first_edge[block + 1];
	if (first == last)
		add(b, node_of(b, block), WM_DAG_END, WM_EDGE_EXIT)->end = b->graph->end[block];
	for (uint32_t e = first; e < last; e++)
		if (!stops(b, e))
			add_real(b, e);
	for (uint32_t e = first; e < last; e++)
		if (stops(b, e))
			add_stop(b, e);
}

static enum wm_status build(const struct wm_graph *graph, const struct wm_dfs *dfs, const bool *cut, struct wm_dag *dag,
	struct wm_arena *arena)
{
	struct build b = {.graph = graph, .dfs = dfs, .cut = cut};
	if (!alloc(&b, arena))
		return WM_NO_MEMORY;
	add_start(&b);
	b.dag.node_block[WM_DAG_START] = b.dag.node_block[WM_DAG_END] = WM_NONE;
	b.dag.first_edge[WM_DAG_END] = b.dag.first_edge[WM_DAG_END + 1] = b.dag.edge_count;
	b.dag.order[0] = WM_DAG_START;
	for (uint32_t i = 0; i < dfs->reached; i++) {
		uint32_t block = dfs->reverse_postorder[i];
		add_block(&b, block);
		b.dag.node_block[i + 2] = block;
		b.dag.first_edge[i + 3] = b.dag.edge_count;
		b.dag.order[i + 1] = i + 2;
	}
	b.dag.order[dfs->reached + 1] = WM_DAG_END;
	*dag = b.dag;
	return WM_OK;
}

const struct wm_scheme wm_scheme_acyclic = {
	.name = "acyclic",
	.summary = "paths between back edges (Ball and Larus 1996)",
	.build = build,
};

/* The same DAG; what differs is the second numbering: core/preferential.h. */
const struct wm_scheme wm_scheme_preferential = {
	.name = "preferential",
	.summary = "acyclic paths, with dense ids for interesting ones (POPL 2007)",
	.build = build,
};
