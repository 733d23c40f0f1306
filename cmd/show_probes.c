/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/graphfile/graphfile.h"
#include "analysis/join/recorded_plan.h"
#include "cmd/cmd_show.h"
#include "support/fail.h"
#include "view/dev/probes.h"

/* Indices from the number of blocks on are parts after calls, in the order of the call sites. */
static enum wm_status plan_recorded(
	struct wm_plan *plan, struct wm_graph_placing *how, const struct wm_map_function *map, struct wm_arena *arena)
{
	struct wm_walk_function recorded;
	enum wm_status status = wm_recorded_plan(&recorded, map, arena);
	if (status != WM_OK)
		return status;
	*plan = *recorded.plan;
	how->parts = recorded.parts;
	return WM_OK;
}

/* The program that is in the binary, with the numbers of its unit. */
static void print_across(const struct wm_story_function *function)
{
	const struct wm_binary_unit *unit = wm_story_unit_of(function)->binary;
	uint32_t index = function->across.index, count = unit->unit.function_count;
	const struct wm_plan *plan = &unit->plan.function[index];
	struct wm_unit_program program;
	struct wm_arena arena;
	wm_arena_init(&arena);
	uint64_t *token = WM_NEW(&arena, uint64_t, count);
	uint64_t *table = NULL;
	if (!token || wm_unit_place(&program, plan, unit->member[index].map->unit->tree, &arena) != WM_OK ||
		!(table = WM_NEW(&arena, uint64_t, program.word_count)))
		wm_no_memory();
	for (uint32_t f = 0; f < count; f++)
		token[f] = f + 1;
	if (wm_unit_table_fill(plan, &program, token, table, &arena) != WM_OK)
		wm_no_memory();
	printf("# %s, scheme %s; blocks by their indices; as in the binary\n", function->display, unit->scheme->name);
	print_unit_program(stdout, NULL, &(struct wm_probed){.plan = plan, .unit = &program, .table = table});
	wm_arena_release(&arena);
}

static void print_function(const struct wm_story_function *function)
{
	const struct wm_map_function *map = function->map;
	struct wm_scheme_choice choice;
	struct wm_graph_probes probes;
	struct wm_plan plan;
	struct wm_arena arena;
	if (map->status == WM_SKIPPED) {
		printf("# %s: skipped, %s\n", function->display, wm_story_reason(function));
		return;
	}
	if (wm_story_crosses_calls(function)) {
		print_across(function);
		return;
	}
	wm_arena_init(&arena);
	struct wm_graph_placing how = {.placement = WM_PLACE_OPTIMAL};
	enum wm_status status = wm_scheme_parse(map->scheme, &choice);
	if (status == WM_OK && choice.scheme->at_calls)
		status = plan_recorded(&plan, &how, map, &arena);
	else if (status == WM_OK)
		status = choice.scheme->crosses ? WM_UNKNOWN : wm_plan_choose(&plan, &map->graph, &choice, 0, &arena);
	if (status != WM_OK)
		wm_fail("the scheme '%s' of function %s is not known to this version", map->scheme, function->display);
	if (how.parts)
		wm_counting_stream(&probes.counting, &plan);
	else
		wm_counting_plain(&probes.counting, &plan, WM_GRAPH_ARRAY_PATHS);
	wm_graph_place(&probes, &plan, &how, &arena);
	printf("# %s, scheme %s; %s by their indices\n", function->display, map->scheme,
		how.parts ? "parts" : "blocks");
	print_probe_program(stdout, NULL, plan.graph, &probes.program);
	wm_arena_release(&arena);
}

void wm_show_probes(const struct wm_story *story, const struct wm_report_options *options)
{
	bool estimated = false;
	for (size_t i = 0; i < story->function_count; i++)
		estimated |= wm_filter_passes(&options->filter, &story->function[i]) &&
			     !wm_story_crosses_calls(&story->function[i]);
	if (estimated)
		puts("# Weights are estimated from the graph.  The compiler uses LLVM's branch probabilities or a "
		     "profile, so\n# updates may be on other edges in the binary.  Preferential and residual builds "
		     "have "
		     "other probe\n# programs.  The ids of paths are the same.");
	for (size_t i = 0; i < story->function_count; i++)
		if (wm_filter_passes(&options->filter, &story->function[i]))
			print_function(&story->function[i]);
}
