/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The loop-unrolled DAG: Roy and Srikant, "Profiling k-iteration paths", CGO 2009, section 3.1.  The invalid paths of
 * section 3.2.2 have no nodes here, so the values of the remaining paths are what the paper calls compensated values.
 *
 * Nodes are Start, End, then blocks in reverse postorder; all versions of the blocks of an iterated loop stand at the
 * position of its head.  Versions are stored in the order: 1 … k-1 of paths from outside, 1 … k-1 of paths that began
 * at the head, k.
 */
#include "core/scheme/dag_builder.h"
#include "core/scheme/kiter.h"

static const struct wm_version outside = {.loop = WM_NONE, .number = 1};

uint32_t wm_version_node(const struct wm_iterations *iterations, uint32_t block, struct wm_version version)
{
	if (version.loop == WM_NONE)
		return iterations->node[block];
	const struct wm_iterated_loop *loop = &iterations->iterated[version.loop];
	uint32_t row = version.number - 1 + (version.restarted || version.number == loop->k ? loop->k - 1 : 0);
	return iterations->node[block] + row * loop->size;
}

static struct wm_version version_of_row(const struct wm_iterations *iterations, uint32_t loop, uint32_t row)
{
	uint32_t k = iterations->iterated[loop].k;
	bool restarted = row >= k - 1;
	return (struct wm_version){
		.loop = loop, .number = (restarted ? row - (k - 1) : row) + 1, .restarted = restarted};
}

struct wm_version wm_version_arrive(const struct wm_iterations *iterations, uint32_t block)
{
	return (struct wm_version){.loop = iterations->of[block], .number = 1};
}

struct wm_version wm_version_restart(const struct wm_iterations *iterations, uint32_t block)
{
	struct wm_version version = wm_version_arrive(iterations, block);
	version.restarted = version.loop != WM_NONE && iterations->iterated[version.loop].head == block;
	return version;
}

bool wm_version_is_own_back_edge(const struct wm_plan *plan, uint32_t loop, uint32_t e)
{
	return loop != WM_NONE && plan->dfs.back_edge[e] &&
	       plan->graph->edge_to[e] == plan->iterations->iterated[loop].head;
}

static enum wm_passage pass_plain(const struct wm_plan *plan, uint32_t e, uint32_t *node)
{
	*node = plan->dfs.position[plan->graph->edge_to[e]] + 2;
	return wm_plan_stops(plan, e) ? WM_PASS_STOP : WM_PASS_REAL;
}

enum wm_passage wm_version_pass(const struct wm_plan *plan, struct wm_version version, uint32_t e, uint32_t *node)
{
	const struct wm_iterations *iterations = plan->iterations;
	if (!iterations)
		return pass_plain(plan, e, node);
	uint32_t to = plan->graph->edge_to[e];
	bool own = wm_version_is_own_back_edge(plan, version.loop, e);
	uint32_t k = version.loop == WM_NONE ? 1 : iterations->iterated[version.loop].k;
	bool leaves = !own && (iterations->of[to] != version.loop || wm_plan_stops(plan, e));
	if (version.restarted && version.number < k && !own && (leaves || !iterations->completes[to]))
		return WM_PASS_FORBIDDEN;
	if (own ? version.number == k : wm_plan_stops(plan, e))
		return WM_PASS_STOP;
	if (leaves)
		version = wm_version_arrive(iterations, to);
	version.number += own;
	*node = wm_version_node(iterations, to, version);
	return WM_PASS_REAL;
}

uint32_t wm_version_edge(const struct wm_plan *plan, struct wm_version version, uint32_t cfg_edge)
{
	const struct wm_dag *dag = &plan->dag;
	uint32_t node = wm_version_node(plan->iterations, plan->graph->edge_from[cfg_edge], version);
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++)
		if (dag->edge[e].cfg_edge == cfg_edge)
			return e;
	return WM_NONE;
}

/* ---- Building -------------------------------------------------------------- */

struct build {
	const struct wm_plan *plan;
	struct wm_dag_builder builder;
};

