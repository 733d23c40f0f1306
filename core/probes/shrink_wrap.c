/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/probes/shrink_wrap.h"
#include <string.h>

/* A network whose nodes are the blocks and, as the last node, the outside of the function.  Flow comes from the blocks
 * that need the resource and ends outside. */
struct arc {
	uint32_t end[2]; /* from, to */
	double room[2]; /* for more flow along the arc, and against it */
};

struct network {
	uint32_t node_count, arc_count, queue_count;
	struct arc *arc;
	uint32_t *first,
		*at; /* per node: its arcs are at[first[node]] … at[first[node + 1] - 1], as 2 · arc + direction */
	uint32_t *via; /* per node: the element of `at` by which the search came; WM_NONE: not reached */
	uint32_t *queue;
	const bool *source; /* per block */
};
#define AT_SOURCE (WM_NONE - 1)

static void add_arc(struct network *n, uint32_t from, uint32_t to, double weight, struct wm_shrink_wrap_costs costs)
{
	n->arc[n->arc_count++] = (struct arc){{from, to}, {costs.release * weight, costs.acquire * weight}};
	n->first[from + 1]++;
	n->first[to + 1]++;
}

static void add_arcs(struct network *n, const struct wm_graph *graph, const struct wm_weights *weights,
	struct wm_shrink_wrap_costs costs)
{
	const uint32_t outside = graph->block_count;
	add_arc(n, outside, 0, weights->entry, costs);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		add_arc(n, graph->edge_from[e], graph->edge_to[e], weights->edge[e], costs);
	for (uint32_t b = 0; b < graph->block_count; b++)
		if (graph->end[b] == WM_END_RETURN || graph->end[b] == WM_END_UNWIND)
			add_arc(n, b, outside, weights->block[b], costs);
}

static enum wm_status index_arcs(struct network *n, struct wm_arena *arena)
{
	uint32_t *next = WM_NEW(arena, uint32_t, n->node_count);
	n->at = WM_NEW(arena, uint32_t, 2 * (size_t)n->arc_count);
	if (!next || !n->at)
		return WM_NO_MEMORY;
	for (uint32_t node = 0; node < n->node_count; node++)
		n->first[node + 1] += n->first[node];
	memcpy(next, n->first, n->node_count * sizeof *next);
	for (uint32_t a = 0; a < n->arc_count; a++)
		for (uint32_t direction = 0; direction < 2; direction++)
			n->at[next[n->arc[a].end[direction]]++] = 2 * a + direction;
	return WM_OK;
}

static void reach(struct network *n, uint32_t node, uint32_t via)
{
	if (n->via[node] != WM_NONE)
		return;
	n->via[node] = via;
	n->queue[n->queue_count++] = node;
}

/* Finds a shortest augmenting path: from a source to the outside, over arcs with room. */
static bool find_augmenting_path(struct network *n)
{
	const uint32_t outside = n->node_count - 1;
	n->queue_count = 0;
	for (uint32_t node = 0; node < n->node_count; node++)
		n->via[node] = WM_NONE;
	for (uint32_t b = 0; b < outside; b++)
		if (n->source[b])
			reach(n, b, AT_SOURCE);
	for (uint32_t i = 0; i < n->queue_count && n->via[outside] == WM_NONE; i++)
		for (uint32_t k = n->first[n->queue[i]]; k < n->first[n->queue[i] + 1]; k++) {
			const struct arc *arc = &n->arc[n->at[k] / 2];
			if (arc->room[n->at[k] % 2] > 0)
				reach(n, arc->end[1 - n->at[k] % 2], n->at[k]);
		}
	return n->via[outside] != WM_NONE;
}

/* Fills the augmenting path that was found.  The arc with the least room has none left, exactly. */
static void augment(struct network *n)
{
	const uint32_t outside = n->node_count - 1;
	double least = -1;
	for (uint32_t node = outside, k; (k = n->via[node]) != AT_SOURCE; node = n->arc[k / 2].end[k % 2])
		if (least < 0 || n->arc[k / 2].room[k % 2] < least)
			least = n->arc[k / 2].room[k % 2];
	for (uint32_t node = outside, k; (k = n->via[node]) != AT_SOURCE; node = n->arc[k / 2].end[k % 2]) {
		n->arc[k / 2].room[k % 2] -= least;
		n->arc[k / 2].room[1 - k % 2] += least;
	}
}

enum wm_status wm_shrink_wrap(bool *held, const struct wm_graph *graph, const struct wm_weights *weights,
	struct wm_shrink_wrap_costs costs, struct wm_arena *arena)
{
	struct network n = {.node_count = graph->block_count + 1, .source = held};
	n.arc = WM_NEW(arena, struct arc, (size_t)graph->edge_count + graph->block_count + 1);
	n.first = WM_NEW(arena, uint32_t, (size_t)n.node_count + 1);
	n.via = WM_NEW(arena, uint32_t, n.node_count);
	n.queue = WM_NEW(arena, uint32_t, n.node_count);
	if (!n.arc || !n.first || !n.via || !n.queue)
		return WM_NO_MEMORY;
	add_arcs(&n, graph, weights, costs);
	if (index_arcs(&n, arena) != WM_OK)
		return WM_NO_MEMORY;
	uint32_t rounds = 0;
	while (rounds < WM_SHRINK_WRAP_ROUNDS && find_augmenting_path(&n)) {
		augment(&n);
		rounds++;
	}
	for (uint32_t b = 0; b < graph->block_count; b++)
		held[b] = rounds == WM_SHRINK_WRAP_ROUNDS || n.via[b] != WM_NONE;
	return WM_OK;
}
