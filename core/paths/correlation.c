/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/paths/correlation.h"
#include <math.h>
#include <stdlib.h>

/* Where an outcome occurs on paths. */
struct occurrence {
	uint32_t path, position;
};

/* What follows an outcome or several of them. */
struct after {
	uint64_t *count; /* per edge: executions */
	uint32_t touched_count, *touched; /* the edges with a count */
};

struct finder {
	const struct wm_graph *graph;
	const struct wm_decided_path *path;
	size_t path_count;
	size_t *first; /* per edge: the first of its occurrences; edge_count + 1 */
	struct occurrence *occurrence;
	struct after outcome, block; /* after the outcome and after any outcome of the block at work */
	uint64_t left; /* of the budget */
	struct wm_arena *arena;
	struct wm_correlation *found;
	uint32_t count, capacity;
};

static void add(uint64_t *sum, uint64_t number)
{
	if (__builtin_add_overflow(*sum, number, sum))
		*sum = UINT64_MAX;
}

static bool make_after(struct after *after, size_t edges, struct wm_arena *arena)
{
	after->count = WM_NEW(arena, uint64_t, edges);
	after->touched = WM_NEW(arena, uint32_t, edges);
	return after->count && after->touched;
}

static void add_after(struct after *after, uint32_t edge, uint64_t executions)
{
	if (!after->count[edge])
		after->touched[after->touched_count++] = edge;
	add(&after->count[edge], executions);
}

static void clear(struct after *after)
{
	while (after->touched_count)
		after->count[after->touched[--after->touched_count]] = 0;
}

static enum wm_status allocate(struct finder *finder)
{
	size_t edges = finder->graph->edge_count, total = 0;
	for (size_t p = 0; p < finder->path_count; p++)
		total += finder->path[p].count;
	finder->first = WM_NEW(finder->arena, size_t, edges + 2);
	finder->occurrence = WM_NEW(finder->arena, struct occurrence, total);
	bool made =
		make_after(&finder->outcome, edges, finder->arena) && make_after(&finder->block, edges, finder->arena);
	return made && finder->first && finder->occurrence ? WM_OK : WM_NO_MEMORY;
}

/* Sorts the occurrences by edge, by counting. */
static void index_occurrences(struct finder *finder)
{
	const struct wm_graph *graph = finder->graph;
	size_t *next = finder->first + 1;
	for (size_t p = 0; p < finder->path_count; p++)
		for (uint32_t i = 0; i < finder->path[p].count; i++)
			next[finder->path[p].edge[i] + 1]++;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		next[e + 1] += next[e];
	for (size_t p = 0; p < finder->path_count; p++)
		for (uint32_t i = 0; i < finder->path[p].count; i++)
			finder->occurrence[next[finder->path[p].edge[i]]++] = (struct occurrence){(uint32_t)p, i};
}

/* Adds the outcomes that follow an occurrence, up to the next decision at the same block. */
static enum wm_status add_pairs(struct finder *finder, const struct occurrence *at, struct after *after)
{
	const struct wm_decided_path *path = &finder->path[at->path];
	uint32_t block = finder->graph->edge_from[path->edge[at->position]];
	for (uint32_t i = at->position + 1; i < path->count; i++) {
		uint32_t edge = path->edge[i];
		if (!finder->left--)
			return WM_TOO_MANY;
		if (i >= path->fresh && path->executions)
			add_after(after, edge, path->executions);
		if (finder->graph->edge_from[edge] == block)
			break;
	}
	return WM_OK;
}

/* The executions of all outcomes of the block of an edge after the block at work; *alone: no other outcome of it follows the
 * outcome at work. */
static uint64_t sum_outcomes(const struct finder *finder, uint32_t edge, bool *alone)
{
	const struct wm_graph *graph = finder->graph;
	uint32_t block = graph->edge_from[edge];
	uint64_t sum = 0;
	*alone = true;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++) {
		add(&sum, finder->block.count[e]);
		*alone &= e == edge || !finder->outcome.count[e];
	}
	return sum;
}

static enum wm_status append(struct finder *finder, struct wm_correlation correlation)
{
	struct wm_correlation *grown =
		wm_arena_grow(finder->arena, finder->found, &finder->capacity, finder->count, sizeof correlation);
	if (!grown)
		return WM_NO_MEMORY;
	finder->found = grown;
	finder->found[finder->count++] = correlation;
	return WM_OK;
}

/* Whether an outcome that follows `edge` is determined by it. */
static enum wm_status judge(struct finder *finder, uint32_t edge, uint32_t determined)
{
	bool alone;
	uint64_t decisions = sum_outcomes(finder, determined, &alone), outcomes = finder->block.count[determined];
	uint64_t count = finder->outcome.count[determined];
	if (!alone || outcomes == decisions)
		return WM_OK;
	double bits = -(double)count * log2((double)outcomes / (double)decisions);
	return append(finder, (struct wm_correlation){edge, determined, count, outcomes, decisions, bits});
}

static enum wm_status add_all(struct finder *finder, uint32_t edge, struct after *after)
{
	enum wm_status status = WM_OK;
	for (size_t i = finder->first[edge]; i < finder->first[edge + 1] && status == WM_OK; i++)
		status = add_pairs(finder, &finder->occurrence[i], after);
	return status;
}

/* After one outcome of a block, when what follows the block is known. */
static enum wm_status find_after(struct finder *finder, uint32_t edge)
{
	enum wm_status status = add_all(finder, edge, &finder->outcome);
	for (uint32_t i = 0; i < finder->outcome.touched_count && status == WM_OK; i++)
		status = judge(finder, edge, finder->outcome.touched[i]);
	clear(&finder->outcome);
	return status;
}

static enum wm_status find_after_block(struct finder *finder, uint32_t block)
{
	const struct wm_graph *graph = finder->graph;
	enum wm_status status = WM_OK;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1] && status == WM_OK; e++)
		status = add_all(finder, e, &finder->block);
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1] && status == WM_OK; e++)
		status = find_after(finder, e);
	clear(&finder->block);
	return status;
}

static int by_bits(const void *left, const void *right)
{
	const struct wm_correlation *a = left, *b = right;
	if (a->bits != b->bits)
		return a->bits > b->bits ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->edge != b->edge)
		return a->edge < b->edge ? -1 : 1;
	return (a->determined > b->determined) - (a->determined < b->determined);
}

enum wm_status wm_correlations_find(const struct wm_graph *graph, const struct wm_decided_path *path, size_t path_count,
	uint64_t budget, struct wm_correlation **correlation, size_t *count, struct wm_arena *arena)
{
	struct finder finder = {.graph = graph, .path = path, .path_count = path_count, .left = budget, .arena = arena};
	enum wm_status status = allocate(&finder);
	if (status == WM_OK)
		index_occurrences(&finder);
	for (uint32_t b = 0; b < graph->block_count && status == WM_OK; b++)
		status = find_after_block(&finder, b);
	if (status != WM_OK)
		return status;
	if (finder.count)
		qsort(finder.found, finder.count, sizeof *finder.found, by_bits);
	*correlation = finder.found;
	*count = finder.count;
	return WM_OK;
}
