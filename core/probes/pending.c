/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/pending.h"
#include "core/probes/place.h"

/* What holds on arrival at a node, by whichever way. */
struct arrival {
	uint64_t sum; /* of the values along one way */
	uint64_t value; /* of the register after the same way */
	uint64_t ways; /* 0, 1 or 2: several */
};

static uint64_t update(const struct wm_probe *probe, uint64_t value)
{
	for (uint32_t i = 0; i < probe->count; i++) {
		uint64_t operand = (uint64_t)probe->action[i].value;
		if (probe->action[i].kind == WM_ACTION_SET)
			value = operand;
		else if (probe->action[i].kind == WM_ACTION_ADD)
			value += operand;
	}
	return value;
}

/* The probe that is executed on the event with which a DAG edge is taken.  A path begins on the event that ended the
 * previous one. */
static const struct wm_probe *probe_before(struct wm_pending *pending, const uint32_t *stop, uint32_t e)
{
	const struct wm_dag *dag = &pending->plan.dag;
	return wm_probe_of(&pending->program, dag, &dag->edge[stop[e] == WM_NONE ? e : stop[e]]);
}

/* Per DAG edge: an edge that ends a path after which this edge begins the next. */
static uint32_t *find_stops(const struct wm_dag *dag, struct wm_arena *arena)
{
	uint32_t *stop = WM_NEW(arena, uint32_t, dag->edge_count);
	for (uint32_t e = 0; stop && e < dag->edge_count; e++)
		stop[e] = WM_NONE;
	for (uint32_t e = 0; stop && e < dag->edge_count; e++)
		if (dag->edge[e].kind == WM_EDGE_STOP)
			stop[dag->edge[e].restart] = e;
	return stop;
}

static void follow_edges(struct wm_pending *pending, const uint32_t *stop, struct arrival *arrival, uint32_t node)
{
	const struct wm_dag *dag = &pending->plan.dag;
	for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
		struct arrival *to = &arrival[dag->edge[e].to];
		const struct wm_probe *probe = probe_before(pending, stop, e);
		if (!to->ways && dag->edge[e].to != WM_DAG_END) {
			to->sum = arrival[node].sum + (uint64_t)pending->plan.numbering.value[e];
			to->value = update(probe, arrival[node].value);
		}
		to->ways = to->ways || arrival[node].ways == 2 ? 2 : 1;
	}
}

static enum wm_status find_missing(struct wm_pending *pending, struct wm_arena *arena)
{
	const struct wm_dag *dag = &pending->plan.dag;
	uint32_t *stop = find_stops(dag, arena);
	struct arrival *arrival = WM_NEW(arena, struct arrival, dag->node_count);
	if (!stop || !arrival)
		return WM_NO_MEMORY;
	arrival[WM_DAG_START].ways = 1;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i], block = dag->node_block[node];
		follow_edges(pending, stop, arrival, node);
		if (block == WM_NONE)
			continue;
		pending->single[block] = arrival[node].ways == 1;
		pending->missing[block] = arrival[node].sum - (arrival[node].ways == 1 ? 0 : arrival[node].value);
	}
	return WM_OK;
}

enum wm_status wm_pending_make(struct wm_pending *pending, const struct wm_graph *graph, struct wm_arena *arena)
{
	struct wm_pending made = {.single = WM_NEW(arena, bool, graph->block_count),
		.missing = WM_NEW(arena, uint64_t, graph->block_count)};
	struct wm_weights weights;
	if (!made.single || !made.missing)
		return WM_NO_MEMORY;
	enum wm_status status = wm_plan_make(&made.plan, graph, &wm_scheme_acyclic, 0, arena);
	if (status == WM_OK)
		status = wm_weights_static(&weights, graph, &made.plan.dfs, arena);
	struct wm_sums sums = {.value = made.plan.numbering.value};
	if (status == WM_OK)
		status = wm_place_sums(&made.plan, &sums, WM_PLACE_OPTIMAL, &weights, &made.program, arena);
	if (status == WM_OK)
		status = find_missing(&made, arena);
	if (status == WM_OK)
		*pending = made;
	return status;
}

enum wm_status wm_pending_decode(const struct wm_pending *pending, uint32_t block, uint64_t value,
	struct wm_block_path *path, struct wm_arena *arena)
{
	const struct wm_plan *plan = &pending->plan;
	struct wm_path edges = {0};
	uint64_t sum = pending->missing[block] + (pending->single[block] ? 0 : value), rest = sum;
	enum wm_status status = wm_dag_decode(&plan->dag, &plan->numbering, sum, &edges, arena);
	if (status != WM_OK)
		return status;
	struct wm_block_path made = {.block = WM_NEW(arena, uint32_t, edges.length), .last_edge = WM_NONE};
	if (!made.block)
		return WM_NO_MEMORY;
	made.start = (enum wm_start)plan->dag.edge[edges.edge[0]].start;
	for (uint32_t i = 0; i < edges.length; i++) {
		const struct wm_dag_edge *edge = &plan->dag.edge[edges.edge[i]];
		if (edge->to == WM_DAG_END)
			return WM_BAD_PATH;
		rest -= (uint64_t)plan->numbering.value[edges.edge[i]];
		made.block[made.length++] = plan->dag.node_block[edge->to];
		if (made.block[made.length - 1] == block)
			break;
	}
	if (rest)
		return WM_BAD_PATH;
	*path = made;
	return WM_OK;
}
