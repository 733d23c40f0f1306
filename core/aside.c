/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/aside.h"
#include <stdlib.h>

/* In blocks: of a function that is still larger nothing is copied. */
#define LARGE (2 * WM_ASIDE_SMALL)
#define ROUNDS 4 /* at least so many for every time a loop is entered, or asking where to go costs what is gained */

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

/* Neither inside a part nor around one. */
static bool is_free(const struct wm_loops *loops, const uint32_t *part, const bool *around, uint32_t loop)
{
	bool inside = false;
	for (uint32_t l = loop; l != WM_NONE; l = loops->loop[l].parent)
		inside |= part[l] != WM_NONE;
	return !inside && !around[loop];
}

static enum wm_status choose_loops(struct wm_asides *asides, const struct wm_plan *plan, const struct wm_loops *loops,
	const struct wm_weights *weights, struct wm_arena *arena)
{
	struct candidate *candidate = WM_NEW(arena, struct candidate, loops->count);
	uint32_t *part = WM_NEW(arena, uint32_t, loops->count);
	bool *around = WM_NEW(arena, bool, loops->count);
	if (!candidate || !part || !around)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < loops->count; i++)
		part[i] = WM_NONE;
	weigh(candidate, plan, loops, weights);
	qsort(candidate, loops->count, sizeof *candidate, more_rounds_first);
	for (uint32_t i = 0; i < loops->count; i++) {
		uint32_t loop = candidate[i].loop;
		if (loops->loop[loop].irreducible || !(candidate[i].rounds > ROUNDS * candidate[i].entering) ||
			!is_free(loops, part, around, loop))
			continue;
		asides->head[asides->count] = loops->loop[loop].head;
		asides->entering += candidate[i].entering;
		part[loop] = asides->count++;
		for (uint32_t l = loops->loop[loop].parent; l != WM_NONE; l = loops->loop[l].parent)
			around[l] = true;
	}
	for (uint32_t b = 0; b < plan->graph->block_count; b++)
		for (uint32_t l = loops->loop_of[b]; l != WM_NONE; l = loops->loop[l].parent)
			if (part[l] != WM_NONE)
				asides->of[b] = part[l];
	return WM_OK;
}

enum wm_status wm_asides_choose(struct wm_asides *asides, const struct wm_plan *plan, const struct wm_loops *loops,
	const struct wm_weights *weights, uint32_t small, struct wm_arena *arena)
{
	struct wm_asides made = {.head = WM_NEW(arena, uint32_t, loops->count + 1),
		.of = WM_NEW(arena, uint32_t, plan->graph->block_count)};
	if (!made.head || !made.of)
		return WM_NO_MEMORY;
	bool whole = plan->graph->block_count <= (loops->count ? small : LARGE);
	made.count = whole;
	made.head[0] = WM_NONE;
	for (uint32_t b = 0; b < plan->graph->block_count; b++)
		made.of[b] = whole ? 0 : WM_NONE;
	enum wm_status status = WM_OK;
	if (!whole && plan->graph->block_count <= LARGE)
		status = choose_loops(&made, plan, loops, weights, arena);
	*asides = made;
	return status;
}

bool wm_asides_within(const struct wm_asides *asides, const struct wm_graph *graph, uint32_t edge)
{
	uint32_t part = asides->of[graph->edge_from[edge]];
	return part != WM_NONE && part == asides->of[graph->edge_to[edge]];
}
