/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Depth-first search, loops and dominators against their definitions, on random graphs. */
#include "core/graph/dominators.h"
#include "test/core/oracle.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCKS 128

struct sample {
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_dfs dfs;
	struct wm_loops loops;
	uint32_t preorder[MAX_BLOCKS], last[MAX_BLOCKS]; /* of an own search; WM_NONE: not reached */
};

/* ---- Brute force --------------------------------------------------------- */

/* Blocks that `from` reaches without entering a block outside `inside` (NULL: all). */
static void reach(const struct wm_graph *g, uint32_t from, const bool *inside, bool *reached)
{
	uint32_t stack[MAX_BLOCKS], depth = 0;
	memset(reached, 0, MAX_BLOCKS);
	if (inside && !inside[from])
		return;
	reached[stack[depth++] = from] = true;
	while (depth) {
		uint32_t at = stack[--depth];
		for (uint32_t e = g->first_edge[at]; e < g->first_edge[at + 1]; e++) {
			uint32_t to = g->edge_to[e];
			if (!reached[to] && (!inside || inside[to]))
				reached[stack[depth++] = to] = true;
		}
	}
}

static void number_blocks(struct sample *s)
{
	const struct wm_graph *g = &s->graph;
	uint32_t stack[MAX_BLOCKS], next[MAX_BLOCKS] = {0}, depth = 0, count = 0;
	memset(s->preorder, 0xff, sizeof s->preorder);
	s->preorder[stack[depth++] = 0] = count++;
	while (depth) {
		uint32_t at = stack[depth - 1], e = g->first_edge[at] + next[at]++;
		if (e == g->first_edge[at + 1]) {
			s->last[at] = count - 1;
			depth--;
		} else if (s->preorder[g->edge_to[e]] == WM_NONE) {
			s->preorder[stack[depth++] = g->edge_to[e]] = count++;
		}
	}
}

static bool in_subtree(const struct sample *s, uint32_t block, uint32_t root)
{
	return s->preorder[block] != WM_NONE && s->preorder[block] >= s->preorder[root] &&
	       s->preorder[block] <= s->last[root];
}

/* The blocks of the depth-first subtree of `head` that reach it inside that subtree. */
static void loop_body(const struct sample *s, uint32_t head, bool *body)
{
	bool inside[MAX_BLOCKS], reached[MAX_BLOCKS];
	for (uint32_t b = 0; b < s->graph.block_count; b++)
		inside[b] = in_subtree(s, b, head);
	for (uint32_t b = 0; b < s->graph.block_count; b++) {
		reach(&s->graph, b, inside, reached);
		body[b] = reached[head];
	}
}

/* ---- Checks -------------------------------------------------------------- */

static void check_dfs(const struct sample *s)
{
	struct oracle oracle;
	oracle_init(&oracle, &s->graph, NULL, 1);
	for (uint32_t e = 0; e < s->graph.edge_count; e++)
		assert_int_equal(s->dfs.back_edge[e], oracle.back[e]);
	for (uint32_t b = 0; b < s->graph.block_count; b++) {
		assert_int_equal(s->dfs.is_head[b], oracle.head[b]);
		assert_int_equal(s->dfs.position[b] != WM_NONE, oracle.reached[b]);
		if (oracle.reached[b])
			assert_int_equal(s->dfs.reverse_postorder[s->dfs.position[b]], b);
	}
	for (uint32_t e = 0; e < s->graph.edge_count; e++)
		if (oracle.reached[s->graph.edge_from[e]] && !oracle.back[e])
			assert_true(s->dfs.position[s->graph.edge_from[e]] < s->dfs.position[s->graph.edge_to[e]]);
	oracle_release(&oracle);
}

/* By definition: without `above`, the entry does not reach `below`. */
static bool dominates(const struct sample *s, uint32_t above, uint32_t below)
{
	bool without[MAX_BLOCKS], reached[MAX_BLOCKS];
	for (uint32_t b = 0; b < s->graph.block_count; b++)
		without[b] = b != above;
	reach(&s->graph, 0, without, reached);
	return !reached[below];
}

static bool is_irreducible(const struct sample *s, uint32_t head, const bool *body)
{
	for (uint32_t b = 0; b < s->graph.block_count; b++)
		if (body[b] && !dominates(s, head, b))
			return true;
	return false;
}

static void check_loops(const struct sample *s)
{
	uint32_t n = s->graph.block_count, heads = 0, inner[MAX_BLOCKS], outer[MAX_BLOCKS];
	memset(inner, 0xff, sizeof inner);
	memset(outer, 0xff, sizeof outer);
	for (uint32_t i = 0; i < s->dfs.reached; i++) {
		uint32_t head = s->dfs.reverse_postorder[i];
		bool body[MAX_BLOCKS];
		if (!s->dfs.is_head[head])
			continue;
		loop_body(s, head, body);
		assert_true(heads < s->loops.count);
		assert_int_equal(s->loops.loop[heads].head, head);
		assert_int_equal(s->loops.loop[heads].irreducible, is_irreducible(s, head, body));
		outer[heads] = inner[head];
		for (uint32_t b = 0; b < n; b++)
			if (body[b])
				inner[b] = heads;
		heads++;
	}
	assert_int_equal(s->loops.count, heads);
	for (uint32_t i = 0; i < heads; i++) {
		assert_int_equal(s->loops.loop[i].parent, outer[i]);
		assert_int_equal(s->loops.loop[i].depth, outer[i] == WM_NONE ? 1 : s->loops.loop[outer[i]].depth + 1);
	}
	assert_memory_equal(s->loops.loop_of, inner, n * sizeof *inner);
}

