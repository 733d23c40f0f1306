/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What remains without failures of checks: a case by hand, and random graphs and failures against the definition. */
#include "core/graph/cfgtext.h"
#include "core/scheme/remaining.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <math.h>
#include <string.h>

static void parse(struct wm_graph *graph, const char *text, struct wm_arena *arena)
{
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	assert_int_equal(wm_cfg_parse(&cfg, text, strlen(text), &error, arena), WM_OK);
	*graph = cfg.function[0].graph;
}

/* An assert, then a check whose report comes back, then a function that always fails. */
static void test_by_hand(void **state)
{
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_remainder rest;
	const uint8_t failure[] = {0, WM_CHECK_ASSERT, 0, WM_CHECK_SANITIZER, 0};
	(void)state;
	wm_arena_init(&arena);
	parse(&graph, "function f\na -> b x\nx\nb -> c y\ny -> c\nc\n", &arena);
	assert_int_equal(wm_remainder_find(&rest, &graph, failure, WM_CHECKS_LEFT_OUT, &arena), WM_OK);
	assert_int_equal(rest.left_out, 2);
	assert_true(rest.block[0] && !rest.block[1] && rest.block[2] && !rest.block[3] && rest.block[4]);
	assert_true(rest.edge[0] && !rest.edge[1] && rest.edge[2] && !rest.edge[3] && !rest.edge[4]);
	assert_false(wm_remainder_decides(&rest, &graph, 0));
	assert_int_equal(wm_remainder_find(&rest, &graph, failure, WM_CHECK_ASSERT, &arena), WM_OK);
	assert_int_equal(rest.left_out, 1);
	assert_true(rest.block[3] && rest.edge[3] && rest.edge[4] && wm_remainder_decides(&rest, &graph, 2));
	assert_int_equal(wm_remainder_find(&rest, &graph, NULL, WM_CHECKS, &arena), WM_OK);
	assert_true(rest.left_out == 0 && rest.block[1] && rest.edge[1]);
	const uint8_t always[] = {WM_CHECK_ASSERT, WM_CHECK_ASSERT | WM_CHECK_THROW, 0, 0, 0};
	assert_int_equal(wm_remainder_find(&rest, &graph, always, WM_CHECK_ASSERT, &arena), WM_OK);
	assert_true(rest.left_out == 1 && !rest.edge[0] && rest.edge[1]);
	assert_int_equal(wm_remainder_find(&rest, &graph, always, WM_CHECK_ASSERT | WM_CHECK_THROW, &arena), WM_OK);
	assert_true(rest.left_out == 0 && rest.edge[0] && rest.edge[1] && rest.block[1]);
	wm_arena_release(&arena);
}

/* The id of a path without its reports; UINT64_MAX: there is none. */
static uint64_t straightened(
	const struct wm_plan *plan, const struct wm_remainder *rest, const uint8_t *failure, uint64_t id)
{
	struct wm_arena arena;
	uint64_t found = UINT64_MAX;
	wm_arena_init(&arena);
	bool *edge = WM_NEW(&arena, bool, plan->dag.edge_count);
	struct wm_path path = {0}, straight = {.edge = WM_NEW(&arena, uint32_t, plan->dag.node_count)};
	wm_remaining_edges(edge, plan, rest);
	assert_int_equal(wm_dag_decode(&plan->dag, &plan->numbering, id, &path, &arena), WM_OK);
	if (wm_remaining_straighten(&straight, &path, plan, edge, failure))
		assert_int_equal(wm_dag_encode(&plan->dag, &plan->numbering, &straight, &found), WM_OK);
	wm_arena_release(&arena);
	return found;
}

/* The block before End, and that behind Start. */
static void find_ends(const struct wm_plan *plan, uint64_t id, uint32_t end[2], bool *fails, struct wm_arena *arena)
{
	struct wm_path path = {0};
	assert_int_equal(wm_dag_decode(&plan->dag, &plan->numbering, id, &path, arena), WM_OK);
	uint32_t last = plan->dag.edge[path.edge[path.length - 1]].from;
	end[0] = plan->dag.node_block[plan->dag.edge[path.edge[0]].to];
	end[1] = plan->dag.node_block[last];
	*fails = end[1] == 11;
}

