/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/iteration.h"

/* ---- What an edge does -------------------------------------------------------- */

struct wm_edge_role wm_edge_role(const struct wm_plan *plan, uint32_t e)
{
	const uint32_t *of = plan->iterations->of;
	struct wm_edge_role role = {.from = of[plan->graph->edge_from[e]], .to = of[plan->graph->edge_to[e]]};
	role.push = wm_version_is_own_back_edge(plan, role.from, e);
	role.stop = !role.push && wm_plan_stops(plan, e);
	bool crosses = role.from != role.to || role.stop;
	role.leave = crosses && role.from != WM_NONE;
	role.enter = crosses && role.to != WM_NONE;
	return role;
}

/* ---- Values of one iteration ---------------------------------------------------- */

/* The edges that are real in `version`, then those that stop there; calls for each
 * with how many paths it leads to in whole iterations and out of the loop. */
struct visit {
	struct wm_iteration_values *w;
	uint64_t whole, left;
};

static void visit_low(struct visit *v, uint32_t e, uint64_t whole, uint64_t left)
{
	v->w->rank[e] = v->whole;
	v->w->left_before[e] = v->left;
	v->whole += whole;
	v->left += left;
}

static void visit_last(struct visit *v, uint32_t e, uint64_t whole, uint64_t left)
{
	v->w->last[e] = v->whole;
	v->whole += whole + left;
}

static void visit_edges(struct visit *v, uint32_t block, struct wm_version version, enum wm_passage wanted,
	void (*visit)(struct visit *, uint32_t, uint64_t, uint64_t))
{
	const struct wm_plan *plan = v->w->plan;
	for (uint32_t e = plan->graph->first_edge[block]; e < plan->graph->first_edge[block + 1]; e++) {
		uint32_t node, to = plan->graph->edge_to[e];
		struct wm_edge_role role = wm_edge_role(v->w->plan, e);
		if (wm_version_pass(plan, version, e, &node) != wanted)
			continue;
		if (role.push)
			visit(v, e, 1, 0);
		else if (!role.leave)
			visit(v, e, v->w->whole[to], v->w->left[to]);
		else
			visit(v, e, 0, role.stop ? 1 : plan->numbering.node_paths[node]);
	}
}

static void value_block(struct wm_iteration_values *w, uint32_t index, uint32_t block)
{
	const struct wm_graph *graph = w->plan->graph;
	struct wm_version low = {.loop = index, .number = 1},
			  last = {.loop = index, .number = w->iterations->iterated[index].k};
	struct visit below = {.w = w}, at_last = {.w = w};
	visit_edges(&below, block, low, WM_PASS_REAL, visit_low);
	visit_edges(&below, block, low, WM_PASS_STOP, visit_low);
	visit_edges(&at_last, block, last, WM_PASS_REAL, visit_last);
	visit_edges(&at_last, block, last, WM_PASS_STOP, visit_last);
	w->whole[block] = below.whole;
	w->left[block] = below.left;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
		w->skips[e] = !wm_edge_role(w->plan, e).push && w->last[e] != w->rank[e] + w->left_before[e];
}

static bool skips_any(const struct wm_iteration_values *w, uint32_t block)
{
	const struct wm_graph *graph = w->plan->graph;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
		if (w->skips[e])
			return true;
	return false;
}

/* Bits of the largest number below `bound`. */
static unsigned bits_below(uint64_t bound)
{
	return bound > 1 ? 64 - (unsigned)__builtin_clzll(bound - 1) : 0;
}

/* The edge on which the only iteration of a loop goes on. */
static uint32_t only_edge(const struct wm_iteration_values *w, uint32_t block)
{
	const struct wm_graph *graph = w->plan->graph;
	for (uint32_t e = graph->first_edge[block];; e++) {
		struct wm_edge_role role = wm_edge_role(w->plan, e);
		if (role.push || (!role.leave && w->whole[graph->edge_to[e]]))
			return e;
	}
}

static bool has_inner_loop(const struct wm_iteration_values *w, const struct wm_iterated_loop *loop)
{
	for (uint32_t i = 1; i < loop->size; i++)
		if (w->plan->dfs.is_head[loop->block[i]])
			return true;
	return false;
}

static void follow_only(
	const struct wm_iteration_values *w, const struct wm_iterated_loop *loop, struct wm_window_loop *made)
{
	uint32_t block = loop->head;
	do {
		uint32_t e = only_edge(w, block);
		made->only_left += w->left_before[e];
		made->only_last += w->last[e];
		block = w->plan->graph->edge_to[e];
	} while (block != loop->head);
}

static enum wm_status value_loop(struct wm_iteration_values *w, uint32_t index)
{
	const struct wm_iterated_loop *loop = &w->iterations->iterated[index];
	struct wm_window_loop *made = &w->loop[index];
	uint32_t skipping = 0;
	for (uint32_t i = loop->size; i-- > 0;) {
		value_block(w, index, loop->block[i]);
		skipping += skips_any(w, loop->block[i]);
	}
	made->k = loop->k;
	made->end = made->again_end = WM_NONE;
	made->iterations = w->whole[loop->head];
	made->last_paths = made->iterations + w->left[loop->head];
	made->skip_shift = bits_below(made->last_paths);
	made->rank_shift = made->skip_shift + bits_below((uint64_t)skipping + 1);
	made->single = made->iterations == 1 && !has_inner_loop(w, loop);
	if (made->single)
		follow_only(w, loop, made);
	/* All whole iterations may come before a way out. */
	return made->rank_shift + bits_below(made->iterations + 1) > 64 ? WM_TOO_MANY : WM_OK;
}

enum wm_status wm_iteration_values_make(
	struct wm_iteration_values *values, const struct wm_plan *plan, struct wm_arena *arena)
{
	struct wm_iteration_values made = {.plan = plan, .iterations = plan->iterations}, *w = &made;
	uint32_t edges = w->plan->graph->edge_count, blocks = w->plan->graph->block_count;
	w->loop = WM_NEW(arena, struct wm_window_loop, w->iterations->count);
	w->whole = WM_NEW(arena, uint64_t, blocks);
	w->left = WM_NEW(arena, uint64_t, blocks);
	w->rank = WM_NEW(arena, uint64_t, edges);
	w->last = WM_NEW(arena, uint64_t, edges);
	w->left_before = WM_NEW(arena, uint64_t, edges);
	w->skips = WM_NEW(arena, bool, edges);
	if (!w->loop || !w->whole || !w->left || !w->rank || !w->last || !w->left_before || !w->skips)
		return WM_NO_MEMORY;
	enum wm_status status = WM_OK;
	for (uint32_t i = 0; i < w->iterations->count && status == WM_OK; i++)
		status = value_loop(w, i);
	if (status == WM_OK)
		*values = made;
	return status;
}
