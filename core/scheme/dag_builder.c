/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/dag_builder.h"

bool wm_dag_builder_stops(const struct wm_dag_builder *b, uint32_t e)
{
	return b->dfs->back_edge[e] || (b->cut && b->cut[e]) || (b->call_edge && b->call_edge[e]);
}

/* Whether the path that follows this edge keeps a context. */
static bool keeps(const struct wm_dag_builder *b, uint32_t e)
{
	return b->keeps && b->dfs->back_edge[e] && b->keeps[b->graph->edge_to[e]];
}

static void mark_restart(struct wm_dag_builder *b, uint32_t block)
{
	b->restart_count += b->restart[block] != WM_NONE;
	b->restart[block] = WM_NONE;
}

static void mark_restarts(struct wm_dag_builder *b)
{
	for (uint32_t e = 0; e < b->graph->edge_count; e++) {
		bool reached = b->dfs->position[b->graph->edge_from[e]] != WM_NONE;
		if (reached && wm_dag_builder_stops(b, e) && !keeps(b, e))
			mark_restart(b, b->graph->edge_to[e]);
		if (b->behind_call && b->call_edge[e])
			b->behind_call[b->graph->edge_to[e]] = true;
	}
}

enum wm_status wm_dag_builder_init(
	struct wm_dag_builder *builder, const struct wm_plan *plan, const bool *with_context, struct wm_arena *arena)
{
	struct wm_dag_builder made = {.graph = plan->graph, .dfs = &plan->dfs, .cut = plan->cut, .keeps = with_context};
	made.restart = WM_NEW(arena, uint32_t, plan->graph->block_count);
	made.call_edge = plan->scheme->at_calls ? plan->graph->call_edge : NULL;
	made.behind_call = made.call_edge ? WM_NEW(arena, bool, plan->graph->block_count) : NULL;
	made.surrogate = with_context ? WM_NEW(arena, uint32_t, plan->graph->block_count) : NULL;
	if (!made.restart || (with_context && !made.surrogate) || (made.call_edge && !made.behind_call))
		return WM_NO_MEMORY;
	mark_restarts(&made);
	for (uint32_t block = 0; plan->also_starts && block < plan->graph->block_count; block++)
		if (plan->also_starts[block])
			mark_restart(&made, block);
	*builder = made;
	return WM_OK;
}

enum wm_status wm_dag_builder_alloc(
	struct wm_dag_builder *builder, uint32_t nodes, uint64_t edges, struct wm_arena *arena)
{
	struct wm_dag *dag = &builder->dag;
	edges += 1 + builder->restart_count;
	/* Edges are 32-bit indices. */
	if (edges >= WM_NONE)
		return WM_TOO_MANY;
	dag->node_count = nodes + 2;
	dag->node_block = WM_NEW(arena, uint32_t, dag->node_count);
	dag->first_edge = WM_NEW(arena, uint32_t, (size_t)dag->node_count + 1);
	dag->edge = WM_NEW(arena, struct wm_dag_edge, edges);
	dag->order = WM_NEW(arena, uint32_t, dag->node_count);
	if (!dag->node_block || !dag->first_edge || !dag->edge || !dag->order)
		return WM_NO_MEMORY;
	dag->node_block[WM_DAG_START] = dag->node_block[WM_DAG_END] = WM_NONE;
	dag->order[0] = WM_DAG_START;
	dag->order[nodes + 1] = WM_DAG_END;
	return WM_OK;
}

struct wm_dag_edge *wm_dag_builder_add(struct wm_dag_builder *b, uint32_t from, uint32_t to, enum wm_edge_kind kind)
{
	struct wm_dag_edge *edge = &b->dag.edge[b->dag.edge_count++];
	*edge = (struct wm_dag_edge){
		.from = from, .to = to, .cfg_edge = WM_NONE, .restart = WM_NONE, .kind = (uint8_t)kind};
	/* Start's edges come first and End has none: where the first node's begin. */
	if (from == WM_DAG_START)
		b->dag.first_edge[WM_DAG_END] = b->dag.first_edge[WM_DAG_END + 1] = b->dag.edge_count;
	return edge;
}

void wm_dag_builder_add_restart(struct wm_dag_builder *b, uint32_t block, uint32_t node)
{
	bool loop = b->dfs->is_head[block] && !(b->keeps && b->keeps[block]);
	b->restart[block] = b->dag.edge_count;
	wm_dag_builder_add(b, WM_DAG_START, node, WM_EDGE_RESTART)->start = b->behind_call && b->behind_call[block]
										    ? WM_START_CALL
									    : loop ? WM_START_LOOP
										   : WM_START_CUT;
}

void wm_dag_builder_add_stop(struct wm_dag_builder *b, uint32_t node, uint32_t e)
{
	struct wm_dag_edge *edge = wm_dag_builder_add(b, node, WM_DAG_END, WM_EDGE_STOP);
	edge->cfg_edge = e;
	edge->restart = (keeps(b, e) ? b->surrogate : b->restart)[b->graph->edge_to[e]];
	edge->end = b->dfs->back_edge[e] ? WM_END_BACKEDGE : b->call_edge && b->call_edge[e] ? WM_END_CALL : WM_END_CUT;
}

void wm_dag_builder_end_node(struct wm_dag_builder *b, uint32_t node, uint32_t block)
{
	b->dag.node_block[node] = block;
	b->dag.first_edge[node + 1] = b->dag.edge_count;
	b->dag.order[node - 1] = node;
}
