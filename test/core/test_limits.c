/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions with about 2^62 paths: which marks and packed sums still fit into a register. */
#include "core/graph/cfgtext.h"
#include "core/paths/residual_marks.h"
#include "core/preferential/linear.h"
#include "core/preferential/pack.h"
#include "test/core/sample.h"
#include "test/core/support.h"
#include <stdio.h>
#include <stdlib.h>

/* 2^62 paths leave room for two marks: only edges that leave tested blocks are marked.
 * With 2^62 < paths there is room for one. */
static void test_marks_that_do_not_fit(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_plan plan;
	struct wm_graph_builder builder;
	struct wm_path_set tested;
	struct wm_residual residual;
	const struct wm_checking at_end = {0};
	wm_arena_init(&arena);
	/* An error exit of many blocks before 61 diamonds. */
	uint32_t chain = 10, total = chain + 1 + 61 * 3 + 1, last = total - 1;
	assert_int_equal(wm_graph_builder_init(&builder, &arena, total), WM_OK);
	wm_graph_builder_add(&builder, (uint32_t[]){1, chain + 1}, 2, WM_END_NONE);
	for (uint32_t b = 1; b <= chain; b++)
		wm_graph_builder_add(&builder, (uint32_t[]){b == chain ? last : b + 1}, 1, WM_END_NONE);
	for (uint32_t b = chain + 1; b < last; b += 3) {
		wm_graph_builder_add(&builder, (uint32_t[]){b + 1, b + 2}, 2, WM_END_NONE);
		wm_graph_builder_add(&builder, (uint32_t[]){b + 3}, 1, WM_END_NONE);
		wm_graph_builder_add(&builder, (uint32_t[]){b + 3}, 1, WM_END_NONE);
	}
	wm_graph_builder_add(&builder, NULL, 0, WM_END_RETURN);
	assert_int_equal(wm_graph_builder_finish(&builder, &graph), WM_OK);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	assert_true(plan.numbering.path_count == (1ull << 61) + 1);
	/* Both sides of all diamonds but one, which is left on one side only. */
	uint64_t ids[] = {1, 1ull << 61};
	assert_int_equal(wm_path_set_make(&tested, &plan, ids, 2, &arena), WM_OK);
	assert_int_equal(wm_residual_make(&residual, &plan, &tested, &at_end, &arena), WM_OK);
	assert_int_equal(residual.marks, WM_MARKS_LEAVING);
	assert_false(residual.edge_closed);
	/* With one diamond tested, 60 can be left: nothing fits. */
	assert_int_equal(wm_path_set_make(&tested, &plan, ids, 1, &arena), WM_OK);
	assert_int_equal(wm_residual_make(&residual, &plan, &tested, &at_end, &arena), WM_OK);
	assert_int_equal(residual.marks, WM_MARKS_NONE);
	assert_true(residual.edge_closed);
	for (uint32_t e = 0; e < plan.dag.edge_count; e++)
		assert_true(residual.value[e] == plan.numbering.value[e]);
	wm_arena_release(&arena);
}

static void test_two_registers(void **state)
{
	(void)state;
	struct sample s;
	struct wm_path_set set;
	struct wm_preferential p;
	struct wm_pack pack;
	char text[8192];
	size_t used = (size_t)snprintf(text, sizeof text, "function deep\n");
	for (int i = 0; i < 62; i++)
		used += (size_t)snprintf(
			text + used, sizeof text - used, "d%d -> a%d d%d\na%d -> d%d\n", i, i, i + 1, i, i + 1);
	snprintf(text + used, sizeof text - used, "d62\n");
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	s = (struct sample){0};
	wm_arena_init(&s.arena);
	assert_int_equal(wm_cfg_parse(&cfg, text, used + 4, &error, &s.arena), WM_OK);
	assert_int_equal(wm_plan_make(&s.plan, &cfg.function[0].graph, &wm_scheme_acyclic, 0, &s.arena), WM_OK);
	uint64_t ids[] = {0, 3, 1ull << 61, 12345678901234567ull, 7};
	assert_int_equal(wm_path_set_make(&set, &s.plan, ids, 4, &s.arena), WM_OK);
	assert_int_equal(wm_preferential_linear(&p, &s.plan, &set, &s.arena), WM_OK);
	assert_int_equal(p.span, 4);
	assert_int_equal(wm_pack_make(&pack, &s.plan, &p, WM_PACK_LIMIT, &s.arena), WM_OK);
	assert_int_equal(pack.shift, 62);
	assert_int_equal(pack.width, 64);
	assert_int_equal(wm_path_set_make(&set, &s.plan, ids, 5, &s.arena), WM_OK);
	assert_int_equal(wm_preferential_linear(&p, &s.plan, &set, &s.arena), WM_OK);
	assert_int_equal(wm_pack_make(&pack, &s.plan, &p, WM_PACK_LIMIT, &s.arena), WM_TOO_MANY);
	wm_arena_release(&s.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_registers),
		cmocka_unit_test(test_marks_that_do_not_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
