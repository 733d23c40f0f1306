/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contradictory paths: cases by hand, and random graphs with random facts against sets of single integers. */
#include "core/graph/cfgtext.h"
#include "core/trail/feasible.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

/* n is tested in a and in d; c may change it. */
static const char twice[] = "function twice\na -> b c\nb -> d\nc -> d\nd -> e f\ne -> g\nf -> g\ng\n";

struct world {
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_plan plan;
};

static void plan_text(struct world *w, const char *text, const char *scheme)
{
	struct wm_cfg_error error;
	struct wm_scheme_choice choice;
	wm_arena_init(&w->arena);
	assert_int_equal(wm_cfg_parse(&w->cfg, text, strlen(text), &error, &w->arena), WM_OK);
	assert_int_equal(wm_scheme_parse(scheme, &choice), WM_OK);
	assert_int_equal(wm_plan_choose(&w->plan, &w->cfg.function[0].graph, &choice, 0, &w->arena), WM_OK);
}

static struct wm_trail trail_of(const struct wm_plan *plan, uint64_t id, struct wm_arena *arena)
{
	struct wm_trail trail;
	assert_int_equal(wm_trail_decode(plan, id, &trail, arena), WM_OK);
	return trail;
}

static struct wm_contradiction contradiction(struct world *w, const struct wm_facts *facts, const char *blocks)
{
	struct wm_contradiction found = {0};
	for (uint64_t id = 0; id < w->plan.numbering.path_count; id++) {
		struct wm_trail trail = trail_of(&w->plan, id, &w->arena);
		char text[64] = "";
		for (uint32_t i = 0; i < trail.count && i < sizeof text - 1; i++)
			text[i] = w->cfg.function[0].block_name[trail.step[i].block][0];
		if (strcmp(text, blocks) != 0 || trail.start != WM_START_ENTRY)
			continue;
		assert_int_equal(wm_trail_find_contradiction(&trail, &facts, &found, &w->arena), WM_OK);
		return found;
	}
	fail_msg("no path %s", blocks);
	return found;
}

static void test_by_hand(void **state)
{
	/* a: n == 3 leads to b, otherwise c; c sets n to 7; d: n > 5 leads to e */
	struct wm_fact fact[] = {
		{0, WM_FACT_TEST, 0, 0, {3, 3}},
		{0, WM_FACT_TEST, 0, 1, {INT64_MIN, 2}},
		{0, WM_FACT_TEST, 0, 1, {4, INT64_MAX}},
		{2, WM_FACT_BEFORE, 0, WM_NONE, {7, 7}},
		{3, WM_FACT_TEST, 0, 4, {6, INT64_MAX}},
		{3, WM_FACT_TEST, 0, 5, {INT64_MIN, 5}},
	};
	struct wm_facts facts = {1, COUNT(fact), fact};
	struct world w;
	(void)state;
	plan_text(&w, twice, "acyclic");
	assert_true(wm_facts_are_valid(&facts, w.plan.graph));
	struct wm_contradiction found = contradiction(&w, &facts, "abdeg");
	assert_int_equal(found.earlier, 0);
	assert_int_equal(found.later, 2);
	assert_int_equal(contradiction(&w, &facts, "abdfg").later, WM_NONE);
	assert_int_equal(contradiction(&w, &facts, "acdeg").later, WM_NONE);
	found = contradiction(&w, &facts, "acdfg");
	assert_int_equal(found.earlier, 1);
	assert_int_equal(found.later, 2);
	/* c changes n to anything */
	fact[3].range = WM_ANYTHING;
	assert_int_equal(contradiction(&w, &facts, "acdfg").later, WM_NONE);
	/* the value is known by the way into d */
	struct wm_fact by_edge[] = {
		{3, WM_FACT_BEFORE, 0, WM_NONE, WM_ANYTHING},
		{3, WM_FACT_FROM, 0, 2, {0, 0}},
		{3, WM_FACT_TEST, 0, 4, {1, 1}},
		{3, WM_FACT_TEST, 0, 5, {0, 0}},
	};
	struct wm_facts entered = {1, COUNT(by_edge), by_edge};
	assert_true(wm_facts_are_valid(&entered, w.plan.graph));
	assert_int_equal(contradiction(&w, &entered, "abdeg").later, 2);
	assert_int_equal(contradiction(&w, &entered, "acdeg").later, WM_NONE);
	wm_arena_release(&w.arena);
}

