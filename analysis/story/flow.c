/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/story/flow.h"
#include "support/tool.h"
#include <stdlib.h>
#include <string.h>

static uint64_t *zeros(struct wm_flows *flows, uint32_t count)
{
	uint64_t *list = WM_NEW(&flows->arena, uint64_t, count + (size_t)1);
	if (!list)
		wm_bug("out of memory");
	memset(list, 0, (count + (size_t)1) * sizeof *list);
	return list;
}

static bool was_counted(const struct wm_story_function *function)
{
	return function->state == WM_STORY_RAN || function->state == WM_STORY_IDLE;
}

static void push(struct wm_flows *flows, const struct wm_story_function *function, const struct wm_story_function *body)
{
	const struct wm_story_unit *unit = function->across.unit;
	const struct wm_balance *balance = unit ? &unit->balance : &function->balance;
	WM_XGROW(flows->flow, flows->count);
	struct wm_flow *flow = &flows->flow[flows->count++];
	*flow = (struct wm_flow){.body = body,
		.function = function,
		.first = function->map == body->map,
		.known = was_counted(function) && body->map->block,
		.partial = balance->abandoned != 0};
	if (!flow->known)
		return;
	flow->block = zeros(flows, body->map->graph.block_count);
	flow->edge = zeros(flows, body->map->graph.edge_count);
}

/* What the trails of some paths add to. */
struct counting {
	struct wm_flow *flow; /* per function of the trails */
	uint32_t *entered; /* per depth: the step into the block that is open there */
	uint64_t count;
};

static void add(struct wm_flow *flow, uint64_t *into, uint64_t count)
{
	if (flow->known && __builtin_add_overflow(*into, count, into))
		flow->known = false;
}

/* Where a path leaves a block after calls, the step into the block has the edge, even if the block is in the context. */
static void count_trail(struct counting *counting, const struct wm_trail *trail)
{
	for (uint32_t i = 0; i < trail->count; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		if (step->kind == WM_TRAIL_BLOCK || step->lone)
			counting->entered[step->depth] = i;
		if (i < trail->fresh || step->kind == WM_TRAIL_CALL)
			continue;
		struct wm_flow *flow = &counting->flow[step->function];
		uint32_t edge = trail->step[counting->entered[step->depth]].edge;
		if (flow->known && step->kind == WM_TRAIL_BLOCK)
			add(flow, &flow->block[step->block], counting->count);
		if (flow->known && !wm_trail_calls_next(trail, i) && edge != WM_NONE)
			add(flow, &flow->edge[edge], counting->count);
	}
}

static void count_paths(struct wm_flow *flow, const struct wm_story_function *function)
{
	for (size_t i = 0; i < function->ran_count; i++) {
		struct wm_trail trail;
		struct wm_arena arena;
		wm_arena_init(&arena);
		wm_story_decode(function, function->path[i].id, &trail, &arena);
		struct counting counting = {flow, WM_NEW(&arena, uint32_t, trail.count + (size_t)1), function->path[i].count};
		if (!counting.entered)
			wm_bug("out of memory");
		memset(counting.entered, 0, (trail.count + (size_t)1) * sizeof *counting.entered);
		count_trail(&counting, &trail);
		wm_arena_release(&arena);
	}
}

static void add_unit(struct wm_flows *flows, const struct wm_story_unit *unit)
{
	size_t first = flows->count;
	uint32_t count = unit->binary->unit.function_count;
	for (uint32_t i = 0; i < count; i++)
		push(flows, unit->function[i], unit->body[i]);
	for (uint32_t i = 0; i < count; i++)
		if (unit->function[i]->across.unit == unit && unit->function[i]->across.index == i)
			count_paths(&flows->flow[first], unit->function[i]);
}

/* ---- Inlined calls --------------------------------------------------------------------------- */

static int by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static size_t add_contexts(const char ***names, size_t count, const struct wm_story_function *body)
{
	const struct wm_origins *origins = wm_map_has_origins(body->map) ? &body->map->inlined->origins : NULL;
	for (uint32_t i = 1; origins && i < origins->context_count; i++) {
		WM_XGROW(*names, count);
		(*names)[count++] = wm_map_context_name(body->module, &origins->context[i]);
	}
	return count;
}

static void mark_inlined(struct wm_flows *flows)
{
	const char **names = NULL;
	size_t count = 0;
	for (size_t i = 0; i < flows->count; i++)
		count = add_contexts(&names, count, flows->flow[i].body);
	if (count)
		qsort(names, count, sizeof *names, by_name);
	for (size_t i = 0; i < flows->count && count; i++)
		flows->flow[i].inlined =
			bsearch(&flows->flow[i].body->map->name, names, count, sizeof *names, by_name) != NULL;
	free(names);
}

void wm_flows_build(struct wm_flows *flows, const struct wm_story *story)
{
	*flows = (struct wm_flows){0};
	wm_arena_init(&flows->arena);
	for (size_t i = 0; i < story->function_count; i++)
		if (!story->function[i].across.unit)
			push(flows, &story->function[i], &story->function[i]);
	for (size_t i = 0; i < flows->count; i++)
		count_paths(&flows->flow[i], flows->flow[i].function);
	for (size_t u = 0; u < story->units.count; u++)
		if (wm_story_unit_is_whole(&story->units.unit[u]))
			add_unit(flows, &story->units.unit[u]);
	mark_inlined(flows);
}

void wm_flows_release(struct wm_flows *flows)
{
	wm_arena_release(&flows->arena);
	free(flows->flow);
	*flows = (struct wm_flows){0};
}
