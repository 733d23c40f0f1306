/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/check_operands.h"

struct search {
	const struct wm_remainder *remainder;
	const struct wm_map_function *map;
	bool *operand;
	uint32_t *
		goal; /* per block that only evaluates an assert: where control goes if the assert holds; else WM_NONE */
	const struct wm_map_line **place; /* of this assert */
};

static bool is_on_line(const struct wm_map_line *a, const struct wm_map_line *b)
{
	return a->line == b->line && a->file == b->file;
}

/* Whether the block has no code but that of an assert. */
static bool is_alone(const struct wm_map_block *block, const struct wm_map_line *place)
{
	for (uint32_t i = 0; i < block->line_count; i++)
		if (!is_on_line(&block->line[i], place))
			return false;
	return true;
}

/* The only edge of a block that remains; WM_NONE: several remain, or none. */
static uint32_t only_edge(const struct search *s, uint32_t block)
{
	const struct wm_graph *graph = &s->map->graph;
	uint32_t only = WM_NONE, count = 0;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
		if (s->remainder->edge[e]) {
			only = e;
			count++;
		}
	return count == 1 ? only : WM_NONE;
}

static bool fails_assert(const struct search *s, uint32_t block)
{
	const struct wm_graph *graph = &s->map->graph;
	for (uint32_t e = graph->first_edge[block]; s->map->failure && e < graph->first_edge[block + 1]; e++)
		if (s->map->failure[e] == WM_CHECK_ASSERT && !s->remainder->edge[e])
			return true;
	return false;
}

/* The last operand of an assert, or the branch on the value of all of them. */
static void find_last(struct search *s, uint32_t block)
{
	const struct wm_map_line *place = &s->map->block[block].decision;
	uint32_t edge = only_edge(s, block);
	if (!s->remainder->block[block] || edge == WM_NONE || !place->line || !fails_assert(s, block))
		return;
	s->goal[block] = s->map->graph.edge_to[edge];
	s->place[block] = place;
}

/* Whether the value of a block is that on which the assert behind its only edge branches. */
static bool gives_value(const struct search *s, uint32_t block)
{
	uint32_t edge = only_edge(s, block);
	for (uint32_t i = 0; edge != WM_NONE && i < s->map->value_count; i++)
		if (s->map->value[i].block == block && s->map->value[i].join == s->map->graph.edge_to[edge])
			return true;
	return false;
}

/* A block with the assert of which all edges are; NULL: there is none. */
static const uint32_t *find_assert(const struct search *s, uint32_t block)
{
	const struct wm_graph *graph = &s->map->graph;
	const uint32_t *found = NULL;
	uint32_t first = graph->first_edge[block], end = graph->first_edge[block + 1];
	for (uint32_t e = first; e < end && !found; e++)
		if (s->remainder->edge[e] && s->goal[graph->edge_to[e]] != WM_NONE)
			found = &graph->edge_to[e];
	for (uint32_t e = first; e < end && found; e++) {
		uint32_t to = graph->edge_to[e];
		if (s->remainder->edge[e] && to != s->goal[*found] && s->goal[to] != s->goal[*found])
			found = NULL;
	}
	return found;
}

/* Returns whether something was found. */
static bool find_operand(struct search *s, uint32_t block)
{
	const struct wm_map_block *info = &s->map->block[block];
	const uint32_t *of = s->goal[block] == WM_NONE && !s->operand[block] ? find_assert(s, block) : NULL;
	if (!of)
		return false;
	const struct wm_map_line *place = s->place[*of];
	bool branches = info->terminator == WM_TERM_BRANCH && only_edge(s, block) == WM_NONE &&
			is_on_line(&info->decision, place) && info->decision.column == place->column;
	if (!branches && !gives_value(s, block))
		return false;
	s->operand[block] = branches;
	if (!is_alone(info, place))
		return branches;
	s->goal[block] = s->goal[*of];
	s->place[block] = place;
	return true;
}

enum wm_status wm_check_operands_find(
	struct wm_remainder *remainder, const struct wm_map_function *map, struct wm_arena *arena)
{
	uint32_t count = map->graph.block_count;
	struct search s = {.remainder = remainder,
		.map = map,
		.operand = WM_NEW(arena, bool, count),
		.goal = WM_NEW(arena, uint32_t, count),
		.place = WM_NEW(arena, const struct wm_map_line *, count)};
	if (!s.operand || !s.goal || !s.place)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < count; b++)
		s.goal[b] = WM_NONE;
	for (uint32_t b = 0; b < count; b++)
		find_last(&s, b);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = count; b-- > 0;)
			changed |= find_operand(&s, b);
	}
	remainder->operand = s.operand;
	return WM_OK;
}
