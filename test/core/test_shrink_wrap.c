/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shrink wrapping (core/probes/shrink_wrap.h) against all choices, on random graphs. */
#include "core/probes/shrink_wrap.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"

enum { GRAPHS = 1500, MOST_BLOCKS = 11 };
static const struct wm_shrink_wrap_costs costs = {5, 2};

static double cost_of_step(bool before, bool after, double weight)
{
	return before == after ? 0 : weight * (after ? costs.acquire : costs.release);
}

static double cost(const struct wm_graph *graph, const struct wm_weights *weights, uint32_t held)
{
	double sum = cost_of_step(false, held & 1, weights->entry);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		sum += cost_of_step(held >> graph->edge_from[e] & 1, held >> graph->edge_to[e] & 1, weights->edge[e]);
	for (uint32_t b = 0; b < graph->block_count; b++)
		if (graph->end[b] == WM_END_RETURN || graph->end[b] == WM_END_UNWIND)
			sum += cost_of_step(held >> b & 1, false, weights->block[b]);
	return sum;
}

static double least_cost(const struct wm_graph *graph, const struct wm_weights *weights, uint32_t needed)
{
	double least = cost(graph, weights, needed);
	for (uint32_t held = 0; held < 1u << graph->block_count; held++)
		if ((held & needed) == needed && cost(graph, weights, held) < least)
			least = cost(graph, weights, held);
	return least;
}

static void expect_least(const struct wm_graph *graph, struct random *random, struct wm_arena *arena)
{
	struct wm_dfs dfs;
	struct wm_weights weights;
	bool held[MOST_BLOCKS + 1] = {false};
	uint32_t needed =
		random_below(random, 1u << graph->block_count) & random_below(random, 1u << graph->block_count);
	uint32_t chosen = 0;
	assert_int_equal(wm_dfs_run(&dfs, graph, arena), WM_OK);
	assert_int_equal(wm_weights_static(&weights, graph, &dfs, arena), WM_OK);
	for (uint32_t b = 0; b < graph->block_count; b++)
		held[b] = needed >> b & 1;
	assert_int_equal(wm_shrink_wrap(held, graph, &weights, costs, arena), WM_OK);
	for (uint32_t b = 0; b < graph->block_count; b++)
		chosen |= (uint32_t)held[b] << b;
	assert_int_equal(chosen & needed, needed);
	double least = least_cost(graph, &weights, needed), ours = cost(graph, &weights, chosen);
	assert_true(ours <= least * (1 + 1e-9) + 1e-9);
	assert_true(needed || !chosen);
}

static void test_least_cost(void **state)
{
	(void)state;
	struct random random = {72};
	for (uint32_t i = 0; i < GRAPHS; i++) {
		struct wm_arena arena;
		struct wm_graph graph;
		wm_arena_init(&arena);
		assert_int_equal(random_graph(&graph, (enum random_shape)(i % RANDOM_SHAPES),
					 2 + random_below(&random, 8), &random, &arena),
			WM_OK);
		if (graph.block_count <= MOST_BLOCKS)
			expect_least(&graph, &random, &arena);
		wm_arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_least_cost)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
