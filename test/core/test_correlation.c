/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Correlated decisions against their definition, on random graphs, and the proof that edge counts cannot show them. */
#include "core/paths/correlation.h"
#include "test/core/random_graph.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PATHS = 24, LENGTH = 40, ROUNDS = 600, NO_BUDGET = 1 << 30 };

struct world {
	struct wm_graph graph;
	struct wm_arena arena;
	struct wm_decided_path path[PATHS];
	uint32_t edge[PATHS][LENGTH];
	size_t count;
};

static bool is_decision(const struct wm_graph *graph, uint32_t block)
{
	return graph->first_edge[block + 1] - graph->first_edge[block] > 1;
}

/* A walk from the entry; if `acyclic`, it ends before it comes to a block again. */
static void take_walk(
	struct world *world, struct wm_decided_path *path, uint32_t *edges, bool acyclic, struct random *random)
{
	const struct wm_graph *graph = &world->graph;
	bool *seen = WM_NEW(&world->arena, bool, graph->block_count);
	uint32_t block = 0, length = 0;
	while (length < LENGTH && !(acyclic && seen[block])) {
		uint32_t degree = graph->first_edge[block + 1] - graph->first_edge[block];
		seen[block] = true;
		if (!degree)
			break;
		uint32_t edge = graph->first_edge[block] + random_below(random, degree);
		if (degree > 1)
			edges[length++] = edge;
		else if (random_below(random, 50) == 0)
			break;
		block = graph->edge_to[edge];
	}
	*path = (struct wm_decided_path){length, edges, 0, 1 + random_below(random, 1000)};
	if (!acyclic && length)
		path->fresh = random_below(random, length);
}

static void make_world(struct world *world, bool acyclic, struct random *random)
{
	enum random_shape shape = (enum random_shape)random_below(random, RANDOM_SHAPES);
	wm_arena_init(&world->arena);
	assert_int_equal(
		random_graph(&world->graph, shape, 4 + random_below(random, 20), random, &world->arena), WM_OK);
	world->count = 1 + random_below(random, PATHS);
	for (size_t p = 0; p < world->count; p++)
		take_walk(world, &world->path[p], world->edge[p], acyclic, random);
}

/* The definition, word by word. */

static uint64_t count_outcome(const struct world *world, uint32_t edge)
{
	uint64_t sum = 0;
	for (size_t p = 0; p < world->count; p++)
		for (uint32_t i = world->path[p].fresh; i < world->path[p].count; i++)
			sum += world->path[p].edge[i] == edge ? world->path[p].executions : 0;
	return sum;
}

static uint64_t count_pair(const struct world *world, uint32_t e, uint32_t f)
{
	uint64_t sum = 0;
	for (size_t p = 0; p < world->count; p++) {
		const struct wm_decided_path *path = &world->path[p];
		for (uint32_t i = path->fresh; i < path->count; i++) {
			uint32_t last = WM_NONE;
			for (uint32_t j = 0; j < i; j++)
				if (world->graph.edge_from[path->edge[j]] == world->graph.edge_from[e])
					last = path->edge[j];
			sum += path->edge[i] == f && last == e ? path->executions : 0;
		}
	}
	return sum;
}

/* After any outcome of a block. */
static uint64_t count_after(const struct world *world, uint32_t block, uint32_t f)
{
	uint64_t sum = 0;
	for (uint32_t e = world->graph.first_edge[block]; e < world->graph.first_edge[block + 1]; e++)
		sum += count_pair(world, e, f);
	return sum;
}

/* Whether e determines f; `want` receives the numbers. */
static bool determines(const struct world *world, uint32_t e, uint32_t f, struct wm_correlation *want)
{
	const struct wm_graph *graph = &world->graph;
	uint32_t block = graph->edge_from[f];
	bool only = true, otherwise = false;
	*want = (struct wm_correlation){.edge = e, .determined = f, .count = count_pair(world, e, f)};
	for (uint32_t g = graph->first_edge[block]; g < graph->first_edge[block + 1]; g++) {
		uint64_t count = count_after(world, graph->edge_from[e], g);
		want->decisions += count;
		only &= g == f || count_pair(world, e, g) == 0;
		otherwise |= g != f && count;
	}
	want->outcomes = count_after(world, graph->edge_from[e], f);
	want->bits = -(double)want->count * log2((double)want->outcomes / (double)want->decisions);
	return want->count && only && otherwise;
}

