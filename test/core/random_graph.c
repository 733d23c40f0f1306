/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/core/random_graph.h"
#include <stdlib.h>
#include <string.h>

#define MAX_SUCCESSORS 64

struct node {
	uint32_t count;
	uint32_t successor[MAX_SUCCESSORS];
};

struct draft {
	struct random *random;
	uint32_t count, capacity;
	struct node *node;
};

uint64_t random_next(struct random *random)
{
	uint64_t x = random->state += 0x9E3779B97F4A7C15ull;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
	x = (x ^ x >> 27) * 0x94D049BB133111EBull;
	return x ^ x >> 31;
}

uint32_t random_below(struct random *random, uint32_t bound)
{
	return (uint32_t)(random_next(random) % bound);
}

static void link_nodes(struct draft *draft, uint32_t from, uint32_t to)
{
	struct node *node = &draft->node[from];
	if (node->count < MAX_SUCCESSORS)
		node->successor[node->count++] = to;
}

/* Puts `to` at a random place among the successors: order decides back edges and numbering. */
static void link_anywhere(struct draft *draft, uint32_t from, uint32_t to)
{
	struct node *node = &draft->node[from];
	link_nodes(draft, from, to);
	uint32_t place = random_below(draft->random, node->count), last = node->count - 1;
	uint32_t swap = node->successor[place];
	node->successor[place] = node->successor[last];
	node->successor[last] = swap;
}

static uint32_t new_node(struct draft *draft)
{
	draft->node[draft->count].count = 0;
	return draft->count++;
}

/* A new block that takes over all successors of `block`. */
static uint32_t split_off(struct draft *draft, uint32_t block)
{
	uint32_t tail = new_node(draft);
	draft->node[tail] = draft->node[block];
	draft->node[block].count = 0;
	return tail;
}

static void expand_branch(struct draft *draft, uint32_t block, uint32_t arms, bool may_skip)
{
	uint32_t join = split_off(draft, block);
	for (uint32_t i = 0; i < arms; i++) {
		if (may_skip && random_below(draft->random, 4) == 0) {
			link_nodes(draft, block, join);
			continue;
		}
		uint32_t arm = new_node(draft);
		link_nodes(draft, block, arm);
		if (random_below(draft->random, 12))
			link_nodes(draft, arm, join);
	}
	if (draft->node[block].count == 0 || arms < 2)
		link_nodes(draft, block, join);
	bool reached = draft->node[block].successor[0] == join;
	for (uint32_t i = 0; i < draft->node[block].count; i++)
		reached |=
			draft->node[block].successor[i] == join || draft->node[draft->node[block].successor[i]].count;
	if (!reached)
		link_nodes(draft, block, join);
}

static void expand_while(struct draft *draft, uint32_t block)
{
	uint32_t head = split_off(draft, block), after = split_off(draft, head), body = new_node(draft);
	link_nodes(draft, block, head);
	link_anywhere(draft, head, body);
	link_anywhere(draft, head, after);
	link_nodes(draft, body, head);
	if (random_below(draft->random, 4) == 0)
		link_anywhere(draft, body, after);
}

static void expand_do_while(struct draft *draft, uint32_t block)
{
	uint32_t body = split_off(draft, block), after = split_off(draft, body);
	link_nodes(draft, block, body);
	link_anywhere(draft, body, after);
	link_anywhere(draft, body, body);
}

static void expand(struct draft *draft, bool wide)
{
	uint32_t block = random_below(draft->random, draft->count), room = draft->capacity - draft->count;
	switch (random_below(draft->random, 7)) {
	case 0:
		link_nodes(draft, block, split_off(draft, block));
		break;
	case 1:
		expand_while(draft, block);
		break;
	case 2:
		expand_do_while(draft, block);
		break;
	case 3:
	case 4:
		expand_branch(draft, block, 2 + random_below(draft->random, wide && room > 60 ? 50 : 3), true);
		break;
	default:
		expand_branch(draft, block, 2, true);
		break;
	}
}

static void add_jumps(struct draft *draft, uint32_t count)
{
	while (count--) {
		uint32_t from = random_below(draft->random, draft->count);
		link_anywhere(draft, from, random_below(draft->random, draft->count));
	}
}

