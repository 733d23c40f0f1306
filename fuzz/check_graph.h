/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Everything core/ does with a graph: plans each scheme under a limit that the input chooses, places probes, and
 * walks.  data[0] is the limit; the last bytes also steer the walk.  A path must decode and encode to itself; naive
 * and optimal probes must count the same paths in the same order.  Aborts otherwise.
 */
#ifndef WM_FUZZ_CHECK_GRAPH_H
#define WM_FUZZ_CHECK_GRAPH_H

#include "core/graph/cfgtext.h"
#include "core/probes/machine.h"
#include "core/probes/passes.h"
#include <stdlib.h>
#include <string.h>

/* A crash is what the fuzzer looks for. */
#define CHECK(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

#define MAX_STEPS 200

struct trace {
	uint32_t count;
	uint64_t limit, id[MAX_STEPS + 1];
};

static inline void count_path(void *closure, uint64_t id, uint64_t amount)
{
	(void)amount; /* a walk may end anywhere, so that trips are counted one by one */
	struct trace *trace = closure;
	CHECK(id < trace->limit && trace->count <= MAX_STEPS);
	trace->id[trace->count++] = id;
}

static inline void check_path(const struct wm_plan *plan, uint64_t id, struct wm_arena *arena)
{
	struct wm_path path = {0};
	struct wm_block_path blocks = {0};
	uint64_t back;
	CHECK(wm_dag_decode(&plan->dag, &plan->numbering, id, &path, arena) == WM_OK);
	CHECK(wm_dag_encode(&plan->dag, &plan->numbering, &path, &back) == WM_OK && back == id);
	CHECK(wm_plan_decode(plan, id, &blocks, arena) == WM_OK && blocks.length < path.length);
	CHECK(blocks.fresh < blocks.length);
	for (uint32_t i = 1; i < blocks.length; i++)
		CHECK(wm_graph_find_edge(plan->graph, blocks.block[i - 1], blocks.block[i]) != WM_NONE);
}

static inline void walk(const struct wm_plan *plan, const struct wm_probe_program *program, const uint8_t *data,
	size_t size, struct trace *trace, struct wm_arena *arena)
{
	const struct wm_graph *graph = plan->graph;
	const struct wm_probed probed = {.plan = plan, .program = program};
	struct wm_machine machine = {
		.probed = &probed, .arena = arena, .counters = {.closure = trace, .total = count_path}};
	trace->count = 0;
	trace->limit = plan->numbering.path_count;
	CHECK(wm_machine_enter(&machine, 0, false) == WM_OK);
	for (uint32_t step = 0; step < MAX_STEPS; step++) {
		uint32_t block = wm_machine_top(&machine)->block, first = graph->first_edge[block],
			 degree = graph->first_edge[block + 1] - first;
		if (degree == 0) {
			CHECK(wm_machine_leave(&machine) == WM_OK);
			break;
		}
		CHECK(wm_machine_step(&machine, graph->edge_to[first + data[size - 1 - step % size] % degree]) ==
			WM_OK);
	}
}

static inline void check_probes(const struct wm_plan *plan, const uint8_t *data, size_t size, struct wm_arena *arena)
{
	struct wm_weights weights;
	struct wm_probe_program naive, optimal;
	struct wm_counting counting;
	struct trace expected, found;
	CHECK(wm_weights_static(&weights, plan->graph, &plan->dfs, arena) == WM_OK);
	struct wm_probe_request request = {.plan = plan, .weights = &weights, .placement = WM_PLACE_NAIVE};
	wm_counting_plain(&counting, plan, UINT64_MAX);
	CHECK(wm_passes_run(&request, &counting, "values", &naive, arena) == WM_OK);
	request.placement = WM_PLACE_OPTIMAL;
	CHECK(wm_passes_run(&request, &counting, "values", &optimal, arena) == WM_OK);
	walk(plan, &naive, data, size, &expected, arena);
	walk(plan, &optimal, data, size, &found, arena);
	CHECK(expected.count == found.count);
	CHECK(memcmp(expected.id, found.id, found.count * sizeof *found.id) == 0);
	for (uint32_t i = 0; i < found.count; i++)
		check_path(plan, found.id[i], arena);
}

static inline void check_scheme(const struct wm_cfg_function *function, const char *scheme, const uint8_t *data,
	size_t size, struct wm_arena *arena)
{
	struct wm_plan plan;
	struct wm_scheme_choice choice;
	CHECK(wm_scheme_parse(scheme, &choice) == WM_OK);
	enum wm_status status = wm_plan_choose(&plan, &function->graph, &choice, data[0], arena);
	CHECK(status == WM_OK || (status == WM_TOO_MANY && data[0]));
	if (status != WM_OK)
		return;
	CHECK(data[0] == 0 || plan.numbering.path_count <= data[0]);
	check_path(&plan, 0, arena);
	check_path(&plan, plan.numbering.path_count - 1, arena);
	check_probes(&plan, data, size, arena);
}

static inline void check_function(
	const struct wm_cfg_function *function, const uint8_t *data, size_t size, struct wm_arena *arena)
{
	static const char *const schemes[] = {"acyclic", "kiter=2", "kiter=5,1:3,2:2", "loopcontext"};
	for (uint32_t b = 0; b < function->graph.block_count; b++)
		CHECK(wm_cfg_find_block(function, function->block_name[b], strlen(function->block_name[b])) == b);
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		check_scheme(function, schemes[i], data, size, arena);
}

#endif
