/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/policy/random_program.h"
#include "test/core/support.h"

#define MOST_PATHS 200
#define MOST_CALLS 4 /* of a block */

static bool one_in(struct random_program *p, uint32_t n)
{
	return !random_below(&p->random, n);
}

/* ---- Graphs ---------------------------------------------------------------------------- */

/* Blocks 0 … length-1 in a row.  Each may have an edge to its landing pad, which rejoins the row or goes on
 * unwinding. */
static enum wm_status make_line(struct random_program *p, struct random_function *f)
{
	uint32_t length = 1 + random_below(&p->random, 5);
	struct wm_graph_builder builder;
	enum wm_status status = wm_graph_builder_init(&builder, &f->sample.arena, 2 * length - 1);
	for (uint32_t b = 0; b < 2 * length - 1 && status == WM_OK; b++) {
		bool last = b == length - 1, pad = b >= length;
		uint32_t successor[] = {pad ? b - length + 1 : b + 1, length + b};
		uint32_t count = last ? 0 : pad ? !one_in(p, 3) : 1 + one_in(p, 2);
		enum wm_end end = count ? WM_END_NONE : last ? WM_END_RETURN : WM_END_UNWIND;
		status = wm_graph_builder_add(&builder, successor, count, end);
	}
	return status == WM_OK ? wm_graph_builder_finish(&builder, &f->sample.graph) : status;
}

static enum wm_status make_graph(struct random_program *p, struct random_function *f)
{
	enum random_shape shape = (enum random_shape)random_below(&p->random, RANDOM_WIDE);
	uint32_t size = 1 + random_below(&p->random, 9);
	struct wm_graph *graph = &f->sample.graph;
	enum wm_status status = random_graph(graph, shape, size, &p->random, &f->sample.arena);
	for (uint32_t b = 0; status == WM_OK && f->returns && b < graph->block_count; b++)
		if (graph->end[b] != WM_END_NONE)
			graph->end[b] = WM_END_RETURN;
	return status;
}

/* Draws until there are few paths. */
static void make_body(struct random_program *p, struct random_function *f)
{
	for (bool fits = false; !fits;) {
		struct sample *sample = &f->sample;
		uint64_t limit = !one_in(p, 4) ? 0 : f->line ? 6 : 8; /* a low limit cuts the graph */
		*sample = (struct sample){.random = {random_next(&p->random)}};
		wm_arena_init(&sample->arena);
		assert_int_equal(f->line ? make_line(p, f) : make_graph(p, f), WM_OK);
		fits = wm_plan_make(&sample->plan, &sample->graph, &wm_scheme_acyclic, limit, &sample->arena) == WM_OK;
		if (fits)
			fits = oracle_init(&sample->oracle, &sample->graph, sample->plan.cut, MOST_PATHS) &&
			       sample->oracle.count;
		if (!fits)
			sample_release(sample);
	}
}

/* ---- Calls ------------------------------------------------------------------------------ */

/* Mostly a line; seldom recursion, which few programs survive. */
static uint32_t random_callee(struct random_program *p, const struct random_function *f)
{
	uint32_t caller = (uint32_t)(f - p->function), callee = caller;
	for (int i = 0; i < 4 && (callee == caller || !p->function[callee].line); i++)
		callee = random_below(&p->random, p->unit.function_count);
	bool recursive = callee <= caller && !one_in(p, 12),
	     may_not_return = f->returns && !p->function[callee].returns;
	return one_in(p, 5) || recursive || may_not_return ? WM_NONE : callee;
}

static struct wm_call random_call(struct random_program *p, const struct random_function *f, uint32_t block)
{
	struct wm_call call = {.block = block, .callee = random_callee(p, f)};
	if (call.callee == WM_NONE)
		call.may_not_return = !f->returns && one_in(p, 2);
	else
		call.may_not_return = !p->function[call.callee].returns || (!f->returns && one_in(p, 20));
	return call;
}

/* The last call of a block: an invoke, a noreturn call or a musttail call. */
static void end_block(
	struct random_program *p, struct random_function *f, struct wm_call *last, struct wm_follow_block *block)
{
	const struct wm_graph *graph = &f->sample.graph;
	uint32_t b = last->block, degree = graph->first_edge[b + 1] - graph->first_edge[b];
	if (graph->end[b] == WM_END_NORETURN) {
		*last = (struct wm_call){
			.block = b, .position = last->position, .callee = WM_NONE, .may_not_return = true};
		block->end_call--;
	} else if (graph->end[b] == WM_END_RETURN && !f->line && one_in(p, 6)) {
		block->instructions = WM_NONE;
		block->end_call--;
	} else if (degree == 2 && (f->line || !one_in(p, 3))) {
		last->unwinds = true;
		block->returns = !last->may_not_return;
	}
}

static bool needs_call(const struct random_function *f, uint32_t b)
{
	const struct wm_graph *graph = &f->sample.graph;
	return graph->end[b] == WM_END_NORETURN || (f->line && graph->first_edge[b + 1] - graph->first_edge[b] == 2);
}

