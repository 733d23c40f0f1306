/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/tell/flow.h"
#include "analysis/tell/trails.h"
#include "support/fail.h"
#include <string.h>

static void *need(void *memory)
{
	if (!memory)
		wm_no_memory();
	return memory;
}

/* ---- The functions -------------------------------------------------------------------- */

static void flow_init(struct wm_flow *flow, const struct wm_story_function *function, struct wm_arena *arena)
{
	bool told = function->state == WM_STORY_RAN || function->state == WM_STORY_IDLE;
	flow->function = function;
	flow->known = told && !function->residual;
	const struct wm_balance *balance = wm_story_whole_balance(function);
	flow->exact = flow->known && !wm_balance_unknown(balance) && !balance->resumed;
	if (wm_executions_init(&flow->ran, &function->map->graph, arena) != WM_OK)
		wm_no_memory();
	flow->ran.entries = flow->known ? function->balance.entries : 0;
}

/* A unit while its paths are counted: per function of the unit, the executions of its body. */
struct counting {
	struct wm_flows *flows;
	const struct wm_story *story;
	struct wm_executions ***of_unit;
};

static size_t count_bodies(const struct wm_story *story)
{
	size_t count = 0;
	for (size_t u = 0; u < story->units.count; u++) {
		const struct wm_story_unit *unit = &story->units.unit[u];
		for (uint32_t f = 0; f < unit->binary->unit.function_count; f++)
			count += unit->body[f] && unit->body[f] != unit->function[f];
	}
	return count;
}

/* Those of a body, which may be those of its function. */
static struct wm_executions *executions_of_body(struct counting *c, const struct wm_story_unit *unit, uint32_t index)
{
	if (!unit->body[index])
		return NULL;
	if (unit->body[index] == unit->function[index])
		return &c->flows->flow[unit->function[index] - c->story->function].ran;
	struct wm_flow *flow = &c->flows->flow[c->flows->count++];
	flow_init(flow, unit->body[index], &c->flows->arena);
	flow->ran.entries = 0; /* the first body has those of the balance */
	return &flow->ran;
}

static void point_to_bodies(struct counting *c)
{
	struct wm_arena *arena = &c->flows->arena;
	c->of_unit = need(WM_NEW(arena, struct wm_executions **, c->story->units.count));
	for (size_t u = 0; u < c->story->units.count; u++) {
		const struct wm_story_unit *unit = &c->story->units.unit[u];
		uint32_t count = unit->binary->unit.function_count;
		c->of_unit[u] = need(WM_NEW(arena, struct wm_executions *, count));
		for (uint32_t f = 0; f < count; f++)
			c->of_unit[u][f] = executions_of_body(c, unit, f);
	}
}

/* ---- The paths ------------------------------------------------------------------------ */

static void count_path(struct counting *c, size_t index, const struct wm_story_path *path, struct wm_arena *arena)
{
	const struct wm_story_function *function = &c->story->function[index];
	const struct wm_story_unit *unit = wm_story_unit_of(function);
	struct wm_executions *own = &c->flows->flow[index].ran;
	struct wm_trail trail;
	wm_story_decode(function, path->id, &trail, arena);
	uint32_t *entered = need(WM_NEW(arena, uint32_t, trail.count + (size_t)1));
	wm_executions_add_trail(unit ? c->of_unit[unit - c->story->units.unit] : &own, &trail, path->count, entered);
}

static void count_paths(struct counting *c, size_t index)
{
	enum { AT_ONCE = 64 }; /* a new arena for each path would take longer than the path */
	const struct wm_story_function *function = &c->story->function[index];
	struct wm_arena arena;
	wm_arena_init(&arena);
	for (size_t p = 0; p < wm_story_taken_count(function); p++) {
		if (p % AT_ONCE == 0)
			wm_arena_release(&arena);
		count_path(c, index, wm_story_taken(function, p), &arena);
	}
	wm_arena_release(&arena);
}

/* ---- Inlined calls -------------------------------------------------------------------- */

const bool *wm_flow_reached(const struct wm_map_function *map, struct wm_arena *arena)
{
	struct wm_dfs dfs;
	bool *reached = need(WM_NEW(arena, bool, map->graph.block_count + (size_t)1));
	if (!map->graph.block_count)
		return reached;
	if (wm_dfs_run(&dfs, &map->graph, arena) != WM_OK)
		wm_no_memory();
	for (uint32_t b = 0; b < map->graph.block_count; b++)
		reached[b] = dfs.position[b] != WM_NONE;
	return reached;
}

