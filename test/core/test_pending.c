/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pending paths (core/probes/pending.h): at every block of random walks, the decoded path is what the definition of the
 * scheme says of the walk. */
#include "core/probes/pending.h"
#include "core/scheme/kiter.h"
#include "test/core/iterate.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPHS = 1500, WALKS = 8, STEPS = 120, SAVED = 700 };

struct walk {
	const struct wm_graph *graph;
	struct wm_pending pending;
	struct iterate iterate;
	uint32_t block[STEPS + 1]; /* since the function was entered */
	uint32_t length;
	uint64_t value, saved[SAVED], piece[WM_PENDING_PIECES]; /* the pieces begin with anything, too */
	uint32_t longest; /* of the lists of earlier pieces that a pending path had */
};

static void keep_piece(struct walk *walk, uint32_t loop, uint64_t piece)
{
	uint32_t head = walk->pending.plan.iterations->iterated[loop].head, kept = walk->pending.earlier[head];
	assert_true(kept >= 1 && kept <= walk->pending.most_earlier);
	memmove(walk->piece + 1, walk->piece, (kept - 1) * sizeof *walk->piece);
	walk->piece[0] = piece;
}

static void run(struct walk *walk, const struct wm_probe *probe)
{
	for (uint32_t i = 0; i < probe->count; i++) {
		const struct wm_action *action = &probe->action[i];
		uint64_t operand = (uint64_t)action->value;
		switch (action->kind) {
		case WM_ACTION_SET:
			walk->value = operand;
			break;
		case WM_ACTION_ADD:
			walk->value += operand;
			break;
		case WM_ACTION_SAVE:
			walk->saved[operand] = walk->value;
			break;
		case WM_ACTION_RESTORE:
			walk->value = walk->saved[operand];
			break;
		case WM_ACTION_PIECE:
			keep_piece(walk, action->loop, walk->value + operand);
			break;
		case WM_ACTION_PIECE_AT:
			keep_piece(walk, action->loop, operand);
			break;
		default:
			assert_true(action->kind == WM_ACTION_COUNT || action->kind == WM_ACTION_COUNT_AT);
		}
	}
}

static uint32_t iterations_of(const struct walk *walk, const struct wm_block_path *path)
{
	uint32_t sum = 0;
	const struct wm_plan *plan = &walk->pending.plan;
	for (uint32_t i = 1; i < path->length && plan->iterations; i++)
		sum += plan->dfs.back_edge[wm_graph_find_edge(plan->graph, path->block[i - 1], path->block[i])];
	return sum;
}

/* Only as many pieces as pending.earlier says are given. */
static void expect_path(struct walk *walk)
{
	struct wm_arena arena;
	struct wm_block_path path;
	struct iterate_path expected;
	bool whole = false;
	uint32_t block = walk->block[walk->length - 1];
	struct wm_pending_state state = {block, walk->value, walk->piece, 0};
	if (walk->pending.earlier)
		state.piece_count = walk->pending.earlier[block];
	wm_arena_init(&arena);
	iterate_pending(&walk->iterate, walk->block, walk->length, &expected);
	assert_int_equal(wm_pending_decode(&walk->pending, &state, &path, &whole, &arena), WM_OK);
	assert_true(whole);
	assert_int_equal(path.length, expected.length);
	assert_memory_equal(path.block, expected.block, path.length * sizeof *path.block);
	assert_int_equal(path.start == WM_START_ENTRY, expected.start == WM_START_ENTRY);
	uint32_t found = iterations_of(walk, &path);
	walk->longest = found > walk->longest ? found : walk->longest;
	/* With one piece less, a path that needs all of them is told to be incomplete. */
	if (found && found == state.piece_count) {
		state.piece_count--;
		assert_int_equal(wm_pending_decode(&walk->pending, &state, &path, &whole, &arena), WM_OK);
		assert_false(whole);
		assert_true(path.length < expected.length);
		assert_memory_equal(
			path.block, expected.block + (expected.length - path.length), path.length * sizeof *path.block);
	}
	free(expected.block);
	wm_arena_release(&arena);
}

static void step(struct walk *walk, struct random *random)
{
	const struct wm_graph *graph = walk->graph;
	uint32_t from = walk->block[walk->length - 1];
	uint32_t edge =
		graph->first_edge[from] + random_below(random, graph->first_edge[from + 1] - graph->first_edge[from]);
	run(walk, &walk->pending.program.edge[edge]);
	walk->block[walk->length++] = graph->edge_to[edge];
}

/* The register begins with anything. */
static void take_walk(struct walk *walk, struct random *random)
{
	walk->value = random_next(random);
	for (uint32_t i = 0; i < WM_PENDING_PIECES; i++)
		walk->piece[i] = random_next(random);
	walk->length = 1;
	walk->block[0] = 0;
	run(walk, &walk->pending.program.entry);
	expect_path(walk);
	for (int i = 0; i < STEPS; i++) {
		uint32_t from = walk->block[walk->length - 1];
		if (walk->graph->first_edge[from] == walk->graph->first_edge[from + 1])
			return;
		step(walk, random);
		expect_path(walk);
	}
}

struct sample {
	struct wm_graph graph;
	struct wm_plan plan;
	struct wm_scheme_choice choice;
	char scheme[256];
	uint32_t *own; /* per block: the k chosen for the loop of this head, or 0 */
	struct wm_arena arena;
};

