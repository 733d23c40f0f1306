/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths over k iterations and paths with context: the papers' figures, then random
 * graphs against the definitions. */
#include "core/graph/cfgtext.h"
#include "core/probes/iteration_window.h"
#include "core/probes/pieces_probes.h"
#include "core/scheme/kiter.h"
#include "test/core/iterate.h"
#include "test/core/placing.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LISTED 3000
#define MAX_WALK 160

struct sample {
	struct wm_arena arena;
	struct random random;
	struct wm_graph graph;
	char scheme[400];
	uint32_t *own; /* per head: its k, or 0 */
	struct wm_plan plan;
	struct oracle oracle;
	struct iterate iterate;
};

/* ---- Figures --------------------------------------------------------------- */

static const char fig1[] = "function fig1\n1 -> 2\n2 -> 3 4\n3 -> 5\n4 -> 5 6\n5 -> 2 6\n6\n";
static const char *const fig1_paths[] = {"12352356", "1235235", "12352456", "1235245", "1235246", "12356", "12452356",
	"1245235", "12452456", "1245245", "1245246", "12456", "1246", "2352356", "235235", "2352456", "235245",
	"235246", "2452356", "245235", "2452456", "245245", "245246"};

static void plan_text(struct wm_plan *plan, const char *text, const char *scheme, struct wm_arena *arena)
{
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	struct wm_scheme_choice choice;
	assert_int_equal(wm_cfg_parse(&cfg, text, strlen(text), &error, arena), WM_OK);
	assert_int_equal(wm_scheme_parse(scheme, &choice), WM_OK);
	struct wm_graph *graph = WM_NEW(arena, struct wm_graph, 1);
	*graph = cfg.function[0].graph;
	assert_int_equal(wm_plan_choose(plan, graph, &choice, 0, arena), WM_OK);
}

static void test_figure_1(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_plan plan;
	wm_arena_init(&arena);
	plan_text(&plan, fig1, "kiter=2", &arena);
	assert_int_equal(plan.numbering.path_count, COUNT(fig1_paths));
	for (uint64_t id = 0; id < COUNT(fig1_paths); id++) {
		struct wm_block_path path = {0};
		char text[16] = "";
		assert_int_equal(wm_plan_decode(&plan, id, &path, &arena), WM_OK);
		for (uint32_t i = 0; i < path.length; i++)
			text[i] = (char)('1' + path.block[i]);
		assert_string_equal(text, fig1_paths[id]);
		assert_int_equal(path.fresh, id < 13 ? 0 : 3);
	}
	wm_arena_release(&arena);
}

/* Section 3.2: what the paper counts before it takes the invalid paths away. */
static void test_figure_5(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_plan plan;
	wm_arena_init(&arena);
	plan_text(&plan, fig1, "kiter=2", &arena);
	struct wm_version first = {.loop = 0, .number = 1}, restarted = {.loop = 0, .number = 1, .restarted = true};
	uint64_t from_outside = plan.numbering.node_paths[wm_version_node(plan.iterations, 1, first)];
	uint64_t valid = plan.numbering.node_paths[wm_version_node(plan.iterations, 1, restarted)];
	uint64_t entry = plan.numbering.node_paths[plan.dag.edge[0].to];
	assert_int_equal(from_outside, 13);
	assert_int_equal(entry + from_outside, 26);
	assert_int_equal(from_outside - valid, 3);
	wm_arena_release(&arena);
}

static void check_mode(const char *text, const char *scheme, uint32_t loop, enum wm_loop_mode expected)
{
	struct wm_arena arena;
	struct wm_plan plan;
	wm_arena_init(&arena);
	plan_text(&plan, text, scheme, &arena);
	assert_int_equal(plan.iterations->mode[loop], expected);
	assert_true(*wm_loop_mode_text(expected));
	wm_arena_release(&arena);
}

