/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/copies.h"
#include <stdlib.h>

/* The largest number of blocks of a function in which anything is copied. */
#define LARGE (2 * WM_COPY_SMALL)
/* A loop is copied if it iterates more often than this per entry. */
#define ROUNDS 4

/* ---- Which blocks are copied ------------------------------------------------------ */

struct candidate {
	double rounds, entering;
	uint32_t loop;
};

static void weigh(struct candidate *candidate, const struct wm_plan *plan, const struct wm_loops *loops,
	const struct wm_weights *weights)
{
	const struct wm_graph *graph = plan->graph;
	for (uint32_t i = 0; i < loops->count; i++)
		candidate[i] = (struct candidate){.loop = i};
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		uint32_t to = graph->edge_to[e], loop = loops->loop_of[to];
		if (loop == WM_NONE || loops->loop[loop].head != to)
			continue;
		if (plan->dfs.back_edge[e])
			candidate[loop].rounds += weights->edge[e];
		else
			candidate[loop].entering += weights->edge[e];
	}
}

static int more_rounds_first(const void *a, const void *b)
{
	const struct candidate *one = a, *other = b;
	if (one->rounds != other->rounds)
		return one->rounds < other->rounds ? 1 : -1;
	return (one->loop > other->loop) - (one->loop < other->loop);
}

/* Whether a loop neither is inside a chosen loop nor contains one. */
static bool is_free(const struct wm_loops *loops, const bool *chosen, const bool *around, uint32_t loop)
{
	for (uint32_t l = loop; l != WM_NONE; l = loops->loop[l].parent)
		if (chosen[l])
			return false;
	return !around[loop];
}

static bool has_loop(const struct wm_plan *plan)
{
	for (uint32_t e = 0; e < plan->graph->edge_count; e++)
		if (plan->dfs.back_edge[e])
			return true;
	return false;
}

static bool choose_loops(const struct wm_loops *loops, const struct candidate *candidate, bool *chosen, bool *around)
{
	bool any = false;
	for (uint32_t i = 0; i < loops->count; i++) {
		uint32_t loop = candidate[i].loop;
		if (loops->loop[loop].irreducible || !(candidate[i].rounds > ROUNDS * candidate[i].entering) ||
			!is_free(loops, chosen, around, loop))
			continue;
		any = chosen[loop] = true;
		for (uint32_t l = loops->loop[loop].parent; l != WM_NONE; l = loops->loop[l].parent)
			around[l] = true;
	}
	return any;
}

/* WM_TOO_MANY: no loop iterates often enough. */
static enum wm_status find_loops(
	bool *copied, const struct wm_plan *plan, const struct wm_weights *weights, struct wm_arena *arena)
{
	struct wm_loops loops;
	enum wm_status status = wm_loops_run(&loops, plan->graph, &plan->dfs, arena);
	if (status != WM_OK)
		return status;
	struct candidate *candidate = WM_NEW(arena, struct candidate, loops.count);
	bool *chosen = WM_NEW(arena, bool, loops.count), *around = WM_NEW(arena, bool, loops.count);
	if (!candidate || !chosen || !around)
		return WM_NO_MEMORY;
	weigh(candidate, plan, &loops, weights);
	qsort(candidate, loops.count, sizeof *candidate, more_rounds_first);
	if (!choose_loops(&loops, candidate, chosen, around))
		return WM_TOO_MANY;
	for (uint32_t b = 0; b < plan->graph->block_count; b++)
		for (uint32_t l = loops.loop_of[b]; l != WM_NONE; l = loops.loop[l].parent)
			copied[b] |= chosen[l];
	return WM_OK;
}

/* ---- Where the instances lead ------------------------------------------------------- */

/* The two instances of a copied block: inner (INSIDE) and outer (LEFT). */
enum role { INSIDE, LEFT };

struct shaping {
	const struct wm_plan *plan;
	const bool *core; /* per DAG edge */
	bool *copied; /* per block */
	bool *core_edge; /* per control-flow edge on which no path ends: whether it is in the core */
	uint8_t *start; /* per block: the role of its first instance, in which paths begin */
	uint32_t *second; /* per block: its second instance, or WM_NONE */
	struct wm_shape_builder builder;
};

static uint32_t instance(struct shaping *s, uint32_t block, enum role role)
{
	if (!s->copied[block] || role == (enum role)s->start[block])
		return block;
	if (s->second[block] == WM_NONE)
		s->second[block] = wm_shape_builder_copy(&s->builder, block);
	return s->second[block];
}