/* Reports r, s and u come back, u to the head of a loop, and b skips a part of a check.  The assert of a does not come back. */
static void test_reports(void **state)
{
	static const char text[] = "function f\na -> h x\nh -> b r\nr -> b\nb -> c d\nc -> d\nd -> e s\ns -> e\n"
				   "e -> g z\ng -> h u\nu -> h\nz\nx\n";
	enum { A, H, R, B, C, D, S, E, G, U, Z, X };
	static const uint32_t report[][2] = {{H, R}, {B, D}, {D, S}, {G, U}};
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_remainder rest;
	struct wm_plan plan;
	struct wm_remaining_paths paths;
	unsigned straight = 0, same = 0, none = 0;
	(void)state;
	wm_arena_init(&arena);
	parse(&graph, text, &arena);
	uint8_t *failure = WM_NEW(&arena, uint8_t, graph.edge_count);
	failure[wm_graph_find_edge(&graph, A, X)] = WM_CHECK_ASSERT;
	for (size_t i = 0; i < COUNT(report); i++)
		failure[wm_graph_find_edge(&graph, report[i][0], report[i][1])] = WM_CHECK_SANITIZER;
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	assert_int_equal(plan.numbering.path_count, 49);
	assert_int_equal(wm_remainder_find(&rest, &graph, failure, WM_CHECKS_LEFT_OUT, &arena), WM_OK);
	assert_int_equal(wm_remaining_count(&paths, &plan, &rest, &arena), WM_OK);
	/* From the entry and from h: to z, and around the loop. */
	assert_int_equal(paths.count, 4);
	for (uint64_t id = 0; id < plan.numbering.path_count; id++) {
		uint32_t end[2], other[2];
		bool fails;
		uint64_t found = straightened(&plan, &rest, failure, id);
		find_ends(&plan, id, end, &fails, &arena);
		same += found == UINT64_MAX && !fails;
		none += found == UINT64_MAX && fails;
		if (found == UINT64_MAX)
			continue;
		straight++;
		find_ends(&plan, found, other, &fails, &arena);
		assert_int_equal(end[0], other[0]);
		assert_int_equal(end[1] == U ? G : end[1], other[1]);
		assert_int_equal(straightened(&plan, &rest, failure, found), UINT64_MAX);
	}
	assert_true(same == 4 && none == 1 && straight == 44);
	wm_arena_release(&arena);
}

/* ---- The definition ------------------------------------------------------------------------- */

static void random_failures(uint8_t *failure, const struct wm_graph *graph, struct random *random)
{
	for (uint32_t e = 0; e < graph->edge_count; e++)
		failure[e] = (uint8_t)(random_below(random, 4) ? 0 : random_below(random, WM_CHECKS + 1));
}

static bool is_left_out(const uint8_t *failure, uint8_t kinds, uint32_t edge)
{
	return failure[edge] && (failure[edge] | kinds) == kinds;
}

/* Blocks that are reached, round after round until none is added. */
static void reach(bool *reached, const struct wm_graph *graph, const uint8_t *failure, uint8_t kinds)
{
	reached[0] = true;
	for (uint32_t round = 0; round < graph->block_count; round++)
		for (uint32_t e = 0; e < graph->edge_count; e++)
			if (reached[graph->edge_from[e]] && !is_left_out(failure, kinds, e))
				reached[graph->edge_to[e]] = true;
}

static bool always_fails(const struct wm_graph *graph, const uint8_t *failure, uint8_t kinds)
{
	bool fails = true;
	for (uint32_t e = graph->first_edge[0]; e < graph->first_edge[1]; e++)
		fails &= is_left_out(failure, kinds, e);
	return fails;
}

