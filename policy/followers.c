/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/followers.h"
#include "policy/known.h"
#include <string.h>

/* Twins are for inlining: about the size that LLVM inlines at -O2. */
#define MOST_INSTRUCTIONS 48
/* Functions that follow from one segment, callees of callees included.  Recursion exceeds this. */
#define MOST_FOLLOWERS 24
#define MOST_RUNS 64
/* Edges looked at to find the runs of one function. */
#define MOST_STEPS (1 << 22)
/* The share of all path executions from which on a block is hot. */
#define LEAST_SHARE (1.0 / 65536)

struct choosing {
	const struct wm_unit *unit;
	const struct wm_follow_function *function; /* per function of the unit */
	struct wm_follow_choice *choice; /* per function of the unit */
	bool *follows; /* per function of the unit: calls of it may go to a twin */
	double least;
	struct wm_arena *arena;
};

/* A caller that is being looked at. */
struct caller {
	const struct choosing *all;
	const struct wm_follow_function *function;
	const struct wm_unit_function *in_unit;
	struct wm_follow_choice *choice;
	uint64_t steps; /* taken to find runs */
	bool *ends; /* per block: whoever leaves the block completes its path */
	uint32_t *node; /* per block: its node of the DAG */
	struct wm_arena scratch;
};

struct segment {
	uint32_t first_call; /* in choice->call */
	uint32_t count; /* functions that follow */
	uint32_t follower[MOST_FOLLOWERS];
};

/* Room for one element more.  The list has room for the next power of two, 8 or more. */
static bool reserve_element(void **list, uint32_t count, size_t size, struct wm_arena *arena)
{
	if (count ? count < 8 || count & (count - 1) : *list != NULL)
		return true;
	void *grown = wm_arena_alloc(arena, count ? 2 * (size_t)count : 8, size);
	if (!grown)
		return false;
	if (count)
		memcpy(grown, *list, count * size);
	*list = grown;
	return true;
}

static bool append_value(uint32_t **list, uint32_t *count, uint32_t value, struct wm_arena *arena)
{
	if (!reserve_element((void **)list, *count, sizeof **list, arena))
		return false;
	(*list)[(*count)++] = value;
	return true;
}

/* ---- Functions that may follow -------------------------------------------------------- */

/* Where control goes from a block, if that is one place. */
static uint32_t next_block(const struct wm_follow_function *function, uint32_t block)
{
	const struct wm_graph *graph = function->plan->graph;
	uint32_t first = graph->first_edge[block], degree = graph->first_edge[block + 1] - first;
	bool one_way = degree == 1 || (degree > 1 && function->block[block].returns);
	return one_way && !wm_plan_stops(function->plan, first) ? graph->edge_to[first] : WM_NONE;
}

/* The only path that can be executed then takes the first edge of every block, so that its id is 0. */
static bool is_small_line(const struct wm_follow_function *function)
{
	uint32_t size = 0, last = 0;
	for (uint32_t b = 0; b != WM_NONE; last = b, b = next_block(function, b)) {
		if (function->block[b].instructions > MOST_INSTRUCTIONS - size)
			return false;
		size += function->block[b].instructions;
	}
	return function->plan->graph->end[last] == WM_END_RETURN;
}

static bool may_follow(const struct wm_follow_function *function)
{
	return function->plan && function->may_follow && !wm_plan_has_pieces(function->plan) && is_small_line(function);
}

static bool calls_follower(const struct choosing *c, const struct wm_call *call)
{
	return call->callee != WM_NONE && c->follows[call->callee] && !call->may_not_return;
}

static bool list_inner_calls(const struct choosing *c, uint32_t f)
{
	const struct wm_follow_function *function = &c->function[f];
	struct wm_follow_choice *choice = &c->choice[f];
	for (uint32_t b = 0; b != WM_NONE; b = next_block(function, b))
		for (uint32_t i = function->block[b].first_call; i < function->block[b].end_call; i++)
			if (calls_follower(c, &c->unit->function[f].call[i]) &&
				!append_value(&choice->inner, &choice->inner_count, i, c->arena))
				return false;
	return true;
}

