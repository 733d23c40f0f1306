/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which calls are inlined where not all of them fit: examples, and random units against the definition. */
#include "core/graph/callgraph.h"
#include "core/graph/cfgtext.h"
#include "core/graph/inline_threshold.h"
#include "test/core/random_unit.h"
#include "test/core/support.h"
#include <string.h>

/* main calls hot and cold, hot calls inner. */
static const char example[] = "function main\na [call cold] [call hot] -> b\nb\nfunction hot\na [call inner]\n"
			      "function cold\na\nfunction inner\na\n";

struct sample {
	struct wm_inlining inlining;
	struct wm_inline_budget budget;
	struct wm_callgraph callgraph;
	uint64_t **count;
	uint32_t *size;
};

static void make_callgraph(struct sample *s, const struct wm_unit *unit, struct wm_arena *arena)
{
	struct wm_dfs *dfs = WM_NEW(arena, struct wm_dfs, unit->function_count);
	for (uint32_t f = 0; f < unit->function_count; f++)
		assert_int_equal(wm_dfs_run(&dfs[f], unit->function[f].graph, arena), WM_OK);
	assert_int_equal(wm_callgraph_run(&s->callgraph, unit, dfs, arena), WM_OK);
}

/* All calls are marked; all counts and sizes are 1. */
static void make_sample(struct sample *s, const struct wm_unit *unit, uint64_t room, struct wm_arena *arena)
{
	bool **marked = WM_NEW(arena, bool *, unit->function_count);
	s->count = WM_NEW(arena, uint64_t *, unit->function_count);
	s->size = WM_NEW(arena, uint32_t, unit->function_count);
	for (uint32_t f = 0; f < unit->function_count; f++) {
		uint32_t calls = unit->function[f].call_count;
		marked[f] = WM_NEW(arena, bool, calls);
		s->count[f] = WM_NEW(arena, uint64_t, calls);
		s->size[f] = 1;
		for (uint32_t i = 0; i < calls; i++)
			marked[f][i] = s->count[f][i] = 1;
	}
	s->budget = (struct wm_inline_budget){
		.unit = unit, .count = (const uint64_t *const *)s->count, .size = s->size, .room = room};
	s->inlining = (struct wm_inlining){unit, (const bool *const *)marked, 2, WM_SUPERGRAPH_BLOCKS, &s->budget};
	make_callgraph(s, unit, arena);
}

static enum wm_inline_choice choice_of(const struct wm_supergraph *g, uint32_t context, uint32_t site)
{
	return g->choice[context][site];
}

static void test_hottest(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	wm_arena_init(&arena);
	assert_int_equal(wm_cfg_parse(&cfg, example, sizeof example - 1, &error, &arena), WM_OK);
	/* hot is inlined first; then inner, which is executed as often in that copy; cold is last. */
	static const enum wm_inline_choice cold[] = {WM_INLINE_COLD, WM_INLINE_COLD, WM_INLINE_COLD, WM_INLINE_DONE};
	static const enum wm_inline_choice hot[] = {WM_INLINE_COLD, WM_INLINE_DONE, WM_INLINE_DONE, WM_INLINE_DONE};
	static const enum wm_inline_choice inner[] = {WM_INLINE_COLD, WM_INLINE_COLD, WM_INLINE_DONE, WM_INLINE_DONE};
	for (uint64_t room = 0; room < 4; room++) {
		struct sample s;
		struct wm_supergraph g;
		make_sample(&s, &cfg.unit, room, &arena);
		s.count[0][1] = s.count[1][0] = 100;
		assert_int_equal(wm_inline_threshold_find(&s.inlining, s.callgraph.order, &arena), WM_OK);
		assert_int_equal(wm_supergraph_make(&g, &s.inlining, 0, &arena), WM_OK);
		assert_int_equal(choice_of(&g, 0, 0), cold[room]);
		assert_int_equal(choice_of(&g, 0, 1), hot[room]);
		if (room)
			assert_int_equal(choice_of(&g, g.callee[0][1], 0), inner[room]);
		/* With hot inlined, nothing is executed in the function itself any more. */
		assert_int_equal(wm_supergraph_make(&g, &s.inlining, 1, &arena), WM_OK);
		assert_int_equal(choice_of(&g, 0, 0), WM_INLINE_COLD);
		assert_true(s.budget.spent <= room);
	}
	wm_arena_release(&arena);
}

/* The heat by definition, without the code under test: from the root down to the context. */
static double heat(const struct sample *s, const struct wm_origins *o, uint32_t context, uint32_t site, double own)
{
	uint32_t function = o->context[context].function, parent = o->context[context].parent;
	if (parent == WM_NONE)
		return own * (double)s->count[function][site];
	const struct wm_unit_function *caller = &s->inlining.unit->function[o->context[parent].function];
	uint32_t at = wm_unit_first_call(caller, o->context[context].block) + o->context[context].position;
	double share = heat(s, o, parent, at, own) / s->budget.entries[function];
	return share * (double)s->count[function][site];
}

/* Every call is inlined if it is hotter than the threshold and there is room. */
static void check_choices(struct sample *s, const struct wm_supergraph *g, double own, uint32_t *done, uint32_t *cold)
{
	for (uint32_t c = 0; c < g->origins.context_count; c++) {
		uint32_t function = g->origins.context[c].function;
		for (uint32_t i = 0; i < s->inlining.unit->function[function].call_count; i++) {
			double of = heat(s, &g->origins, c, i, own);
			if (g->choice[c][i] == WM_INLINE_DONE)
				assert_true(of >= s->budget.next * (1 - 1e-6));
			/* Calls far above the threshold are left out only where copies of colder calls contain them. */
			if (g->choice[c][i] == WM_INLINE_COLD && of > s->budget.least * (1 + 1e-6))
				assert_true(s->budget.spent + 100 > s->budget.room);
			*done += g->choice[c][i] == WM_INLINE_DONE;
			*cold += g->choice[c][i] == WM_INLINE_COLD;
		}
	}
}

static void test_random_units(void **state)
{
	(void)state;
	uint32_t done = 0, cold = 0;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct unit_sample u;
		struct sample s;
		unit_sample_init(&u, seed);
		make_sample(&s, &u.unit, random_below(&u.random, 400), &u.arena);
		s.inlining.limit = 1000;
		for (uint32_t f = 0; f < u.unit.function_count; f++) {
			s.size[f] = 1 + random_below(&u.random, 100);
			for (uint32_t i = 0; i < u.unit.function[f].call_count; i++)
				s.count[f][i] = random_below(&u.random, 1000);
		}
		assert_int_equal(wm_inline_threshold_find(&s.inlining, s.callgraph.order, &u.arena), WM_OK);
		uint64_t size = 0;
		for (uint32_t i = 0; i < u.unit.function_count; i++) {
			uint32_t root = s.callgraph.order[i];
			struct wm_supergraph g;
			double entries = s.budget.entries[root], left = entries - s.budget.inlined[root];
			assert_int_equal(wm_supergraph_make(&g, &s.inlining, root, &u.arena), WM_OK);
			check_choices(&s, &g, entries > 0 ? (left < 0 ? 0 : left / entries) : 1, &done, &cold);
			for (uint32_t c = 1; c < g.origins.context_count; c++)
				size += s.size[g.origins.context[c].function];
		}
		assert_int_equal(size, s.budget.spent);
		assert_true(size <= s.budget.room);
		unit_sample_release(&u);
	}
	assert_true(done > 500 && cold > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_hottest), cmocka_unit_test(test_random_units)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