static void test_modes(void **state)
{
	(void)state;
	static const char nested[] = "function f\na -> b\nb -> c d\nc -> c b\nd\n";
	check_mode(nested, "kiter=3", 0, WM_LOOP_OUTER);
	check_mode(nested, "kiter=3", 1, WM_LOOP_ITERATED);
	check_mode(nested, "kiter=3,1:2", 0, WM_LOOP_ITERATED);
	check_mode(nested, "kiter=3,1:2", 1, WM_LOOP_INNER);
	check_mode(nested, "kiter=3,1:2,2:2", 0, WM_LOOP_AROUND);
	check_mode(nested, "kiter=3,1:2,2:2", 1, WM_LOOP_ITERATED);
	check_mode(nested, "kiter=3,2:1", 1, WM_LOOP_ACYCLIC);
	check_mode("function f\na -> b c\nb -> c\nc -> b d\nd\n", "kiter=2", 0, WM_LOOP_IRREDUCIBLE);
	check_mode("function f\na -> b\nb -> c d\nc -> b\nd -> a e\ne\n", "kiter=2", 0, WM_LOOP_OUTER);
}

static void test_scheme_texts(void **state)
{
	(void)state;
	static const char *const bad[] = {"kiter", "kiter=", "kiter=0", "kiter=x", "kiter=2x", "kiter=2,", "kiter=2,1",
		"kiter=2,1:", "kiter=2,1:0", "kiter=1001", "kiter=2,1:3,", "acyclic=2", "loopcontext=", "=", "",
		"kiter=99999999999999999999", "kiter=2,4294967295:2"};
	struct wm_scheme_choice choice = {.k = 77};
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(wm_scheme_parse(bad[i], &choice), WM_UNKNOWN);
	assert_int_equal(choice.k, 77);
	assert_int_equal(wm_scheme_parse("kiter=1000,3:4,17:1", &choice), WM_OK);
	assert_ptr_equal(choice.scheme, &wm_scheme_kiter);
	assert_int_equal(choice.k, 1000);
	assert_int_equal(wm_scheme_loop_k(&choice, 3), 4);
	assert_int_equal(wm_scheme_loop_k(&choice, 17), 1);
	assert_int_equal(wm_scheme_loop_k(&choice, 1), 0);
	assert_int_equal(wm_scheme_parse("loopcontext", &choice), WM_OK);
	assert_int_equal(choice.k, 1);
}

/* ---- Random graphs ------------------------------------------------------------ */

static void check_path(struct sample *s, uint32_t id, uint32_t *edges, uint32_t *blocks, bool *again)
{
	const struct iterate_path *expected = &s->iterate.path[id];
	struct wm_block_path path = {.block = blocks, .again = again};
	struct wm_path dag_path = {.edge = edges};
	uint64_t back;
	assert_int_equal(wm_plan_decode(&s->plan, id, &path, &s->arena), WM_OK);
	assert_int_equal(path.length, expected->length);
	assert_memory_equal(path.block, expected->block, path.length * sizeof *path.block);
	assert_memory_equal(path.again, expected->again, path.length * sizeof *path.again);
	assert_int_equal(path.start, expected->start);
	assert_int_equal(path.last_edge, expected->last_edge);
	assert_int_equal(path.fresh, expected->fresh);
	assert_int_equal(wm_dag_decode(&s->plan.dag, &s->plan.numbering, id, &dag_path, &s->arena), WM_OK);
	assert_int_equal(wm_dag_encode(&s->plan.dag, &s->plan.numbering, &dag_path, &back), WM_OK);
	assert_int_equal(back, id);
}

