/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbering and probes of the acyclic scheme: the papers' figures, then random graphs against the definition. */
#include "core/graph/cfgtext.h"
#include "core/probes/trips.h"
#include "test/core/sample.h"
#include "test/core/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Figures ------------------------------------------------------------- */

struct figure {
	const char *text;
	const char *paths[16];
};

static const struct figure figures[] = {
	{"function fig3\ns -> a b\na -> c b\nb -> c\nc -> d t\nd -> t\nt\n",
		{"s a c d t", "s a c t", "s a b c d t", "s a b c t", "s b c d t", "s b c t"}},
	{"function fig1\n1 -> 2\n2 -> 3 4\n3 -> 5\n4 -> 5 6\n5 -> 2 6\n6\n",
		{"1 2 3 5 6", "1 2 3 5", "1 2 4 5 6", "1 2 4 5", "1 2 4 6", "2 3 5 6", "2 3 5", "2 4 5 6", "2 4 5",
			"2 4 6"}},
	{"function one\na\n", {"a"}},
	{"function self\na -> a\n", {"a", "a"}},
	{"function entry_is_head\na -> b\nb -> a c\nc\n", {"a b c", "a b", "a b c", "a b"}},
};

static void expect_path(
	const struct wm_plan *plan, const struct wm_cfg_function *function, uint64_t id, const char *expected)
{
	struct wm_arena arena;
	wm_arena_init(&arena);
	struct wm_block_path path = {0};
	assert_int_equal(wm_plan_decode(plan, id, &path, &arena), WM_OK);
	char text[256] = "";
	for (uint32_t i = 0, used = 0; i < path.length; i++)
		used += (uint32_t)snprintf(
			text + used, sizeof text - used, "%s%s", i ? " " : "", function->block_name[path.block[i]]);
	assert_string_equal(text, expected);
	wm_arena_release(&arena);
}