static const struct wm_correlation *find(const struct wm_correlation *list, size_t count, uint32_t e, uint32_t f)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].edge == e && list[i].determined == f)
			return &list[i];
	return NULL;
}

static size_t compare(struct world *world)
{
	struct wm_correlation *list, want;
	size_t count, expected = 0;
	const struct wm_graph *graph = &world->graph;
	assert_int_equal(
		wm_correlations_find(graph, world->path, world->count, NO_BUDGET, &list, &count, &world->arena), WM_OK);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		for (uint32_t f = 0; f < graph->edge_count; f++) {
			if (!is_decision(graph, graph->edge_from[e]) || !is_decision(graph, graph->edge_from[f]))
				continue;
			const struct wm_correlation *found = find(list, count, e, f);
			bool is = determines(world, e, f, &want);
			assert_int_equal(found != NULL, is);
			expected += is;
			if (!is)
				continue;
			assert_int_equal(found->count, want.count);
			assert_int_equal(found->outcomes, want.outcomes);
			assert_int_equal(found->decisions, want.decisions);
			assert_true(found->bits == want.bits && found->bits > 0);
		}
	assert_int_equal(count, expected);
	for (size_t i = 1; i < count; i++)
		assert_true(list[i - 1].bits >= list[i].bits);
	return count;
}

static void random_paths(void **state)
{
	struct random random = {7};
	size_t found = 0;
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct world world;
		make_world(&world, round % 2 == 0, &random);
		found += compare(&world);
		wm_arena_release(&world.arena);
	}
	assert_true(found > ROUNDS); /* the test is about something */
}

/* The position of an outcome on a path, after that of another one (WM_NONE: any); -1: there is none. */
static int position(const struct wm_decided_path *path, uint32_t before, uint32_t edge)
{
	bool seen = before == WM_NONE;
	for (uint32_t i = 0; i < path->count; i++) {
		if (path->edge[i] == edge && seen)
			return (int)i;
		seen |= path->edge[i] == before;
	}
	return -1;
}

/* One execution of each of two paths, which part at a decision, with what follows exchanged. */
static void exchange(struct world *world, size_t p, size_t q, int at_p, int at_q)
{
	struct wm_decided_path *one = &world->path[world->count], *other = one + 1;
	uint32_t *to = world->edge[world->count], *to_other = world->edge[world->count + 1];
	const struct wm_decided_path *from[] = {&world->path[p], &world->path[q]};
	uint32_t rest_p = from[0]->count - (uint32_t)at_p, rest_q = from[1]->count - (uint32_t)at_q;
	memcpy(to, from[0]->edge, (size_t)at_p * sizeof *to);
	memcpy(to + at_p, from[1]->edge + at_q, rest_q * sizeof *to);
	memcpy(to_other, from[1]->edge, (size_t)at_q * sizeof *to);
	memcpy(to_other + at_q, from[0]->edge + at_p, rest_p * sizeof *to);
	*one = (struct wm_decided_path){(uint32_t)at_p + rest_q, to, 0, 1};
	*other = (struct wm_decided_path){(uint32_t)at_q + rest_p, to_other, 0, 1};
	world->path[p].executions--;
	world->path[q].executions--;
	world->count += 2;
}

