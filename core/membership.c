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

/* At End every group is one path. */
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

enum wm_status wm_membership_make(struct wm_membership *membership, const struct wm_plan *plan,
	const struct wm_path_set *set, const struct wm_prefixes *prefixes, struct wm_arena *arena)
{
	const struct wm_dag *dag = &plan->dag;
	struct wm_membership made = {WM_NEW(arena, uint8_t, dag->edge_count), WM_NEW(arena, uint64_t, dag->edge_count)};
	struct ways *ways = WM_NEW(arena, struct ways, dag->node_count);
	if (!made.end || !made.only || !ways)
		return WM_NO_MEMORY;
	count_ways(ways, dag, prefixes);
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		if (dag->edge[e].to != WM_DAG_END)
			continue;
		made.end[e] = (uint8_t)member_of(ways[dag->edge[e].from], prefixes->edge[e].count);
		if (made.end[e] == WM_MEMBER_ONE)
			made.only[e] = set->id[prefixes->edge[e].child[0]];
	}
	*membership = made;
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
		if (dag->edge[e].to == WM_DAG_END && members >> membership->end[e] & 1)
			for (uint32_t g = 0; g < prefixes->edge[e].count; g++)
				id[count++] = set->id[prefixes->edge[e].child[g]];
	return wm_path_set_make(selected, plan, id, count, arena);
}
