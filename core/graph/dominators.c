/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/dominators.h"
#include <string.h>

/* Per block: its first in-edge; per edge: the next one of the same block. */
struct in_edges {
	uint32_t *first, *next;
};

static bool list_in_edges(struct in_edges *in, const struct wm_graph *graph, struct wm_arena *arena)
{
	in->first = WM_NEW(arena, uint32_t, graph->block_count);
	in->next = WM_NEW(arena, uint32_t, graph->edge_count);
	if (!in->first || !in->next)
		return false;
	memset(in->first, 0xff, graph->block_count * sizeof *in->first);
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		in->next[e] = in->first[graph->edge_to[e]];
		in->first[graph->edge_to[e]] = e;
	}
	return true;
}

/* The last block that dominates both, as far as parents are known; the parent of the entry is the entry. */
static uint32_t meet(const uint32_t *parent, const uint32_t *position, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (position[a] > position[b])
			a = parent[a];
		while (position[b] > position[a])
			b = parent[b];
	}
	return a;
}

static uint32_t parent_of(const struct wm_graph *graph, const struct wm_dfs *dfs, const struct in_edges *in,
	const uint32_t *parent, uint32_t block)
{
	uint32_t found = WM_NONE;
	for (uint32_t e = in->first[block]; e != WM_NONE; e = in->next[e]) {
		uint32_t from = graph->edge_from[e];
		if (parent[from] != WM_NONE)
			found = found == WM_NONE ? from : meet(parent, dfs->position, found, from);
	}
	return found;
}

static bool dominates(const uint32_t *parent, const uint32_t *position, uint32_t block, uint32_t other)
{
	while (position[other] > position[block])
		other = parent[other];
	return other == block;
}

static uint32_t gate_of(const struct wm_graph *graph, const struct wm_dfs *dfs, const struct in_edges *in,
	const uint32_t *parent, uint32_t block)
{
	uint32_t gate = WM_NONE;
	for (uint32_t e = in->first[block]; e != WM_NONE; e = in->next[e]) {
		uint32_t from = graph->edge_from[e];
		if (dfs->position[from] == WM_NONE || dominates(parent, dfs->position, block, from))
			continue;
		if (gate != WM_NONE)
			return WM_NONE;
		gate = e;
	}
	return gate;
}

enum wm_status wm_dominators_run(struct wm_dominators *dominators, const struct wm_graph *graph,
	const struct wm_dfs *dfs, struct wm_arena *arena)
{
	struct in_edges in;
	uint32_t *parent = WM_NEW(arena, uint32_t, graph->block_count);
	uint32_t *gate = WM_NEW(arena, uint32_t, graph->block_count);
	if (!parent || !gate || !list_in_edges(&in, graph, arena))
		return WM_NO_MEMORY;
	memset(parent, 0xff, graph->block_count * sizeof *parent);
	memset(gate, 0xff, graph->block_count * sizeof *gate);
	parent[0] = 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 1; i < dfs->reached; i++) {
			uint32_t block = dfs->reverse_postorder[i];
			uint32_t found = parent_of(graph, dfs, &in, parent, block);
			changed |= parent[block] != found;
			parent[block] = found;
		}
	}
	for (uint32_t i = 1; i < dfs->reached; i++)
		gate[dfs->reverse_postorder[i]] = gate_of(graph, dfs, &in, parent, dfs->reverse_postorder[i]);
	parent[0] = WM_NONE;
	*dominators = (struct wm_dominators){parent, gate};
	return WM_OK;
}