/* For a correlation: an execution with the same edge counts in which it does not hold. */
static void refute(struct world *world, const struct wm_correlation *correlation)
{
	struct world other = *world;
	const struct wm_graph *graph = &world->graph;
	uint32_t block = graph->edge_from[correlation->determined];
	for (size_t p = 0; p < PATHS; p++)
		other.path[p].edge = p < world->count ? world->path[p].edge : NULL;
	for (size_t p = 0; p < world->count; p++)
		for (uint32_t g = graph->first_edge[block]; g < graph->first_edge[block + 1]; g++)
			for (size_t q = 0; q < world->count; q++) {
				int at_p = position(&world->path[p], correlation->edge, correlation->determined);
				int at_q = position(&world->path[q], WM_NONE, g);
				if (g == correlation->determined || at_p < 0 || at_q < 0)
					continue;
				exchange(&other, p, q, at_p, at_q);
				for (uint32_t e = 0; e < graph->edge_count; e++)
					assert_int_equal(count_outcome(&other, e), count_outcome(world, e));
				assert_true(count_pair(&other, correlation->edge, g) > 0);
				return;
			}
	fail();
}

static void edge_counts_cannot_show_them(void **state)
{
	struct random random = {11};
	size_t refuted = 0;
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct world world;
		struct wm_correlation *list;
		size_t count;
		make_world(&world, true, &random);
		world.count = world.count > PATHS - 2 ? PATHS - 2 : world.count;
		assert_int_equal(wm_correlations_find(
					 &world.graph, world.path, world.count, NO_BUDGET, &list, &count, &world.arena),
			WM_OK);
		for (size_t i = 0; i < count; i++, refuted++)
			refute(&world, &list[i]);
		wm_arena_release(&world.arena);
	}
	assert_true(refuted > ROUNDS);
}

/* Two decisions in a row, and what is said of them. */
static void by_hand(void **state)
{
	struct wm_graph_builder builder;
	struct world world = {0};
	struct wm_correlation *list;
	size_t count;
	(void)state;
	wm_arena_init(&world.arena);
	assert_int_equal(wm_graph_builder_init(&builder, &world.arena, 5), WM_OK);
	/* 0 decides for 1 or 2, which meet in 2; 2 decides for 3 or 4 */
	const uint32_t successor[][2] = {{1, 2}, {2, 0}, {3, 4}, {0, 0}, {0, 0}}, degree[] = {2, 1, 2, 0, 0};
	for (int b = 0; b < 5; b++)
		assert_int_equal(wm_graph_builder_add(
					 &builder, successor[b], degree[b], degree[b] ? WM_END_NONE : WM_END_RETURN),
			WM_OK);
	assert_int_equal(wm_graph_builder_finish(&builder, &world.graph), WM_OK);
	uint32_t yes = wm_graph_find_edge(&world.graph, 0, 1), no = wm_graph_find_edge(&world.graph, 0, 2);
	uint32_t three = wm_graph_find_edge(&world.graph, 2, 3), four = wm_graph_find_edge(&world.graph, 2, 4);
	const struct wm_decided_path path[] = {{2, (uint32_t[]){yes, three}, 0, 10}, {2, (uint32_t[]){no, four}, 0, 20},
		{2, (uint32_t[]){no, three}, 0, 10}};
	assert_int_equal(wm_correlations_find(&world.graph, path, 3, 6, &list, &count, &world.arena), WM_OK);
	assert_int_equal(count, 1);
	assert_true(list[0].edge == yes && list[0].determined == three && list[0].count == 10);
	assert_true(list[0].outcomes == 20 && list[0].decisions == 40 && list[0].bits == 10.0);
	/* what follows both outcomes is no news, nor is an outcome that is the only one */
	assert_int_equal(wm_correlations_find(&world.graph,
				 (struct wm_decided_path[]){path[0], path[2], {1, (uint32_t[]){four}, 0, 5}}, 3, 10,
				 &list, &count, &world.arena),
		WM_OK);
	assert_int_equal(count, 0);
	assert_int_equal(wm_correlations_find(&world.graph, path, 1, 10, &list, &count, &world.arena), WM_OK);
	assert_int_equal(count, 0);
	assert_int_equal(wm_correlations_find(&world.graph, path, 3, 5, &list, &count, &world.arena), WM_TOO_MANY);
	assert_int_equal(wm_correlations_find(&world.graph, NULL, 0, 0, &list, &count, &world.arena), WM_OK);
	assert_int_equal(count, 0);
	wm_arena_release(&world.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(random_paths),
		cmocka_unit_test(edge_counts_cannot_show_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
