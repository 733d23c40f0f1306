/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tell/abandoned.h"
#include "analysis/tell/trails.h"
#include "core/base/search.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <string.h>

struct finding {
	struct wm_abandoned *found;
	const struct wm_story_function *function;
	const struct wm_map_function *map;
	struct wm_arena *arena;
	bool *calls; /* per block: an activation may be left in a call of it */
};

static void *need(void *memory)
{
	if (!memory)
		wm_no_memory();
	return memory;
}

/* Calls */

/* A path ends before a tail call, and before the last call of a block that control does not leave. */
static bool may_leave(const struct wm_map_function *map, uint32_t site)
{
	const struct wm_call *call = &map->call[site];
	bool last = site + 1 == map->call_count || map->call[site + 1].block != call->block;
	return !call->tail && !(last && map->graph.end[call->block] == WM_END_NORETURN);
}

static void find_calls(struct finding *f)
{
	f->calls = need(WM_NEW(f->arena, bool, f->map->graph.block_count + (size_t)1));
	for (uint32_t c = 0; c < f->map->call_count; c++)
		f->calls[f->map->call[c].block] |= may_leave(f->map, c);
}

uint32_t wm_call_line(const struct wm_map_function *map, uint32_t site)
{
	uint32_t all = map->block[map->call[site].block].line_count;
	return map->call_line && map->call_line[site] && map->call_line[site] <= all ? map->call_line[site] : all;
}

static uint32_t first_call(const struct wm_map_function *map, uint32_t block)
{
	uint32_t at;
	WM_LOWER_BOUND(at, 0, map->call_count, map->call[at].block < block);
	return at;
}

uint32_t wm_call_lines(const struct wm_map_function *map, uint32_t block, const bool *only, uint32_t otherwise)
{
	uint32_t lines = otherwise;
	for (uint32_t c = first_call(map, block); c < map->call_count && map->call[c].block == block; c++) {
		if (only && !only[c])
			continue;
		lines = map->call_line && map->call_line[c] ? wm_call_line(map, c) : 0;
		if (!only)
			break;
	}
	return lines;
}

bool wm_abandoned_may_line(
	const struct wm_abandoned *abandoned, const struct wm_map_function *map, uint32_t block, uint32_t line)
{
	bool left = abandoned->count && abandoned->leads[block];
	if (!abandoned->count || !abandoned->comes[block])
		return false;
	for (uint32_t c = first_call(map, block); c < map->call_count && map->call[c].block == block && !left; c++)
		left = may_leave(map, c) && (wm_call_line(map, c) > line || !map->call_line || !map->call_line[c]);
	return left;
}

/* Where abandoned paths began */

/* Paths that began and ended, per DAG edge out of Start. */
struct starts {
	uint64_t *begun, *ended;
};

static bool has_surrogates(const struct wm_dag *dag)
{
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (dag->edge[e].kind == WM_EDGE_SURROGATE)
			return true;
	return false;
}

static void count_path(struct finding *f, const struct starts *starts, const struct wm_story_path *path)
{
	const struct wm_plan *plan = wm_story_plan(f->function);
	struct wm_arena arena;
	struct wm_path edges = {0};
	wm_arena_init(&arena);
	if (wm_dag_decode(&plan->dag, &plan->numbering, path->id, &edges, &arena) != WM_OK)
		wm_bug("path %llu cannot be decoded", (unsigned long long)path->id);
	uint32_t restart = plan->dag.edge[edges.edge[edges.length - 1]].restart;
	starts->ended[edges.edge[0]] += path->count;
	if (restart != WM_NONE)
		starts->begun[restart] += path->count;
	wm_arena_release(&arena);
}

/* The path with the same number as its sum begins as it does. */
static void count_unfinished(
	struct finding *f, const struct starts *starts, const struct wm_story_unfinished *unfinished)
{
	const struct wm_plan *plan = wm_story_plan(f->function);
	struct wm_arena arena;
	struct wm_path edges = {0};
	wm_arena_init(&arena);
	if (wm_dag_decode(&plan->dag, &plan->numbering, unfinished->sum, &edges, &arena) != WM_OK)
		wm_bug("an unfinished path of %s cannot be decoded", f->map->name);
	starts->ended[edges.edge[0]] += unfinished->path.count;
	wm_arena_release(&arena);
}