static void test_figures(void **state)
{
	(void)state;
	for (size_t f = 0; f < COUNT(figures); f++) {
		struct wm_arena arena;
		struct wm_cfg cfg;
		struct wm_cfg_error error;
		struct wm_plan plan;
		uint32_t count = 0;
		wm_arena_init(&arena);
		assert_int_equal(wm_cfg_parse(&cfg, figures[f].text, strlen(figures[f].text), &error, &arena), WM_OK);
		assert_int_equal(wm_plan_make(&plan, &cfg.function[0].graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
		for (; count < COUNT(figures[f].paths) && figures[f].paths[count]; count++)
			expect_path(&plan, &cfg.function[0], count, figures[f].paths[count]);
		assert_int_equal(plan.numbering.path_count, count);
		assert_int_equal(plan.cut_count, 0);
		wm_arena_release(&arena);
	}
}

/* ---- Random graphs ------------------------------------------------------- */

#define MAX_LISTED 3000

/* How many loops with one path were met: the check must not pass for want of them. */
static uint32_t trip_loops, regions;
/* Nodes whose paths were too many runs, and nodes where they were not. */
static uint32_t through[2];

static void check_path(struct sample *s, uint64_t id, uint32_t *edges, uint32_t *blocks)
{
	const struct oracle_path *expected = &s->oracle.path[id];
	struct wm_block_path path = {.block = blocks};
	assert_int_equal(wm_plan_decode(&s->plan, id, &path, &s->arena), WM_OK);
	assert_int_equal(path.length, expected->length);
	assert_memory_equal(path.block, expected->block, path.length * sizeof *path.block);
	assert_int_equal(path.start, expected->start);
	assert_int_equal(path.end, expected->end);
	assert_int_equal(path.last_edge, expected->last_edge);
	struct wm_path dag_path = {.edge = edges};
	uint64_t back;
	assert_int_equal(wm_dag_decode(&s->plan.dag, &s->plan.numbering, id, &dag_path, &s->arena), WM_OK);
	assert_int_equal(wm_dag_encode(&s->plan.dag, &s->plan.numbering, &dag_path, &back), WM_OK);
	assert_int_equal(back, id);
	dag_path.length--;
	assert_int_equal(wm_dag_encode(&s->plan.dag, &s->plan.numbering, &dag_path, &back), WM_BAD_PATH);
}

static void check_numbering(struct sample *s)
{
	assert_int_equal(s->plan.numbering.path_count, s->oracle.count);
	uint32_t *edges = calloc(s->plan.dag.node_count, sizeof *edges),
		 *blocks = calloc(s->plan.dag.node_count, sizeof *blocks);
	for (uint32_t id = 0; id < s->oracle.count; id++)
		check_path(s, id, edges, blocks);
	struct wm_block_path none = {0};
	assert_int_equal(wm_plan_decode(&s->plan, s->oracle.count, &none, &s->arena), WM_BAD_PATH);
	assert_int_equal(wm_plan_decode(&s->plan, UINT64_MAX, &none, &s->arena), WM_BAD_PATH);
	free(edges);
	free(blocks);
}

/* Which paths visit the block of a node, by listing them. */
static void check_through(struct sample *s, uint32_t node, uint32_t most)
{
	struct wm_id_runs found = {0};
	struct wm_arena arena;
	uint32_t at = 0, runs = 0;
	wm_arena_init(&arena);
	enum wm_status status = wm_dag_runs_through(&s->plan.dag, &s->plan.numbering, node, most, &found, &arena);
	bool before = false;
	for (uint32_t id = 0; id < s->oracle.count; id++) {
		const struct oracle_path *path = &s->oracle.path[id];
		bool visits = false;
		for (uint32_t i = 0; i < path->length; i++)
			visits |= path->block[i] == s->plan.dag.node_block[node];
		runs += visits && !before;
		before = visits;
		if (status != WM_OK)
			continue;
		while (at < found.count && found.run[at].first + found.run[at].count <= id)
			at++;
		assert_int_equal(visits, at < found.count && found.run[at].first <= id);
	}
	if (status == WM_OK)
		assert_int_equal(runs, found.count);
	else
		assert_int_equal(status, WM_TOO_MANY);
	through[status == WM_OK]++;
	wm_arena_release(&arena);
}

static void check_all_through(struct sample *s)
{
	for (uint32_t node = 0; node < s->plan.dag.node_count; node++)
		if (s->plan.dag.node_block[node] != WM_NONE) {
			check_through(s, node, 2);
			check_through(s, node, 64);
		}
}

struct tally {
	uint64_t *counts, limit;
};

static void count_path(void *closure, uint64_t id)
{
	struct tally *tally = closure;
	assert_true(id < tally->limit);
	tally->counts[id]++;
}

/* Trips counted in a register are lost with an abandoned frame: `whole` walks none. */
static void check_program(struct sample *s, const struct wm_probe_program *program, bool whole)
{
	uint64_t *expected = calloc(s->oracle.count, sizeof *expected);
	struct tally tally = {calloc(s->oracle.count, sizeof *expected), s->oracle.count};
	struct each_path each = {count_path, &tally};
	uint32_t walk[SAMPLE_WALK + 2];
	for (uint32_t i = 0; i < 12; i++) {
		bool left;
		uint32_t length = sample_walk(s, walk, &left);
		if (whole && !left)
			continue;
		oracle_count(&s->oracle, walk, length, left, expected);
		sample_run(s, program, walk, length, left, &each);
	}
	assert_memory_equal(tally.counts, expected, s->oracle.count * sizeof *expected);
	free(tally.counts);
	free(expected);
}

/* Weight of the register updates outside counts: what placement is there to reduce. */
static double updates(
	const struct wm_probe_program *program, const struct wm_graph *graph, const struct wm_weights *weights)
{
	double sum = program->entry.count * weights->entry;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		for (uint32_t i = 0; i < program->edge[e].count; i++)
			if (program->edge[e].action[i].kind <= WM_ACTION_ADD)
				sum += weights->edge[e];
	return sum;
}

static void random_weights(struct sample *s, struct wm_weights *weights)
{
	static const double some[] = {0, 1, 1, 2, 1e-9, 1e30, -1, NAN};
	weights->edge = WM_NEW(&s->arena, double, s->graph.edge_count);
	weights->block = WM_NEW(&s->arena, double, s->graph.block_count);
	weights->entry = random_below(&s->random, 3);
	for (uint32_t e = 0; e < s->graph.edge_count; e++)
		weights->edge[e] = some[random_below(&s->random, COUNT(some))];
	for (uint32_t b = 0; b < s->graph.block_count; b++)
		weights->block[b] = some[random_below(&s->random, COUNT(some))];
}

static void check_trips(struct sample *s, struct wm_probe_program *program, const struct wm_weights *weights)
{
	struct wm_loops loops;
	assert_int_equal(wm_loops_run(&loops, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	assert_int_equal(wm_place_trips(&s->plan, &loops, weights, NULL, program, &s->arena), WM_OK);
	check_program(s, program, true);
	trip_loops += program->trip_loop_count;
}

/* Of paths that begin inside, the sum of one that is counted is its id, and the edge the one that ends it. */
static void check_ends(const struct sample *s, const struct wm_probe_program *program)
{
	for (uint32_t r = 0; r < program->region_count; r++) {
		const struct wm_region *region = &program->region[r];
		for (uint32_t i = region->entered; i < region->paths; i++)
			if (region->end[i] != WM_NONE)
				assert_int_equal(s->oracle.path[region->sum[i]].last_edge, region->end[i]);
	}
	for (uint32_t i = 0; i < program->trip_loop_count; i++)
		assert_true(s->plan.dfs.back_edge[program->trip_loop[i].back_edge]);
}

/* Regions of every size, alone and with trips outside them. */
static void check_regions(struct sample *s, const struct wm_weights *weights)
{
	static const struct wm_region_limits limits[] = {{4, 8, 0}, {30, 60, 1}, {1000, 2000, 0}};
	struct wm_probe_program program;
	struct wm_loops loops;
	assert_int_equal(wm_loops_run(&loops, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	for (size_t i = 0; i < COUNT(limits); i++) {
		assert_int_equal(
			place_plain(&s->plan, WM_PLACE_OPTIMAL, weights, "values", &program, &s->arena), WM_OK);
		assert_int_equal(wm_place_regions(&s->plan, &loops, weights, NULL, limits[i], &program), WM_OK);
		check_program(s, &program, true);
		if (!program.trip_loop_count)
			check_program(s, &program, false);
		assert_int_equal(wm_place_trips(&s->plan, &loops, weights, NULL, &program, &s->arena), WM_OK);
		check_program(s, &program, true);
		check_ends(s, &program);
		regions += program.region_count;
	}
}

static void check_placement(struct sample *s)
{
	struct wm_probe_program naive, optimal;
	struct wm_weights weights;
	assert_int_equal(place_plain(&s->plan, WM_PLACE_NAIVE, NULL, "values", &naive, &s->arena), WM_OK);
	check_program(s, &naive, false);
	assert_int_equal(wm_weights_static(&weights, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	assert_int_equal(place_plain(&s->plan, WM_PLACE_OPTIMAL, &weights, "values", &optimal, &s->arena), WM_OK);
	check_program(s, &optimal, false);
	assert_true(optimal.probe_count <= naive.probe_count ||
		    updates(&optimal, &s->graph, &weights) < updates(&naive, &s->graph, &weights));
	assert_true(updates(&optimal, &s->graph, &weights) <= updates(&naive, &s->graph, &weights) * (1 + 1e-9));
	check_trips(s, &optimal, &weights);
	check_regions(s, &weights);
	random_weights(s, &weights);
	check_regions(s, &weights);
	assert_int_equal(place_plain(&s->plan, WM_PLACE_OPTIMAL, &weights, "values", &optimal, &s->arena), WM_OK);
	check_program(s, &optimal, false);
}

static void check_cuts(const struct sample *s, uint64_t limit)
{
	uint32_t cuts = 0;
	for (uint32_t e = 0; e < s->graph.edge_count && s->plan.cut; e++) {
		cuts += s->plan.cut[e];
		if (s->plan.cut[e])
			assert_false(s->oracle.back[e] || !s->oracle.reached[s->graph.edge_from[e]]);
	}
	assert_int_equal(cuts, s->plan.cut_count);
	assert_true(limit == 0 || s->plan.numbering.path_count <= limit);
}

/* 1 when the plan was checked, 2 when it was also cut, 0 when it has too many paths to list. */
static int check_graph(uint64_t seed, enum random_shape shape, uint32_t size, uint64_t limit)
{
	struct sample s = {.random = {seed}};
	int checked = 0;
	wm_arena_init(&s.arena);
	assert_int_equal(random_graph(&s.graph, shape, size, &s.random, &s.arena), WM_OK);
	enum wm_status status = wm_plan_make(&s.plan, &s.graph, &wm_scheme_acyclic, limit, &s.arena);
	assert_true(status == WM_OK ||
		    (status == WM_TOO_MANY && limit && limit < s.graph.edge_count + s.graph.block_count));
	if (status == WM_OK) {
		if (oracle_init(&s.oracle, &s.graph, s.plan.cut, MAX_LISTED)) {
			check_cuts(&s, limit);
			check_numbering(&s);
			check_all_through(&s);
			check_placement(&s);
			checked = s.plan.cut_count ? 2 : 1;
		} else {
			assert_true(s.plan.numbering.path_count > MAX_LISTED);
		}
		oracle_release(&s.oracle);
	}
	wm_arena_release(&s.arena);
	return checked;
}

static void test_random_graphs(void **state)
{
	(void)state;
	uint32_t checked = 0;
	for (uint64_t seed = 0; seed < 1500; seed++)
		checked +=
			check_graph(seed, (enum random_shape)(seed % RANDOM_SHAPES), 1 + (uint32_t)seed % 37, 0) != 0;
	assert_true(checked > 1200);
	assert_true(trip_loops > 200);
	assert_true(regions > 4000);
	assert_true(through[false] > 1000 && through[true] > 10000);
}

static void test_cut_graphs(void **state)
{
	(void)state;
	uint32_t cut = 0;
	for (uint64_t seed = 0; seed < 1500; seed++)
		cut += check_graph(~seed, (enum random_shape)(seed % RANDOM_SHAPES), 10 + (uint32_t)seed % 50,
			       20 + seed % 90) == 2;
	assert_true(cut > 500);
}

/* ---- Cutting where it matters -------------------------------------------- */

static void add_diamonds(struct wm_graph_builder *builder, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t b = first + i * 3, fork[] = {b + 1, b + 2}, join = b + 3;
		assert_int_equal(wm_graph_builder_add(builder, fork, 2, WM_END_NONE), WM_OK);
		assert_int_equal(wm_graph_builder_add(builder, &join, 1, WM_END_NONE), WM_OK);
		assert_int_equal(wm_graph_builder_add(builder, &join, 1, WM_END_NONE), WM_OK);
	}
}

static void diamonds(struct wm_graph *graph, uint32_t count, struct wm_arena *arena)
{
	struct wm_graph_builder builder;
	assert_int_equal(wm_graph_builder_init(&builder, arena, count * 3 + 1), WM_OK);
	add_diamonds(&builder, 0, count);
	assert_int_equal(wm_graph_builder_add(&builder, NULL, 0, WM_END_RETURN), WM_OK);
	assert_int_equal(wm_graph_builder_finish(&builder, graph), WM_OK);
}

static void test_diamonds_are_cut_rarely(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_plan plan;
	wm_arena_init(&arena);
	diamonds(&graph, 1000, &arena);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	assert_true(plan.cut_count > 0 && plan.cut_count <= 2 * 20);
	assert_true(fabs(plan.log10_paths - 1000 * log10(2)) < 1e-6);
	wm_arena_release(&arena);
}

/* 10 diamonds, a loop of 30, and 50 after it: the number of paths to the end of the function exceeds the limit first in the
 * loop, but only edges outside of it are cut, or the edge into the loop. */
static void test_loops_are_not_cut(void **state)
{
	(void)state;
	enum { HEAD = 30, LATCH = HEAD + 90, EXIT = LATCH + 1 };
	const uint32_t leave[] = {HEAD, EXIT};
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_graph_builder builder;
	struct wm_plan plan;
	wm_arena_init(&arena);
	assert_int_equal(wm_graph_builder_init(&builder, &arena, EXIT + 151), WM_OK);
	add_diamonds(&builder, 0, 10);
	add_diamonds(&builder, HEAD, 30);
	assert_int_equal(wm_graph_builder_add(&builder, leave, 2, WM_END_NONE), WM_OK);
	add_diamonds(&builder, EXIT, 50);
	assert_int_equal(wm_graph_builder_add(&builder, NULL, 0, WM_END_RETURN), WM_OK);
	assert_int_equal(wm_graph_builder_finish(&builder, &graph), WM_OK);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	assert_true(plan.cut_count > 0);
	for (uint32_t e = 0; e < graph.edge_count; e++)
		assert_false(plan.cut[e] && graph.edge_from[e] >= HEAD && graph.edge_to[e] <= LATCH);
	wm_arena_release(&arena);
}

static void test_62_diamonds_are_exact(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_plan plan;
	wm_arena_init(&arena);
	diamonds(&graph, 62, &arena);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	assert_int_equal(plan.cut_count, 0);
	assert_true(plan.numbering.path_count == 1ull << 62);
	diamonds(&graph, 63, &arena);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	assert_true(plan.cut_count > 0);
	wm_arena_release(&arena);
}

static void test_schemes(void **state)
{
	(void)state;
	struct wm_scheme_choice choice;
	assert_int_equal(wm_scheme_parse("acyclic", &choice), WM_OK);
	assert_ptr_equal(choice.scheme, &wm_scheme_acyclic);
	assert_int_equal(wm_scheme_parse("cyclic", &choice), WM_UNKNOWN);
	assert_ptr_equal(choice.scheme, &wm_scheme_acyclic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_random_graphs),
		cmocka_unit_test(test_cut_graphs),
		cmocka_unit_test(test_diamonds_are_cut_rarely),
		cmocka_unit_test(test_loops_are_not_cut),
		cmocka_unit_test(test_62_diamonds_are_exact),
		cmocka_unit_test(test_schemes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