static void make_calls(struct random_program *p, struct random_function *f, struct wm_unit_function *in_unit)
{
	const struct wm_graph *graph = &f->sample.graph;
	struct wm_arena *arena = &f->sample.arena;
	in_unit->graph = graph;
	in_unit->call = WM_NEW(arena, struct wm_call, MOST_CALLS * graph->block_count);
	f->block = WM_NEW(arena, struct wm_follow_block, graph->block_count);
	f->may_not_return_before = WM_NEW(arena, bool, MOST_CALLS * graph->block_count);
	f->setjmp = WM_NONE;
	for (uint32_t b = 0; b < graph->block_count; b++) {
		uint32_t count = one_in(p, 2) ? 0 : random_below(&p->random, MOST_CALLS + 1);
		struct wm_follow_block *block = &f->block[b];
		count += !count && needs_call(f, b);
		*block = (struct wm_follow_block){.instructions = 1 + random_below(&p->random, f->line ? 20 : 60),
			.first_call = in_unit->call_count,
			.end_call = in_unit->call_count + count,
			.may_not_return = !f->returns && one_in(p, 12)};
		for (uint32_t i = 0; i < count; i++) {
			struct wm_call *call = &in_unit->call[in_unit->call_count];
			*call = random_call(p, f, b);
			call->position = i;
			f->may_not_return_before[in_unit->call_count++] = !f->returns && one_in(p, 12);
			if (i + 1 == count)
				end_block(p, f, call, block);
			else if (!f->returns && call->callee == WM_NONE && one_in(p, 2))
				f->setjmp = in_unit->call_count - 1;
		}
		if (count && in_unit->call[in_unit->call_count - 1].unwinds)
			block->may_not_return = false;
	}
}

/* ---- Probes ------------------------------------------------------------------------------- */

/* As wm_call_not_known_to_return: for more calls than the analysis of the unit finds.  And, as in the plugin, for calls that may return
 * twice. */
static bool *blocks_that_may_not_return(
	struct random_program *p, const struct random_function *f, const struct wm_unit_function *in_unit)
{
	bool *may_not_return = WM_NEW(&p->arena, bool, f->sample.graph.block_count);
	for (uint32_t b = 0; b < f->sample.graph.block_count; b++)
		may_not_return[b] = f->block[b].may_not_return;
	for (uint32_t i = 0; i < in_unit->call_count; i++)
		may_not_return[in_unit->call[i].block] |= in_unit->call[i].may_not_return ||
							  f->may_not_return_before[i] || one_in(p, 4) || i == f->setjmp;
	return may_not_return;
}

static void place_probes(struct random_program *p, struct random_function *f, const struct wm_unit_function *in_unit)
{
	struct sample *s = &f->sample;
	struct wm_store_request request = {.purpose = one_in(p, 2) ? WM_PURPOSE_ALL : WM_PURPOSE_INTERESTING,
		.stage = WM_CFG_SOURCE,
		.test = {.placement = one_in(p, 6) ? WM_PLACE_NAIVE : WM_PLACE_OPTIMAL,
			.perfect = one_in(p, 3),
			.all_regions = one_in(p, 2),
			.array_limit = one_in(p, 4)},
		.probes = {.plan = &s->plan,
			.weights = &f->weights,
			.may_not_return = blocks_that_may_not_return(p, f, in_unit),
			.resumes = f->setjmp != WM_NONE}};
	assert_int_equal(wm_weights_static(&f->weights, &s->graph, &s->plan.dfs, &s->arena), WM_OK);
	sample_set(s, &request.known);
	uint64_t *count = WM_NEW(&s->arena, uint64_t, request.known.count);
	for (uint32_t i = 0; i < request.known.count; i++)
		count[i] = 1 + random_below(&p->random, 100);
	request.known_count = count;
	assert_int_equal(wm_store_choose(&request, &f->store, &s->arena), WM_OK);
}

static void describe(struct random_program *p, uint32_t i)
{
	const struct random_function *f = &p->function[i];
	p->fact[i] = (struct wm_follow_function){.plan = &f->sample.plan,
		.counting = &f->store.counting,
		.weights = &f->weights,
		.block = f->block,
		.may_not_return_before = f->may_not_return_before,
		.may_follow = f->returns && !one_in(p, 20),
		.may_call_twins = f->setjmp == WM_NONE && !one_in(p, 20)};
}

/* ---- The whole ------------------------------------------------------------------------------ */

void random_program_init(struct random_program *p, uint64_t seed)
{
	*p = (struct random_program){.random = {seed}};
	wm_arena_init(&p->arena);
	uint32_t count = p->unit.function_count = 3 + random_below(&p->random, 12);
	p->unit.function = WM_NEW(&p->arena, struct wm_unit_function, count);
	p->function = WM_NEW(&p->arena, struct random_function, count);
	p->fact = WM_NEW(&p->arena, struct wm_follow_function, count);
	/* The first function is the one that runs: it may do anything. */
	for (uint32_t i = 1; i < count; i++) {
		p->function[i].line = !one_in(p, 3);
		p->function[i].returns = p->function[i].line ? !one_in(p, 8) : one_in(p, 2);
	}
	for (uint32_t i = 0; i < count; i++)
		make_body(p, &p->function[i]);
	for (uint32_t i = 0; i < count; i++) {
		make_calls(p, &p->function[i], &p->unit.function[i]);
		place_probes(p, &p->function[i], &p->unit.function[i]);
		describe(p, i);
	}
}

void random_program_release(struct random_program *p)
{
	for (uint32_t i = 0; i < p->unit.function_count; i++)
		sample_release(&p->function[i].sample);
	wm_arena_release(&p->arena);
}
