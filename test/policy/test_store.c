/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every way of counting, to its last step, without a compiler: random graphs × random known paths ×
 * plain, interesting and residual builds.  policy/counting_choice.h chooses, the passes make the program, the
 * interpreter runs it over random walks, and the counters it leaves must be those of the definition.
 */
#include "core/graph/shape.h"
#include "policy/counting_choice.h"
#include "test/core/sample.h"
#include "test/core/support.h"
#include "test/policy/counters.h"
#include "test/policy/prefixes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PATHS 250

static struct {
	uint32_t store[WM_COUNT_SIGN + 1], residual[WM_COUNT_SIGN + 1];
	uint32_t guesses, lookups, signs, spared, settled, cold_lookups, trips, regions, shapes, copies, unfolded,
		afterwards;
} seen;

/* The instance that the walk enters: every copied block has the out-edges of its origin. */
static uint32_t next_instance(const struct wm_store_choice *choice, const struct sample *s, uint32_t at, uint32_t next)
{
	if (!choice->shape)
		return next;
	uint32_t origin = choice->shape->origin[at], edge = wm_graph_find_edge(&s->graph, origin, next);
	return choice->shape->graph.edge_to[choice->shape->graph.first_edge[at] + edge - s->graph.first_edge[origin]];
}

static void run_walk(struct sample *s, struct counters *c, const uint32_t *walk, uint32_t length, bool left)
{
	struct wm_machine machine = counters_machine(c);
	struct prefixes prefixes;
	prefixes_init(&prefixes, &s->plan, c->choice, length % 2);
	assert_int_equal(wm_machine_enter(&machine, 0, false), WM_OK);
	prefixes_enter(&prefixes, &machine);
	for (uint32_t i = 1; i < length; i++) {
		uint32_t from = wm_machine_top(&machine)->block;
		assert_int_equal(wm_machine_step(&machine, next_instance(c->choice, s, from, walk[i])), WM_OK);
		prefixes_step(&prefixes, &machine, from);
	}
	assert_int_equal(wm_machine_leave(&machine), left ? WM_OK : WM_BAD_PATH);
	prefixes_release(&prefixes);
}

static void check_counts(const struct counters *c, const struct wm_store_request *request, const uint64_t *expected)
{
	uint64_t *found = calloc(c->paths, sizeof *found);
	counters_add_to(c, found);
	for (uint32_t id = 0; id < c->paths; id++) {
		bool tested =
			request->purpose == WM_PURPOSE_RESIDUAL && wm_path_set_find(&request->known, id) != WM_NONE;
		assert_true(found[id] == (tested ? 0 : expected[id]));
	}
	free(found);
}

static void note_end(const struct wm_probe *end)
{
	for (uint32_t i = 0; i < end->count; i++) {
		seen.guesses += end->action[i].kind == WM_ACTION_GUESS;
		seen.lookups += end->action[i].kind == WM_ACTION_LOOKUP;
		seen.signs += end->action[i].kind == WM_ACTION_SIGN;
		seen.settled += end->action[i].kind == WM_ACTION_SETTLED;
	}
}

static void note_probe(void *closure, struct wm_probe *probe)
{
	(void)closure;
	for (uint32_t i = 0; i < probe->count; i++)
		seen.spared += (probe->action[i].flags & WM_SPARES) != 0;
}

static void note(struct wm_store_choice *choice)
{
	const struct wm_counting *counting = &choice->counting;
	struct wm_probe_program *program = &choice->program;
	(counting->residual ? seen.residual : seen.store)[counting->store]++;
	for (uint32_t i = 0; i < program->end_count; i++)
		note_end(&program->end[i]);
	wm_each_probe(program, choice->plan->graph, note_probe, NULL);
	seen.cold_lookups += program->cold.count && program->cold.action[0].kind == WM_ACTION_LOOKUP;
	seen.trips += program->trip_loop_count;
	seen.regions += program->region_count;
	seen.shapes += choice->shape != NULL;
	seen.unfolded += choice->shape && !counting->residual;
	seen.copies += choice->shape ? choice->shape->graph.block_count - choice->shape->origin_count : 0;
}

/* Paths have the same ids on a shape, and their blocks are instances of their own. */
static void check_shape(struct sample *s, const struct wm_store_choice *choice)
{
	struct wm_block_path path = {0}, shaped = {0};
	for (uint64_t id = 0; choice->shape && id < s->plan.numbering.path_count; id++) {
		path.block = shaped.block = NULL;
		assert_int_equal(wm_plan_decode(&s->plan, id, &path, &s->arena), WM_OK);
		assert_int_equal(wm_plan_decode(choice->plan, id, &shaped, &s->arena), WM_OK);
		assert_int_equal(path.length, shaped.length);
		for (uint32_t i = 0; i < path.length; i++)
			assert_int_equal(choice->shape->origin[shaped.block[i]], path.block[i]);
	}
}

/* A walk that is abandoned loses the trips that a loop keeps in a register, and a residual build may count a path
 * before it ends: then only whole walks are exact. */
static bool must_be_whole(const struct wm_store_request *request, const struct wm_probe_program *program)
{
	return program->trip_loop_count || request->purpose == WM_PURPOSE_RESIDUAL;
}

/* A residual build that is given the tested paths only after the link, as plugin/across/module_unit.c makes them. */
static void test_afterwards(struct wm_store_choice *choice, const struct wm_path_set *tested)
{
	choice->counting.set = *tested;
	for (uint32_t i = 0; i < choice->program.end_count; i++) {
		struct wm_probe end = {0};
		wm_probe_append(&choice->program, &end, wm_action(WM_ACTION_TESTED, 0));
		wm_probe_append(&choice->program, &end, wm_action(WM_ACTION_CALL, 0));
		choice->program.end[i] = end;
	}
}

