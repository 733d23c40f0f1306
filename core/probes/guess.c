/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/guess.h"

/* Boyer and Moore's majority vote: one candidate per edge, and a second pass that counts its votes. */
struct vote {
	uint64_t favourite; /* path id, UINT64_MAX for none */
	uint64_t lead, votes, all;
};

static void cast(struct vote *vote, uint64_t id, uint64_t count)
{
	vote->all += count;
	if (vote->favourite == id || !vote->lead) {
		vote->favourite = id;
		vote->lead += count;
	} else if (vote->lead >= count) {
		vote->lead -= count;
	} else {
		vote->favourite = id;
		vote->lead = count - vote->lead;
	}
}

static uint32_t checked_edge(const struct wm_path *path, const bool *checked)
{
	uint32_t i = path->length - 1;
	while (i && !checked[path->edge[i]])
		i--;
	return path->edge[i];
}

static enum wm_status find_favourites(
	const struct wm_counting *counting, const struct wm_plan *plan, struct vote *vote, struct wm_arena *arena)
{
	struct wm_path path = {.edge = WM_NEW(arena, uint32_t, plan->dag.node_count)};
	if (!path.edge)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < plan->dag.edge_count; e++)
		vote[e].favourite = UINT64_MAX;
	for (int pass = 0; pass < 2 && counting->weight; pass++)
		for (uint32_t i = 0; i < counting->set.count; i++) {
			uint64_t id = counting->set.id[i], count = counting->weight[i];
			if (wm_dag_decode(&plan->dag, &plan->numbering, id, &path, arena) != WM_OK)
				continue;
			struct vote *here = &vote[checked_edge(&path, counting->membership.checked)];
			if (pass == 0)
				cast(here, id, count);
			else
				here->votes += here->favourite == id ? count : 0;
		}
	for (uint32_t e = 0; e < plan->dag.edge_count; e++)
		if (vote[e].votes <= vote[e].all / 2)
			vote[e].favourite = UINT64_MAX;
	return WM_OK;
}

/* The total with which a path ends. */
static enum wm_status total_of(const struct wm_counting *counting, const struct wm_plan *plan, uint64_t id,
	uint64_t *total, struct wm_arena *arena)
{
	struct wm_path path = {0};
	uint64_t sum = 0;
	enum wm_status status = wm_dag_decode(&plan->dag, &plan->numbering, id, &path, arena);
	if (status != WM_OK)
		return status;
	for (uint32_t i = 0; i < path.length; i++)
		sum += (uint64_t)counting->sums.value[path.edge[i]];
	for (uint32_t i = 0; i < path.length && counting->sums.sticky; i++)
		sum |= counting->sums.sticky[path.edge[i]] ? WM_MARK_BIT : 0;
	*total = wm_counting_total(counting, sum);
	return WM_OK;
}

/* Whether the end of a path has to look it up in a table. */
static bool looks_up(const struct wm_counting *counting, enum wm_member member)
{
	bool marked = counting->residual && counting->store != WM_COUNT_PACKED;
	return member == WM_MEMBER_SOME || (member == WM_MEMBER_CLEAN && !marked);
}

enum wm_status wm_guesses_make(struct wm_counting *counting, const struct wm_plan *plan, struct wm_arena *arena)
{
	const struct wm_membership *membership = &counting->membership;
	uint32_t edges = plan->dag.edge_count;
	struct vote *vote = WM_NEW(arena, struct vote, edges);
	counting->has_guess = WM_NEW(arena, bool, edges);
	counting->guess = WM_NEW(arena, uint64_t, edges);
	if (!vote || !counting->has_guess || !counting->guess)
		return WM_NO_MEMORY;
	enum wm_status status = find_favourites(counting, plan, vote, arena);
	for (uint32_t e = 0; e < edges && status == WM_OK; e++) {
		enum wm_member member = (enum wm_member)membership->member[e];
		bool one = member == WM_MEMBER_ONE;
		uint64_t id = one ? membership->only[e] : vote[e].favourite;
		if (!membership->checked[e] || !(one || looks_up(counting, member)) ||
			wm_path_set_find(&counting->set, id) == WM_NONE)
			continue;
		counting->has_guess[e] = true;
		status = total_of(counting, plan, id, &counting->guess[e], arena);
	}
	return status;
}