static enum wm_status find_followers(struct choosing *c)
{
	c->follows = WM_NEW(c->arena, bool, c->unit->function_count);
	if (!c->follows)
		return WM_NO_MEMORY;
	for (uint32_t f = 0; f < c->unit->function_count; f++)
		c->follows[f] = may_follow(&c->function[f]);
	for (uint32_t f = 0; f < c->unit->function_count; f++)
		if (c->follows[f] && !list_inner_calls(c, f))
			return WM_NO_MEMORY;
	return WM_OK;
}

/* ---- Where control comes to the end of a path -------------------------------------------- */

static bool leaves_before_end(const struct caller *c, uint32_t block)
{
	const struct wm_follow_block *facts = &c->function->block[block];
	for (uint32_t i = facts->first_call; i < facts->end_call; i++)
		if (c->function->may_not_return_before[i] || c->in_unit->call[i].may_not_return)
			return true;
	return facts->may_not_return;
}

static bool map_blocks(struct caller *c)
{
	const struct wm_plan *plan = c->function->plan;
	const struct wm_graph *graph = plan->graph;
	c->ends = WM_NEW(&c->scratch, bool, graph->block_count);
	c->node = WM_NEW(&c->scratch, uint32_t, graph->block_count);
	bool *whole = WM_NEW(&c->scratch, bool, graph->block_count);
	if (!c->ends || !c->node || !whole)
		return false;
	for (uint32_t i = 0; i < plan->dag.node_count; i++)
		if (plan->dag.node_block[i] != WM_NONE)
			c->node[plan->dag.node_block[i]] = i;
	for (uint32_t i = plan->dfs.reached; i-- > 0;) {
		uint32_t block = plan->dfs.reverse_postorder[i], first = graph->first_edge[block];
		uint32_t end = c->function->block[block].returns ? first + 1 : graph->first_edge[block + 1];
		c->ends[block] = true;
		for (uint32_t e = first; e < end; e++)
			c->ends[block] &= plan->dfs.back_edge[e] || whole[graph->edge_to[e]];
		whole[block] = c->ends[block] && !leaves_before_end(c, block);
	}
	return true;
}

/* ---- What follows from a block ------------------------------------------------------------- */

/* A function and all that its twin calls; false, and nothing, if that is too much. */
static bool add_callee(const struct choosing *c, struct segment *segment, uint32_t callee)
{
	uint32_t count = segment->count;
	if (count == MOST_FOLLOWERS)
		return false;
	segment->follower[count++] = callee;
	for (uint32_t at = segment->count; at < count; at++) {
		uint32_t f = segment->follower[at];
		if (c->choice[f].inner_count > MOST_FOLLOWERS - count)
			return false;
		for (uint32_t i = 0; i < c->choice[f].inner_count; i++)
			segment->follower[count++] = c->unit->function[f].call[c->choice[f].inner[i]].callee;
	}
	segment->count = count;
	return true;
}

static bool follow_cells(struct caller *c, const struct segment *segment, struct wm_followed cells)
{
	struct wm_follow_choice *choice = c->choice;
	for (uint32_t i = 0; i < segment->count; i++) {
		if (!reserve_element((void **)&choice->followed, choice->followed_count, sizeof cells, c->all->arena))
			return false;
		cells.function = segment->follower[i];
		choice->followed[choice->followed_count++] = cells;
		c->all->choice[cells.function].twin = true;
	}
	return true;
}

/* WM_TOO_MANY: the ids of the paths through the block are too many runs. */
static enum wm_status follow_paths(struct caller *c, const struct segment *segment, uint32_t block)
{
	const struct wm_plan *plan = c->function->plan;
	struct wm_id_runs runs;
	struct wm_arena scratch;
	c->steps += plan->dag.edge_count;
	if (c->steps > MOST_STEPS)
		return WM_TOO_MANY;
	wm_arena_init(&scratch);
	enum wm_status status =
		wm_dag_runs_through(&plan->dag, &plan->numbering, c->node[block], MOST_RUNS, &runs, &scratch);
	for (uint32_t i = 0; status == WM_OK && i < runs.count; i++)
		if (!follow_cells(
			    c, segment, (struct wm_followed){.first = runs.run[i].first, .count = runs.run[i].count}))
			status = WM_NO_MEMORY;
	wm_arena_release(&scratch);
	return status;
}