/* Gives some loops a k of their own, also loops that are not innermost. */
static void choose_loops(struct sample *s, struct random *random)
{
	size_t used = strlen(s->scheme);
	assert_int_equal(wm_plan_make(&s->plan, &s->graph, &wm_scheme_acyclic, 0, &s->arena), WM_OK);
	for (uint32_t b = 0; b < s->graph.block_count && used < sizeof s->scheme - 32; b++) {
		if (!s->plan.dfs.is_head[b] || random_below(random, 3))
			continue;
		s->own[b] = 1 + random_below(random, 4);
		used += (size_t)snprintf(s->scheme + used, sizeof s->scheme - used, ",%u:%u", b, s->own[b]);
	}
}

static void init_oracle(struct walk *walk, struct sample *s, struct oracle *oracle)
{
	uint32_t most = s->plan.most_iterations ? s->plan.most_iterations : UINT32_MAX;
	for (uint32_t b = 0; b < s->graph.block_count; b++)
		s->own[b] = s->own[b] < most ? s->own[b] : most;
	oracle_init(oracle, &s->graph, walk->pending.plan.cut, 1);
	if (s->choice.scheme->contexts)
		iterate_init_context(&walk->iterate, oracle);
	else
		iterate_init(&walk->iterate, oracle, s->choice.k < most ? s->choice.k : most, s->own);
}

/* Whether some path had as many earlier pieces as are kept. */
static bool check_plan(struct sample *s, struct random *random)
{
	struct walk walk = {.graph = &s->graph};
	struct oracle oracle;
	assert_int_equal(wm_pending_make(&walk.pending, &s->graph, &s->plan, &s->arena), WM_OK);
	assert_true(walk.pending.program.saved_count <= SAVED);
	init_oracle(&walk, s, &oracle);
	for (int w = 0; w < WALKS; w++)
		take_walk(&walk, random);
	iterate_release(&walk.iterate);
	oracle_release(&oracle);
	return walk.pending.most_earlier && walk.longest == walk.pending.most_earlier;
}

/* Counts the graphs in which some path had as many earlier pieces as are kept.  Every seventh graph is cut, or has fewer
 * iterations or pieces instead. */
static uint32_t check_scheme(const char *scheme, uint32_t graphs, uint32_t largest)
{
	struct random random = {71};
	uint32_t full = 0;
	for (uint32_t i = 0; i < graphs; i++) {
		struct sample s = {0};
		uint32_t size = i % 50 ? 2 + random_below(&random, 40) : largest, limit = i % 7 ? 0 : 100 + i;
		wm_arena_init(&s.arena);
		snprintf(s.scheme, sizeof s.scheme, "%s", scheme);
		assert_int_equal(
			random_graph(&s.graph, (enum random_shape)(i % RANDOM_SHAPES), size, &random, &s.arena), WM_OK);
		s.own = WM_NEW(&s.arena, uint32_t, s.graph.block_count);
		if (!strcmp(scheme, "kiter=3"))
			choose_loops(&s, &random);
		assert_int_equal(wm_scheme_parse(s.scheme, &s.choice), WM_OK);
		enum wm_status status = wm_plan_choose(&s.plan, &s.graph, &s.choice, limit, &s.arena);
		assert_true(status == WM_OK || limit);
		full += status == WM_OK && check_plan(&s, &random);
		wm_arena_release(&s.arena);
	}
	return full;
}

static void test_acyclic(void **state)
{
	(void)state;
	check_scheme("acyclic", GRAPHS, 600);
	check_scheme("preferential", GRAPHS / 10, 60);
}

static void test_iterations(void **state)
{
	(void)state;
	assert_true(check_scheme("kiter=2", GRAPHS, 200) > 100);
	assert_true(check_scheme("kiter=3", GRAPHS / 2, 100) > 20);
	assert_true(check_scheme("kiter=5,sequences", GRAPHS / 2, 100) > 5);
}

static void test_contexts(void **state)
{
	(void)state;
	check_scheme("loopcontext", GRAPHS, 100);
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
	bool whole;
	static const uint32_t diamond[] = {1, 2}, join[] = {3};
	wm_arena_init(&arena);
	assert_int_equal(wm_graph_builder_init(&builder, &arena, 4), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, diamond, 2, WM_END_NONE), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, join, 1, WM_END_NONE), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, join, 1, WM_END_NONE), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, NULL, 0, WM_END_RETURN), WM_OK);
	assert_int_equal(wm_graph_builder_finish(&builder, &graph), WM_OK);
	assert_int_equal(wm_pending_make(&pending, &graph, NULL, &arena), WM_OK);
	assert_true(pending.single[1] && pending.single[2] && !pending.single[3]);
	assert_int_equal(
		wm_pending_decode(&pending, &(struct wm_pending_state){1, 12345, NULL, 0}, &path, &whole, &arena),
		WM_OK);
	uint64_t good = -pending.missing[3];
	assert_int_equal(
		wm_pending_decode(&pending, &(struct wm_pending_state){3, good, NULL, 0}, &path, &whole, &arena),
		WM_OK);
	assert_int_equal(
		wm_pending_decode(&pending, &(struct wm_pending_state){3, good + 1, NULL, 0}, &path, &whole, &arena),
		WM_OK);
	path.length = 77;
	assert_int_equal(
		wm_pending_decode(&pending, &(struct wm_pending_state){3, good + 2, NULL, 0}, &path, &whole, &arena),
		WM_BAD_PATH);
	assert_int_equal(
		wm_pending_decode(&pending, &(struct wm_pending_state){3, good - 1, NULL, 0}, &path, &whole, &arena),
		WM_BAD_PATH);
	assert_int_equal(path.length, 77);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_acyclic),
		cmocka_unit_test(test_iterations),
		cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
