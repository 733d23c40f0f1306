/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A million blocks in every shape that is bad for somebody: no recursion, nothing quadratic. */
#include "core/probes/place.h"
#include "test/core/placing.h"
#include "test/core/support.h"
#include <math.h>
#include <stdlib.h>

#define BLOCKS 1000000u

/* Writes the successors of block b of n, at most 3 but for the first; returns their number. */
typedef uint32_t successors_of(uint32_t b, uint32_t n, uint32_t *to);

static uint32_t chain(uint32_t b, uint32_t n, uint32_t *to)
{
	to[0] = b + 1;
	return b + 1 < n;
}

static uint32_t diamonds(uint32_t b, uint32_t n, uint32_t *to)
{
	uint32_t next = b - b % 3 + 3;
	if (next >= n)
		return 0;
	if (b % 3) {
		to[0] = next;
		return 1;
	}
	to[0] = b + 1;
	to[1] = b + 2;
	return 2;
}

/* Loops in loops: block b is a head, n-1-b its latch. */
static uint32_t nest(uint32_t b, uint32_t n, uint32_t *to)
{
	if (b + 1 == n)
		return 0;
	to[0] = b + 1;
	to[1] = n - 2 - b;
	return b + 1 < n / 2 ? 1 : 2;
}

static uint32_t wide(uint32_t b, uint32_t n, uint32_t *to)
{
	if (b + 1 == n)
		return 0;
	to[0] = n - 1;
	for (uint32_t i = 1; b == 0 && i < n - 1; i++)
		to[i - 1] = i;
	return b == 0 ? n - 2 : 1;
}

/* Every block may go to the one exit. */
static uint32_t early_exits(uint32_t b, uint32_t n, uint32_t *to)
{
	to[0] = b + 1;
	to[1] = n - 1;
	return b + 1 == n ? 0 : b + 2 == n ? 1 : 2;
}

/* A ladder of loops with two entries each: quadratic for Havlak's own algorithm. */
static uint32_t irreducible(uint32_t b, uint32_t n, uint32_t *to)
{
	uint32_t half = n / 2;
	if (b == 0) {
		to[0] = 1;
		to[1] = half;
		return 2;
	}
	to[0] = b + 1 < n ? b + 1 : half;
	to[1] = n - b;
	return b + 1 == half ? 1 : 2;
}

static void build(struct wm_graph *graph, successors_of *shape, struct wm_arena *arena)
{
	struct wm_graph_builder builder;
	uint32_t *to = calloc(BLOCKS, sizeof *to);
	assert_int_equal(wm_graph_builder_init(&builder, arena, BLOCKS), WM_OK);
	for (uint32_t b = 0; b < BLOCKS; b++) {
		uint32_t count = shape(b, BLOCKS, to);
		assert_int_equal(wm_graph_builder_add(&builder, to, count, count ? WM_END_NONE : WM_END_RETURN), WM_OK);
	}
	assert_int_equal(wm_graph_builder_finish(&builder, graph), WM_OK);
	free(to);
}

static void count_path(void *closure, uint64_t id)
{
	uint64_t *last = closure;
	*last = id;
}

/* Follows the path of an id through the machine, which must count that id at its end. */
static void walk_path(const struct wm_plan *plan, const struct wm_probe_program *program, struct wm_arena *arena)
{
	uint64_t counted = UINT64_MAX;
	struct each_path each = {count_path, &counted};
	const struct wm_probed probed = {.plan = plan, .program = program};
	struct wm_machine machine = {.probed = &probed, .arena = arena, .counters = count_each_path(&each)};
	struct wm_block_path path = {0};
	uint64_t id = plan->numbering.node_paths[plan->dag.edge[0].to] - 1; /* the last that begins at the entry */
	assert_int_equal(wm_plan_decode(plan, id, &path, arena), WM_OK);
	assert_int_equal(wm_machine_enter(&machine, 0, false), WM_OK);
	for (uint32_t i = 1; i < path.length; i++)
		assert_int_equal(wm_machine_step(&machine, path.block[i]), WM_OK);
	if (path.last_edge == WM_NONE)
		assert_int_equal(wm_machine_leave(&machine), WM_OK);
	else
		assert_int_equal(wm_machine_step(&machine, plan->graph->edge_to[path.last_edge]), WM_OK);
	assert_true(counted == id);
}

static void run(successors_of *shape, uint32_t loop_count, uint32_t most_cuts)
{
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_plan plan;
	struct wm_loops loops;
	struct wm_weights weights;
	struct wm_probe_program program;
	wm_arena_init(&arena);
	build(&graph, shape, &arena);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	assert_true(isfinite(plan.log10_paths));
	assert_true(plan.cut_count <= most_cuts);
	assert_int_equal(wm_loops_run(&loops, &graph, &plan.dfs, &arena), WM_OK);
	assert_int_equal(loops.count, loop_count);
	assert_int_equal(wm_weights_from_loops(&weights, &graph, &plan.dfs, &loops, &arena), WM_OK);
	assert_int_equal(place_plain(&plan, WM_PLACE_OPTIMAL, &weights, "values", &program, &arena), WM_OK);
	walk_path(&plan, &program, &arena);
	wm_arena_release(&arena);
}

static void test_chain(void **state)
{
	(void)state;
	run(chain, 0, 0);
}

static void test_diamonds(void **state)
{
	(void)state;
	run(diamonds, 0, 2 * BLOCKS / 3 / 40);
}

static void test_nest(void **state)
{
	(void)state;
	run(nest, BLOCKS / 2, 0);
}

static void test_wide(void **state)
{
	(void)state;
	run(wide, 0, 0);
}

static void test_early_exits(void **state)
{
	(void)state;
	run(early_exits, 0, 0);
}

static void test_irreducible(void **state)
{
	(void)state;
	run(irreducible, BLOCKS / 2, BLOCKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_diamonds),
		cmocka_unit_test(test_nest),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_early_exits),
		cmocka_unit_test(test_irreducible),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