static enum wm_status follow_block_cell(struct caller *c, const struct segment *segment)
{
	struct wm_follow_choice *choice = c->choice;
	struct wm_followed cell = {.block_cell = true, .first = choice->block_cell_count, .count = 1};
	if (segment->count < 2) {
		choice->call_count = segment->first_call;
		return WM_OK;
	}
	bool good = follow_cells(c, segment, cell) && append_value(&choice->block_cell, &choice->block_cell_count,
							      choice->call[segment->first_call], c->all->arena);
	return good ? WM_OK : WM_NO_MEMORY;
}

static enum wm_status close_segment(struct caller *c, struct segment *segment, uint32_t block, bool last)
{
	const struct wm_follow_function *function = c->function;
	bool by_paths = last && c->ends[block] && function->counting->store == WM_COUNT_ARRAY &&
			function->plan->events_are_edges;
	enum wm_status status = segment->count ? WM_TOO_MANY : WM_OK;
	if (segment->count && by_paths)
		status = follow_paths(c, segment, block);
	if (status == WM_TOO_MANY)
		status = follow_block_cell(c, segment);
	segment->first_call = c->choice->call_count;
	segment->count = 0;
	return status;
}

static enum wm_status choose_in(struct caller *c, uint32_t block)
{
	const struct wm_follow_block *facts = &c->function->block[block];
	struct wm_follow_choice *choice = c->choice;
	struct segment segment = {.first_call = choice->call_count};
	enum wm_status status = WM_OK;
	for (uint32_t i = facts->first_call; i < facts->end_call && status == WM_OK; i++) {
		const struct wm_call *call = &c->in_unit->call[i];
		if (c->function->may_not_return_before[i])
			status = close_segment(c, &segment, block, false);
		if (status == WM_OK && call->may_not_return)
			status = close_segment(c, &segment, block, false);
		else if (status == WM_OK && calls_follower(c->all, call) &&
			 add_callee(c->all, &segment, call->callee) &&
			 !append_value(&choice->call, &choice->call_count, i, c->all->arena))
			status = WM_NO_MEMORY;
	}
	return status == WM_OK ? close_segment(c, &segment, block, !facts->may_not_return) : status;
}

static enum wm_status choose_caller(const struct choosing *all, uint32_t f)
{
	struct caller c = {.all = all,
		.function = &all->function[f],
		.in_unit = &all->unit->function[f],
		.choice = &all->choice[f]};
	const struct wm_dfs *dfs = &c.function->plan->dfs;
	wm_arena_init(&c.scratch);
	enum wm_status status = map_blocks(&c) ? WM_OK : WM_NO_MEMORY;
	for (uint32_t i = 0; i < dfs->reached && status == WM_OK; i++)
		if (c.function->weights->block[dfs->reverse_postorder[i]] >= all->least)
			status = choose_in(&c, dfs->reverse_postorder[i]);
	wm_arena_release(&c.scratch);
	return status;
}

enum wm_status wm_follow_choose(struct wm_follow_choice *choice, const struct wm_unit *unit,
	const struct wm_follow_function *function, double least, struct wm_arena *arena)
{
	struct choosing c = {.unit = unit, .function = function, .choice = choice, .least = least, .arena = arena};
	memset(choice, 0, unit->function_count * sizeof *choice);
	enum wm_status status = find_followers(&c);
	for (uint32_t f = 0; f < unit->function_count && status == WM_OK; f++)
		if (function[f].plan && function[f].may_call_twins)
			status = choose_caller(&c, f);
	if (status != WM_OK)
		memset(choice, 0, unit->function_count * sizeof *choice);
	return status;
}

double wm_follow_least(const struct wm_profile *profile)
{
	double least = LEAST_SHARE * wm_known_executions(profile);
	return least > 1 ? least : 1;
}
