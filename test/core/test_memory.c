/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An arena that fails at any allocation gives WM_NO_MEMORY everywhere, and nothing worse. */
#include "core/base/grow.h"
#include "core/graph/cfgtext.h"
#include "core/graph/dominators.h"
#include "core/paths/residual_marks.h"
#include "core/preferential/coding.h"
#include "core/preferential/linear.h"
#include "core/preferential/pack.h"
#include "core/preferential/perfect.h"
#include "core/probes/early.h"
#include "core/probes/silence.h"
#include "core/probes/trips.h"
#include "test/core/placing.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

static const char text[] =
	"function f\n1 -> 2\n2 -> 3 4\n3 -> 5\n4 [call g] -> 5 6\n5 -> 2 6\n6 -> 7 8\n7 -> 9\n8 -> 9 6\n9\n"
	"function g\na -> b c\nb -> a c\nc -> c d\nd\n";

static enum wm_status prefer(const struct wm_plan *plan, const struct wm_weights *weights, struct wm_arena *arena)
{
	struct wm_path_set set;
	struct wm_preferential p;
	struct wm_pack pack;
	struct wm_residual residual = {0};
	struct wm_core core;
	struct wm_probe_program program;
	struct wm_checking checking = {weights, NULL, true};
	struct wm_perfect perfect;
	struct wm_range *range;
	uint64_t ids[] = {0, 2, 3, 5, plan->numbering.path_count - 1}, *table;
	enum wm_status status = wm_path_set_make(&set, plan, ids, 5, arena);
	if (status == WM_OK)
		status = wm_preferential_linear(&p, plan, &set, arena);
	if (status == WM_OK)
		status = wm_pack_make(&pack, plan, &p, WM_PACK_LIMIT, arena);
	if (status == WM_OK)
		status = wm_pack_table(&pack, &p, &table, arena);
	if (status == WM_OK)
		status = wm_residual_make(&residual, plan, &set, &checking, arena);
	if (status == WM_OK)
		status = wm_core_make(&core, plan, &set, ids, arena);
	if (status == WM_OK)
		status = wm_residual_from_core(&residual, plan, &core, &checking, arena);
	struct wm_sums sums = {residual.value, residual.tested, residual.marked, residual.tested};
	if (status == WM_OK && plan->events_are_edges)
		status = wm_place_sums(plan, &sums, WM_PLACE_OPTIMAL, weights, &program, arena);
	if (status == WM_OK)
		status = wm_perfect_make(&perfect, &set, arena);
	if (status == WM_OK)
		status = wm_model_joined(plan, &p, &range, arena);
	return status;
}

/* What is for acyclic paths only. */
static enum wm_status place_more(const struct wm_plan *plan, const struct wm_weights *weights,
	struct wm_probe_program *program, struct wm_arena *arena)
{
	struct wm_loops loops;
	struct wm_dominators dominators;
	bool counted[64];
	enum wm_status status = place_plain(plan, WM_PLACE_OPTIMAL, weights, "values", program, arena);
	for (uint32_t e = 0; e < plan->dag.edge_count; e++)
		counted[e] = plan->dag.edge[e].to == WM_DAG_END;
	if (status == WM_OK)
		status = wm_place_early(plan, counted, program, arena);
	if (status == WM_OK)
		status = place_plain(plan, WM_PLACE_OPTIMAL, weights, "values", program, arena);
	if (status == WM_OK)
		status = wm_loops_run(&loops, plan->graph, &plan->dfs, arena);
	if (status == WM_OK)
		status = wm_dominators_run(&dominators, plan->graph, &plan->dfs, arena);
	if (status == WM_OK)
		status = wm_place_regions(plan, &loops, weights, NULL, (struct wm_region_limits){100, 100, 0}, program);
	if (status == WM_OK)
		status = wm_place_silence(plan, (bool[64]){false}, program, arena);
	if (status == WM_OK)
		status = wm_place_trips(plan, &loops, weights, NULL, program, arena);
	if (status == WM_OK)
		status = place_plain(plan, WM_PLACE_OPTIMAL, weights, NULL, program, arena);
	return status;
}