/* By definition: without the edge, the entry does not reach the block. */
static bool is_gate(const struct sample *s, uint32_t edge, uint32_t block)
{
	const struct wm_graph *g = &s->graph;
	uint32_t stack[MAX_BLOCKS], depth = 0;
	bool reached[MAX_BLOCKS] = {[0] = true};
	stack[depth++] = 0;
	while (depth) {
		uint32_t at = stack[--depth];
		for (uint32_t e = g->first_edge[at]; e < g->first_edge[at + 1]; e++)
			if (e != edge && !reached[g->edge_to[e]])
				reached[stack[depth++] = g->edge_to[e]] = true;
	}
	return !reached[block];
}

/* The gates of a block and of the blocks that dominate it, and these blocks, are all that the entry needs to reach it. */
static void check_dominators(const struct sample *s, struct wm_arena *arena)
{
	const struct wm_graph *g = &s->graph;
	struct wm_dominators found;
	assert_int_equal(wm_dominators_run(&found, g, &s->dfs, arena), WM_OK);
	for (uint32_t b = 0; b < g->block_count; b++) {
		bool above[MAX_BLOCKS] = {0}, *gate = WM_NEW(arena, bool, g->edge_count);
		for (uint32_t a = b; s->dfs.position[b] != WM_NONE && a != WM_NONE; a = found.parent[a]) {
			above[a] = true;
			if (found.gate[a] != WM_NONE)
				gate[found.gate[a]] = true;
		}
		if (s->dfs.position[b] == WM_NONE) {
			assert_true(found.parent[b] == WM_NONE && found.gate[b] == WM_NONE);
			continue;
		}
		for (uint32_t a = 0; a < g->block_count; a++)
			assert_int_equal(above[a], dominates(s, a, b));
		for (uint32_t e = 0; e < g->edge_count; e++)
			assert_int_equal(gate[e], is_gate(s, e, b));
	}
}

static uint32_t check_seed(uint64_t seed)
{
	struct sample s;
	struct random random = {seed};
	wm_arena_init(&s.arena);
	assert_int_equal(
		random_graph(&s.graph, seed % RANDOM_SHAPES, 1 + (uint32_t)seed % 41, &random, &s.arena), WM_OK);
	assert_true(s.graph.block_count <= MAX_BLOCKS);
	assert_int_equal(wm_dfs_run(&s.dfs, &s.graph, &s.arena), WM_OK);
	assert_int_equal(wm_loops_run(&s.loops, &s.graph, &s.dfs, &s.arena), WM_OK);
	number_blocks(&s);
	check_dfs(&s);
	check_loops(&s);
	check_dominators(&s, &s.arena);
	uint32_t irreducible = 0;
	for (uint32_t i = 0; i < s.loops.count; i++)
		irreducible += s.loops.loop[i].irreducible;
	if (seed % RANDOM_SHAPES == RANDOM_STRUCTURED)
		assert_int_equal(irreducible, 0);
	wm_arena_release(&s.arena);
	return irreducible;
}

static void test_random_graphs(void **state)
{
	(void)state;
	uint32_t irreducible = 0;
	for (uint64_t seed = 0; seed < 3000; seed++)
		irreducible += check_seed(seed);
	assert_true(irreducible > 500);
}

static void test_builder_refuses(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_graph_builder builder;
	struct wm_graph graph = {0};
	const uint32_t far = 2, both[] = {1, 1, 0, 1};
	wm_arena_init(&arena);
	assert_int_equal(wm_graph_builder_init(&builder, &arena, 0), WM_BAD_GRAPH);
	assert_int_equal(wm_graph_builder_init(&builder, &arena, UINT32_MAX), WM_BAD_GRAPH);
	assert_int_equal(wm_graph_builder_init(&builder, &arena, 2), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, &far, 1, WM_END_NONE), WM_BAD_GRAPH);
	assert_int_equal(wm_graph_builder_add(&builder, NULL, 0, WM_END_NONE), WM_BAD_GRAPH);
	assert_int_equal(wm_graph_builder_add(&builder, both, 4, WM_END_RETURN), WM_BAD_GRAPH);
	assert_int_equal(wm_graph_builder_add(&builder, both, 4, WM_END_NONE), WM_OK);
	assert_int_equal(wm_graph_builder_finish(&builder, &graph), WM_BAD_GRAPH);
	assert_int_equal(graph.block_count, 0);
	assert_int_equal(wm_graph_builder_add(&builder, NULL, 0, WM_END_UNWIND), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, NULL, 0, WM_END_RETURN), WM_BAD_GRAPH);
	assert_int_equal(wm_graph_builder_finish(&builder, &graph), WM_OK);
	assert_int_equal(graph.edge_count, 2);
	assert_int_equal(wm_graph_find_edge(&graph, 0, 1), 0);
	assert_int_equal(wm_graph_find_edge(&graph, 0, 0), 1);
	assert_int_equal(wm_graph_find_edge(&graph, 1, 0), WM_NONE);
	assert_int_equal(wm_graph_find_edge(&graph, 7, 0), WM_NONE);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_graphs),
		cmocka_unit_test(test_builder_refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
