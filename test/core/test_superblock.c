/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Superblocks: figure 2.1 of the thesis; then random graphs, walks and traces against the definition. */
#include "core/graph/cfgtext.h"
#include "core/superblock/routing.h"
#include "core/superblock/superblock.h"
#include "test/core/iterate.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 1200, WALKS = 12, LENGTH = 120, TRACES = 10, MAX_LISTED = 2000 };

struct walk {
	uint32_t length, block[LENGTH];
	bool left;
};

struct world {
	struct wm_arena arena;
	struct random random;
	struct wm_graph graph;
	struct oracle oracle;
	struct iterate iterate;
	struct walk walk[WALKS];
	struct wm_routed_path *path; /* those that the walks have */
	size_t path_count;
	uint32_t *size; /* per block */
	struct wm_superblocks superblocks;
	struct wm_trace trace[TRACES]; /* that were added */
	uint32_t trace_count;
	struct wm_shape shape;
};

/* ---- Random programs ---------------------------------------------------------------------------- */

/* To an exit if that is possible. */
static void draw_walk(struct world *w, struct walk *walk)
{
	uint32_t block = 0;
	walk->length = 0;
	while (walk->length < LENGTH) {
		walk->block[walk->length++] = block;
		uint32_t first = w->graph.first_edge[block], degree = w->graph.first_edge[block + 1] - first;
		walk->left = !degree;
		if (!degree)
			break;
		uint32_t next = w->graph.edge_to[first + random_below(&w->random, degree)];
		for (uint32_t i = 0; i < degree && walk->length > LENGTH / 2; i++)
			if (distance_to_exit(&w->graph, w->graph.edge_to[first + i]) <
				distance_to_exit(&w->graph, next))
				next = w->graph.edge_to[first + i];
		block = next;
	}
}

static void count_paths(struct world *w)
{
	uint64_t *count = WM_NEW(&w->arena, uint64_t, w->iterate.count + (size_t)1);
	w->path = WM_NEW(&w->arena, struct wm_routed_path, w->iterate.count + (size_t)1);
	for (uint32_t i = 0; i < WALKS; i++)
		if (w->walk[i].left)
			iterate_count(&w->iterate, w->walk[i].block, w->walk[i].length, true, count);
	for (uint32_t i = 0; i < w->iterate.count; i++) {
		const struct iterate_path *p = &w->iterate.path[i];
		struct wm_block_path path = {.length = p->length,
			.block = p->block,
			.start = p->start,
			.last_edge = p->last_edge,
			.fresh = p->fresh,
			.again = p->again};
		if (count[i])
			w->path[w->path_count++] = (struct wm_routed_path){path, count[i]};
	}
}

/* A part of a walk; `acyclic`: of what lies between two ends of paths. */
static bool draw_trace(struct world *w, struct wm_trace *trace, bool acyclic)
{
	const struct walk *walk = &w->walk[random_below(&w->random, WALKS)];
	uint32_t first = random_below(&w->random, walk->length), most = 2 + random_below(&w->random, 8);
	*trace = (struct wm_trace){1, walk->block + first};
	while (trace->length < most && first + trace->length < walk->length) {
		const uint32_t *at = trace->block + trace->length;
		if (acyclic && w->oracle.back[wm_graph_find_edge(&w->graph, at[-1], at[0])])
			break;
		trace->length++;
	}
	return trace->length > 1;
}

/* ---- The definition -------------------------------------------------------------------------------- */

/* Whether the blocks before `end` are the beginning of a trace. */
static bool is_beginning(const struct world *w, const uint32_t *end, uint32_t length)
{
	for (uint32_t t = 0; t < w->trace_count; t++)
		if (w->trace[t].length >= length && !memcmp(w->trace[t].block, end - length, length * sizeof *end))
			return true;
	return false;
}

static uint32_t longest_beginning(const struct world *w, const struct walk *walk, uint32_t at)
{
	for (uint32_t length = at + 1; length > 1; length--)
		if (is_beginning(w, walk->block + at + 1, length))
			return length;
	return 1;
}

