/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What core/ does with paths across calls: plan under a limit that the first byte chooses, place, and run as the last
 * bytes say.  A path must decode and encode to itself; naive and optimal probes must count the same paths in the
 * same order.
 */
#ifndef WM_FUZZ_CHECK_UNIT_H
#define WM_FUZZ_CHECK_UNIT_H

#include "core/probes/machine.h"
#include "core/scheme/unit_plan.h"
#include "fuzz/check_graph.h"
#include "test/core/trail_encode.h"

#define MAX_UNIT_STEPS 300
#define MAX_UNIT_DEPTH 20

struct unit_trace {
	uint32_t count;
	const struct wm_machine *machine;
	uint64_t limit, id[2 * MAX_UNIT_STEPS];
};

static inline void count_unit_path(void *closure, uint64_t id, uint64_t amount)
{
	struct unit_trace *trace = closure;
	CHECK(amount == 1);
	CHECK(id < trace->limit);
	if (trace->count < 2 * MAX_UNIT_STEPS)
		trace->id[trace->count++] = id;
}

/* The table never has a path yet. */
static inline bool find_no_path(void *closure, uint64_t id, uint64_t amount)
{
	(void)closure;
	(void)id;
	(void)amount;
	return false;
}

static inline void count_unit_cell(void *closure, uint32_t cell, uint64_t amount)
{
	const struct unit_trace *trace = closure;
	count_unit_path(closure, wm_probed_cell(&trace->machine->probed[trace->machine->counts_in], cell), amount);
}

/* Calls of functions of the file go into them; others return at once. */
static inline void run_calls(struct wm_machine *m)
{
	uint32_t call;
	while (m->depth < MAX_UNIT_DEPTH && (call = wm_machine_next_call(m)) != WM_NONE) {
		uint32_t callee = m->probed[wm_machine_top(m)->function].plan->in_unit->call[call].callee;
		wm_machine_call(m, false);
		if (callee == WM_NONE)
			wm_machine_go_on(m);
		else
			CHECK(wm_machine_enter(m, callee, false) == WM_OK);
	}
}

static inline void run_unit(const struct wm_unit_plan *plan, const struct wm_probed *probed, const uint8_t *data,
	size_t size, struct unit_trace *trace, struct wm_arena *arena)
{
	struct wm_machine m = {.probed = probed,
		.arena = arena,
		.counters = {.closure = trace, .cell = count_unit_cell, .find = find_no_path, .call = count_unit_path}};
	trace->machine = &m;
	trace->count = 0;
	trace->limit = plan->path_count;
	CHECK(wm_machine_enter(&m, 0, false) == WM_OK);
	for (uint32_t step = 0; step < MAX_UNIT_STEPS && m.depth; step++) {
		run_calls(&m);
		if (m.depth == MAX_UNIT_DEPTH)
			return; /* the calls of the innermost frame are not run, so that what follows would be no path */
		const struct wm_frame *frame = &m.frame[m.depth - 1];
		const struct wm_graph *graph = plan->unit->function[frame->function].graph;
		uint32_t first = graph->first_edge[frame->block], degree = graph->first_edge[frame->block + 1] - first;
		if (degree) {
			uint32_t to = graph->edge_to[first + data[size - 1 - step % size] % degree];
			CHECK(wm_machine_step(&m, to) == WM_OK);
			continue;
		}
		CHECK(wm_machine_leave(&m) == WM_OK);
		if (m.depth)
			wm_machine_go_on(&m);
	}
	CHECK(m.abandoned == 0);
}

static inline void check_unit_path(const struct wm_unit_plan *plan, uint64_t id, struct wm_arena *arena)
{
	struct wm_trail path;
	uint64_t back;
	CHECK(wm_trail_decode(plan->function, id, &path, arena) == WM_OK);
	CHECK(trail_encode(plan, &path, &back, arena) == WM_OK && back == id);
}

static inline void check_unit_scheme(const struct wm_unit *unit, const struct wm_scheme *scheme, const uint8_t *data,
	size_t size, struct wm_arena *arena)
{
	static struct unit_trace expected, found;
	struct wm_unit_plan plan;
	struct wm_probed *naive, *optimal;
	bool *entry = WM_NEW(arena, bool, unit->function_count);
	struct wm_weights *weights = WM_NEW(arena, struct wm_weights, unit->function_count);
	struct wm_unit_request request = {.unit = unit, .scheme = scheme, .limit = data[0], .entry = entry};
	entry[0] = true;
	enum wm_status status = wm_unit_plan_make(&plan, &request, arena);
	CHECK(status == WM_OK || (status == WM_TOO_MANY && data[0]));
	if (status != WM_OK)
		return;
	CHECK(plan.path_count && (data[0] == 0 || plan.path_count <= data[0]));
	for (uint64_t i = 0; i <= 8; i++)
		check_unit_path(&plan, (plan.path_count - 1) / 8 * i, arena);
	check_unit_path(&plan, plan.path_count - 1, arena);
	for (uint32_t f = 0; f < unit->function_count; f++)
		CHECK(wm_weights_static(&weights[f], unit->function[f].graph, &plan.function[f].dfs, arena) == WM_OK);
	CHECK(wm_unit_probes_make(&plan, NULL, NULL, &naive, arena) == WM_OK);
	CHECK(wm_unit_probes_make(&plan, weights, NULL, &optimal, arena) == WM_OK);
	run_unit(&plan, naive, data, size, &expected, arena);
	run_unit(&plan, optimal, data, size, &found, arena);
	CHECK(expected.count == found.count && memcmp(expected.id, found.id, found.count * sizeof *found.id) == 0);
	for (uint32_t i = 0; i < found.count; i++)
		check_unit_path(&plan, found.id[i], arena);
}

/* One byte chooses the scheme. */
static inline void check_unit(const struct wm_unit *unit, const uint8_t *data, size_t size, struct wm_arena *arena)
{
	static const struct wm_scheme *const schemes[] = {&wm_scheme_context, &wm_scheme_context_cut,
		&wm_scheme_context_pending, &wm_scheme_piecewise, &wm_scheme_piecewise_cut,
		&wm_scheme_piecewise_pending};
	size_t count = sizeof schemes / sizeof *schemes;
	check_unit_scheme(unit, schemes[data[size / 2] % count], data, size, arena);
}

#endif
