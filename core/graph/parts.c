/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/parts.h"

static uint32_t count_dividing(const struct wm_unit_function *function)
{
	uint32_t count = 0;
	for (uint32_t c = 0; c < function->call_count; c++)
		count += !wm_unit_is_last_call(function, c);
	return count;
}

static bool allocate_parts(struct wm_parts *parts, uint32_t part_count, uint32_t edge_count, struct wm_arena *arena)
{
	parts->block = WM_NEW(arena, uint32_t, part_count);
	parts->behind = WM_NEW(arena, uint32_t, part_count);
	parts->before = WM_NEW(arena, uint32_t, part_count);
	parts->last = WM_NEW(arena, uint32_t, parts->function->graph->block_count);
	parts->edge = WM_NEW(arena, uint32_t, edge_count);
	parts->site_part = WM_NEW(arena, uint32_t, parts->function->call_count);
	return parts->site_part && parts->block && parts->behind && parts->before && parts->last && parts->edge;
}

/* Gives every dividing call the next part. */
static void divide(struct wm_parts *parts)
{
	const struct wm_unit_function *function = parts->function;
	uint32_t next = function->graph->block_count;
	for (uint32_t b = 0; b < next; b++) {
		parts->block[b] = parts->last[b] = b;
		parts->behind[b] = parts->before[b] = WM_NONE;
	}
	for (uint32_t c = 0; c < function->call_count; c++) {
		uint32_t block = function->call[c].block;
		parts->site_part[c] = WM_NONE;
		if (wm_unit_is_last_call(function, c))
			continue;
		parts->site_part[c] = next;
		parts->block[next] = block;
		parts->behind[next] = c;
		parts->before[next] = WM_NONE;
		parts->before[parts->last[block]] = c;
		parts->last[block] = next++;
	}
}

static enum wm_status build_graph(struct wm_parts *parts, uint32_t part_count, bool *call_edge, struct wm_arena *arena)
{
	const struct wm_graph *graph = parts->function->graph;
	struct wm_graph_builder builder;
	enum wm_status status = wm_graph_builder_init(&builder, arena, part_count);
	uint32_t edge = 0;
	for (uint32_t p = 0; p < part_count && status == WM_OK; p++) {
		uint32_t block = parts->block[p];
		if (parts->before[p] != WM_NONE) {
			uint32_t next = parts->site_part[parts->before[p]];
			call_edge[edge] = true;
			parts->edge[edge++] = WM_NONE;
			status = wm_graph_builder_add(&builder, &next, 1, WM_END_NONE);
			continue;
		}
		uint32_t first = graph->first_edge[block], count = graph->first_edge[block + 1] - first;
		for (uint32_t i = 0; i < count; i++)
			parts->edge[edge++] = first + i;
		const uint32_t *to = count ? graph->edge_to + first : NULL;
		status = wm_graph_builder_add(&builder, to, count, (enum wm_end)graph->end[block]);
	}
	return status == WM_OK ? wm_graph_builder_finish(&builder, &parts->graph) : status;
}

enum wm_status wm_parts_make(struct wm_parts *parts, const struct wm_unit_function *function, struct wm_arena *arena)
{
	struct wm_parts made = {.function = function};
	uint32_t dividing = count_dividing(function);
	const struct wm_graph *graph = function->graph;
	if (dividing >= WM_NONE - graph->block_count || dividing >= WM_NONE - graph->edge_count)
		return WM_TOO_MANY;
	bool *call_edge = WM_NEW(arena, bool, graph->edge_count + dividing);
	if (!call_edge || !allocate_parts(&made, graph->block_count + dividing, graph->edge_count + dividing, arena))
		return WM_NO_MEMORY;
	divide(&made);
	enum wm_status status = build_graph(&made, graph->block_count + dividing, call_edge, arena);
	if (status != WM_OK)
		return status;
	made.graph.call_edge = call_edge;
	*parts = made;
	return WM_OK;
}

bool wm_parts_unwinds(const struct wm_parts *parts, uint32_t edge)
{
	uint32_t origin = parts->edge[edge];
	return origin != WM_NONE && wm_unit_unwinding_call(parts->function, origin) != WM_NONE;
}

bool wm_parts_has_frames(const struct wm_parts *parts)
{
	for (uint32_t c = 0; c < parts->function->call_count; c++)
		if (parts->function->call[c].unwinds || parts->function->call[c].twice)
			return true;
	return false;
}