static void draw_structured(struct draft *draft, enum random_shape shape, uint32_t size)
{
	new_node(draft);
	while (draft->count < size)
		expand(draft, shape == RANDOM_WIDE);
	if (shape == RANDOM_GOTO)
		add_jumps(draft, 1 + random_below(draft->random, size / 4 + 1));
}

static void draw_arbitrary(struct draft *draft, uint32_t size)
{
	uint32_t no_exit = random_below(draft->random, 4) == 0;
	while (draft->count < size)
		new_node(draft);
	for (uint32_t b = 0; b < size; b++)
		for (uint32_t i = random_below(draft->random, 4) + no_exit; i > 0; i--)
			link_nodes(draft, b, random_below(draft->random, size));
}

static void draw_dag(struct draft *draft, uint32_t size)
{
	while (draft->count < size)
		new_node(draft);
	for (uint32_t b = 0; b + 1 < size; b++) {
		link_nodes(draft, b, b + 1);
		for (uint32_t i = random_below(draft->random, 3); i > 0; i--)
			link_anywhere(draft, b, b + 1 + random_below(draft->random, size - b - 1));
	}
}

/* place[i]: the draft node that becomes block i; the entry stays. */
static void shuffle(struct draft *draft, uint32_t *place, uint32_t *index)
{
	for (uint32_t i = 0; i < draft->count; i++)
		place[i] = i;
	for (uint32_t i = draft->count; i-- > 2;) {
		uint32_t j = 1 + random_below(draft->random, i), swap = place[i];
		place[i] = place[j];
		place[j] = swap;
	}
	for (uint32_t i = 0; i < draft->count; i++)
		index[place[i]] = i;
}

static enum wm_status build(struct draft *draft, struct wm_graph *graph, struct wm_arena *arena)
{
	uint32_t *place = WM_NEW(arena, uint32_t, draft->count), *index = WM_NEW(arena, uint32_t, draft->count);
	struct wm_graph_builder builder;
	if (!place || !index)
		return WM_NO_MEMORY;
	shuffle(draft, place, index);
	enum wm_status status = wm_graph_builder_init(&builder, arena, draft->count);
	for (uint32_t b = 0; b < draft->count && status == WM_OK; b++) {
		struct node *node = &draft->node[place[b]];
		for (uint32_t i = 0; i < node->count; i++)
			node->successor[i] = index[node->successor[i]];
		enum wm_end end = (enum wm_end)(WM_END_RETURN + random_below(draft->random, 3));
		status = wm_graph_builder_add(&builder, node->successor, node->count, node->count ? WM_END_NONE : end);
	}
	return status == WM_OK ? wm_graph_builder_finish(&builder, graph) : status;
}

enum wm_status random_graph(
	struct wm_graph *graph, enum random_shape shape, uint32_t size, struct random *random, struct wm_arena *arena)
{
	struct draft draft = {.random = random, .capacity = size + 64};
	draft.node = calloc(draft.capacity, sizeof *draft.node);
	if (!draft.node)
		return WM_NO_MEMORY;
	size = size ? size : 1;
	if (shape == RANDOM_ARBITRARY)
		draw_arbitrary(&draft, size);
	else if (shape == RANDOM_DAG)
		draw_dag(&draft, size);
	else
		draw_structured(&draft, shape, size);
	enum wm_status status = build(&draft, graph, arena);
	free(draft.node);
	return status;
}

uint32_t distance_to_exit(const struct wm_graph *graph, uint32_t from)
{
	uint32_t *far = malloc(graph->block_count * sizeof *far), result;
	for (uint32_t b = 0; b < graph->block_count; b++)
		far[b] = graph->end[b] == WM_END_NONE ? 1u << 20 : 0;
	for (uint32_t round = 0; round < graph->block_count; round++)
		for (uint32_t e = 0; e < graph->edge_count; e++)
			if (far[graph->edge_to[e]] + 1 < far[graph->edge_from[e]])
				far[graph->edge_from[e]] = far[graph->edge_to[e]] + 1;
	result = far[from];
	free(far);
	return result;
}
