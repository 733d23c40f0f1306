/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/early.h"

struct early {
	const struct wm_plan *plan;
	const bool *counted;
	struct wm_probe_program *program;
	bool *moved; /* per node: counts move to the edges into it, or further */
	uint64_t *rest; /* per node: the constant that a moved count adds */
};

/* Removes from a probe the updates of r, with `to_count` only those up to and including its count, and returns their
 * effect as one action.  Updates of r on leaving a region are kept. */
static struct wm_action take(struct wm_probe *probe, bool to_count)
{
	struct wm_action taken = wm_action(WM_ACTION_ADD, 0);
	uint32_t kept = 0;
	bool more = true;
	for (uint32_t at = 0; at < probe->count; at++) {
		struct wm_action action = probe->action[at];
		bool counts = action.kind == WM_ACTION_COUNT || action.kind == WM_ACTION_COUNT_AT;
		bool sets = action.kind == WM_ACTION_SET || action.kind == WM_ACTION_COUNT_AT;
		if (!more || !(sets || counts || action.kind == WM_ACTION_ADD)) {
			probe->action[kept++] = action;
			continue;
		}
		taken.value = (int64_t)((sets ? 0 : (uint64_t)taken.value) + (uint64_t)action.value);
		taken.kind = (uint8_t)(sets ? WM_ACTION_SET : taken.kind);
		more = !to_count || !counts;
	}
	probe->count = kept;
	return taken;
}

static enum wm_status move(struct early *m, uint32_t e)
{
	const struct wm_dag_edge *edge = &m->plan->dag.edge[e];
	bool last = edge->to == WM_DAG_END;
	if ((!last && !m->moved[edge->to]) || (last && m->counted[e]))
		return WM_OK;
	if (edge->kind == WM_EDGE_ENTRY || edge->kind == WM_EDGE_RESTART)
		return WM_BAD_GRAPH;
	struct wm_probe *probe = wm_probe_of(m->program, &m->plan->dag, edge);
	struct wm_action sum = take(probe, last);
	sum.value = (int64_t)((uint64_t)sum.value + (last ? 0 : m->rest[edge->to]));
	if (m->counted[e]) {
		sum.kind = sum.kind == WM_ACTION_SET ? WM_ACTION_COUNT_AT : WM_ACTION_COUNT;
		wm_probe_append(m->program, probe, sum);
		return WM_OK;
	}
	m->moved[edge->from] = true;
	m->rest[edge->from] = (uint64_t)sum.value;
	return sum.kind == WM_ACTION_SET ? WM_BAD_GRAPH : WM_OK;
}

enum wm_status wm_place_early(
	const struct wm_plan *plan, const bool *counted, struct wm_probe_program *program, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	struct early m = {
		plan, counted, program, WM_NEW(arena, bool, dag->node_count), WM_NEW(arena, uint64_t, dag->node_count)};
	if (!m.moved || !m.rest)
		return WM_NO_MEMORY;
	for (uint32_t i = dag->node_count; i-- > 0;)
		for (uint32_t e = dag->first_edge[dag->order[i]]; e < dag->first_edge[dag->order[i] + 1]; e++) {
			enum wm_status status = move(&m, e);
			if (status != WM_OK)
				return status;
		}
	program->probe_count = wm_probe_program_count(program, plan->graph);
	return program->failed ? WM_NO_MEMORY : WM_OK;
}

/* ---- Where it pays ------------------------------------------------------ */

struct paying {
	const struct wm_plan *plan;
	struct wm_probe_program *program; /* not changed */
	const struct wm_weights *weights;
	const bool *may_not_return; /* or NULL */
	double count; /* instructions of a count that reads r */
	uint32_t *edges_into; /* per block: the number of its in-edges */
	double *gain; /* per node: instructions saved by counting on the edges into it, or earlier */
	bool *blocked; /* per node: some edge into it is not a control-flow edge, so nothing can be counted there */
};

/* Not if the only out-edge sets r: then only one path reaches it, and its count is already cheap. */
static bool may_count_before(const struct paying *p, uint32_t node)
{
	const struct wm_dag *dag = &p->plan->dag;
	if (dag->first_edge[node + 1] - dag->first_edge[node] != 1 || node == WM_DAG_START || p->blocked[node] ||
		(p->may_not_return && p->may_not_return[dag->node_block[node]]))
		return false;
	const struct wm_probe *probe = wm_probe_of(p->program, dag, &dag->edge[dag->first_edge[node]]);
	uint8_t first = probe->count ? probe->action[0].kind : WM_ACTION_ADD;
	return first != WM_ACTION_SET && first != WM_ACTION_COUNT_AT;
}

/* The instructions saved by counting on an edge.  The count absorbs an addition on the edge; if the edge sets r, the
 * count has a constant index.  If the edge has no probe and must be split, counting needs an additional jump. */
static double gain_on(const struct paying *p, const struct wm_dag_edge *edge)
{
	const struct wm_graph *graph = p->plan->graph;
	const struct wm_probe *probe = &p->program->edge[edge->cfg_edge];
	uint32_t from = graph->edge_from[edge->cfg_edge], to = graph->edge_to[edge->cfg_edge];
	bool alone = graph->first_edge[from + 1] - graph->first_edge[from] == 1 || p->edges_into[to] == 1;
	if (!probe->count)
		return alone ? 0 : -1;
	return probe->action[0].kind == WM_ACTION_SET ? p->count : probe->action[0].kind == WM_ACTION_ADD;
}

/* From Start to End, so that the gain of counting before a block is known before its out-edges are visited. */
static void find_gains(struct paying *p)
{
	const struct wm_dag *dag = &p->plan->dag;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			const struct wm_dag_edge *edge = &dag->edge[e];
			if (edge->kind != WM_EDGE_REAL) {
				p->blocked[edge->to] = true;
				continue;
			}
			double before = may_count_before(p, node) ? p->gain[node] : 0;
			p->gain[edge->to] +=
				wm_weights_of(p->weights, dag, edge) * gain_on(p, edge) + (before > 0 ? before : 0);
		}
	}
}

static bool paying_alloc(struct paying *p, struct wm_arena *arena)
{
	const struct wm_graph *graph = p->plan->graph;
	p->edges_into = WM_NEW(arena, uint32_t, graph->block_count);
	p->gain = WM_NEW(arena, double, p->plan->dag.node_count);
	p->blocked = WM_NEW(arena, bool, p->plan->dag.node_count);
	for (uint32_t e = 0; p->edges_into && e < graph->edge_count; e++)
		p->edges_into[graph->edge_to[e]]++;
	return p->edges_into && p->gain && p->blocked;
}

enum wm_status wm_early_edges(const struct wm_plan *plan, const struct wm_weights *weights, const bool *may_not_return,
	double count, struct wm_probe_program *program, bool *counted)
{
	const struct wm_dag *dag = &plan->dag;
	struct paying p = {
		.plan = plan, .program = program, .weights = weights, .may_not_return = may_not_return, .count = count};
	bool *before = WM_NEW(program->arena, bool, dag->node_count);
	if (!before || !paying_alloc(&p, program->arena))
		return WM_NO_MEMORY;
	find_gains(&p);
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			bool here = dag->edge[e].to == WM_DAG_END || before[dag->edge[e].to];
			before[node] = here && may_count_before(&p, node) && p.gain[node] > 0;
			counted[e] = here && !before[node];
		}
	}
	return WM_OK;
}
