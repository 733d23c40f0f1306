/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool/graphfile.h"
#include "tool/probes.h"
#include "tool/show.h"

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
	wm_arena_init(&arena);
	if (wm_scheme_parse(map->scheme, &choice) != WM_OK ||
		wm_plan_choose(&plan, &map->graph, &choice, 0, &arena) != WM_OK)
		wm_fail("the scheme '%s' of function %s is not known to this version", map->scheme, function->display);
	wm_counting_plain(&probes.counting, &plan, WM_GRAPH_ARRAY_PATHS);
	wm_graph_place(&probes, &plan, &(struct wm_graph_placing){.placement = WM_PLACE_OPTIMAL}, &arena);
	printf("# %s, scheme %s; blocks by their indices\n", function->display, map->scheme);
	print_probe_program(stdout, NULL, &map->graph, &probes.program);
	wm_arena_release(&arena);
}

void wm_show_probes(const struct wm_story *story, const struct wm_report_options *options)
{
	puts("# Weights are estimated from the graph.  The compiler uses LLVM's branch probabilities or a profile, so\n"
	     "# updates may be on other edges in the binary.  Preferential and residual builds have other probe\n"
	     "# programs.  The ids of paths are the same.");
	for (size_t i = 0; i < story->function_count; i++)
		if (wm_report_wants(&story->function[i], options))
			print_function(&story->function[i]);
}