/* Facts in any order, repeated or wrong: a wrong one costs the facts about its value. */
static void test_arranged(void **state)
{
	struct wm_fact fact[] = {
		{3, WM_FACT_TEST, 3, 4, {6, 6}}, {3, WM_FACT_FROM, 3, 2, {0, 0}}, {0, WM_FACT_TEST, 0, 0, {3, 3}},
		{3, WM_FACT_FROM, 3, 2, {0, 0}}, {0, WM_FACT_TEST, 0, 4, {3, 3}}, /* not an edge out of the block */
		{3, WM_FACT_TEST, 0, 4, {3, 3}}, {1, WM_FACT_AFTER, 2, WM_NONE, {5, 4}}, /* no integer */
		{1, WM_FACT_BEFORE, 4, WM_NONE, {5, 5}}, /* no such value */
		{9, WM_FACT_BEFORE, 2, WM_NONE, {5, 5}}, /* no such block */
	};
	struct wm_facts facts = {4, COUNT(fact), fact};
	struct world w;
	(void)state;
	plan_text(&w, twice, "acyclic");
	assert_int_equal(wm_facts_arrange(&facts, w.plan.graph, &w.arena), WM_OK);
	assert_true(wm_facts_are_valid(&facts, w.plan.graph));
	assert_int_equal(facts.count, 2);
	assert_int_equal(facts.value_count, 1);
	assert_int_equal(facts.fact[0].kind, WM_FACT_FROM);
	assert_int_equal(facts.fact[1].kind, WM_FACT_TEST);
	assert_int_equal(facts.fact[1].value, 0);
	facts.value_count = 3;
	assert_false(wm_facts_are_valid(&facts, w.plan.graph));
	facts = (struct wm_facts){.value_count = 5};
	assert_int_equal(wm_facts_arrange(&facts, w.plan.graph, &w.arena), WM_OK);
	assert_int_equal(facts.value_count, 0);
	wm_arena_release(&w.arena);
}

/* A loop in which n is tested in every iteration: consecutive iterations are followed, and those after a context are not. */
static void test_iterations(void **state)
{
	static const char loop[] = "function loop\na -> h\nh -> b c\nb -> d\nc -> d\nd -> h e\ne\n";
	struct wm_fact fact[] = {{1, WM_FACT_TEST, 0, 1, {0, 0}}, {1, WM_FACT_TEST, 0, 2, {1, 1}}};
	struct wm_facts facts = {1, COUNT(fact), fact};
	struct world w;
	(void)state;
	plan_text(&w, loop, "kiter=2");
	assert_int_equal(contradiction(&w, &facts, "ahbdhcde").later, 4);
	assert_int_equal(contradiction(&w, &facts, "ahbdhcde").earlier, 1);
	assert_int_equal(contradiction(&w, &facts, "ahbdhbde").later, WM_NONE);
	wm_arena_release(&w.arena);
	fact[0] = (struct wm_fact){0, WM_FACT_AFTER, 0, WM_NONE, {1, 1}};
	fact[1] = (struct wm_fact){1, WM_FACT_TEST, 0, 1, {0, 0}};
	plan_text(&w, loop, "acyclic");
	assert_int_equal(contradiction(&w, &facts, "ahbde").later, 1);
	wm_arena_release(&w.arena);
	plan_text(&w, loop, "loopcontext");
	uint32_t contradictory = 0;
	for (uint64_t id = 0; id < w.plan.numbering.path_count; id++) {
		struct wm_trail trail = trail_of(&w.plan, id, &w.arena);
		const struct wm_facts *all[] = {&facts};
		struct wm_contradiction found;
		assert_int_equal(wm_trail_find_contradiction(&trail, all, &found, &w.arena), WM_OK);
		bool later_iteration = trail.count > 1 && trail.step[1].again;
		assert_true(found.later == WM_NONE || !later_iteration);
		contradictory += found.later != WM_NONE;
	}
	assert_int_equal(contradictory, 2);
	wm_arena_release(&w.arena);
}

/* ---- Random facts against sets of integers --------------------------------------------- */

enum { LEAST = -6, MOST = 6, VALUES = 3, ALL = (1 << (MOST - LEAST + 3)) - 1 };

/* Bit 0 is for all integers below LEAST, the highest for all above MOST. */
static uint32_t bits_of(struct wm_value_range interval)
{
	uint32_t bits = 0;
	for (int n = LEAST - 1; n <= MOST + 1; n++) {
		bool outside = n == LEAST - 1  ? interval.low == INT64_MIN
			       : n == MOST + 1 ? interval.high == INT64_MAX
					       : interval.low <= n && n <= interval.high;
		bits |= (uint32_t)outside << (n - LEAST + 1);
	}
	return bits;
}

