/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/blame/cause_order.h"
#include "analysis/tell/abandoned.h"
#include "analysis/tell/unit_map.h"
#include "core/graph/callgraph.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <stdlib.h>
#include <string.h>

static void need(enum wm_status status)
{
	if (status != WM_OK)
		wm_no_memory();
}

static void *need_memory(void *memory)
{
	if (!memory)
		wm_no_memory();
	return memory;
}

struct walk {
	struct wm_cause_order *order;
	uint32_t failed;
	struct wm_unit_map map;
	size_t *story_function; /* per function of the unit */
	bool *visited;
	uint64_t now;
	size_t depth;
	struct open_function {
		uint32_t function, at, block_count; /* the next of its blocks */
		uint32_t call; /* WM_NONE: none of the block has been looked at; else the next one */
		uint32_t *block; /* in the order of the walk; heap */
	} *open;
	struct wm_arena arena;
};

/* ---- The blocks of a function ----------------------------------------------------------------- */

static int descending(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return (a < b) - (a > b);
}

/* A depth-first search that looks at later blocks first leaves them first, so that they are last in reverse postorder: a loop comes
 * before what follows it. */
static uint32_t *order_blocks(const struct wm_graph *graph, uint32_t *count)
{
	struct wm_arena arena;
	struct wm_graph_builder builder;
	struct wm_graph turned;
	struct wm_dfs dfs;
	wm_arena_init(&arena);
	need(wm_graph_builder_init(&builder, &arena, graph->block_count));
	for (uint32_t b = 0; b < graph->block_count; b++) {
		uint32_t edges = graph->first_edge[b + 1] - graph->first_edge[b];
		uint32_t *to = need_memory(WM_NEW(&arena, uint32_t, edges));
		memcpy(to, graph->edge_to + graph->first_edge[b], edges * sizeof *to);
		qsort(to, edges, sizeof *to, descending);
		need(wm_graph_builder_add(&builder, to, edges, graph->end[b]));
	}
	need(wm_graph_builder_finish(&builder, &turned));
	need(wm_dfs_run(&dfs, &turned, &arena));
	uint32_t *block = wm_xrealloc(NULL, dfs.reached + (size_t)1, sizeof *block);
	memcpy(block, dfs.reverse_postorder, dfs.reached * sizeof *block);
	*count = dfs.reached;
	wm_arena_release(&arena);
	return block;
}

/* ---- The walk --------------------------------------------------------------------------------- */

static void enter(struct walk *w, uint32_t function)
{
	const struct wm_graph *graph = w->map.unit.function[function].graph;
	if (w->visited[function] || w->order->executed->first[w->story_function[function]] == SIZE_MAX)
		return;
	w->visited[function] = true;
	WM_XGROW(w->open, w->depth);
	struct open_function *open = &w->open[w->depth++];
	*open = (struct open_function){.function = function, .call = WM_NONE};
	open->block = order_blocks(graph, &open->block_count);
}

/* Whether the block has another call; goes into the function that it calls. */
static bool call_next(struct walk *w, struct open_function *open, uint32_t block)
{
	const struct wm_unit_function *caller = &w->map.unit.function[open->function];
	if (open->call >= caller->call_count || caller->call[open->call].block != block)
		return false;
	uint32_t callee = caller->call[open->call++].callee;
	if (callee != WM_NONE)
		enter(w, callee);
	return true;
}

/* A step of the function on top of the stack.  enter() may move the stack. */
static void step(struct walk *w)
{
	struct open_function *open = &w->open[w->depth - 1];
	if (open->at == open->block_count) {
		free(open->block);
		w->depth--;
		return;
	}
	uint32_t block = open->block[open->at];
	size_t item = wm_executed_block(w->order->executed, w->story_function[open->function], block);
	if (!w->order->executed->runs[w->failed][item]) {
		open->at++;
		return;
	}
	if (open->call == WM_NONE) {
		w->order->enter[item] = ++w->now;
		open->call = wm_unit_first_call(&w->map.unit.function[open->function], block);
	}
	if (call_next(w, open, block))
		return;
	w->order->leave[item] = ++w->now;
	open->at++;
	open->call = WM_NONE;
}

static void walk_from(struct walk *w, uint32_t function)
{
	enter(w, function);
	while (w->depth)
		step(w);
}

/* ---- The order of the functions ---------------------------------------------------------------- */

static void walk_all(struct walk *w)
{
	struct wm_unit *unit = &w->map.unit;
	struct wm_dfs *dfs = need_memory(WM_NEW(&w->arena, struct wm_dfs, unit->function_count));
	struct wm_callgraph callgraph;
	for (uint32_t f = 0; f < unit->function_count; f++)
		need(wm_dfs_run(&dfs[f], unit->function[f].graph, &w->arena));
	need(wm_callgraph_run(&callgraph, unit, dfs, &w->arena));
	for (uint32_t i = 0; i < unit->function_count; i++)
		walk_from(w, callgraph.order[i]);
}

void wm_cause_order_find(struct wm_cause_order *order, const struct wm_executed *executed, uint32_t failed)
{
	struct walk w = {.order = order, .failed = failed};
	size_t size = (executed->item_count + 1) * sizeof *order->enter;
	*order =
		(struct wm_cause_order){executed, memset(wm_xmalloc(size), 0, size), memset(wm_xmalloc(size), 0, size)};
	wm_arena_init(&w.arena);
	wm_unit_map_build(&w.map, executed->story, &w.arena);
	w.visited = need_memory(WM_NEW(&w.arena, bool, w.map.unit.function_count));
	w.story_function = need_memory(WM_NEW(&w.arena, size_t, w.map.unit.function_count));
	for (uint32_t f = 0; f < w.map.unit.function_count; f++)
		w.story_function[f] = (size_t)(w.map.function[f] - executed->story->function);
	walk_all(&w);
	free(w.open);
	wm_arena_release(&w.arena);
}

void wm_cause_order_release(struct wm_cause_order *order)
{
	free(order->enter);
	free(order->leave);
}

uint64_t wm_cause_order_line(const struct wm_cause_order *order, const struct wm_executed_place *place)
{
	const struct wm_story_function *function = &order->executed->story->function[place->function];
	size_t item = wm_executed_block(order->executed, place->function, place->block);
	bool early = place->index < wm_call_lines(function->map, place->block, NULL, WM_NONE);
	return early ? order->enter[item] : order->leave[item];
}

uint64_t wm_cause_order_decision(const struct wm_cause_order *order, size_t function, uint32_t block)
{
	return order->leave[wm_executed_block(order->executed, function, block)];
}