/* Follows a walk through the shape, checks every instance, and counts. */
static void follow_walk(const struct world *w, const struct walk *walk, uint64_t *block, uint64_t *edge)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < walk->length; i++) {
		assert_int_equal(w->shape.origin[at], walk->block[i]);
		assert_int_equal(w->superblocks.beginning[at].length, longest_beginning(w, walk, i));
		block[at]++;
		if (i + 1 == walk->length)
			break;
		uint32_t taken = wm_graph_find_edge(&w->graph, walk->block[i], walk->block[i + 1]);
		uint32_t e = w->shape.graph.first_edge[at] + taken - w->graph.first_edge[walk->block[i]];
		assert_int_equal(wm_shape_edge_origin(&w->shape, e), taken);
		edge[e]++;
		at = w->shape.graph.edge_to[e];
	}
}

/* ---- The checks ------------------------------------------------------------------------------------ */

/* Every instance has the out-edges of its origin, so the walks of the two graphs are the same. */
static void check_walks(const struct world *w)
{
	const struct wm_graph *graph = &w->shape.graph;
	for (uint32_t b = 0; b < graph->block_count; b++) {
		uint32_t origin = w->shape.origin[b], first = w->graph.first_edge[origin];
		assert_int_equal(
			graph->first_edge[b + 1] - graph->first_edge[b], w->graph.first_edge[origin + 1] - first);
		assert_int_equal(graph->end[b], w->graph.end[origin]);
		for (uint32_t e = graph->first_edge[b]; e < graph->first_edge[b + 1]; e++)
			assert_int_equal(
				w->shape.origin[graph->edge_to[e]], w->graph.edge_to[first + e - graph->first_edge[b]]);
	}
	assert_int_equal(w->shape.origin[0], 0);
}

static uint64_t reached_size(const struct world *w, const struct wm_graph *graph, const uint32_t *origin)
{
	bool *reached = calloc(graph->block_count, sizeof *reached);
	uint32_t *stack = calloc(graph->block_count, sizeof *stack), top = 1;
	uint64_t size = 0;
	reached[0] = true;
	while (top) {
		uint32_t b = stack[--top];
		size += w->size[origin ? origin[b] : b];
		for (uint32_t e = graph->first_edge[b]; e < graph->first_edge[b + 1]; e++)
			if (!reached[graph->edge_to[e]]) {
				reached[graph->edge_to[e]] = true;
				stack[top++] = graph->edge_to[e];
			}
	}
	free(reached);
	free(stack);
	return size;
}

static uint32_t count_irreducible(struct world *w, const struct wm_graph *graph)
{
	struct wm_dfs dfs;
	struct wm_loops loops;
	uint32_t count = 0;
	assert_int_equal(wm_dfs_run(&dfs, graph, &w->arena), WM_OK);
	assert_int_equal(wm_loops_run(&loops, graph, &dfs, &w->arena), WM_OK);
	for (uint32_t i = 0; i < loops.count; i++)
		count += loops.loop[i].irreducible;
	return count;
}

static void check_limits(struct world *w, const struct wm_superblock_limits *limits)
{
	uint64_t before = reached_size(w, &w->graph, NULL), after = reached_size(w, &w->shape.graph, w->shape.origin);
	assert_int_equal(w->superblocks.size, after);
	assert_true(after <= before + limits->growth);
	if (!limits->irreducible)
		assert_true(count_irreducible(w, &w->shape.graph) <= count_irreducible(w, &w->graph));
}

/* The flow of the shape, projected on origins, is that of the original. */
static void check_projection(struct world *w, const struct wm_routing *routing)
{
	struct wm_shape_builder builder;
	struct wm_shape plain;
	struct wm_routing original;
	uint64_t *edge = WM_NEW(&w->arena, uint64_t, w->graph.edge_count + (size_t)1);
	assert_int_equal(wm_shape_builder_init(&builder, &w->graph, &w->arena), WM_OK);
	assert_int_equal(wm_shape_builder_finish(&builder, &plain), WM_OK);
	assert_int_equal(wm_route(&original, &plain, w->path, w->path_count, &w->arena), WM_OK);
	for (uint32_t e = 0; e < w->shape.graph.edge_count; e++)
		edge[wm_shape_edge_origin(&w->shape, e)] += routing->edge[e];
	assert_memory_equal(edge, original.edge, w->graph.edge_count * sizeof *edge);
	assert_int_equal(routing->entries, original.entries);
}

