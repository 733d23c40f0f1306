/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/core/oracle.h"
#include <stdlib.h>
#include <string.h>

enum colour { WHITE, GREY, BLACK };

struct frame {
	uint32_t block, next;
};

static void colour_blocks(struct oracle *o)
{
	const struct wm_graph *g = o->graph;
	struct frame *stack = calloc(g->block_count, sizeof *stack);
	uint8_t *colour = calloc(g->block_count, 1);
	uint32_t depth = 1;
	colour[0] = GREY;
	while (depth) {
		struct frame *top = &stack[depth - 1];
		uint32_t e = g->first_edge[top->block] + top->next++;
		if (e >= g->first_edge[top->block + 1]) {
			colour[top->block] = BLACK;
			depth--;
		} else if (colour[g->edge_to[e]] == GREY) {
			o->back[e] = o->head[g->edge_to[e]] = true;
		} else if (colour[g->edge_to[e]] == WHITE) {
			colour[g->edge_to[e]] = GREY;
			stack[depth++] = (struct frame){g->edge_to[e], 0};
		}
	}
	for (uint32_t b = 0; b < g->block_count; b++)
		o->reached[b] = colour[b] != WHITE;
	free(colour);
	free(stack);
}

static bool ends_path(const struct oracle *o, uint32_t e)
{
	return o->back[e] || (o->cut && o->cut[e]);
}

static bool record(struct oracle *o, uint32_t limit, enum wm_start start, const struct frame *stack, uint32_t depth,
	uint32_t last_edge)
{
	if (o->count == limit)
		return false;
	if (o->count == o->capacity) {
		o->capacity = o->capacity * 2 + 16;
		o->path = realloc(o->path, o->capacity * sizeof *o->path);
	}
	struct oracle_path *path = &o->path[o->count++];
	*path = (struct oracle_path){.length = depth, .last_edge = last_edge, .start = start};
	path->block = calloc(depth, sizeof *path->block);
	for (uint32_t i = 0; i < depth; i++)
		path->block[i] = stack[i].block;
	uint32_t last = stack[depth - 1].block;
	path->end = last_edge == WM_NONE ? (enum wm_end)o->graph->end[last]
		    : o->back[last_edge] ? WM_END_BACKEDGE
					 : WM_END_CUT;
	return true;
}

/* The turn-th thing that can follow a block: its forward edges, then its path-ending ones. */
static uint32_t nth_edge(const struct oracle *o, uint32_t block, uint32_t turn)
{
	const struct wm_graph *g = o->graph;
	for (int ending = 0; ending <= 1; ending++)
		for (uint32_t e = g->first_edge[block]; e < g->first_edge[block + 1]; e++)
			if (ends_path(o, e) == ending && turn-- == 0)
				return e;
	return WM_NONE;
}

static bool list_from(struct oracle *o, uint32_t first, enum wm_start start, uint32_t limit, struct frame *stack)
{
	const struct wm_graph *g = o->graph;
	uint32_t depth = 1;
	bool fits = true;
	stack[0] = (struct frame){first, 0};
	while (depth && fits) {
		struct frame *top = &stack[depth - 1];
		uint32_t turn = top->next++, e = nth_edge(o, top->block, turn);
		if (e == WM_NONE) {
			if (turn == 0)
				fits = record(o, limit, start, stack, depth, WM_NONE);
			depth--;
		} else if (ends_path(o, e)) {
			fits = record(o, limit, start, stack, depth, e);
		} else {
			stack[depth++] = (struct frame){g->edge_to[e], 0};
		}
	}
	return fits;
}

bool oracle_init(struct oracle *o, const struct wm_graph *graph, const bool *cut, uint32_t limit)
{
	*o = (struct oracle){.graph = graph, .cut = cut};
	o->reached = calloc(graph->block_count, 1);
	o->head = calloc(graph->block_count, 1);
	o->restarts = calloc(graph->block_count, 1);
	o->back = calloc(graph->edge_count + 1, 1);
	colour_blocks(o);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (o->reached[graph->edge_from[e]] && ends_path(o, e))
			o->restarts[graph->edge_to[e]] = true;
	struct frame *stack = calloc(graph->block_count + 1, sizeof *stack);
	bool fits = list_from(o, 0, WM_START_ENTRY, limit, stack);
	for (uint32_t b = 0; b < graph->block_count && fits; b++)
		if (o->restarts[b])
			fits = list_from(o, b, o->head[b] ? WM_START_LOOP : WM_START_CUT, limit, stack);
	free(stack);
	return fits;
}

void oracle_release(struct oracle *o)
{
	for (uint32_t i = 0; i < o->count; i++)
		free(o->path[i].block);
	free(o->path);
	free(o->reached);
	free(o->head);
	free(o->restarts);
	free(o->back);
}

uint32_t oracle_find(
	const struct oracle *o, enum wm_start start, const uint32_t *block, uint32_t length, uint32_t last_edge)
{
	for (uint32_t i = 0; i < o->count; i++) {
		const struct oracle_path *path = &o->path[i];
		if (path->length == length && path->last_edge == last_edge &&
			(path->start == WM_START_ENTRY) == (start == WM_START_ENTRY) &&
			memcmp(path->block, block, length * sizeof *block) == 0)
			return i;
	}
	abort();
}

void oracle_count(const struct oracle *o, const uint32_t *walk, uint32_t length, bool left, uint64_t *counts)
{
	uint32_t begin = 0;
	enum wm_start start = WM_START_ENTRY;
	for (uint32_t i = 0; i + 1 < length; i++) {
		uint32_t e = o->graph->first_edge[walk[i]];
		while (o->graph->edge_to[e] != walk[i + 1])
			e++;
		if (!ends_path(o, e))
			continue;
		counts[oracle_find(o, start, walk + begin, i + 1 - begin, e)]++;
		begin = i + 1;
		start = WM_START_LOOP;
	}
	if (left)
		counts[oracle_find(o, start, walk + begin, length - begin, WM_NONE)]++;
}
