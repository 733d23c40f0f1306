/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ways from Start are counted twice, over all edges and over edges of members.  There
 * are never more ways to a node than paths, since each goes on to End: no overflow.
 */
#include "core/membership.h"

struct ways {
	uint64_t all, clean;
};

static void count_ways(struct ways *ways, const struct wm_dag *dag, const struct wm_prefixes *prefixes)
{
	ways[WM_DAG_START] = (struct ways){1, 1};
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			struct ways *to = &ways[dag->edge[e].to];
			to->all += ways[node].all;
			to->clean += prefixes->edge[e].count ? ways[node].clean : 0;
		}
	}
}

/* Where paths are decided every group is one path. */
static enum wm_member member_of(struct ways before, uint32_t members)
{
	if (members == 0)
		return WM_MEMBER_NONE;
	if (members == before.all)
		return WM_MEMBER_ALL;
	if (members == 1)
		return WM_MEMBER_ONE;
	return members == before.clean ? WM_MEMBER_CLEAN : WM_MEMBER_SOME;
}

static uint32_t out_degree(const struct wm_dag *dag, uint32_t node)
{
	return dag->first_edge[node + 1] - dag->first_edge[node];
}

/* From End to Start, so that the edge behind is known. */
static void classify(struct wm_membership *made, const struct wm_dag *dag, const struct wm_path_set *set,
	const struct wm_prefixes *prefixes, const struct ways *ways)
{
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			uint32_t to = dag->edge[e].to;
			made->asked[e] = to == WM_DAG_END;
			bool decided = made->asked[e] ||
				       (out_degree(dag, to) == 1 && made->end[dag->first_edge[to]] != WM_MEMBER_OPEN);
			made->end[e] =
				(uint8_t)(decided ? member_of(ways[node], prefixes->edge[e].count) : WM_MEMBER_OPEN);
			if (made->end[e] == WM_MEMBER_ONE)
				made->only[e] = set->id[prefixes->edge[e].child[0]];
		}
	}
}

enum wm_status wm_membership_make(struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_path_set *set, const struct wm_prefixes *prefixes, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	struct wm_membership made = {WM_NEW(arena, uint8_t, dag->edge_count), WM_NEW(arena, uint64_t, dag->edge_count),
		WM_NEW(arena, bool, dag->edge_count)};
	struct ways *ways = WM_NEW(arena, struct ways, dag->node_count);
	if (!made.end || !made.only || !made.asked || !ways)
		return WM_NO_MEMORY;
	count_ways(ways, dag, prefixes);
	classify(&made, dag, set, prefixes, ways);
	*membership = made;
	return WM_OK;
}

/* ---- Asking earlier ------------------------------------------------------ */

struct raising {
	struct wm_membership *membership;
	const struct wm_plan *plan;
	const struct wm_weights *weights;
	const bool *leaves;
	struct {
		double weight, cost; /* of the edges into it, each asked there or before */
		bool closed; /* an edge into it is no event of its own */
		bool asked_before;
	} *node;
	bool *before; /* per DAG edge: cheaper to ask before the block it leaves */
};

/* In instructions; where the answer is known nobody asks. */
static double cost_of(enum wm_member member)
{
	switch (member) {
	case WM_MEMBER_NONE:
	case WM_MEMBER_ALL:
		return 0;
	case WM_MEMBER_ONE:
	case WM_MEMBER_CLEAN:
		return 2;
	default:
		return 5;
	}
}

static bool may_raise(const struct raising *r, uint32_t node)
{
	return out_degree(&r->plan->dag, node) == 1 && node != WM_DAG_START && !r->node[node].closed &&
	       !(r->leaves && r->leaves[r->plan->dag.node_block[node]]);
}

/* Behind a block with one way out, the sum of the weights in front: the two are compared, and
 * estimates need not agree to the last digit. */
static double weight_of(const struct raising *r, uint32_t node, const struct wm_dag_edge *edge)
{
	return may_raise(r, node) ? r->node[node].weight : wm_weights_of(r->weights, &r->plan->dag, edge);
}

/* From Start to End: what an edge costs at best is known before the edges behind it. */
static void find_cheaper(struct raising *r)
{
	const struct wm_dag *dag = &r->plan->dag;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			const struct wm_dag_edge *edge = &dag->edge[e];
			bool event = edge->kind == WM_EDGE_REAL && r->membership->end[e] != WM_MEMBER_OPEN;
			double weight = weight_of(r, node, edge);
			double cost = weight * cost_of((enum wm_member)r->membership->end[e]);
			r->before[e] = edge->kind != WM_EDGE_STOP && may_raise(r, node) && r->node[node].cost < cost;
			r->node[edge->to].closed |= !event;
			r->node[edge->to].weight += weight;
			r->node[edge->to].cost += r->before[e] ? r->node[node].cost : cost;
		}
	}
}

enum wm_status wm_membership_raise(struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_weights *weights, const bool *leaves, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	struct raising r = {membership, plan, weights, leaves, NULL, WM_NEW(arena, bool, dag->edge_count)};
	r.node = wm_arena_alloc(arena, dag->node_count, sizeof *r.node);
	if (!r.node || !r.before)
		return WM_NO_MEMORY;
	find_cheaper(&r);
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			bool here = dag->edge[e].to == WM_DAG_END || r.node[dag->edge[e].to].asked_before;
			membership->asked[e] = here && !r.before[e];
			r.node[node].asked_before |= here && r.before[e];
		}
	}
	return WM_OK;
}

enum wm_status wm_membership_select(const struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_path_set *set, const struct wm_prefixes *prefixes, unsigned members,
	struct wm_path_set *selected, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	uint32_t count = 0;
	uint64_t *id = WM_NEW(arena, uint64_t, set->count);
	if (!id)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (membership->asked[e] && members >> membership->end[e] & 1)
			for (uint32_t g = 0; g < prefixes->edge[e].count; g++)
				id[count++] = set->id[prefixes->edge[e].child[g]];
	return wm_path_set_make(selected, plan, id, count, arena);
}