/* Returns whether paths tell the counts of the shape. */
static bool check_counts(struct world *w)
{
	uint64_t *block = WM_NEW(&w->arena, uint64_t, w->shape.graph.block_count);
	uint64_t *edge = WM_NEW(&w->arena, uint64_t, w->shape.graph.edge_count + (size_t)1);
	struct wm_routing routing;
	for (uint32_t i = 0; i < WALKS; i++)
		if (w->walk[i].left)
			follow_walk(w, &w->walk[i], block, edge);
	enum wm_status status = wm_route(&routing, &w->shape, w->path, w->path_count, &w->arena);
	if (status == WM_UNKNOWN)
		return false;
	assert_int_equal(status, WM_OK);
	assert_memory_equal(routing.block, block, w->shape.graph.block_count * sizeof *block);
	assert_memory_equal(routing.edge, edge, w->shape.graph.edge_count * sizeof *edge);
	check_projection(w, &routing);
	return true;
}

static void check_same(const struct world *w)
{
	struct wm_arena arena;
	struct wm_superblocks again;
	struct wm_shape shape;
	wm_arena_init(&arena);
	assert_int_equal(wm_superblocks_init(&again, &w->graph, &w->superblocks.limits, &arena), WM_OK);
	for (uint32_t i = 0; i < w->trace_count; i++)
		assert_int_equal(wm_superblocks_add(&again, &w->trace[i]), WM_OK);
	assert_int_equal(wm_superblocks_finish(&again, &shape, &arena), WM_OK);
	assert_int_equal(shape.graph.block_count, w->shape.graph.block_count);
	assert_int_equal(shape.graph.edge_count, w->shape.graph.edge_count);
	assert_memory_equal(shape.graph.edge_to, w->shape.graph.edge_to, shape.graph.edge_count * sizeof(uint32_t));
	wm_arena_release(&arena);
}

/* ---- The tests ------------------------------------------------------------------------------------- */

struct tally {
	uint32_t formed, counted, refused;
};

static void form(struct world *w, bool acyclic, struct tally *tally)
{
	struct wm_superblock_limits limits = {
		.growth = random_below(&w->random, 60), .irreducible = random_below(&w->random, 2), .size = w->size};
	assert_int_equal(wm_superblocks_init(&w->superblocks, &w->graph, &limits, &w->arena), WM_OK);
	for (uint32_t i = 0; i < TRACES; i++) {
		struct wm_trace *trace = &w->trace[w->trace_count];
		if (!draw_trace(w, trace, acyclic))
			continue;
		enum wm_status status = wm_superblocks_add(&w->superblocks, trace);
		assert_true(status == WM_OK || status == WM_TOO_MANY);
		w->trace_count += status == WM_OK;
		tally->refused += status == WM_TOO_MANY;
	}
	assert_int_equal(wm_superblocks_finish(&w->superblocks, &w->shape, &w->arena), WM_OK);
	check_walks(w);
	check_limits(w, &limits);
	check_same(w);
	bool counted = check_counts(w);
	assert_true(counted || !acyclic);
	tally->formed++;
	tally->counted += counted;
}

/* `k` is that of kiter; 0: paths with context. */
static void run(struct world *w, uint32_t k, struct tally *tally)
{
	enum random_shape shape = (enum random_shape)random_below(&w->random, RANDOM_SHAPES);
	assert_int_equal(
		random_graph(&w->graph, shape, 4 + random_below(&w->random, 16), &w->random, &w->arena), WM_OK);
	if (!oracle_init(&w->oracle, &w->graph, NULL, MAX_LISTED)) {
		oracle_release(&w->oracle);
		return;
	}
	w->size = WM_NEW(&w->arena, uint32_t, w->graph.block_count);
	for (uint32_t b = 0; b < w->graph.block_count; b++)
		w->size[b] = random_below(&w->random, 12);
	if (k)
		iterate_init(&w->iterate, &w->oracle, k, NULL);
	else
		iterate_init_context(&w->iterate, &w->oracle);
	if (iterate_list(&w->iterate, MAX_LISTED)) {
		for (uint32_t i = 0; i < WALKS; i++)
			draw_walk(w, &w->walk[i]);
		count_paths(w);
		form(w, k < 2 || random_below(&w->random, 4) == 0, tally);
	}
	iterate_release(&w->iterate);
	oracle_release(&w->oracle);
}

