/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often the blocks, edges and lines of the walk of the fixture, 1 (2 3 5 2 4 5)x100 6, were executed: counted by hand. */
#include "analysis/coverage/coverage.h"
#include "test/analysis/fixture.h"

static void flows_of_walk(void **state)
{
	static const uint64_t block[6] = {1, 200, 100, 100, 200, 1};
	struct fixture fixture;
	struct wm_flows flows;
	(void)state;
	fixture_init(&fixture);
	fixture_join(&fixture);
	wm_flows_build(&flows, &fixture.story);
	assert_int_equal(flows.count, 2);
	assert_null(fixture.story.function[0].arena.blocks); /* its plan is freed */
	const struct wm_flow *walk = &flows.flow[0];
	assert_true(walk->known && walk->exact);
	assert_int_equal(walk->ran.entries, 1);
	for (uint32_t b = 0; b < 6; b++)
		assert_int_equal(walk->ran.block[b], block[b]);
	static const uint64_t edge[][3] = {
		{0, 1, 1}, {1, 2, 100}, {1, 3, 100}, {2, 4, 100}, {3, 4, 100}, {3, 5, 0}, {4, 1, 199}, {4, 5, 1}};
	for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) {
		uint32_t e = wm_graph_find_edge(&fixture.function[0].graph, (uint32_t)edge[i][0], (uint32_t)edge[i][1]);
		assert_int_equal(walk->ran.edge[e], edge[i][2]);
	}
	assert_false(flows.flow[1].known);
	wm_flows_release(&flows);
	fixture_release(&fixture);
}

static void lines_of_walk(void **state)
{
	static const uint64_t line[][2] = {
		{9, 1}, {10, 1}, {11, 1}, {20, 200}, {30, 100}, {31, 100}, {40, 100}, {50, 200}, {60, 1}, {61, 1}};
	enum { LINES = sizeof line / sizeof *line };
	const struct wm_function_filter all = {0};
	struct fixture fixture;
	struct wm_flows flows;
	struct wm_coverage coverage;
	(void)state;
	fixture_init(&fixture);
	fixture.module.directory = "/src";
	fixture_join(&fixture);
	wm_flows_build(&flows, &fixture.story);
	wm_coverage_build(&coverage, &flows, &all);
	assert_int_equal(coverage.file_count, 1);
	assert_int_equal(coverage.unknown_count, 1);
	const struct wm_covered_file *file = &coverage.file[0];
	assert_string_equal(file->name, "/src/walk.c");
	assert_int_equal(file->line_count, LINES);
	for (size_t i = 0; i < LINES; i++) {
		assert_int_equal(file->line[i].line, line[i][0]);
		assert_int_equal(file->line[i].count, line[i][1]);
	}
	assert_int_equal(file->decision_count, 3);
	assert_int_equal(wm_covered_outcomes(file).all, 6);
	assert_int_equal(wm_covered_outcomes(file).hit, 5);
	assert_int_equal(wm_covered_functions(file).hit, 1);
	wm_coverage_release(&coverage);
	wm_flows_release(&flows);
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(flows_of_walk), cmocka_unit_test(lines_of_walk)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
