/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/join/story_checks.h"
#include "analysis/join/check_operands.h"
#include "core/scheme/remaining.h"
#include "policy/check_names.h"
#include "support/fail.h"
#include "support/xalloc.h"
#include <math.h>
#include <string.h>

static void need(enum wm_status status)
{
	if (status != WM_OK)
		wm_no_memory();
}

/* How many of the paths that ran are not among those that remain. */
static uint64_t count_others(const struct wm_story_function *function, const struct wm_remainder *remainder)
{
	const struct wm_plan *plan = wm_story_plan(function);
	struct wm_arena arena;
	uint64_t others = 0;
	wm_arena_init(&arena);
	bool *edge = WM_NEW(&arena, bool, plan->dag.edge_count);
	struct wm_path path = {.edge = WM_NEW(&arena, uint32_t, plan->dag.node_count)};
	need(edge && path.edge ? WM_OK : WM_NO_MEMORY);
	wm_remaining_edges(edge, plan, remainder);
	for (size_t i = 0; i < function->ran_count; i++) {
		bool remains = true;
		need(wm_dag_decode(&plan->dag, &plan->numbering, function->path[i].id, &path, &arena));
		for (uint32_t e = 0; e < path.length; e++)
			remains &= edge[path.edge[e]];
		others += !remains;
	}
	wm_arena_release(&arena);
	return others;
}

/* False: no path remains. */
static bool set_possible(struct wm_story_function *function, const struct wm_remainder *remainder)
{
	struct wm_remaining_paths paths;
	struct wm_arena arena;
	wm_arena_init(&arena);
	need(wm_remaining_count(&paths, wm_story_plan(function), remainder, &arena));
	wm_arena_release(&arena);
	if (!paths.count)
		return false;
	uint64_t others = function->state == WM_STORY_RAN ? count_others(function, remainder) : 0;
	function->possible.others = others;
	function->possible.count = paths.count + others;
	function->possible.log10 = function->possible.countable ? log10((double)function->possible.count) : paths.log10;
	return true;
}

/* Paths with pieces, and of recordings, are not numbered by the graph alone. */
static bool is_countable(const struct wm_story_function *function)
{
	const struct wm_plan *plan = wm_story_plan(function);
	return plan->graph == &function->map->graph && !wm_plan_has_pieces(plan);
}

static bool keeps_some(struct wm_story_function *function, const struct wm_remainder *remainder)
{
	bool ran = function->state == WM_STORY_RAN, kept = true;
	if (wm_story_crosses_calls(function) || !function->possible.count || (!ran && !wm_story_number(function)))
		return true;
	if (is_countable(function))
		kept = set_possible(function, remainder);
	wm_story_forget_plan(function);
	return kept;
}

static bool calls_something(const struct wm_map_function *map, uint32_t block)
{
	for (uint32_t i = 0; i < map->call_count; i++)
		if (map->call[i].block == block)
			return true;
	return false;
}

bool wm_story_never(const struct wm_story_function *function, uint32_t edge)
{
	const struct wm_map_function *map = function->map;
	uint32_t from = map->graph.edge_from[edge], to = map->graph.edge_to[edge];
	const struct wm_map_block *block = &map->block[to];
	return map->block[from].terminator == WM_TERM_INVOKE && edge == map->graph.first_edge[from] &&
	       map->graph.end[to] == WM_END_NORETURN && map->block[from].line_count && !block->line_count &&
	       !block->decision.line && !calls_something(map, to);
}

/* The failures of checks, and edges that control never takes.  NULL: there are none. */
static const uint8_t *failures_of(const struct wm_story_function *function, struct wm_arena *arena)
{
	const struct wm_map_function *map = function->map;
	uint8_t *failure = NULL;
	for (uint32_t e = 0; e < map->graph.edge_count; e++) {
		if (!wm_story_never(function, e))
			continue;
		if (!failure) {
			failure = WM_NEW(arena, uint8_t, map->graph.edge_count);
			need(failure ? WM_OK : WM_NO_MEMORY);
			if (map->failure)
				memcpy(failure, map->failure, map->graph.edge_count);
		}
		failure[e] = WM_CHECK_NEVER;
	}
	return failure ? failure : map->failure;
}

/* Whether an edge is left out, of a check or because control never takes it. */
static bool lacks_some(const struct wm_remainder *remainder, const struct wm_graph *graph)
{
	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (!remainder->edge[e] && remainder->block[graph->edge_from[e]])
			return true;
	return false;
}

static void leave_out(struct wm_story *story, struct wm_story_function *function)
{
	struct wm_arena *arena = &story->checks.arena;
	const struct wm_graph *graph = &function->map->graph;
	const uint8_t *failure = function->state == WM_STORY_SKIPPED ? NULL : failures_of(function, arena);
	if (!failure)
		return;
	struct wm_remainder *remainder = WM_NEW(arena, struct wm_remainder, 1);
	need(remainder ? wm_remainder_find(remainder, graph, failure, story->checks.kinds, arena) : WM_NO_MEMORY);
	if (!lacks_some(remainder, graph) || !keeps_some(function, remainder))
		return;
	need(wm_check_operands_find(remainder, function->map, &story->checks.arena));
	function->remainder = remainder;
}

void wm_story_leave_out(struct wm_story *story, uint8_t kinds)
{
	story->checks.kinds = kinds;
	for (size_t i = 0; i < story->function_count && kinds; i++)
		leave_out(story, &story->function[i]);
	wm_story_add_up(story);
}

bool wm_story_remains(const struct wm_story_function *function, uint32_t edge)
{
	return !function->remainder || function->remainder->edge[edge];
}

bool wm_story_is_outcome(const struct wm_story_function *function, uint32_t edge)
{
	const struct wm_graph *graph = &function->map->graph;
	uint32_t from = graph->edge_from[edge];
	if (!wm_story_remains(function, edge))
		return false;
	return function->remainder ? wm_remainder_decides(function->remainder, graph, from)
				   : graph->first_edge[from + 1] - graph->first_edge[from] > 1;
}

bool wm_story_is_check_operand(const struct wm_story_function *function, uint32_t block)
{
	return function->remainder && function->remainder->operand && function->remainder->operand[block];
}

struct wm_left_out wm_story_left_out(const struct wm_story *story, const struct wm_function_filter *filter)
{
	struct wm_left_out sum = {0};
	for (size_t i = 0; i < story->function_count; i++) {
		const struct wm_story_function *function = &story->function[i];
		if (!function->remainder || wm_story_crosses_calls(function) || !wm_filter_passes(filter, function))
			continue;
		sum.outcomes += function->remainder->left_out;
		sum.paths += function->possible.others;
	}
	return sum;
}

char *wm_story_left_out_text(const struct wm_story *story, uint64_t count)
{
	char names[WM_CHECK_NAMES_SIZE];
	return count ? wm_xprintf("%s outcome%s of %s %s left out", wm_thousands(count), count == 1 ? "" : "s",
			       wm_check_names(story->checks.kinds, names), count == 1 ? "is" : "are")
		     : NULL;
}