static void check_numbering(struct sample *s)
{
	uint32_t nodes = s->plan.dag.node_count;
	uint32_t *edges = calloc(nodes, sizeof *edges), *blocks = calloc(nodes, sizeof *blocks);
	bool *again = calloc(nodes, sizeof *again);
	assert_int_equal(s->plan.numbering.path_count, s->iterate.count);
	for (uint32_t id = 0; id < s->iterate.count; id++)
		check_path(s, id, edges, blocks, again);
	free(edges);
	free(blocks);
	free(again);
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

/* Prefers to stay in loops, so that walks see many iterations. */
static uint32_t draw_walk(struct sample *s, uint32_t *walk, bool *left)
{
	uint32_t length = 1, stop = 1 + random_below(&s->random, MAX_WALK);
	walk[0] = 0;
	for (;;) {
		uint32_t at = walk[length - 1], first = s->graph.first_edge[at],
			 degree = s->graph.first_edge[at + 1] - first;
		*left = degree == 0;
		if (*left || length == stop)
			return length;
		uint32_t next = s->graph.edge_to[first + random_below(&s->random, degree)];
		if (s->graph.first_edge[next] == s->graph.first_edge[next + 1])
			next = s->graph.edge_to[first + random_below(&s->random, degree)];
		walk[length++] = next;
	}
}

static void run_machine(struct sample *s, const struct wm_probe_program *program, const uint32_t *walk, uint32_t length,
	bool left, struct tally *tally)
{
	struct each_path each = {count_path, tally};
	const struct wm_probed probed = {.plan = &s->plan, .program = program};
	struct wm_machine machine = {.probed = &probed, .arena = &s->arena, .counters = count_each_path(&each)};
	assert_int_equal(wm_machine_enter(&machine, 0, false), WM_OK);
	for (uint32_t i = 1; i < length; i++)
		assert_int_equal(wm_machine_step(&machine, walk[i]), WM_OK);
	assert_int_equal(wm_machine_leave(&machine), left ? WM_OK : WM_BAD_PATH);
}

/* The fresh part of every path, up to the edge on which it ends, is an acyclic path or
 * several, one after the other. */
static void add_acyclic(struct sample *s, uint32_t id, uint64_t count, uint64_t *counts)
{
	const struct iterate_path *path = &s->iterate.path[id];
	enum wm_start start = path->fresh == 0 && path->start == WM_START_ENTRY ? WM_START_ENTRY : WM_START_LOOP;
	uint32_t begin = path->fresh;
	for (uint32_t i = begin; i < path->length; i++) {
		uint32_t e = i + 1 < path->length ? wm_graph_find_edge(&s->graph, path->block[i], path->block[i + 1])
						  : path->last_edge;
		bool ends = i + 1 == path->length || s->oracle.back[e] || (s->oracle.cut && s->oracle.cut[e]);
		if (!ends)
			continue;
		counts[oracle_find(&s->oracle, start, path->block + begin, i + 1 - begin, e)] += count;
		begin = i + 1;
		start = WM_START_LOOP;
	}
}

/* An abandoned frame leaves whole iterations that no k-iteration path has counted. */
static void check_projection(struct sample *s, const uint64_t *counts, const uint64_t *acyclic)
{
	uint64_t *sum = calloc(s->oracle.count, sizeof *sum);
	for (uint32_t id = 0; id < s->iterate.count; id++)
		if (counts[id])
			add_acyclic(s, id, counts[id], sum);
	assert_memory_equal(sum, acyclic, s->oracle.count * sizeof *sum);
	free(sum);
}

/* How many loops counted their trips: the check must not pass for want of them. */
static uint32_t trip_loops;

/* Trips counted in a register are lost with an abandoned frame: `only_whole` walks none. */
static void check_program(struct sample *s, const struct wm_probe_program *program, bool only_whole)
{
	uint64_t *expected = calloc(s->iterate.count, sizeof *expected),
		 *whole = calloc(s->iterate.count, sizeof *whole),
		 *acyclic = calloc(s->oracle.count + 1, sizeof *acyclic);
	struct tally tally = {calloc(s->iterate.count, sizeof *expected), s->iterate.count};
	uint32_t walk[MAX_WALK + 2];
	for (uint32_t i = 0; i < 12; i++) {
		bool left;
		uint32_t length = draw_walk(s, walk, &left);
		if (only_whole && !left)
			continue;
		iterate_count(&s->iterate, walk, length, left, expected);
		run_machine(s, program, walk, length, left, &tally);
		if (!left)
			continue;
		iterate_count(&s->iterate, walk, length, left, whole);
		oracle_count(&s->oracle, walk, length, left, acyclic);
	}
	assert_memory_equal(tally.counts, expected, s->iterate.count * sizeof *expected);
	check_projection(s, whole, acyclic);
	free(tally.counts);
	free(expected);
	free(whole);
	free(acyclic);
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

static void check_placement(struct sample *s)
{
	struct wm_probe_program program;
	struct wm_weights weights;
	assert_int_equal(place_plain(&s->plan, WM_PLACE_NAIVE, NULL, "values", &program, &s->arena), WM_OK);
	check_program(s, &program, false);
	assert_int_equal(wm_weights_static(&weights, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	assert_int_equal(place_plain(&s->plan, WM_PLACE_OPTIMAL, &weights, "values", &program, &s->arena), WM_OK);
	check_program(s, &program, false);
	if (s->plan.iterations)
		assert_int_equal(wm_window_count_trips(&s->plan, &weights, NULL, &program, &s->arena), WM_OK);
	for (uint32_t i = 0; i < program.window_count; i++)
		trip_loops += program.window[i].trips;
	check_program(s, &program, true);
	random_weights(s, &weights);
	assert_int_equal(place_plain(&s->plan, WM_PLACE_OPTIMAL, &weights, "values", &program, &s->arena), WM_OK);
	check_program(s, &program, false);
}

/* ---- Sequences ---------------------------------------------------------------- */

struct sequence_tally {
	struct sample *sample;
	uint64_t *counts;
};

static void count_sequence(void *closure, const uint64_t *piece, uint32_t length)
{
	struct sequence_tally *tally = closure;
	struct sample *s = tally->sample;
	struct wm_block_path path = {0};
	assert_int_equal(wm_sequence_decode(&s->plan, piece, length, &path, &s->arena), WM_OK);
	uint32_t id = 0;
	for (; id < s->iterate.count; id++) {
		const struct iterate_path *expected = &s->iterate.path[id];
		if (expected->length == path.length && expected->last_edge == path.last_edge &&
			expected->start == path.start && expected->fresh == path.fresh &&
			memcmp(expected->block, path.block, path.length * sizeof *path.block) == 0)
			break;
	}
	assert_true(id < s->iterate.count);
	tally->counts[id]++;
}

static void run_sequences(struct sample *s, const struct wm_probe_program *program)
{
	uint64_t *expected = calloc(s->iterate.count, sizeof *expected);
	struct sequence_tally tally = {s, calloc(s->iterate.count, sizeof *expected)};
	const struct wm_probed probed = {.plan = &s->plan, .program = program};
	struct wm_machine machine = {
		.probed = &probed, .arena = &s->arena, .counters = {.sequence = count_sequence, .closure = &tally}};
	uint32_t walk[MAX_WALK + 2];
	for (uint32_t i = 0; i < 8; i++) {
		bool left;
		uint32_t length = draw_walk(s, walk, &left);
		iterate_count(&s->iterate, walk, length, left, expected);
		assert_int_equal(wm_machine_enter(&machine, 0, false), WM_OK);
		for (uint32_t j = 1; j < length; j++)
			assert_int_equal(wm_machine_step(&machine, walk[j]), WM_OK);
		assert_int_equal(wm_machine_leave(&machine), left ? WM_OK : WM_BAD_PATH);
	}
	assert_memory_equal(tally.counts, expected, s->iterate.count * sizeof *expected);
	free(tally.counts);
	free(expected);
}

static void check_sequences(struct sample *s)
{
	struct wm_probe_program program;
	struct wm_weights weights;
	assert_int_equal(place_plain(&s->plan, WM_PLACE_NAIVE, NULL, "values", &program, &s->arena), WM_OK);
	run_sequences(s, &program);
	assert_int_equal(wm_weights_static(&weights, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	assert_int_equal(place_plain(&s->plan, WM_PLACE_OPTIMAL, &weights, "values", &program, &s->arena), WM_OK);
	run_sequences(s, &program);
}

/* Names some loops with a k of their own. */
static void choose_loops(struct sample *s)
{
	size_t used = strlen(s->scheme);
	for (uint32_t b = 0; b < s->graph.block_count && used < sizeof s->scheme - 32; b++) {
		if (!s->plan.dfs.is_head[b] || random_below(&s->random, 3))
			continue;
		s->own[b] = 1 + random_below(&s->random, 4);
		used += (size_t)snprintf(s->scheme + used, sizeof s->scheme - used, ",%u:%u", b, s->own[b]);
	}
}

enum outcome { TOO_MANY, CHECKED, ITERATED, CUT, SEQUENCES, OUTCOMES };

/* How many plans look at fewer iterations than they were asked to. */
static uint32_t reduced;

static enum outcome check_plan(struct sample *s, uint32_t k)
{
	bool listed = oracle_init(&s->oracle, &s->graph, s->plan.cut, MAX_LISTED);
	enum outcome outcome = TOO_MANY;
	if (listed) {
		uint32_t most = s->plan.most_iterations ? s->plan.most_iterations : UINT32_MAX;
		for (uint32_t b = 0; b < s->graph.block_count; b++)
			s->own[b] = s->own[b] < most ? s->own[b] : most;
		if (k)
			iterate_init(&s->iterate, &s->oracle, k < most ? k : most, s->own);
		else
			iterate_init_context(&s->iterate, &s->oracle);
		bool fits = iterate_list(&s->iterate, MAX_LISTED);
		if (wm_plan_has_pieces(&s->plan) && fits) {
			check_sequences(s);
			outcome = SEQUENCES;
		} else if (wm_plan_has_pieces(&s->plan)) {
			assert_true(pow(10, s->plan.log10_paths) > MAX_LISTED);
		} else if (fits) {
			check_numbering(s);
			check_placement(s);
			reduced += s->plan.most_iterations > 0;
			outcome = s->plan.cut_count				    ? CUT
				  : s->plan.iterations && s->plan.iterations->count ? ITERATED
										    : CHECKED;
		} else {
			assert_true(s->plan.numbering.path_count > MAX_LISTED);
		}
		iterate_release(&s->iterate);
	}
	oracle_release(&s->oracle);
	return outcome;
}

/* k 0: with context. */
static enum outcome check_graph(uint64_t seed, uint32_t size, uint32_t k, bool own, uint64_t limit)
{
	struct sample s = {.random = {seed}};
	struct wm_scheme_choice choice;
	enum outcome outcome = TOO_MANY;
	wm_arena_init(&s.arena);
	enum random_shape shape = (enum random_shape)(seed % RANDOM_SHAPES);
	assert_int_equal(random_graph(&s.graph, shape, size, &s.random, &s.arena), WM_OK);
	s.own = WM_NEW(&s.arena, uint32_t, s.graph.block_count);
	snprintf(s.scheme, sizeof s.scheme, k ? "kiter=%u" : "loopcontext", k);
	assert_int_equal(wm_plan_make(&s.plan, &s.graph, &wm_scheme_acyclic, 0, &s.arena), WM_OK);
	if (own)
		choose_loops(&s);
	assert_int_equal(wm_scheme_parse(s.scheme, &choice), WM_OK);
	choice.sequences = limit == 1;
	enum wm_status status = wm_plan_choose(&s.plan, &s.graph, &choice, limit, &s.arena);
	assert_true(status == WM_OK || (status == WM_TOO_MANY && limit));
	if (status == WM_OK)
		outcome = check_plan(&s, k);
	wm_arena_release(&s.arena);
	return outcome;
}

static void test_random_graphs(void **state)
{
	(void)state;
	uint32_t outcomes[OUTCOMES] = {0};
	for (uint64_t seed = 0; seed < 2500; seed++)
		outcomes[check_graph(seed, 3 + (uint32_t)(seed / 5) % 22, 1 + (uint32_t)(seed / 7) % 5, false, 0)]++;
	assert_true(outcomes[ITERATED] > 700 && trip_loops > 500);
}

static void test_chosen_loops(void **state)
{
	(void)state;
	uint32_t outcomes[OUTCOMES] = {0};
	for (uint64_t seed = 0; seed < 2000; seed++)
		outcomes[check_graph(~seed, 3 + (uint32_t)(seed / 5) % 18, 1 + (uint32_t)(seed / 7) % 3, true, 0)]++;
	assert_true(outcomes[ITERATED] > 500);
}

static void test_cut_graphs(void **state)
{
	(void)state;
	uint32_t outcomes[OUTCOMES] = {0};
	for (uint64_t seed = 0; seed < 1500; seed++)
		outcomes[check_graph(
			seed << 20, 5 + (uint32_t)(seed / 5) % 25, (uint32_t)(seed / 7) % 4, false, 15 + seed % 60)]++;
	assert_true(outcomes[CUT] > 200 && reduced > 30);
}

static void test_sequences(void **state)
{
	(void)state;
	uint32_t outcomes[OUTCOMES] = {0};
	for (uint64_t seed = 0; seed < 2000; seed++)
		outcomes[check_graph(
			seed << 10, 3 + (uint32_t)(seed / 5) % 20, 2 + (uint32_t)(seed / 7) % 4, seed % 3 == 0, 1)]++;
	assert_true(outcomes[SEQUENCES] > 700);
}

/* Above 2^63 paths nothing is cut. */
static void test_64_iterations(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_plan plan;
	struct wm_scheme_choice choice;
	wm_arena_init(&arena);
	plan_text(&plan, fig1, "kiter=60", &arena);
	assert_false(wm_plan_has_pieces(&plan) || plan.cut_count);
	assert_int_equal(wm_scheme_parse("kiter=64", &choice), WM_OK);
	assert_int_equal(wm_plan_choose(&plan, plan.graph, &choice, 0, &arena), WM_OK);
	assert_true(plan.most_iterations == 60 && plan.cut_count == 0 && plan.iterations->iterated[0].k == 60);
	choice.sequences = true;
	assert_int_equal(wm_plan_choose(&plan, plan.graph, &choice, 0, &arena), WM_OK);
	assert_true(wm_plan_has_pieces(&plan) && plan.cut_count == 0);
	assert_int_equal(plan.numbering.path_count, 10);
	assert_true(plan.log10_paths > 19 && plan.log10_paths < 21);
	static const uint64_t bad[][2] = {{0, 1}, {1, 1}, {1, 10}, {8, 6}};
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct wm_block_path path = {0};
		assert_int_equal(wm_sequence_decode(&plan, bad[i], 2, &path, &arena), WM_BAD_PATH);
	}
	wm_arena_release(&arena);
}

static void test_contexts(void **state)
{
	(void)state;
	uint32_t outcomes[OUTCOMES] = {0};
	for (uint64_t seed = 0; seed < 2000; seed++)
		outcomes[check_graph(seed << 32, 3 + (uint32_t)(seed / 5) % 24, 0, false, 0)]++;
	assert_true(outcomes[CHECKED] > 700);
}

/* One iteration is the acyclic scheme, id for id. */
static void test_one_iteration(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct wm_arena arena;
		struct random random = {seed};
		struct wm_graph graph;
		struct wm_plan acyclic, one;
		struct wm_scheme_choice choice;
		wm_arena_init(&arena);
		enum random_shape shape = (enum random_shape)(seed % RANDOM_SHAPES);
		assert_int_equal(random_graph(&graph, shape, 5 + (uint32_t)seed % 80, &random, &arena), WM_OK);
		assert_int_equal(wm_scheme_parse("kiter=1", &choice), WM_OK);
		assert_int_equal(wm_plan_make(&acyclic, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
		assert_int_equal(wm_plan_choose(&one, &graph, &choice, 0, &arena), WM_OK);
		assert_int_equal(one.dag.edge_count, acyclic.dag.edge_count);
		assert_memory_equal(one.dag.edge, acyclic.dag.edge, one.dag.edge_count * sizeof *one.dag.edge);
		assert_memory_equal(one.numbering.value, acyclic.numbering.value, one.dag.edge_count * sizeof(int64_t));
		wm_arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure_1),
		cmocka_unit_test(test_figure_5),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_scheme_texts),
		cmocka_unit_test(test_one_iteration),
		cmocka_unit_test(test_random_graphs),
		cmocka_unit_test(test_chosen_loops),
		cmocka_unit_test(test_cut_graphs),
		cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_64_iterations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