/* The context in which control leaves a block. */
static uint32_t context_after(const struct wm_map_function *map, uint32_t block, uint32_t before)
{
	struct wm_mark own;
	uint32_t count;
	const struct wm_mark *mark = wm_origins_marks(&map->inlined->origins, block, &own, &count);
	return count ? mark[count - 1].context : before;
}

/* In reverse postorder every block but the entry has a predecessor before it. */
uint32_t *wm_flow_contexts(const struct wm_map_function *map, struct wm_arena *arena)
{
	struct wm_dfs dfs;
	uint32_t *context = need(WM_NEW(arena, uint32_t, map->graph.block_count + (size_t)1));
	if (!wm_map_has_origins(map))
		return context;
	if (wm_dfs_run(&dfs, &map->graph, arena) != WM_OK)
		wm_no_memory();
	for (uint32_t i = 0; i < dfs.reached; i++) {
		uint32_t block = dfs.reverse_postorder[i];
		uint32_t after = context_after(map, block, context[block]);
		for (uint32_t e = map->graph.first_edge[block]; e < map->graph.first_edge[block + 1]; e++)
			if (!dfs.back_edge[e])
				context[map->graph.edge_to[e]] = after;
	}
	return context;
}

static struct wm_flow *find_flow(struct wm_flows *flows, const struct wm_story_function *caller, const char *name)
{
	struct wm_flow *found = NULL;
	for (size_t i = 0; i < flows->function_count; i++) {
		const struct wm_story_function *f = flows->flow[i].function;
		if (f->program != caller->program || strcmp(f->map->name, name) != 0)
			continue;
		if (!found || f->module == caller->module)
			found = &flows->flow[i];
	}
	return found;
}

/* Per context of a function: the flow of its callee; NULL: the binary does not have it. */
static struct wm_flow **find_callees(struct wm_flows *flows, const struct wm_story_function *function)
{
	const struct wm_origins *origins = &function->map->inlined->origins;
	struct wm_flow **callee = need(WM_NEW(&flows->arena, struct wm_flow *, origins->context_count));
	for (uint32_t c = 1; c < origins->context_count; c++) {
		const char *name = wm_map_context_name(function->module, &origins->context[c]);
		callee[c] = name ? find_flow(flows, function, name) : NULL;
	}
	return callee;
}

/* The entries of callees whose code was copied into the function.  No edge leads to the entry block of a function. */
static void add_inlined_entries(struct wm_flows *flows, const struct wm_flow *flow)
{
	const struct wm_map_function *map = flow->function->map;
	if (!wm_map_has_origins(map) || !flow->known)
		return;
	const struct wm_origins *origins = &map->inlined->origins;
	struct wm_flow **callee = find_callees(flows, flow->function);
	for (uint32_t b = 0; b < map->graph.block_count; b++)
		for (uint32_t m = origins->first_mark[b]; m < origins->first_mark[b + 1]; m++) {
			const struct wm_mark *mark = &origins->mark[m];
			if (mark->context && !mark->block && !mark->behind && callee[mark->context])
				wm_executions_add(&callee[mark->context]->ran, &callee[mark->context]->ran.entries,
					flow->ran.block[b]);
		}
}

/* ---- What abandoned and resumed paths change ------------------------------------------------------------ */

/* What was counted was executed at least once, by the path that is resumed. */
static void count_once(uint64_t *count, uint64_t twice)
{
	if (*count)
		*count = *count > twice ? *count - twice : 1;
}

static void settle(struct wm_flows *flows, struct wm_flow *flow)
{
	const struct wm_graph *graph = &flow->function->map->graph;
	struct wm_abandoned *abandoned = &flow->abandoned;
	flow->ended = need(WM_NEW(&flows->arena, uint64_t, graph->block_count + (size_t)1));
	if (flow->known && !flow->exact)
		wm_abandoned_find(abandoned, flow->function, &flows->arena);
	for (uint32_t b = 0; b < graph->block_count; b++)
		flow->ended[b] = flow->ran.block[b];
	for (size_t i = 0; flow->known && i < flow->function->unfinished_count; i++)
		flow->ended[flow->function->unfinished[i].block] -= flow->function->unfinished[i].path.count;
	for (uint32_t b = 0; abandoned->twice_begun && b < graph->block_count; b++) {
		count_once(&flow->ran.block[b], abandoned->twice_begun[b]);
		count_once(&flow->ended[b], abandoned->twice_ended[b]);
	}
	for (uint32_t e = 0; abandoned->twice_begun && e < graph->edge_count; e++)
		count_once(&flow->ran.edge[e], abandoned->twice_edge[e]);
	/* No edge leads to the entry block: it is executed once per activation. */
	if (abandoned->count && !wm_story_crosses_calls(flow->function) && flow->ran.entries > flow->ran.block[0])
		abandoned->begun[0] = flow->ran.entries - flow->ran.block[0];
	for (uint32_t b = 0; abandoned->count && b < graph->block_count; b++)
		if (wm_call_lines(flow->function->map, b, NULL, WM_NONE) == WM_NONE)
			flow->ended[b] += abandoned->begun[b];
}

