/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prefixes of paths (core/probes/pending.h): at every block of random walks, the decoded prefix is the walk since the
 * path began. */
#include "core/probes/pending.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <string.h>

enum { GRAPHS = 1500, WALKS = 8, STEPS = 120 };

struct walk {
	const struct wm_graph *graph;
	struct wm_pending pending;
	uint32_t block[STEPS + 1]; /* since the path began */
	uint32_t length;
	enum wm_start start;
	uint64_t value;
};

static void run(struct walk *walk, const struct wm_probe *probe)
{
	for (uint32_t i = 0; i < probe->count; i++) {
		uint64_t operand = (uint64_t)probe->action[i].value;
		switch (probe->action[i].kind) {
		case WM_ACTION_SET:
			walk->value = operand;
			break;
		case WM_ACTION_ADD:
			walk->value += operand;
			break;
		default:
			assert_true(probe->action[i].kind == WM_ACTION_COUNT ||
				    probe->action[i].kind == WM_ACTION_COUNT_AT);
		}
	}
}

static void expect_prefix(struct walk *walk)
{
	struct wm_arena arena;
	struct wm_block_path path;
	uint32_t block = walk->block[walk->length - 1];
	wm_arena_init(&arena);
	assert_int_equal(wm_pending_decode(&walk->pending, block, walk->value, &path, &arena), WM_OK);
	assert_int_equal(path.length, walk->length);
	assert_memory_equal(path.block, walk->block, walk->length * sizeof *path.block);
	assert_int_equal(path.start, walk->start);
	wm_arena_release(&arena);
}

static void step(struct walk *walk, struct random *random)
{
	const struct wm_graph *graph = walk->graph;
	uint32_t from = walk->block[walk->length - 1];
	uint32_t edge =
		graph->first_edge[from] + random_below(random, graph->first_edge[from + 1] - graph->first_edge[from]);
	run(walk, &walk->pending.program.edge[edge]);
	if (wm_plan_stops(&walk->pending.plan, edge)) {
		walk->length = 0;
		walk->start = walk->pending.plan.dfs.is_head[graph->edge_to[edge]] ? WM_START_LOOP : WM_START_CUT;
	}
	walk->block[walk->length++] = graph->edge_to[edge];
}

/* The register begins with anything. */
static void take_walk(struct walk *walk, struct random *random)
{
	walk->value = random_next(random);
	walk->length = 1;
	walk->block[0] = 0;
	walk->start = WM_START_ENTRY;
	run(walk, &walk->pending.program.entry);
	expect_prefix(walk);
	for (int i = 0; i < STEPS; i++) {
		uint32_t from = walk->block[walk->length - 1];
		if (walk->graph->first_edge[from] == walk->graph->first_edge[from + 1])
			return;
		step(walk, random);
		expect_prefix(walk);
	}
}

static void test_random_walks(void **state)
{
	(void)state;
	struct random random = {71};
	for (uint32_t i = 0; i < GRAPHS; i++) {
		struct wm_arena arena;
		struct wm_graph graph;
		struct walk walk = {.graph = &graph};
		wm_arena_init(&arena);
		uint32_t size = i % 50 ? 2 + random_below(&random, 40) : 600;
		assert_int_equal(
			random_graph(&graph, (enum random_shape)(i % RANDOM_SHAPES), size, &random, &arena), WM_OK);
		assert_int_equal(wm_pending_make(&walk.pending, &graph, &arena), WM_OK);
		for (int w = 0; w < WALKS; w++)
			take_walk(&walk, &random);
		wm_arena_release(&arena);
	}
}

/* A value that belongs to no prefix of the block is refused. */
static void test_refused(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_graph_builder builder;
	struct wm_pending pending;
	struct wm_block_path path = {.length = 77};
	static const uint32_t diamond[] = {1, 2}, join[] = {3};
	wm_arena_init(&arena);
	assert_int_equal(wm_graph_builder_init(&builder, &arena, 4), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, diamond, 2, WM_END_NONE), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, join, 1, WM_END_NONE), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, join, 1, WM_END_NONE), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, NULL, 0, WM_END_RETURN), WM_OK);
	assert_int_equal(wm_graph_builder_finish(&builder, &graph), WM_OK);
	assert_int_equal(wm_pending_make(&pending, &graph, &arena), WM_OK);
	assert_true(pending.single[1] && pending.single[2] && !pending.single[3]);
	assert_int_equal(wm_pending_decode(&pending, 1, 12345, &path, &arena), WM_OK);
	uint64_t good = -pending.missing[3];
	assert_int_equal(wm_pending_decode(&pending, 3, good, &path, &arena), WM_OK);
	assert_int_equal(wm_pending_decode(&pending, 3, good + 1, &path, &arena), WM_OK);
	path.length = 77;
	assert_int_equal(wm_pending_decode(&pending, 3, good + 2, &path, &arena), WM_BAD_PATH);
	assert_int_equal(wm_pending_decode(&pending, 3, good - 1, &path, &arena), WM_BAD_PATH);
	assert_int_equal(path.length, 77);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_walks),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