/* The runtime is called for the first execution of each untested path alone. */
static void check_calls(const struct counters *c)
{
	uint64_t taken = 0;
	for (uint32_t id = 0; id < c->paths; id++)
		taken += c->called[id] > 0;
	if (c->choice->counting.residual && c->choice->counting.store != WM_COUNT_CALL)
		assert_int_equal(c->calls, taken);
}

static void check_choice(struct sample *s, const struct wm_store_request *request, struct wm_store_choice *choice)
{
	uint32_t walk[SAMPLE_WALK + 1];
	struct counters c;
	counters_init(&c, choice);
	uint64_t *expected = calloc(c.paths, sizeof *expected);
	for (int i = 0; i < 5; i++) {
		bool left;
		uint32_t length = sample_walk(s, walk, &left);
		if (!left && must_be_whole(request, &choice->program))
			continue;
		oracle_count(&s->oracle, walk, length, left, expected);
		run_walk(s, &c, walk, length, left);
	}
	check_counts(&c, request, expected);
	check_calls(&c);
	counters_release(&c);
	free(expected);
}

static void check_request(struct sample *s, const struct wm_store_request *request)
{
	struct wm_store_choice choice;
	assert_int_equal(wm_store_choose(request, &choice, &s->arena), WM_OK);
	note(&choice);
	check_shape(s, &choice);
	check_choice(s, request, &choice);
	if (request->purpose != WM_PURPOSE_ALL || choice.counting.store != WM_COUNT_HASH || choice.program.region_count)
		return;
	struct wm_store_request residual = *request;
	residual.purpose = WM_PURPOSE_RESIDUAL;
	test_afterwards(&choice, &request->known);
	check_choice(s, &residual, &choice);
	seen.afterwards++;
}

static void vary(struct sample *s, struct wm_store_request *request, bool *may_not_return, uint64_t *count)
{
	struct random *random = &s->random;
	request->purpose = (enum wm_purpose)random_below(random, 3);
	request->stage = random_below(random, 2) ? WM_CFG_SOURCE : WM_CFG_OPTIMISED;
	request->test =
		(struct wm_test_options){.placement = random_below(random, 6) ? WM_PLACE_OPTIMAL : WM_PLACE_NAIVE,
			.perfect = !random_below(random, 3),
			.all_regions = random_below(random, 2),
			.check_method = (enum wm_check_method)random_below(random, 6),
			.copy_limit = random_below(random, 2) ? 1 : 0,
			.array_limit = random_below(random, 3) ? 1 : 0};
	request->may_copy = random_below(random, 2);
	request->probes.resumes = !random_below(random, 6);
	request->probes.may_not_return = random_below(random, 2) ? may_not_return : NULL;
	for (uint32_t b = 0; b < s->graph.block_count; b++)
		may_not_return[b] = !random_below(random, 8);
	for (uint32_t i = 0; i < request->known.count; i++)
		count[i] = 1 + random_below(random, random_below(random, 2) ? 3 : 1000);
}

static void check_seed(uint64_t seed)
{
	struct sample s;
	if (sample_init(&s, seed, 3 + (uint32_t)(seed / 5 % 21), MOST_PATHS) && s.oracle.count) {
		struct wm_weights weights;
		bool *may_not_return = WM_NEW(&s.arena, bool, s.graph.block_count);
		uint64_t *count = WM_NEW(&s.arena, uint64_t, s.oracle.count);
		assert_int_equal(wm_weights_static(&weights, &s.graph, &s.plan.dfs, &s.arena), WM_OK);
		for (int i = 0; i < 4; i++) {
			struct wm_store_request request = {
				.known_count = count, .probes = {.plan = &s.plan, .weights = &weights}};
			sample_set(&s, &request.known);
			vary(&s, &request, may_not_return, count);
			check_request(&s, &request);
		}
	}
	sample_release(&s);
}

static uint64_t seeds = 1200;

static void test_random_graphs(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++)
		check_seed(seed);
	/* Every store, and every action of an end, must have been used, or the test proves nothing. */
	for (enum wm_counting_store store = WM_COUNT_ARRAY; store <= WM_COUNT_PERFECT; store++)
		assert_true(seen.store[store] > 20);
	assert_true(seen.residual[WM_COUNT_ARRAY] > 20 && seen.residual[WM_COUNT_HASH] > 20 &&
		    seen.residual[WM_COUNT_PACKED] > 20 && seen.residual[WM_COUNT_PERFECT] > 20 &&
		    seen.residual[WM_COUNT_SIGN] > 20);
	assert_true(seen.guesses > 100 && seen.lookups > 100 && seen.signs > 100 && seen.settled > 100);
	assert_true(seen.spared > 50 && seen.cold_lookups > 20 && seen.trips > 100 && seen.regions > 100);
	assert_true(prefixes_seen[WM_PREFIX_UNKNOWN] > 1000 && prefixes_seen[WM_PREFIX_CONSTANT] > 1000 &&
		    prefixes_seen[WM_PREFIX_REGISTER] > 1000 && prefixes_seen[WM_PREFIX_SECOND] > 1000);
	assert_true(seen.shapes > 50 && seen.copies > 500 && seen.unfolded > 40 && seen.afterwards > 50);
}

/* test_store [SEEDS] */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_graphs)};
	if (argc > 1)
		seeds = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
