/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Not in the papers.  A tight loop that increments a counter in memory on every trip waits for its own previous
 * store; one that increments a register does not.
 *
 * The path that enters the loop ends at the first back edge.  From then on every trip is the same path, so the number
 * of trips is all that must be recorded.  The value of r on entry is saved, and the loop itself only increments the
 * trips.
 */
#include "core/probes/trips.h"
#include <string.h>

struct trips {
	const struct wm_plan *plan;
	const struct wm_loops *loops;
	const struct wm_weights *weights;
	const bool *may_not_return;
	struct wm_probe_program *program;
	uint32_t *trip_of; /* per loop: its index in trip_loop, or WM_NONE */
	bool *has_child;	 /* per loop */
};

struct cycle {
	uint32_t loop, back_edge;
	uint32_t exits; /* edges that leave it */
	uint64_t sum; /* of the additions along the body */
};

/* The only successor edge of `block` that stays in the loop, or WM_NONE. */
static uint32_t staying_edge(const struct trips *t, uint32_t loop, uint32_t block)
{
	const struct wm_graph *graph = t->plan->graph;
	uint32_t found = WM_NONE;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++) {
		if (t->loops->loop_of[graph->edge_to[e]] != loop)
			continue;
		if (found != WM_NONE)
			return WM_NONE;
		found = e;
	}
	return found;
}

/* Only additions may stand inside the body. */
static bool add_body_probe(const struct wm_probe *probe, uint64_t *sum)
{
	if (probe->count > 1 || (probe->count == 1 && probe->action[0].kind != WM_ACTION_ADD))
		return false;
	*sum += probe->count ? (uint64_t)probe->action[0].value : 0;
	return true;
}

/* Follows the body of an innermost loop from its head. */
static bool find_cycle(const struct trips *t, struct cycle *cycle)
{
	const struct wm_graph *graph = t->plan->graph;
	uint32_t head = t->loops->loop[cycle->loop].head, block = head;
	do {
		uint32_t e = staying_edge(t, cycle->loop, block);
		if (e == WM_NONE || (t->may_not_return && t->may_not_return[block]))
			return false;
		cycle->exits += graph->first_edge[block + 1] - graph->first_edge[block] - 1;
		block = graph->edge_to[e];
		cycle->back_edge = e;
		if (block != head && (t->plan->dfs.back_edge[e] || !add_body_probe(&t->program->edge[e], &cycle->sum)))
			return false;
	} while (block != head);
	/* Without an exit the trips would never be added. */
	return t->plan->dfs.back_edge[cycle->back_edge] && cycle->exits;
}

static bool counts_and_restarts(const struct wm_probe *probe)
{
	return probe->count == 2 && probe->action[0].kind == WM_ACTION_COUNT && probe->action[1].kind == WM_ACTION_SET;
}

static void change_back_edge(struct trips *t, const struct cycle *cycle)
{
	struct wm_probe *probe = &t->program->edge[cycle->back_edge];
	struct wm_trip_loop *facts = &t->program->trip_loop[t->program->trip_loop_count];
	facts->first = (int64_t)(cycle->sum + (uint64_t)probe->action[0].value);
	facts->back_edge = cycle->back_edge;
	facts->again = (int64_t)((uint64_t)facts->first + (uint64_t)probe->action[1].value);
	facts->region = facts->first_end = facts->again_end = WM_NONE;
	probe->action[0] = wm_action(WM_ACTION_TRIP, t->program->trip_loop_count);
	t->trip_of[cycle->loop] = t->program->trip_loop_count++;
}

static void consider(struct trips *t, uint32_t loop, const double *entering)
{
	struct cycle cycle = {.loop = loop};
	uint32_t head = t->loops->loop[loop].head;
	if (t->loops->loop[loop].irreducible || head == 0 || t->has_child[loop] || !find_cycle(t, &cycle))
		return;
	bool runs = t->weights->edge[cycle.back_edge] >= 2 * entering[head];
	if (runs && counts_and_restarts(&t->program->edge[cycle.back_edge]))
		change_back_edge(t, &cycle);
}

static uint32_t trip_of_block(const struct trips *t, uint32_t block)
{
	uint32_t loop = t->loops->loop_of[block];
	return loop == WM_NONE ? WM_NONE : t->trip_of[loop];
}

static void begin_and_end(struct trips *t, uint32_t edge)
{
	const struct wm_graph *graph = t->plan->graph;
	struct wm_probe *probe = &t->program->edge[edge];
	uint32_t from = trip_of_block(t, graph->edge_from[edge]), to = trip_of_block(t, graph->edge_to[edge]);
	if (from == to || t->plan->dfs.position[graph->edge_from[edge]] == WM_NONE)
		return;
	if (from != WM_NONE)
		wm_probe_insert_first(t->program, probe, wm_action(WM_ACTION_TRIP_END, from));
	if (to != WM_NONE)
		wm_probe_append(t->program, probe, wm_action(WM_ACTION_TRIP_BEGIN, to));
}

enum wm_status wm_place_trips(const struct wm_plan *plan, const struct wm_loops *loops,
	const struct wm_weights *weights, const bool *may_not_return, struct wm_probe_program *program,
	struct wm_arena *arena)
{
	const struct wm_graph *graph = plan->graph;
	struct trips t = {plan, loops, weights, may_not_return, program, WM_NEW(arena, uint32_t, loops->count),
		WM_NEW(arena, bool, loops->count)};
	double *entering = WM_NEW(arena, double, graph->block_count);
	struct wm_trip_loop *facts =
		WM_NEW(arena, struct wm_trip_loop, program->trip_loop_count + (size_t)loops->count);
	if (!t.trip_of || !t.has_child || !entering || !facts)
		return WM_NO_MEMORY;
	if (program->trip_loop_count)
		memcpy(facts, program->trip_loop, program->trip_loop_count * sizeof *facts);
	program->trip_loop = facts;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (!plan->dfs.back_edge[e] && plan->dfs.position[graph->edge_from[e]] != WM_NONE)
			entering[graph->edge_to[e]] += weights->edge[e];
	for (uint32_t i = 0; i < loops->count; i++)
		if (loops->loop[i].parent != WM_NONE)
			t.has_child[loops->loop[i].parent] = true;
	for (uint32_t i = 0; i < loops->count; i++) {
		t.trip_of[i] = WM_NONE;
		consider(&t, i, entering);
	}
	for (uint32_t e = 0; program->trip_loop_count && e < graph->edge_count; e++)
		begin_and_end(&t, e);
	return program->failed ? WM_NO_MEMORY : WM_OK;
}