/* Unfinished paths that stand in the block, in a call on this line or a later one. */
static uint64_t count_standing(const struct wm_flow *flow, uint32_t block, uint32_t line)
{
	const struct wm_story_function *function = flow->function;
	uint64_t count = 0;
	for (size_t i = 0; flow->known && i < function->unfinished_count; i++) {
		uint32_t call = wm_story_site_call(function->unfinished[i].site);
		if (function->unfinished[i].block == block &&
			line < (call == WM_NONE ? 0 : wm_call_line(function->map, call)))
			count += function->unfinished[i].path.count;
	}
	return count;
}

/* Lines up to the first call are executed whenever control enters the block; those up to a call that returns twice, once. */
struct wm_line_flow wm_flow_line(const struct wm_flow *flow, uint32_t block, uint32_t line)
{
	const struct wm_map_function *map = flow->function->map;
	const struct wm_abandoned *abandoned = &flow->abandoned;
	const struct wm_map_block *info = &map->block[block];
	struct wm_line_flow known = {.count = flow->ended[block] + count_standing(flow, block, line)};
	uint32_t number = line < info->line_count ? info->line[line].line : info->decision.line;
	uint32_t first = abandoned->count ? wm_call_lines(map, block, NULL, WM_NONE) : 0;
	uint32_t twice = abandoned->twice_begun ? wm_call_lines(map, block, abandoned->twice, 0) : 0;
	/* The decision of `if (setjmp(…))` is on the line of the call. */
	if (line < twice || (twice && number == info->line[twice - 1].line))
		known.count = flow->ran.block[block];
	if (line < first && first != WM_NONE)
		known.count = wm_flow_entered(flow, block);
	known.maybe = !known.count && wm_abandoned_may_line(abandoned, map, block, line);
	return known;
}

uint64_t wm_flow_entered(const struct wm_flow *flow, uint32_t block)
{
	return flow->ran.block[block] + (flow->abandoned.count ? flow->abandoned.begun[block] : 0);
}

bool wm_flow_block_maybe(const struct wm_flow *flow, uint32_t block)
{
	return flow->abandoned.count && !wm_flow_entered(flow, block) && flow->abandoned.comes[block];
}

bool wm_flow_edge_maybe(const struct wm_flow *flow, uint32_t edge)
{
	return flow->abandoned.count && !flow->ran.edge[edge] && flow->abandoned.edge[edge];
}

/* ---- All of them ---------------------------------------------------------------------- */

/* The plans of all functions together would need more memory than their flows.  A function that did not run may have been numbered
 * for another question, whose plan stays. */
static void forget_plan(const struct wm_story_function *function)
{
	if (function->state == WM_STORY_RAN)
		wm_story_forget_plan(function);
}

void wm_flows_build(struct wm_flows *flows, const struct wm_story *story)
{
	struct counting c = {.flows = flows, .story = story};
	*flows = (struct wm_flows){.count = story->function_count, .function_count = story->function_count};
	wm_arena_init(&flows->arena);
	flows->flow = need(WM_NEW(&flows->arena, struct wm_flow, flows->count + count_bodies(story) + 1));
	for (size_t i = 0; i < story->function_count; i++)
		flow_init(&flows->flow[i], &story->function[i], &flows->arena);
	point_to_bodies(&c);
	for (size_t i = 0; i < story->function_count; i++)
		if (flows->flow[i].known) {
			count_paths(&c, i);
			forget_plan(&story->function[i]);
		}
	for (size_t i = 0; i < flows->count; i++) {
		settle(flows, &flows->flow[i]);
		forget_plan(flows->flow[i].function);
	}
	for (size_t i = 0; i < flows->count; i++)
		add_inlined_entries(flows, &flows->flow[i]);
	for (size_t i = 0; i < flows->count; i++)
		if (flows->flow[i].ran.saturated)
			wm_fail("a block was executed more than 2^63-1 times in these profiles; use fewer of them");
}

void wm_flows_release(struct wm_flows *flows)
{
	wm_arena_release(&flows->arena);
	*flows = (struct wm_flows){0};
}
