/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/shape.h"
#include <string.h>

uint32_t wm_shape_edge_origin(const struct wm_shape *shape, uint32_t edge)
{
	uint32_t from = shape->graph.edge_from[edge];
	return shape->original->first_edge[shape->origin[from]] + edge - shape->graph.first_edge[from];
}

enum wm_status wm_shape_builder_init(
	struct wm_shape_builder *builder, const struct wm_graph *original, struct wm_arena *arena)
{
	uint32_t capacity = 2 * original->block_count;
	struct wm_shape_builder made = {.arena = arena,
		.original = original,
		.count = original->block_count,
		.capacity = capacity,
		.origin = WM_NEW(arena, uint32_t, capacity),
		.unlikely = WM_NEW(arena, bool, capacity),
		.target = WM_NEW(arena, uint32_t *, capacity)};
	if (!made.origin || !made.unlikely || !made.target)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < original->block_count; b++)
		made.origin[b] = b;
	*builder = made;
	return WM_OK;
}

/* The three arrays have one capacity. */
static bool grow_arrays(struct wm_shape_builder *b)
{
	uint32_t capacity = b->capacity, again = capacity, last = capacity;
	uint32_t *origin = wm_arena_grow(b->arena, b->origin, &capacity, b->count, sizeof *origin);
	uint32_t **target = wm_arena_grow(b->arena, b->target, &again, b->count, sizeof *target);
	bool *unlikely = wm_arena_grow(b->arena, b->unlikely, &last, b->count, sizeof *unlikely);
	if (!origin || !target || !unlikely)
		return false;
	b->origin = origin;
	b->target = target;
	b->unlikely = unlikely;
	b->capacity = capacity;
	return true;
}

uint32_t wm_shape_builder_copy(struct wm_shape_builder *builder, uint32_t origin)
{
	if (!grow_arrays(builder))
		return WM_NONE;
	builder->origin[builder->count] = origin;
	return builder->count++;
}

enum wm_status wm_shape_builder_lead(struct wm_shape_builder *builder, uint32_t block, const uint32_t *target)
{
	const uint32_t *first = builder->original->first_edge + builder->origin[block];
	uint32_t count = first[1] - first[0];
	builder->target[block] = WM_NEW(builder->arena, uint32_t, count);
	if (!builder->target[block])
		return WM_NO_MEMORY;
	if (count)
		memcpy(builder->target[block], target, count * sizeof *target);
	return WM_OK;
}

static enum wm_status add_block(const struct wm_shape_builder *builder, struct wm_graph_builder *graph, uint32_t block)
{
	const struct wm_graph *original = builder->original;
	uint32_t origin = builder->origin[block], first = original->first_edge[origin];
	uint32_t count = original->first_edge[origin + 1] - first;
	const uint32_t *target = builder->target[block] ? builder->target[block] : original->edge_to + first;
	for (uint32_t i = 0; i < count; i++)
		if (target[i] >= builder->count || builder->origin[target[i]] != original->edge_to[first + i])
			return WM_BAD_GRAPH;
	return wm_graph_builder_add(graph, target, count, (enum wm_end)original->end[origin]);
}

enum wm_status wm_shape_builder_finish(struct wm_shape_builder *builder, struct wm_shape *shape)
{
	struct wm_graph_builder graph;
	struct wm_shape made = {.original = builder->original,
		.origin_count = builder->original->block_count,
		.origin = builder->origin,
		.unlikely = builder->unlikely};
	enum wm_status status = wm_graph_builder_init(&graph, builder->arena, builder->count);
	for (uint32_t b = 0; b < builder->count && status == WM_OK; b++)
		status = add_block(builder, &graph, b);
	if (status == WM_OK)
		status = wm_graph_builder_finish(&graph, &made.graph);
	if (status == WM_OK)
		*shape = made;
	return status;
}