static enum wm_status work_on(const struct wm_graph *graph, const char *scheme, uint64_t limit, struct wm_arena *arena)
{
	struct wm_scheme_choice choice;
	struct wm_plan plan;
	struct wm_weights weights;
	struct wm_probe_program program;
	struct wm_block_path path = {0};
	struct wm_path edges = {0};
	assert_int_equal(wm_scheme_parse(scheme, &choice), WM_OK);
	choice.sequences = limit == 0 && choice.k > 60;
	enum wm_status status = wm_plan_choose(&plan, graph, &choice, limit, arena);
	if (status == WM_OK)
		status = wm_weights_static(&weights, graph, &plan.dfs, arena);
	if (status == WM_OK)
		status = place_plain(&plan, WM_PLACE_OPTIMAL, &weights, "values", &program, arena);
	if (status == WM_OK)
		status = place_plain(&plan, WM_PLACE_NAIVE, NULL, "values", &program, arena);
	if (status == WM_OK && plan.events_are_edges)
		status = place_more(&plan, &weights, &program, arena);
	if (status == WM_OK)
		status = wm_plan_decode(&plan, plan.numbering.path_count - 1, &path, arena);
	if (status == WM_OK)
		status = wm_dag_decode(&plan.dag, &plan.numbering, 0, &edges, arena);
	if (status == WM_OK)
		status = prefer(&plan, &weights, arena);
	return status;
}

static enum wm_status work(const char *scheme, uint64_t limit, struct wm_arena *arena)
{
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	enum wm_status status = wm_cfg_parse(&cfg, text, sizeof text - 1, &error, arena);
	for (uint32_t f = 0; f < 2 && status == WM_OK; f++)
		status = work_on(&cfg.function[f].graph, scheme, limit, arena);
	return status;
}

static void fail_everywhere(const char *scheme, uint64_t limit)
{
	struct wm_arena arena;
	wm_arena_init(&arena);
	assert_int_equal(work(scheme, limit, &arena), WM_OK);
	size_t enough = arena.used;
	wm_arena_release(&arena);
	for (size_t bytes = 16; bytes <= enough; bytes += 16) {
		wm_arena_init(&arena);
		wm_arena_set_limit(&arena, bytes);
		assert_int_equal(work(scheme, limit, &arena), bytes < enough ? WM_NO_MEMORY : WM_OK);
		assert_true(arena.used <= bytes);
		wm_arena_release(&arena);
	}
}

static void test_exact(void **state)
{
	(void)state;
	fail_everywhere("acyclic", 0);
	fail_everywhere("kiter=2", 0);
	fail_everywhere("kiter=70", 0);
	fail_everywhere("loopcontext", 0);
}

static void test_split(void **state)
{
	(void)state;
	fail_everywhere("acyclic", 18);
	fail_everywhere("kiter=5", 40);
	fail_everywhere("loopcontext", 18);
}

static void test_arena(void **state)
{
	(void)state;
	struct wm_arena arena;
	wm_arena_init(&arena);
	assert_null(wm_arena_alloc(&arena, SIZE_MAX, 2));
	assert_null(wm_arena_alloc(&arena, SIZE_MAX, 1));
	assert_null(wm_arena_alloc(&arena, SIZE_MAX / 2, 1));
	assert_non_null(wm_arena_alloc(&arena, 0, 8));
	static const size_t sizes[] = {1, 15, 16, 17, 4000, 20000, 60000, 70000, 1 << 20, 3};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		unsigned char *memory = wm_arena_alloc(&arena, sizes[i], 1);
		assert_int_equal((uintptr_t)memory % 16, 0);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(memory[k], 0);
		memset(memory, 0xff, sizes[i]);
	}
	wm_arena_release(&arena);
	assert_int_equal(arena.used, 0);
}

/* Elements keep their values while the array grows, shrinks and grows again. */
static void test_grow(void **state)
{
	(void)state;
	struct wm_arena arena;
	uint32_t *list = NULL, *larger = NULL, capacity = 0;
	wm_arena_init(&arena);
	for (uint32_t turn = 0; turn < 3; turn++) {
		for (uint32_t count = turn * 11; count < 1000; count++) {
			assert_true(WM_GROW(list, count));
			list[count] = count;
			larger = wm_arena_grow(&arena, larger, &capacity, count, sizeof *larger);
			larger[count] = count;
		}
		for (uint32_t i = 0; i < 1000; i++)
			assert_true(list[i] == i && larger[i] == i);
	}
	uint32_t *same = list;
	assert_false(wm_grow(&list, SIZE_MAX / 8 + 1, sizeof *list));
	assert_ptr_equal(list, same);
	wm_arena_set_limit(&arena, 1);
	assert_null(wm_arena_grow(&arena, larger, &capacity, capacity, sizeof *larger));
	assert_int_equal(capacity, 1024);
	free(list);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena),
		cmocka_unit_test(test_grow),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_split),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
