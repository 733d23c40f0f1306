/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/superblock/superblock.h"

/* ---- The automaton ------------------------------------------------------------------------- */

static uint32_t find_child(const struct wm_superblocks *s, uint32_t beginning, uint32_t ordinal)
{
	uint32_t child = s->beginning[beginning].child;
	while (child != WM_NONE && s->beginning[child].ordinal != ordinal)
		child = s->beginning[child].sibling;
	return child;
}

/* Where control goes from a beginning by an out-edge of its last block. */
static uint32_t next_beginning(const struct wm_superblocks *s, uint32_t at, uint32_t ordinal)
{
	uint32_t target = s->graph->edge_to[s->graph->first_edge[s->beginning[at].block] + ordinal];
	for (; at != WM_NONE; at = s->beginning[at].shorter) {
		uint32_t child = find_child(s, at, ordinal);
		if (child != WM_NONE)
			return child;
	}
	return target;
}

/* In the order of their lengths, because each needs those of shorter beginnings. */
static void find_shorter(struct wm_superblocks *s)
{
	bool more = true;
	for (uint32_t length = 2; more; length++) {
		more = false;
		for (uint32_t i = s->graph->block_count; i < s->count; i++) {
			struct wm_beginning *b = &s->beginning[i];
			more |= b->length > length;
			if (b->length != length)
				continue;
			uint32_t before = s->beginning[b->parent].shorter;
			b->shorter = before == WM_NONE ? b->block : next_beginning(s, before, b->ordinal);
		}
	}
}

static enum wm_status lead_block(
	const struct wm_superblocks *s, struct wm_shape_builder *builder, uint32_t block, uint32_t *target)
{
	const uint32_t *first = s->graph->first_edge + s->beginning[block].block;
	for (uint32_t i = 0; i < first[1] - first[0]; i++)
		target[i] = next_beginning(s, block, i);
	return wm_shape_builder_lead(builder, block, target);
}

enum wm_status wm_superblocks_finish(struct wm_superblocks *s, struct wm_shape *shape, struct wm_arena *arena)
{
	struct wm_shape_builder builder;
	uint32_t *target = WM_NEW(arena, uint32_t, s->graph->edge_count + (size_t)1);
	enum wm_status status = target ? wm_shape_builder_init(&builder, s->graph, arena) : WM_NO_MEMORY;
	find_shorter(s);
	for (uint32_t i = s->graph->block_count; i < s->count && status == WM_OK; i++)
		if (wm_shape_builder_copy(&builder, s->beginning[i].block) == WM_NONE)
			status = WM_NO_MEMORY;
	for (uint32_t i = 0; i < s->count && status == WM_OK; i++)
		status = lead_block(s, &builder, i, target);
	return status == WM_OK ? wm_shape_builder_finish(&builder, shape) : status;
}

/* ---- Limits ---------------------------------------------------------------------------------- */

struct measure {
	uint64_t size;
	uint32_t irreducible_count;
};

static enum wm_status measure_graph(const struct wm_superblocks *s, const struct wm_graph *graph,
	const uint32_t *origin, struct measure *made, struct wm_arena *arena)
{
	struct wm_dfs dfs;
	struct wm_loops loops;
	enum wm_status status = wm_dfs_run(&dfs, graph, arena);
	if (status == WM_OK)
		status = wm_loops_run(&loops, graph, &dfs, arena);
	if (status != WM_OK)
		return status;
	*made = (struct measure){0};
	for (uint32_t b = 0; b < graph->block_count; b++)
		if (dfs.position[b] != WM_NONE)
			made->size += s->limits.size ? s->limits.size[origin ? origin[b] : b] : 1;
	for (uint32_t i = 0; i < loops.count; i++)
		made->irreducible_count += loops.loop[i].irreducible;
	return WM_OK;
}