static void test_random(void **state)
{
	(void)state;
	for (uint32_t k = 0; k <= 3; k++) {
		struct tally tally = {0};
		for (uint64_t seed = 0; seed < ROUNDS; seed++) {
			struct world w = {.random = {seed * 4 + k + 1}};
			wm_arena_init(&w.arena);
			run(&w, k, &tally);
			wm_arena_release(&w.arena);
		}
		assert_true(tally.formed > ROUNDS / 4 && tally.refused > ROUNDS / 4);
		/* Traces over back edges are counted if the iterations that paths have before tell the instance. */
		assert_true(tally.counted > tally.formed / 4);
		assert_true(k > 1 || tally.counted == tally.formed);
	}
}

/*
 * Figure 2.1, with a second pair of decisions that makes the picture whole: A and X lead to B, whose successors are C and Y.  Edges
 * have 500 executions each of A→B, X→B, B→C and B→Y, so B→Y may be taken by any number of walks that come from A.  By paths, no walk
 * does: in the superblock A B C, the second decision has one outcome.
 */
static void test_figure(void **state)
{
	(void)state;
	static const char text[] = "function f\ne -> A X\nA -> B\nX -> B\nB -> C Y\nC -> r\nY -> r\nr\n";
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	struct wm_superblocks superblocks;
	struct wm_shape shape;
	struct wm_routing routing;
	wm_arena_init(&arena);
	assert_int_equal(wm_cfg_parse(&cfg, text, strlen(text), &error, &arena), WM_OK);
	const struct wm_graph *graph = &cfg.function[0].graph;
	uint32_t e = 0, a = graph->edge_to[graph->first_edge[e]], x = graph->edge_to[graph->first_edge[e] + 1];
	uint32_t b = graph->edge_to[graph->first_edge[a]], c = graph->edge_to[graph->first_edge[b]];
	uint32_t y = graph->edge_to[graph->first_edge[b] + 1], r = graph->edge_to[graph->first_edge[c]];
	struct wm_routed_path path[2] = {
		{{.length = 5, .block = (uint32_t[]){e, a, b, c, r}, .end = WM_END_RETURN, .last_edge = WM_NONE}, 500},
		{{.length = 5, .block = (uint32_t[]){e, x, b, y, r}, .end = WM_END_RETURN, .last_edge = WM_NONE}, 500}};
	struct wm_trace trace = {3, (uint32_t[]){a, b, c}}, impossible = {2, (uint32_t[]){a, c}};
	assert_int_equal(
		wm_superblocks_init(&superblocks, graph, &(struct wm_superblock_limits){.growth = 2}, &arena), WM_OK);
	assert_int_equal(wm_superblocks_add(&superblocks, &impossible), WM_BAD_PATH);
	assert_int_equal(wm_superblocks_add(&superblocks, &trace), WM_OK);
	assert_int_equal(wm_superblocks_finish(&superblocks, &shape, &arena), WM_OK);
	assert_int_equal(superblocks.size, superblocks.original_size + 1 + 1);
	assert_int_equal(wm_route(&routing, &shape, path, 2, &arena), WM_OK);
	uint32_t copy = shape.graph.edge_to[shape.graph.first_edge[a]];
	assert_int_not_equal(copy, b);
	assert_int_equal(shape.origin[copy], b);
	assert_int_equal(shape.graph.edge_to[shape.graph.first_edge[copy] + 1], y);
	assert_int_equal(routing.edge[shape.graph.first_edge[copy]], 500);
	assert_int_equal(routing.edge[shape.graph.first_edge[copy] + 1], 0);
	assert_int_equal(routing.edge[shape.graph.first_edge[b]], 0);
	assert_int_equal(routing.edge[shape.graph.first_edge[b] + 1], 500);
	assert_int_equal(routing.block[r], 1000);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_figure), cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
