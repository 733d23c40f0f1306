/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/core/random_unit.h"
#include "test/core/support.h"
#include <string.h>

const struct wm_scheme *const crossing_schemes[] = {&wm_scheme_context, &wm_scheme_context_cut,
	&wm_scheme_context_pending, &wm_scheme_piecewise, &wm_scheme_piecewise_cut, &wm_scheme_piecewise_pending, NULL};

const struct wm_scheme *unit_scheme(const char *name)
{
	struct wm_scheme_choice choice;
	assert_int_equal(wm_scheme_parse(name, &choice), WM_OK);
	assert_true(choice.scheme->crosses);
	return choice.scheme;
}

struct wm_weights *random_weights(const struct wm_unit *unit, struct random *random, struct wm_arena *arena)
{
	struct wm_weights *weights = WM_NEW(arena, struct wm_weights, unit->function_count);
	for (uint32_t f = 0; f < unit->function_count; f++) {
		const struct wm_graph *graph = unit->function[f].graph;
		weights[f].edge = WM_NEW(arena, double, graph->edge_count);
		weights[f].block = WM_NEW(arena, double, graph->block_count);
		weights[f].entry = random_below(random, 100);
		for (uint32_t e = 0; e < graph->edge_count; e++)
			weights[f].edge[e] = random_below(random, 100);
		for (uint32_t b = 0; b < graph->block_count; b++)
			weights[f].block[b] = random_below(random, 100);
	}
	return weights;
}

static bool chance(struct random *random, uint32_t percent)
{
	return random_below(random, 100) < percent;
}

static void random_ends(struct wm_graph *graph, struct random *random)
{
	for (uint32_t b = 0; b < graph->block_count; b++)
		if (graph->end[b] != WM_END_NONE && chance(random, 15))
			graph->end[b] = (uint8_t)(chance(random, 50) ? WM_END_NORETURN : WM_END_UNWIND);
}

static void random_calls(struct wm_unit_function *f, uint32_t functions, struct random *random, struct wm_arena *arena)
{
	const struct wm_graph *graph = f->graph;
	f->call = WM_NEW(arena, struct wm_call, 3 * (size_t)graph->block_count);
	for (uint32_t b = 0; b < graph->block_count; b++) {
		uint32_t count = chance(random, 35) ? 1 + (chance(random, 25) ? random_below(random, 3) : 0) : 0;
		for (uint32_t position = 0; position < count; position++)
			f->call[f->call_count++] = (struct wm_call){.block = b,
				.position = position,
				.callee = chance(random, 15) ? WM_NONE : random_below(random, functions),
				.opaque = chance(random, 10)};
		bool branches = graph->first_edge[b + 1] - graph->first_edge[b] > 1;
		if (count && graph->end[b] == WM_END_RETURN && chance(random, 15))
			f->call[f->call_count - 1].tail = true;
		if (count && graph->end[b] == WM_END_NORETURN)
			f->call[f->call_count - 1].followed = chance(random, 20);
		if (count && branches && chance(random, 40))
			f->call[f->call_count - 1].unwinds = f->call[f->call_count - 1].may_not_return = true;
	}
	for (uint32_t i = 0; i < f->call_count; i++)
		f->call[i].twice = f->call[i].callee == WM_NONE && !f->call[i].unwinds && !wm_unit_is_last_call(f, i) &&
				   chance(random, 40);
}

void unit_sample_init(struct unit_sample *s, uint64_t seed)
{
	static const char *const names[] = {"main", "b", "c", "d", "e", "f", "g", "a"};
	*s = (struct unit_sample){.random = {seed * 977 + 5}};
	wm_arena_init(&s->arena);
	uint32_t count = 2 + random_below(&s->random, 7), crossing = random_below(&s->random, 3), shift;
	shift = random_below(&s->random, COUNT(names));
	s->unit.function_count = count;
	s->unit.function = WM_NEW(&s->arena, struct wm_unit_function, count);
	s->entry = WM_NEW(&s->arena, bool, count);
	s->handler = WM_NEW(&s->arena, bool, count);
	s->over = WM_NEW(&s->arena, bool *, count);
	for (uint32_t f = 0; f < count; f++) {
		struct wm_graph *graph = WM_NEW(&s->arena, struct wm_graph, 1);
		enum random_shape shape = (enum random_shape)random_below(&s->random, RANDOM_WIDE);
		assert_int_equal(
			random_graph(graph, shape, 1 + random_below(&s->random, 6), &s->random, &s->arena), WM_OK);
		random_ends(graph, &s->random);
		s->unit.function[f] =
			(struct wm_unit_function){.name = names[(f + shift) % COUNT(names)], .graph = graph};
		random_calls(&s->unit.function[f], count, &s->random, &s->arena);
		s->entry[f] = chance(&s->random, 30);
		s->handler[f] = chance(&s->random, 25);
		s->over[f] = WM_NEW(&s->arena, bool, s->unit.function[f].call_count);
		for (uint32_t i = 0; i < s->unit.function[f].call_count; i++)
			s->over[f][i] = crossing == 1 ? chance(&s->random, 30) : crossing == 2 && seed % 5 == 0;
	}
	for (uint32_t f = 0; f < count; f++)
		s->entry[f] |= s->handler[f];
}

void unit_sample_release(struct unit_sample *s)
{
	wm_arena_release(&s->arena);
}

bool unit_sample_plan(struct unit_sample *s, const char *name, uint64_t limit, struct wm_unit_plan *plan)
{
	struct wm_unit_request request = {.unit = &s->unit,
		.scheme = unit_scheme(name),
		.limit = limit,
		.entry = s->entry,
		.handler = s->handler,
		.over = (const bool *const *)s->over};
	enum wm_status status = wm_unit_plan_make(plan, &request, &s->arena);
	assert_true(status == WM_OK || (limit && status == WM_TOO_MANY));
	return status == WM_OK;
}