static enum wm_status measure_shape(struct wm_superblocks *s, struct measure *made)
{
	struct wm_arena arena;
	struct wm_shape shape;
	wm_arena_init(&arena);
	enum wm_status status = wm_superblocks_finish(s, &shape, &arena);
	if (status == WM_OK)
		status = measure_graph(s, &shape.graph, shape.origin, made, &arena);
	wm_arena_release(&arena);
	return status;
}

static bool is_within_limits(const struct wm_superblocks *s, const struct measure *made)
{
	bool grows = made->size > s->original_size && made->size - s->original_size > s->limits.growth;
	return !grows && (s->limits.irreducible || made->irreducible_count <= s->irreducible_count);
}

/* ---- Traces ------------------------------------------------------------------------------------ */

enum wm_status wm_superblocks_init(struct wm_superblocks *superblocks, const struct wm_graph *graph,
	const struct wm_superblock_limits *limits, struct wm_arena *arena)
{
	struct wm_superblocks s = {.arena = arena,
		.graph = graph,
		.limits = *limits,
		.count = graph->block_count,
		.capacity = 2 * graph->block_count};
	struct measure original;
	s.beginning = WM_NEW(arena, struct wm_beginning, s.capacity);
	if (!s.beginning)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < graph->block_count; b++)
		s.beginning[b] = (struct wm_beginning){b, 1, 0, WM_NONE, WM_NONE, WM_NONE, WM_NONE};
	enum wm_status status = measure_graph(&s, graph, NULL, &original, arena);
	s.original_size = s.size = original.size;
	s.irreducible_count = original.irreducible_count;
	if (status == WM_OK)
		*superblocks = s;
	return status;
}

static enum wm_status add_child(struct wm_superblocks *s, uint32_t parent, uint32_t ordinal, uint32_t block)
{
	struct wm_beginning *grown = wm_arena_grow(s->arena, s->beginning, &s->capacity, s->count, sizeof *grown);
	if (!grown)
		return WM_NO_MEMORY;
	s->beginning = grown;
	grown[s->count] = (struct wm_beginning){
		block, grown[parent].length + 1, ordinal, parent, WM_NONE, grown[parent].child, WM_NONE};
	grown[parent].child = s->count++;
	return WM_OK;
}

static enum wm_status extend(struct wm_superblocks *s, const struct wm_trace *trace)
{
	enum wm_status status = WM_OK;
	uint32_t at = trace->block[0];
	for (uint32_t i = 1; i < trace->length && status == WM_OK; i++) {
		uint32_t edge = wm_graph_find_edge(s->graph, trace->block[i - 1], trace->block[i]);
		if (edge == WM_NONE)
			return WM_BAD_PATH;
		uint32_t ordinal = edge - s->graph->first_edge[trace->block[i - 1]];
		uint32_t child = find_child(s, at, ordinal);
		if (child == WM_NONE) {
			status = add_child(s, at, ordinal, trace->block[i]);
			child = s->count - 1;
		}
		at = child;
	}
	return status;
}

/* Takes away the beginnings from `count` on, which were added last.  Each is the first child of its parent. */
static void shrink(struct wm_superblocks *s, uint32_t count)
{
	while (s->count > count) {
		const struct wm_beginning *last = &s->beginning[--s->count];
		s->beginning[last->parent].child = last->sibling;
	}
}

static bool is_block(const struct wm_superblocks *s, uint32_t block)
{
	return block < s->graph->block_count;
}

enum wm_status wm_superblocks_add(struct wm_superblocks *s, const struct wm_trace *trace)
{
	uint32_t count = s->count;
	struct measure made = {0};
	if (trace->length < 2 || !is_block(s, trace->block[0]))
		return WM_BAD_PATH;
	enum wm_status status = extend(s, trace);
	if (status == WM_OK && s->count > count)
		status = measure_shape(s, &made);
	if (status == WM_OK && s->count > count && !is_within_limits(s, &made))
		status = WM_TOO_MANY;
	if (status == WM_OK && s->count > count) {
		s->size = made.size;
		s->irreducible_count = made.irreducible_count;
	}
	if (status != WM_OK)
		shrink(s, count);
	return status;
}