static struct wm_value_range random_interval(struct random *random)
{
	int a = LEAST + (int)random_below(random, MOST - LEAST + 1),
	    b = LEAST + (int)random_below(random, MOST - LEAST + 1);
	struct wm_value_range interval = {a < b ? a : b, a < b ? b : a};
	if (random_below(random, 4) == 0)
		interval.low = INT64_MIN;
	if (random_below(random, 4) == 0)
		interval.high = INT64_MAX;
	return interval;
}

static void add_tests(struct wm_facts *facts, uint32_t block, uint32_t value, uint32_t edge, struct random *random)
{
	int low = LEAST;
	while (low <= MOST) {
		int high = low + (int)random_below(random, 4);
		if (random_below(random, 2))
			facts->fact[facts->count++] = (struct wm_fact){block, WM_FACT_TEST, value, edge, {low, high}};
		low = high + 2;
	}
}

static void add_facts(
	struct wm_facts *facts, const struct wm_graph *graph, uint32_t block, uint32_t value, struct random *random)
{
	struct wm_value_range is = random_below(random, 2) ? WM_ANYTHING : random_interval(random);
	switch (random_below(random, 6)) {
	case 0:
		facts->fact[facts->count++] = (struct wm_fact){block, WM_FACT_BEFORE, value, WM_NONE, is};
		break;
	case 1:
		facts->fact[facts->count++] = (struct wm_fact){block, WM_FACT_AFTER, value, WM_NONE, is};
		break;
	case 2:
		for (uint32_t e = 0; e < graph->edge_count; e++)
			if (graph->edge_to[e] == block && random_below(random, 2))
				facts->fact[facts->count++] = (struct wm_fact){block, WM_FACT_FROM, value, e, is};
		break;
	}
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1] && random_below(random, 2); e++)
		add_tests(facts, block, value, e, random);
}

static bool is_possible(const struct wm_facts *facts, const struct wm_trail *trail)
{
	uint32_t bits[VALUES] = {ALL, ALL, ALL};
	for (uint32_t s = 0; s < trail->count; s++)
		for (unsigned kind = 0; kind < WM_FACT_KINDS; kind++)
			for (uint32_t v = 0; v < VALUES; v++) {
				uint32_t allowed = 0;
				bool tested = false;
				for (uint32_t i = 0; i < facts->count; i++) {
					const struct wm_fact *f = &facts->fact[i];
					if (f->block != trail->step[s].block || f->kind != kind || f->value != v)
						continue;
					if (kind == WM_FACT_TEST && f->edge == trail->step[s].edge) {
						tested = true;
						allowed |= bits_of(f->range);
					}
					if (kind == WM_FACT_FROM && s && f->edge == trail->step[s - 1].edge)
						bits[v] = bits_of(f->range);
					if (kind == WM_FACT_BEFORE || kind == WM_FACT_AFTER)
						bits[v] = bits_of(f->range);
				}
				if (tested && !(bits[v] &= allowed))
					return false;
			}
	return true;
}

static void test_random(void **state)
{
	uint32_t possible = 0, impossible = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct random random = {seed};
		struct wm_arena arena;
		struct wm_graph graph;
		struct wm_plan plan;
		wm_arena_init(&arena);
		assert_int_equal(
			random_graph(&graph, (enum random_shape)(seed % RANDOM_SHAPES), 8, &random, &arena), WM_OK);
		assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
		struct wm_facts facts = {VALUES, 0,
			WM_NEW(&arena, struct wm_fact,
				VALUES * (graph.block_count + graph.edge_count * (MOST - LEAST + 4)))};
		for (uint32_t b = 0; b < graph.block_count; b++)
			for (uint32_t v = 0; v < VALUES; v++)
				add_facts(&facts, &graph, b, v, &random);
		qsort(facts.fact, facts.count, sizeof *facts.fact, wm_fact_compare);
		assert_true(wm_facts_are_valid(&facts, &graph));
		for (uint64_t id = 0; id < plan.numbering.path_count && id < 200; id++) {
			struct wm_trail trail = trail_of(&plan, id, &arena);
			const struct wm_facts *all[] = {&facts};
			struct wm_contradiction found;
			assert_int_equal(wm_trail_find_contradiction(&trail, all, &found, &arena), WM_OK);
			bool can = is_possible(&facts, &trail);
			assert_int_equal(found.later == WM_NONE, can);
			possible += can;
			impossible += !can;
		}
		wm_arena_release(&arena);
	}
	assert_true(possible > 1000 && impossible > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_arranged),
		cmocka_unit_test(test_iterations),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
