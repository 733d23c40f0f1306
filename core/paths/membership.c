/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The ways from Start to a node are counted twice: over all edges, and over clean edges.  There are never more ways
 * to a node than paths, because each way continues to End; so the counts cannot overflow.
 */
#include "core/paths/membership.h"

struct ways {
	uint64_t all, clean;
};

/* The set and what has been counted. */
struct facts {
	const struct wm_prefixes *prefixes;
	const bool *core; /* or NULL */
	struct ways *ways; /* per node */
};

static bool is_clean(const struct facts *facts, uint32_t e)
{
	return facts->core ? facts->core[e] : facts->prefixes->edge[e].count > 0;
}

static void count_ways(const struct facts *facts, const struct wm_dag *dag)
{
	struct ways *ways = facts->ways;
	ways[WM_DAG_START] = (struct ways){1, 1};
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			struct ways *to = &ways[dag->edge[e].to];
			to->all += ways[node].all;
			to->clean += is_clean(facts, e) ? ways[node].clean : 0;
		}
	}
}

/* On an edge where paths are decided, every group is one path.  With a core, all clean paths are members; without a
 * core, all members are clean. */
static enum wm_member member_of(const struct facts *facts, uint32_t node, uint32_t e)
{
	struct ways before = facts->ways[node];
	uint64_t members = facts->prefixes->edge[e].count, clean = is_clean(facts, e) ? before.clean : 0;
	if (members == 0)
		return WM_MEMBER_NONE;
	if (members == before.all)
		return WM_MEMBER_ALL;
	if (members == 1 && !(facts->core && clean))
		return WM_MEMBER_ONE;
	if (members == clean)
		return WM_MEMBER_CLEAN;
	return facts->core && clean ? WM_MEMBER_CORE : WM_MEMBER_SOME;
}

static uint32_t out_degree(const struct wm_dag *dag, uint32_t node)
{
	return dag->first_edge[node + 1] - dag->first_edge[node];
}

/* From End to Start, so that the class of the next edge is known. */
static void classify_edges(struct wm_membership *made, const struct wm_dag *dag, const struct facts *facts)
{
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			uint32_t to = dag->edge[e].to;
			made->checked[e] = to == WM_DAG_END;
			bool decided =
				made->checked[e] ||
				(out_degree(dag, to) == 1 && made->member[dag->first_edge[to]] != WM_MEMBER_UNDECIDED);
			made->member[e] = (uint8_t)(decided ? member_of(facts, node, e) : WM_MEMBER_UNDECIDED);
			if (made->member[e] == WM_MEMBER_ONE)
				made->only[e] = facts->prefixes->set->id[facts->prefixes->edge[e].child[0]];
		}
	}
}

enum wm_status wm_membership_make(struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, const bool *core, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	struct wm_membership made = {WM_NEW(arena, uint8_t, dag->edge_count), WM_NEW(arena, uint64_t, dag->edge_count),
		WM_NEW(arena, bool, dag->edge_count)};
	struct facts facts = {prefixes, core, WM_NEW(arena, struct ways, dag->node_count)};
	if (!made.member || !made.only || !made.checked || !facts.ways)
		return WM_NO_MEMORY;
	count_ways(&facts, dag);
	classify_edges(&made, dag, &facts);
	*membership = made;
	return WM_OK;
}

/* ---- Asking earlier ------------------------------------------------------ */

struct raising {
	struct wm_membership *membership;
	const struct wm_plan *plan;
	const struct wm_checking *checking;
	struct {
		double weight, cost; /* of the edges into it, if paths are checked on these edges or earlier */
		bool blocked; /* some edge into it is not a control-flow edge, so nothing can be checked there */
		bool checked_before;
	} *node;
	bool *before; /* per DAG edge: checking before its source is cheaper */
};

/* The instructions of a check; none if the class of the edge gives the answer. */
static double cost_of(enum wm_member member)
{
	switch (member) {
	case WM_MEMBER_NONE:
	case WM_MEMBER_ALL:
		return 0;
	case WM_MEMBER_ONE:
	case WM_MEMBER_CLEAN:
	case WM_MEMBER_CORE:
		return 2;
	case WM_MEMBER_SOME:
	case WM_MEMBER_UNDECIDED:
		return 5;
	}
	return 5;
}

static bool may_raise(const struct raising *r, uint32_t node)
{
	return out_degree(&r->plan->dag, node) == 1 && node != WM_DAG_START && !r->node[node].blocked &&
	       !(r->checking->may_not_return && r->checking->may_not_return[r->plan->dag.node_block[node]]);
}

/* The weight of the only out-edge of a block is taken to be the sum of the weights of its in-edges.  Costs on both are
 * compared, and estimates need not agree exactly. */
static double weight_of(const struct raising *r, uint32_t node, const struct wm_dag_edge *edge)
{
	return may_raise(r, node) ? r->node[node].weight : wm_weights_of(r->checking->weights, &r->plan->dag, edge);
}

/* From Start to End, so that the best cost of an edge is known before the edges after it are visited. */
static void find_cheaper(struct raising *r)
{
	const struct wm_dag *dag = &r->plan->dag;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			const struct wm_dag_edge *edge = &dag->edge[e];
			bool event = edge->kind == WM_EDGE_REAL && r->membership->member[e] != WM_MEMBER_UNDECIDED;
			double weight = weight_of(r, node, edge);
			double cost = weight * cost_of((enum wm_member)r->membership->member[e]);
			bool raises = may_raise(r, node) && (edge->kind != WM_EDGE_STOP || r->checking->loops);
			r->before[e] = raises && r->node[node].cost < cost;
			r->node[edge->to].blocked |= !event;
			r->node[edge->to].weight += weight;
			r->node[edge->to].cost += r->before[e] ? r->node[node].cost : cost;
		}
	}
}

enum wm_status wm_membership_raise(struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_checking *checking, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	struct raising r = {membership, plan, checking, NULL, WM_NEW(arena, bool, dag->edge_count)};
	r.node = wm_arena_alloc(arena, dag->node_count, sizeof *r.node);
	if (!r.node || !r.before)
		return WM_NO_MEMORY;
	find_cheaper(&r);
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			bool here = dag->edge[e].to == WM_DAG_END || r.node[dag->edge[e].to].checked_before;
			membership->checked[e] = here && !r.before[e];
			r.node[node].checked_before |= here && r.before[e];
		}
	}
	return WM_OK;
}

enum wm_status wm_membership_select(const struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_prefixes *prefixes, unsigned members, struct wm_path_set *selected, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	uint32_t count = 0;
	uint64_t *id = WM_NEW(arena, uint64_t, prefixes->set->count);
	if (!id)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (membership->checked[e] && members >> membership->member[e] & 1)
			for (uint32_t g = 0; g < prefixes->edge[e].count; g++)
				id[count++] = prefixes->set->id[prefixes->edge[e].child[g]];
	return wm_path_set_make(selected, plan, id, count, arena);
}
