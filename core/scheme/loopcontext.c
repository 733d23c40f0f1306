/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Intraprocedural context paths: Melski and Reps, "Interprocedural path profiling", TR 1382, section 7.  A path
 * consists of a context prefix, the way by which control reached a loop head, and an active suffix, one way through
 * the loop from there.  Each loop head v is split into v_a → v_b with a surrogate edge parallel to the real edge.  A
 * back edge w → v becomes w → End, and the next path continues after the surrogate edge of v with the prefix that led
 * to v_a.  In nested loops a prefix may itself contain surrogate edges, so the context of every level is kept.
 *
 * Departures: the paper requires a reducible graph.  Here, paths that begin at the head of an irreducible loop or
 * after a cut edge have no context, as in the acyclic scheme.
 *
 * Nodes are Start, End, then the reached blocks in reverse postorder; the node v_a of a natural loop head precedes
 * that of the head.  O(edges).
 */
#include "core/scheme/dag_builder.h"

struct build {
	const struct wm_plan *plan;
	struct wm_dag_builder builder;
	const bool *natural; /* per block: the head of a natural loop */
	uint32_t *node; /* per block: where its in-edges lead */
};

static bool *natural_heads(const struct wm_plan *plan, struct wm_arena *arena)
{
	struct wm_loops loops;
	bool *natural = WM_NEW(arena, bool, plan->graph->block_count);
	if (!natural || wm_loops_run(&loops, plan->graph, &plan->dfs, arena) != WM_OK)
		return NULL;
	for (uint32_t i = 0; i < loops.count; i++)
		natural[loops.loop[i].head] = !loops.loop[i].irreducible;
	return natural;
}

static void add_start(struct build *b)
{
	wm_dag_builder_add(&b->builder, WM_DAG_START, b->node[0], WM_EDGE_ENTRY)->start = WM_START_ENTRY;
	for (uint32_t block = 0; block < b->plan->graph->block_count; block++)
		if (b->builder.restart[block] == WM_NONE)
			wm_dag_builder_add_restart(&b->builder, block, b->node[block]);
}

/* The real edge comes first and has the value 0: arriving needs no probe of its own. */
static void add_split(struct build *b, uint32_t block)
{
	uint32_t node = b->node[block];
	wm_dag_builder_add(&b->builder, node, node + 1, WM_EDGE_ARRIVE);
	b->builder.surrogate[block] = b->builder.dag.edge_count;
	wm_dag_builder_add(&b->builder, node, node + 1, WM_EDGE_SURROGATE)->start = WM_START_LOOP;
	wm_dag_builder_end_node(&b->builder, node, WM_NONE);
}

static void add_block(struct build *b, uint32_t block)
{
	const struct wm_graph *graph = b->plan->graph;
	uint32_t first = graph->first_edge[block], last = graph->first_edge[block + 1];
	uint32_t node = b->node[block] + b->natural[block];
	if (first == last)
		wm_dag_builder_add(&b->builder, node, WM_DAG_END, WM_EDGE_EXIT)->end = graph->end[block];
	for (uint32_t e = first; e < last; e++)
		if (!wm_dag_builder_stops(&b->builder, e))
			wm_dag_builder_add(&b->builder, node, b->node[graph->edge_to[e]], WM_EDGE_REAL)->cfg_edge = e;
	for (uint32_t e = first; e < last; e++)
		if (wm_dag_builder_stops(&b->builder, e))
			wm_dag_builder_add_stop(&b->builder, node, e);
	wm_dag_builder_end_node(&b->builder, node, block);
}

/* How many nodes there are; out-edges of all are below *edges. */
static uint32_t number_nodes(struct build *b, uint64_t *edges)
{
	const struct wm_dfs *dfs = &b->plan->dfs;
	uint32_t next = 2;
	*edges = (uint64_t)b->plan->graph->edge_count + dfs->reached;
	for (uint32_t i = 0; i < dfs->reached; i++) {
		uint32_t block = dfs->reverse_postorder[i];
		b->node[block] = next;
		next += 1 + b->natural[block];
		*edges += 2 * (uint64_t)b->natural[block];
	}
	return next - 2;
}

static enum wm_status build(struct wm_plan *plan, struct wm_arena *arena)
{
	struct build b = {.plan = plan, .natural = natural_heads(plan, arena)};
	b.node = WM_NEW(arena, uint32_t, plan->graph->block_count);
	if (!b.natural || !b.node)
		return WM_NO_MEMORY;
	uint64_t edges;
	uint32_t nodes = number_nodes(&b, &edges);
	enum wm_status status = wm_dag_builder_init(&b.builder, plan, b.natural, arena);
	if (status == WM_OK)
		status = wm_dag_builder_alloc(&b.builder, nodes, edges, arena);
	if (status != WM_OK)
		return status;
	add_start(&b);
	for (uint32_t i = 0; i < plan->dfs.reached; i++) {
		uint32_t block = plan->dfs.reverse_postorder[i];
		if (b.natural[block])
			add_split(&b, block);
		add_block(&b, block);
	}
	plan->dag = b.builder.dag;
	plan->events_are_edges = false;
	return WM_OK;
}

const struct wm_scheme wm_scheme_loopcontext = {
	.name = "loopcontext",
	.number = 3,
	.summary = "one iteration after the way to its loop (TR 1382, section 7)",
	.contexts = true,
	.build = build,
};