/* Whether all of a path remains. */
static bool remains(const struct wm_plan *plan, uint64_t id, const bool *reached, const uint8_t *failure, uint8_t kinds,
	struct wm_arena *arena)
{
	struct wm_path path = {0};
	assert_int_equal(wm_dag_decode(&plan->dag, &plan->numbering, id, &path, arena), WM_OK);
	for (uint32_t i = 0; i < path.length; i++) {
		const struct wm_dag_edge *edge = &plan->dag.edge[path.edge[i]];
		uint32_t block = plan->dag.node_block[edge->to];
		if (block != WM_NONE && !reached[block])
			return false;
		if (edge->cfg_edge != WM_NONE && is_left_out(failure, kinds, edge->cfg_edge))
			return false;
	}
	return true;
}

static uint64_t count_all(const struct wm_plan *plan, const bool *reached, const uint8_t *failure, uint8_t kinds)
{
	uint64_t count = 0;
	for (uint64_t id = 0; id < plan->numbering.path_count; id++) {
		struct wm_arena arena;
		wm_arena_init(&arena);
		count += remains(plan, id, reached, failure, kinds, &arena);
		wm_arena_release(&arena);
	}
	return count;
}

struct seen {
	unsigned fewer, cut, whole;
};

/* Under the limit of the plan, and the number of paths of the uncut graph. */
static void check_scheme(const struct wm_graph *graph, const char *scheme, uint64_t limit, const uint8_t *failure,
	uint8_t kinds, struct seen *seen, struct wm_arena *arena)
{
	enum { MOST = 20000 };
	struct wm_scheme_choice choice;
	struct wm_plan plan, uncut;
	struct wm_remainder rest;
	struct wm_remaining_paths paths;
	assert_int_equal(wm_scheme_parse(scheme, &choice), WM_OK);
	if (wm_plan_choose(&plan, graph, &choice, limit, arena) != WM_OK ||
		wm_plan_choose(&uncut, graph, &choice, 0, arena) != WM_OK || uncut.numbering.path_count > MOST)
		return;
	assert_int_equal(wm_remainder_find(&rest, graph, failure, kinds, arena), WM_OK);
	assert_int_equal(wm_remaining_count(&paths, &plan, &rest, arena), WM_OK);
	bool *reached = WM_NEW(arena, bool, graph->block_count);
	uint8_t none = 0, left = always_fails(graph, failure, kinds) ? none : kinds;
	reach(reached, graph, failure, left);
	uint64_t expected = count_all(&plan, reached, failure, left);
	assert_int_equal(paths.count, expected);
	assert_memory_equal(rest.block, reached, graph->block_count);
	uint64_t of_uncut = count_all(&uncut, reached, failure, left);
	if (of_uncut)
		assert_true(fabs(paths.log10 - log10((double)of_uncut)) < 1e-9);
	else
		assert_true(isinf(paths.log10));
	seen->fewer += expected < plan.numbering.path_count;
	seen->cut += plan.cut_count > 0;
	seen->whole += rest.left_out == 0;
}

static void test_random(void **state)
{
	static const char *const schemes[] = {"acyclic", "kiter=2", "loopcontext"};
	struct random random = {.state = 5};
	struct seen seen = {0};
	(void)state;
	for (unsigned round = 0; round < 600; round++) {
		struct wm_arena arena;
		struct wm_graph graph;
		wm_arena_init(&arena);
		assert_int_equal(random_graph(&graph, (enum random_shape)(round % RANDOM_SHAPES),
					 2 + random_below(&random, 12), &random, &arena),
			WM_OK);
		uint8_t *failure = WM_NEW(&arena, uint8_t, graph.edge_count);
		random_failures(failure, &graph, &random);
		uint8_t kinds = (uint8_t)random_below(&random, WM_CHECKS + 1);
		for (size_t i = 0; i < COUNT(schemes); i++)
			check_scheme(&graph, schemes[i], random_below(&random, 2) ? 0 : 1 + random_below(&random, 30),
				failure, kinds, &seen, &arena);
		wm_arena_release(&arena);
	}
	assert_true(seen.fewer > 200 && seen.cut > 50 && seen.whole > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand), cmocka_unit_test(test_reports), cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