/* A path that enters a copied loop may have left the core before. */
static enum role role_behind(const struct shaping *s, uint32_t edge, enum role role)
{
	const struct wm_graph *graph = s->plan->graph;
	uint32_t from = graph->edge_from[edge], to = graph->edge_to[edge];
	if (wm_plan_stops(s->plan, edge))
		return (enum role)s->start[to];
	if (!s->copied[from])
		return LEFT;
	return role == INSIDE && s->core_edge[edge] ? INSIDE : LEFT;
}

static enum wm_status connect_block(struct shaping *s, uint32_t block, enum role role, uint32_t *target)
{
	const struct wm_graph *graph = s->plan->graph;
	uint32_t first = graph->first_edge[block], from = instance(s, block, role);
	for (uint32_t e = first; e < graph->first_edge[block + 1]; e++) {
		target[e - first] = instance(s, graph->edge_to[e], role_behind(s, e, role));
		if (target[e - first] == WM_NONE)
			return WM_NO_MEMORY;
	}
	s->builder.unlikely[from] = s->copied[block] && role == LEFT;
	return wm_shape_builder_lead(&s->builder, from, target);
}

static enum wm_status lead_all(struct shaping *s, struct wm_arena *arena)
{
	const struct wm_plan *plan = s->plan;
	uint32_t *target = WM_NEW(arena, uint32_t, plan->graph->edge_count);
	enum wm_status status = target ? WM_OK : WM_NO_MEMORY;
	for (uint32_t i = 0; i < plan->dfs.reached && status == WM_OK; i++) {
		uint32_t block = plan->dfs.reverse_postorder[i];
		status = connect_block(s, block, INSIDE, target);
		if (status == WM_OK && s->copied[block])
			status = connect_block(s, block, LEFT, target);
	}
	return status;
}

/* If no path that begins at a block is in the core, the first instance of the block is the outer one. */
static void read_core(struct shaping *s)
{
	const struct wm_dag *dag = &s->plan->dag;
	uint32_t first = dag->first_edge[WM_DAG_START], last = dag->first_edge[WM_DAG_START + 1];
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (dag->edge[e].kind == WM_EDGE_REAL)
			s->core_edge[dag->edge[e].cfg_edge] = s->core[e];
	for (uint32_t e = first; e < last; e++)
		s->start[dag->node_block[dag->edge[e].to]] = LEFT;
	for (uint32_t e = first; e < last; e++)
		if (s->core[e])
			s->start[dag->node_block[dag->edge[e].to]] = INSIDE;
}

static bool shaping_alloc(struct shaping *s, struct wm_arena *arena)
{
	const struct wm_graph *graph = s->plan->graph;
	s->copied = WM_NEW(arena, bool, graph->block_count);
	s->core_edge = WM_NEW(arena, bool, graph->edge_count);
	s->start = WM_NEW(arena, uint8_t, graph->block_count);
	s->second = WM_NEW(arena, uint32_t, graph->block_count);
	if (!s->copied || !s->core_edge || !s->start || !s->second)
		return false;
	for (uint32_t b = 0; b < graph->block_count; b++) {
		s->start[b] = INSIDE;
		s->second[b] = WM_NONE;
	}
	return true;
}

enum wm_status wm_copies_shape(struct wm_shape *shape, const struct wm_plan *plan, const struct wm_weights *weights,
	const bool *core, uint32_t small, struct wm_arena *arena)
{
	uint32_t blocks = plan->graph->block_count;
	bool whole = blocks <= (has_loop(plan) ? small : LARGE);
	struct shaping s = {.plan = plan, .core = core};
	if (!shaping_alloc(&s, arena))
		return WM_NO_MEMORY;
	enum wm_status status = !whole && blocks > LARGE ? WM_TOO_MANY : WM_OK;
	for (uint32_t b = 0; b < blocks && whole; b++)
		s.copied[b] = true;
	if (status == WM_OK && !whole)
		status = find_loops(s.copied, plan, weights, arena);
	if (status == WM_OK)
		status = wm_shape_builder_init(&s.builder, plan->graph, arena);
	if (status != WM_OK)
		return status;
	read_core(&s);
	status = lead_all(&s, arena);
	return status == WM_OK ? wm_shape_builder_finish(&s.builder, shape) : status;
}
