/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Static branch prediction, in the spirit of Ball and Larus, "Branch prediction for free", and Wu and Larus, "Static
 * branch frequency and program profile analysis".  The successors of a block are equally likely, with two
 * exceptions: an edge out of a loop is unlikely, and a block that can only end in a noreturn call or by unwinding is
 * still less likely.
 */
#include "core/numbering/weights.h"

#define LOOP_TRIPS 8.0
#define COLD_SHARE (1.0 / 64)
/* Deep nests and long chains stay finite and above the denormals. */
#define MAX_WEIGHT 1e100
#define MIN_WEIGHT 1e-100

struct estimate {
	const struct wm_graph *graph;
	const struct wm_dfs *dfs;
	const struct wm_loops *loops;
	bool *cold;
	struct wm_weights weights;
};

static void find_cold(struct estimate *s)
{
	const struct wm_graph *graph = s->graph;
	for (uint32_t i = s->dfs->reached; i-- > 0;) {
		uint32_t block = s->dfs->reverse_postorder[i];
		bool cold = graph->end[block] != WM_END_RETURN;
		for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
			cold &= !s->dfs->back_edge[e] && s->cold[graph->edge_to[e]];
		s->cold[block] = cold;
	}
}

/* Entering a loop inside this one is staying.  Only one level is looked at: deeper
 * jumps into the middle of a nest are too rare to pay for. */
static bool leaves_loop(const struct wm_loops *loops, uint32_t from, uint32_t to)
{
	uint32_t mine = loops->loop_of[from], other = loops->loop_of[to];
	if (mine == WM_NONE || mine == other)
		return false;
	return other == WM_NONE || loops->loop[other].parent != mine;
}

static double share(const struct estimate *s, uint32_t e)
{
	uint32_t from = s->graph->edge_from[e], to = s->graph->edge_to[e];
	double part = leaves_loop(s->loops, from, to) ? 1 / LOOP_TRIPS : 1.0;
	return s->cold[to] && !s->cold[from] ? part * COLD_SHARE : part;
}

static void spread(struct estimate *s, uint32_t block)
{
	const struct wm_graph *graph = s->graph;
	double *weight = &s->weights.block[block], sum = 0;
	if (s->dfs->is_head[block])
		*weight *= LOOP_TRIPS;
	*weight = *weight > MAX_WEIGHT ? MAX_WEIGHT : *weight < MIN_WEIGHT ? MIN_WEIGHT : *weight;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
		sum += share(s, e);
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++) {
		s->weights.edge[e] = *weight * share(s, e) / sum;
		if (!s->dfs->back_edge[e])
			s->weights.block[graph->edge_to[e]] += s->weights.edge[e];
	}
}

enum wm_status wm_weights_from_loops(struct wm_weights *weights, const struct wm_graph *graph, const struct wm_dfs *dfs,
	const struct wm_loops *loops, struct wm_arena *arena)
{
	struct estimate s = {.graph = graph, .dfs = dfs, .loops = loops, .weights.entry = 1.0};
	s.cold = WM_NEW(arena, bool, graph->block_count);
	s.weights.edge = WM_NEW(arena, double, graph->edge_count);
	s.weights.block = WM_NEW(arena, double, graph->block_count);
	if (!s.cold || !s.weights.edge || !s.weights.block)
		return WM_NO_MEMORY;
	find_cold(&s);
	s.weights.block[0] = s.weights.entry;
	for (uint32_t i = 0; i < dfs->reached; i++)
		spread(&s, dfs->reverse_postorder[i]);
	*weights = s.weights;
	return WM_OK;
}

enum wm_status wm_weights_static(
	struct wm_weights *weights, const struct wm_graph *graph, const struct wm_dfs *dfs, struct wm_arena *arena)
{
	struct wm_loops loops;
	if (wm_loops_run(&loops, graph, dfs, arena) != WM_OK)
		return WM_NO_MEMORY;
	return wm_weights_from_loops(weights, graph, dfs, &loops, arena);
}

double wm_weights_of(const struct wm_weights *weights, const struct wm_dag *dag, const struct wm_dag_edge *edge)
{
	switch ((enum wm_edge_kind)edge->kind) {
	case WM_EDGE_ENTRY:
		return weights->entry;
	case WM_EDGE_EXIT:
		return weights->block[dag->node_block[edge->from]];
	case WM_EDGE_REAL:
	case WM_EDGE_STOP:
		return weights->edge[edge->cfg_edge];
	case WM_EDGE_RESTART:
	case WM_EDGE_ARRIVE:
	case WM_EDGE_SURROGATE:
	case WM_EDGE_RESUME:
		return 0;
	}
	return 0;
}
