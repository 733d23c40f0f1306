/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How much that is untested an untested outcome leads to: a reader should see the outcome that opens a whole case of a switch before
 * one that leads to a return.
 */
#include "analysis/untested/gaps.h"

struct region {
	const struct wm_gap_work *work;
	const struct wm_graph *graph;
	uint32_t *seen; /* per block: the last region that contains it */
	uint32_t *waiting; /* blocks whose edges are to be followed */
	uint32_t count, number;
};

static void enter(struct region *r, uint32_t block)
{
	if (r->work->visited[block] || r->seen[block] == r->number)
		return;
	r->seen[block] = r->number;
	r->waiting[r->count++] = block;
}

static uint32_t count_from(struct region *r, uint32_t edge)
{
	uint32_t behind = 0;
	r->number++;
	enter(r, r->graph->edge_to[edge]);
	while (r->count) {
		uint32_t block = r->waiting[--r->count];
		for (uint32_t e = r->graph->first_edge[block]; e < r->graph->first_edge[block + 1]; e++) {
			behind += wm_gap_asks_outcome(r->work, e);
			if (!wm_gap_is_left_out(r->work, e))
				enter(r, r->graph->edge_to[e]);
		}
	}
	return behind;
}

void wm_gap_find_visited(struct wm_gap_work *w)
{
	const struct wm_abandoned *abandoned = &w->abandoned;
	w->visited = wm_gap_need(WM_NEW(&w->arena, bool, w->graph->block_count));
	w->visited[0] = true;
	for (uint32_t e = 0; e < w->graph->edge_count; e++)
		if (w->taken[e] || (abandoned->count && abandoned->edge[e]))
			w->visited[w->graph->edge_to[e]] = true;
}

void wm_gap_count_behind(struct wm_gap_work *w)
{
	struct region r = {.work = w,
		.graph = w->graph,
		.seen = wm_gap_need(WM_NEW(&w->arena, uint32_t, w->graph->block_count)),
		.waiting = wm_gap_need(WM_NEW(&w->arena, uint32_t, w->graph->block_count))};
	for (size_t i = 0; i < w->f->outcomes.count; i++) {
		struct wm_gap *gap = &w->f->outcomes.gap[i];
		/* What is farther is behind another outcome itself. */
		if (gap->distance == 1)
			gap->behind = count_from(&r, gap->path.edge);
	}
}
