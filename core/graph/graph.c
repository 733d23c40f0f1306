/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/graph.h"
#include <string.h>

/* Below these, blocks + 2 nodes and edges + 2 * blocks + 1 DAG edges fit 32 bits. */
#define MAX_BLOCKS ((uint32_t)1 << 30)
#define MAX_EDGES ((uint32_t)1 << 30)

enum wm_status wm_graph_builder_init(struct wm_graph_builder *builder, struct wm_arena *arena, uint32_t block_count)
{
	if (block_count == 0 || block_count > MAX_BLOCKS)
		return WM_BAD_GRAPH;
	struct wm_graph_builder made = {.arena = arena, .block_capacity = block_count};
	made.graph.first_edge = WM_NEW(arena, uint32_t, (size_t)block_count + 1);
	made.graph.end = WM_NEW(arena, uint8_t, block_count);
	made.seen = WM_NEW(arena, uint32_t, block_count);
	if (!made.graph.first_edge || !made.graph.end || !made.seen)
		return WM_NO_MEMORY;
	*builder = made;
	return WM_OK;
}

static enum wm_status reserve_edges(struct wm_graph_builder *builder, uint32_t more)
{
	uint64_t need = (uint64_t)builder->graph.edge_count + more;
	if (need <= builder->edge_capacity)
		return WM_OK;
	if (need > MAX_EDGES)
		return WM_BAD_GRAPH;
	uint64_t capacity = builder->edge_capacity ? builder->edge_capacity : builder->block_capacity;
	while (capacity < need)
		capacity *= 2;
	uint32_t *edge_to = WM_NEW(builder->arena, uint32_t, capacity);
	if (!edge_to)
		return WM_NO_MEMORY;
	if (builder->graph.edge_count)
		memcpy(edge_to, builder->graph.edge_to, builder->graph.edge_count * sizeof *edge_to);
	builder->graph.edge_to = edge_to;
	builder->edge_capacity = (uint32_t)capacity;
	return WM_OK;
}

static bool valid_end(uint32_t successor_count, enum wm_end end)
{
	if (successor_count)
		return end == WM_END_NONE;
	return end == WM_END_RETURN || end == WM_END_NORETURN || end == WM_END_UNWIND;
}

static bool valid_block(
	const struct wm_graph_builder *builder, const uint32_t *successors, uint32_t count, enum wm_end end)
{
	if (builder->graph.block_count == builder->block_capacity || !valid_end(count, end))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (successors[i] >= builder->block_capacity)
			return false;
	return true;
}

enum wm_status wm_graph_builder_add(
	struct wm_graph_builder *builder, const uint32_t *successors, uint32_t count, enum wm_end end)
{
	struct wm_graph *graph = &builder->graph;
	if (!valid_block(builder, successors, count, end))
		return WM_BAD_GRAPH;
	enum wm_status status = reserve_edges(builder, count);
	if (status != WM_OK)
		return status;
	uint32_t stamp = graph->block_count + 1;
	for (uint32_t i = 0; i < count; i++) {
		if (builder->seen[successors[i]] == stamp)
			continue;
		builder->seen[successors[i]] = stamp;
		graph->edge_to[graph->edge_count++] = successors[i];
	}
	graph->end[graph->block_count++] = (uint8_t)end;
	graph->first_edge[graph->block_count] = graph->edge_count;
	return WM_OK;
}

enum wm_status wm_graph_builder_finish(struct wm_graph_builder *builder, struct wm_graph *graph)
{
	struct wm_graph made = builder->graph;
	if (made.block_count != builder->block_capacity)
		return WM_BAD_GRAPH;
	made.edge_from = WM_NEW(builder->arena, uint32_t, made.edge_count);
	if (!made.edge_from)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < made.block_count; b++)
		for (uint32_t e = made.first_edge[b]; e < made.first_edge[b + 1]; e++)
			made.edge_from[e] = b;
	*graph = made;
	return WM_OK;
}

uint32_t wm_graph_find_edge(const struct wm_graph *graph, uint32_t from, uint32_t to)
{
	if (from >= graph->block_count)
		return WM_NONE;
	for (uint32_t e = graph->first_edge[from]; e < graph->first_edge[from + 1]; e++)
		if (graph->edge_to[e] == to)
			return e;
	return WM_NONE;
}