/* Resumed paths, and those that a forked process inherited, may have begun anywhere. */
static void find_starts(struct finding *f)
{
	const struct wm_dag *dag = &wm_story_plan(f->function)->dag;
	const struct wm_balance *balance = &f->function->balance;
	uint64_t loose = balance->resumed + balance->inherited;
	struct starts starts = {
		need(WM_NEW(f->arena, uint64_t, dag->edge_count)), need(WM_NEW(f->arena, uint64_t, dag->edge_count))};
	bool *start = need(WM_NEW(f->arena, bool, dag->edge_count));
	for (size_t i = 0; i < f->function->ran_count; i++)
		count_path(f, &starts, &f->function->path[i]);
	for (size_t i = 0; i < f->function->unfinished_count; i++)
		count_unfinished(f, &starts, &f->function->unfinished[i]);
	for (uint32_t e = dag->first_edge[WM_DAG_START]; e < dag->first_edge[WM_DAG_START + 1]; e++) {
		uint32_t block = dag->node_block[dag->edge[e].to];
		starts.begun[e] += dag->edge[e].kind == WM_EDGE_ENTRY ? balance->entries : 0;
		start[e] = starts.begun[e] + loose > starts.ended[e];
		if (!loose && start[e] && block != WM_NONE)
			f->found->begun[block] += starts.begun[e] - starts.ended[e];
	}
	f->found->start = start;
}

/* Where they may have come to */

/* Per node of the DAG: an abandoned path may come to it, and may be left behind it. */
struct nodes {
	bool *comes, *behind;
};

static bool calls_at(const struct finding *f, uint32_t block)
{
	return block != WM_NONE && f->calls[block];
}

static void walk_dag(struct finding *f, const struct nodes *nodes)
{
	const struct wm_dag *dag = &wm_story_plan(f->function)->dag;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++)
			if (dag->edge[e].to != WM_DAG_END)
				nodes->comes[dag->edge[e].to] |=
					node == WM_DAG_START ? f->found->start[e] : nodes->comes[node];
	}
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++)
			nodes->behind[node] |=
				dag->edge[e].to != WM_DAG_END &&
				(calls_at(f, dag->node_block[dag->edge[e].to]) || nodes->behind[dag->edge[e].to]);
	}
}

/* Returns whether there is a call in which a path that began at one of the starts may have been left. */
static bool mark_dag(struct finding *f, const struct nodes *nodes)
{
	const struct wm_dag *dag = &wm_story_plan(f->function)->dag;
	struct wm_abandoned *found = f->found;
	bool some = false;
	for (uint32_t node = 0; node < dag->node_count; node++) {
		uint32_t block = dag->node_block[node];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			const struct wm_dag_edge *edge = &dag->edge[e];
			if (edge->kind == WM_EDGE_REAL && nodes->comes[node])
				found->edge[edge->cfg_edge] |=
					calls_at(f, dag->node_block[edge->to]) || nodes->behind[edge->to];
		}
		if (block == WM_NONE || !nodes->comes[node])
			continue;
		found->leads[block] |= nodes->behind[node];
		found->comes[block] |= nodes->behind[node] || f->calls[block];
		some |= found->comes[block];
	}
	return some;
}

static void find_in_dag(struct finding *f)
{
	uint32_t count = wm_story_plan(f->function)->dag.node_count;
	const struct nodes nodes = {need(WM_NEW(f->arena, bool, count)), need(WM_NEW(f->arena, bool, count))};
	find_starts(f);
	walk_dag(f, &nodes);
	if (mark_dag(f, &nodes))
		return;
	for (uint32_t b = 0; b < f->map->graph.block_count; b++)
		f->calls[b] = true;
	walk_dag(f, &nodes);
	mark_dag(f, &nodes);
}

/* Where the plan does not say where paths begin: from anywhere to anywhere. */
static void find_in_graph(struct finding *f)
{
	const struct wm_graph *graph = &f->map->graph;
	for (uint32_t b = 0; b < graph->block_count; b++)
		f->found->comes[b] = f->found->leads[b] = true;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		f->found->edge[e] = true;
}

/* Second returns of setjmp */