static uint32_t node_of(const struct wm_plan *plan, uint32_t block, struct wm_version version)
{
	if (!plan->iterations)
		return plan->dfs.position[block] + 2;
	return wm_version_node(plan->iterations, block, version);
}

static void add_start(struct build *b)
{
	const struct wm_plan *plan = b->plan;
	const struct wm_iterations *iterations = plan->iterations;
	struct wm_version entry = iterations ? wm_version_arrive(iterations, 0) : outside;
	wm_dag_builder_add(&b->builder, WM_DAG_START, node_of(plan, 0, entry), WM_EDGE_ENTRY)->start = WM_START_ENTRY;
	for (uint32_t block = 0; block < plan->graph->block_count; block++) {
		if (b->builder.restart[block] != WM_NONE)
			continue;
		struct wm_version version = iterations ? wm_version_restart(iterations, block) : outside;
		wm_dag_builder_add_restart(&b->builder, block, node_of(plan, block, version));
	}
}

static void add_edges(struct build *b, uint32_t from, uint32_t block, struct wm_version version, enum wm_passage wanted)
{
	const struct wm_graph *graph = b->plan->graph;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++) {
		uint32_t to;
		if (wm_version_pass(b->plan, version, e, &to) != wanted)
			continue;
		if (wanted == WM_PASS_STOP)
			wm_dag_builder_add_stop(&b->builder, from, e);
		else
			wm_dag_builder_add(&b->builder, from, to, WM_EDGE_REAL)->cfg_edge = e;
	}
}

static void add_node(struct build *b, uint32_t block, struct wm_version version)
{
	const struct wm_graph *graph = b->plan->graph;
	uint32_t node = node_of(b->plan, block, version);
	if (graph->first_edge[block] == graph->first_edge[block + 1])
		wm_dag_builder_add(&b->builder, node, WM_DAG_END, WM_EDGE_EXIT)->end = graph->end[block];
	add_edges(b, node, block, version, WM_PASS_REAL);
	add_edges(b, node, block, version, WM_PASS_STOP);
	wm_dag_builder_end_node(&b->builder, node, block);
}

static void add_loop(struct build *b, uint32_t index)
{
	const struct wm_iterated_loop *loop = &b->plan->iterations->iterated[index];
	for (uint32_t row = 0; row < 2 * loop->k - 1; row++)
		for (uint32_t i = 0; i < loop->size; i++)
			add_node(b, loop->block[i], version_of_row(b->plan->iterations, index, row));
}

static void add_block(struct build *b, uint32_t block)
{
	const struct wm_iterations *iterations = b->plan->iterations;
	uint32_t loop = iterations ? iterations->of[block] : WM_NONE;
	if (loop == WM_NONE)
		add_node(b, block, outside);
	else if (iterations->iterated[loop].head == block)
		add_loop(b, loop);
}

static uint64_t count_edges(const struct wm_plan *plan)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < plan->dfs.reached; i++) {
		uint32_t block = plan->dfs.reverse_postorder[i];
		uint32_t degree = plan->graph->first_edge[block + 1] - plan->graph->first_edge[block];
		uint32_t loop = plan->iterations ? plan->iterations->of[block] : WM_NONE;
		uint64_t versions = loop == WM_NONE ? 1 : 2 * plan->iterations->iterated[loop].k - 1;
		sum += versions * (degree ? degree : 1);
	}
	return sum;
}

enum wm_status wm_unroll(struct wm_plan *plan, struct wm_arena *arena)
{
	struct build b = {.plan = plan};
	uint32_t nodes = plan->iterations ? plan->iterations->node_count : plan->dfs.reached;
	enum wm_status status = wm_dag_builder_init(&b.builder, plan, NULL, arena);
	if (status == WM_OK)
		status = wm_dag_builder_alloc(&b.builder, nodes, count_edges(plan), arena);
	if (status != WM_OK)
		return status;
	add_start(&b);
	for (uint32_t i = 0; i < plan->dfs.reached; i++)
		add_block(&b, plan->dfs.reverse_postorder[i]);
	plan->dag = b.builder.dag;
	plan->events_are_edges = !plan->iterations || !plan->iterations->count;
	return WM_OK;
}