/* The functions that clang knows to return twice; the map does not say which calls do. */
static bool is_named(const char *name)
{
	static const char *const names[] = {
		"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "savectx", "vfork", "getcontext"};
	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Of a function without such a call, as it declares another one to return twice, any call may be the one.  Returns per block
 * whether it has one. */
static bool *find_calls_twice(struct finding *f)
{
	const struct wm_map_function *map = f->map;
	bool named = false, *block = need(WM_NEW(f->arena, bool, map->graph.block_count + (size_t)1));
	bool *twice = f->found->twice = need(WM_NEW(f->arena, bool, map->call_count + (size_t)1));
	for (uint32_t c = 0; c < map->call_count; c++)
		named |= twice[c] = is_named(wm_map_callee(f->function->module, &map->call[c]));
	for (uint32_t c = 0; c < map->call_count; c++) {
		twice[c] |= !named;
		block[map->call[c].block] |= twice[c];
	}
	for (uint32_t b = 0; !map->call_count && b < map->graph.block_count; b++)
		block[b] = true;
	return block;
}

/* The number of the last step in a block with a call that may return twice; WM_NONE: there is none. */
static uint32_t last_twice(const struct wm_trail *trail, const bool *twice)
{
	for (uint32_t i = trail->count; i-- > trail->fresh;)
		if (twice[trail->step[i].block])
			return i;
	return WM_NONE;
}

static void count_twice(struct finding *f, const bool *twice, const struct wm_story_path *path)
{
	struct wm_arena arena;
	struct wm_trail trail;
	wm_arena_init(&arena);
	wm_story_decode(f->function, path->id, &trail, &arena);
	uint32_t last = last_twice(&trail, twice);
	for (uint32_t i = trail.fresh; last != WM_NONE && i <= last; i++) {
		f->found->twice_begun[trail.step[i].block] += path->count;
		if (i == last)
			break;
		f->found->twice_ended[trail.step[i].block] += path->count;
		if (trail.step[i].edge != WM_NONE)
			f->found->twice_edge[trail.step[i].edge] += path->count;
	}
	wm_arena_release(&arena);
}

static void limit(uint64_t *counts, uint32_t count, uint64_t most)
{
	for (uint32_t i = 0; i < count; i++)
		counts[i] = counts[i] < most ? counts[i] : most;
}

static void find_twice(struct finding *f)
{
	const struct wm_graph *graph = &f->map->graph;
	struct wm_abandoned *found = f->found;
	const bool *twice = find_calls_twice(f);
	found->twice_begun = need(WM_NEW(f->arena, uint64_t, graph->block_count + (size_t)1));
	found->twice_ended = need(WM_NEW(f->arena, uint64_t, graph->block_count + (size_t)1));
	found->twice_edge = need(WM_NEW(f->arena, uint64_t, graph->edge_count + (size_t)1));
	for (size_t i = 0; i < wm_story_taken_count(f->function); i++)
		count_twice(f, twice, wm_story_taken(f->function, i));
	limit(found->twice_begun, graph->block_count, f->function->balance.resumed);
	limit(found->twice_ended, graph->block_count, f->function->balance.resumed);
	limit(found->twice_edge, graph->edge_count, f->function->balance.resumed);
}

/* All of it */

void wm_abandoned_find(struct wm_abandoned *abandoned, const struct wm_story_function *function, struct wm_arena *arena)
{
	bool crosses = wm_story_crosses_calls(function);
	const struct wm_graph *graph = &function->map->graph;
	struct finding f = {abandoned, function, function->map, arena, NULL};
	const struct wm_balance *balance = wm_story_whole_balance(function);
	*abandoned = (struct wm_abandoned){.count = wm_balance_unknown(balance)};
	if (function->state != WM_STORY_RAN || !graph->block_count || !function->map->block)
		abandoned->count = 0;
	if (!crosses && function->state == WM_STORY_RAN && function->balance.resumed)
		find_twice(&f);
	if (!abandoned->count)
		return;
	abandoned->begun = need(WM_NEW(arena, uint64_t, graph->block_count));
	abandoned->comes = need(WM_NEW(arena, bool, graph->block_count));
	abandoned->leads = need(WM_NEW(arena, bool, graph->block_count));
	abandoned->edge = need(WM_NEW(arena, bool, graph->edge_count + (size_t)1));
	find_calls(&f);
	if (crosses || wm_plan_has_pieces(wm_story_plan(function)) || has_surrogates(&wm_story_plan(function)->dag))
		find_in_graph(&f);
	else
		find_in_dag(&f);
}

char *wm_abandoned_text(uint64_t count)
{
	return wm_xprintf("%s activation%s left inside calls", wm_thousands(count), count == 1 ? " was" : "s were");
}
