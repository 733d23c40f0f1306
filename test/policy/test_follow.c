/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Followers, without a compiler: random programs run with a stack of activations.  Every function counts by its
 * probe program, except in calls that policy/followers.h sends to twins.  The counts that the records derive,
 * added to those that functions made themselves, must be the executions of every path by definition, however
 * frames were left.
 */
#include "test/core/support.h"
#include "test/policy/counters.h"
#include "test/policy/random_program.h"
#include <stdlib.h>

#define MOST_BLOCKS 4000 /* of a run */
#define MOST_DEPTH 40
#define MOST_WALK 400
#define RUNS 4

/* Counts of one function. */
struct tally {
	struct counters counters;
	uint64_t *block_cells;
	uint64_t *expected; /* per path */
};
struct running {
	struct random_program *program;
	const struct wm_follow_choice *choice;
	struct tally *tally; /* per function */
	uint32_t blocks, depth;
};

/* How a call ends.  GIVEN_UP: the run takes too long and does not count. */
enum outcome { RETURNED, EXITED, THROWN, JUMPED, GIVEN_UP };

struct activation {
	uint32_t function, call; /* the next call site */
	bool twin;
	uint32_t length, *walk;
	struct wm_machine machine; /* no twin */
	/* Where a call returned twice. */
	bool has_place;
	uint32_t place_call, place_length;
	struct wm_saved_frame *place;
};

static struct {
	uint64_t inner, recursive, by_paths, by_block_cells, caught, jumped, exited, abandoned, tails, cut, checked;
} seen;

/* ---- One activation ------------------------------------------------------------------------ */

static const struct random_function *body(const struct running *r, const struct activation *a)
{
	return &r->program->function[a->function];
}

static bool lists(const uint32_t *list, uint32_t count, uint32_t value)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

static void step_to(struct running *r, struct activation *a, uint32_t block)
{
	if (!a->twin)
		assert_int_equal(wm_machine_step(&a->machine, block), WM_OK);
	a->walk[a->length++] = block;
	a->call = body(r, a)->block[block].first_call;
}

static void count_walk(struct running *r, const struct activation *a, uint32_t length, bool left, int64_t sign)
{
	struct tally *tally = &r->tally[a->function];
	uint64_t *count = calloc(tally->counters.paths, sizeof *count);
	oracle_count(&body(r, a)->sample.oracle, a->walk, length, left, count);
	for (uint32_t id = 0; id < tally->counters.paths; id++)
		tally->expected[id] += (uint64_t)sign * count[id];
	free(count);
}

static enum outcome activate(struct running *r, uint32_t function, bool twin);

static enum outcome leave(struct running *r)
{
	static const enum outcome way[] = {EXITED, THROWN, THROWN, JUMPED, JUMPED};
	return way[random_below(&r->program->random, COUNT(way))];
}

static bool leaves_now(struct running *r, bool may)
{
	return may && !random_below(&r->program->random, 5);
}

static bool goes_to_twin(const struct running *r, const struct activation *a, uint32_t call)
{
	const struct wm_follow_choice *choice = &r->choice[a->function];
	return a->twin ? lists(choice->inner, choice->inner_count, call)
		       : lists(choice->call, choice->call_count, call);
}

static void increment_site(const struct running *r, const struct activation *a, uint32_t call)
{
	const struct wm_follow_choice *choice = &r->choice[a->function];
	for (uint32_t i = 0; i < choice->block_cell_count && !a->twin; i++)
		r->tally[a->function].block_cells[i] += choice->block_cell[i] == call;
}

static enum outcome make_call(struct running *r, struct activation *a, uint32_t index)
{
	const struct wm_call *call = &r->program->unit.function[a->function].call[index];
	increment_site(r, a, index);
	if (index == body(r, a)->setjmp) {
		a->has_place = true;
		a->place_call = index + 1;
		a->place_length = a->length;
		a->place = wm_arena_alloc(a->machine.arena, 1, wm_machine_saved_size(&a->machine));
		wm_machine_save(&a->machine, a->place);
	}
	if (call->callee == WM_NONE)
		return leaves_now(r, call->may_not_return) ? leave(r) : RETURNED;
	bool twin = goes_to_twin(r, a, index);
	seen.inner += twin && a->twin;
	seen.recursive += call->callee == a->function;
	return activate(r, call->callee, twin);
}

/* The calls of the current block from the next one on. */
static enum outcome make_calls(struct running *r, struct activation *a)
{
	const struct random_function *f = body(r, a);
	const struct wm_follow_block *block = &f->block[a->walk[a->length - 1]];
	while (a->call < block->end_call) {
		if (leaves_now(r, f->may_not_return_before[a->call]))
			return leave(r);
		enum outcome outcome = make_call(r, a, a->call++);
		if (outcome != RETURNED)
			return outcome;
	}
	return leaves_now(r, block->may_not_return) ? leave(r) : RETURNED;
}

static uint32_t choose_edge(struct running *r, const struct activation *a, bool thrown)
{
	const struct wm_graph *graph = &body(r, a)->sample.graph;
	uint32_t block = a->walk[a->length - 1], first = graph->first_edge[block], end = graph->first_edge[block + 1];
	bool invokes = a->call > body(r, a)->block[block].first_call &&
		       r->program->unit.function[a->function].call[a->call - 1].unwinds;
	if (thrown)
		return invokes ? end - 1 : WM_NONE;
	return invokes ? first : first + random_below(&r->program->random, end - first);
}

/* An exception reaches a landing pad, or longjmp a call that returns twice. */
static bool is_caught(struct running *r, struct activation *a, enum outcome outcome)
{
	uint32_t edge = outcome == THROWN ? choose_edge(r, a, true) : WM_NONE;
	if (edge != WM_NONE) {
		step_to(r, a, body(r, a)->sample.graph.edge_to[edge]);
		seen.caught++;
		return true;
	}
	if (outcome != JUMPED || !a->has_place)
		return false;
	count_walk(r, a, a->length, false, 1);
	count_walk(r, a, a->place_length, false, -1);
	wm_machine_return_again(&a->machine, a->place);
	a->length = a->place_length;
	a->call = a->place_call;
	a->has_place = false;
	seen.jumped++;
	return true;
}

/* The path has ended; a noreturn or musttail call, or the rest of an exception's way, is left. */
static enum outcome finish(struct running *r, struct activation *a)
{
	const struct random_function *f = body(r, a);
	uint32_t block = a->walk[a->length - 1];
	if (!a->twin)
		assert_int_equal(wm_machine_leave(&a->machine), WM_OK);
	count_walk(r, a, a->length, true, 1);
	switch ((enum wm_end)f->sample.graph.end[block]) {
	case WM_END_NORETURN:
		return leave(r);
	case WM_END_UNWIND:
		return THROWN;
	case WM_END_RETURN:
	case WM_END_NONE:
	case WM_END_BACKEDGE:
	case WM_END_CUT:
	case WM_END_CALL:
		break;
	}
	if (f->block[block].instructions != WM_NONE)
		return RETURNED;
	seen.tails++;
	return make_call(r, a, f->block[block].end_call);
}

static enum outcome walk(struct running *r, struct activation *a)
{
	const struct wm_graph *graph = &body(r, a)->sample.graph;
	for (;;) {
		if (++r->blocks > MOST_BLOCKS || a->length == MOST_WALK)
			return GIVEN_UP;
		enum outcome outcome = make_calls(r, a);
		if (outcome != RETURNED && is_caught(r, a, outcome))
			continue;
		if (outcome != RETURNED) {
			count_walk(r, a, a->length, false, 1);
			seen.abandoned += outcome != GIVEN_UP;
			return outcome;
		}
		if (graph->end[a->walk[a->length - 1]] != WM_END_NONE)
			return finish(r, a);
		step_to(r, a, graph->edge_to[choose_edge(r, a, false)]);
	}
}

static enum outcome activate(struct running *r, uint32_t function, bool twin)
{
	uint32_t blocks[MOST_WALK];
	struct activation a = {.function = function, .twin = twin, .length = 1, .walk = blocks};
	if (r->depth == MOST_DEPTH)
		return GIVEN_UP;
	r->depth++;
	blocks[0] = 0;
	if (!twin) {
		a.machine = counters_machine(&r->tally[function].counters);
		assert_int_equal(wm_machine_enter(&a.machine, 0, false), WM_OK);
	}
	enum outcome outcome = walk(r, &a);
	r->depth--;
	return outcome;
}

/* ---- Many of them ---------------------------------------------------------------------------- */

static struct tally *new_tallies(const struct random_program *p, const struct wm_follow_choice *choice)
{
	struct tally *tally = calloc(p->unit.function_count, sizeof *tally);
	for (uint32_t f = 0; f < p->unit.function_count; f++) {
		counters_init(&tally[f].counters, &p->function[f].store);
		tally[f].block_cells = calloc(choice[f].block_cell_count + 1, sizeof *tally[f].block_cells);
		tally[f].expected = calloc(tally[f].counters.paths, sizeof *tally[f].expected);
	}
	return tally;
}

static void free_tallies(struct tally *tally, uint32_t count)
{
	for (uint32_t f = 0; f < count; f++) {
		counters_release(&tally[f].counters);
		free(tally[f].block_cells);
		free(tally[f].expected);
	}
	free(tally);
}

/* What the records of a caller say of the only paths of the functions that follow it. */
static void derive(const struct running *r, uint32_t caller, uint64_t **found)
{
	const struct wm_follow_choice *choice = &r->choice[caller];
	const struct tally *tally = &r->tally[caller];
	for (uint32_t i = 0; i < choice->followed_count; i++) {
		const struct wm_followed *followed = &choice->followed[i];
		const uint64_t *cell = followed->block_cell ? tally->block_cells : tally->counters.cell;
		assert_true(followed->block_cell || tally->counters.choice->counting.store == WM_COUNT_ARRAY);
		assert_true(followed->first + followed->count <=
			    (followed->block_cell ? choice->block_cell_count : tally->counters.paths));
		for (uint64_t k = 0; k < followed->count; k++) {
			found[followed->function][0] += cell[followed->first + k];
			*(followed->block_cell ? &seen.by_block_cells : &seen.by_paths) += cell[followed->first + k];
		}
	}
}

static void check_counts(const struct running *r)
{
	uint32_t count = r->program->unit.function_count;
	uint64_t **found = calloc(count, sizeof *found);
	for (uint32_t f = 0; f < count; f++) {
		found[f] = calloc(r->tally[f].counters.paths, sizeof *found[f]);
		counters_add_to(&r->tally[f].counters, found[f]);
	}
	for (uint32_t f = 0; f < count; f++)
		derive(r, f, found);
	for (uint32_t f = 0; f < count; f++) {
		assert_memory_equal(found[f], r->tally[f].expected, r->tally[f].counters.paths * sizeof *found[f]);
		free(found[f]);
	}
	free(found);
}

/* A run that takes too long is as one that a signal ended: it is not checked. */
static void run(struct random_program *p, const struct wm_follow_choice *choice)
{
	struct running r = {.program = p, .choice = choice, .tally = new_tallies(p, choice)};
	enum outcome outcome = RETURNED;
	for (int i = 0; i < 3 && outcome != GIVEN_UP; i++) {
		outcome = activate(&r, 0, false);
		seen.exited += outcome == EXITED;
	}
	if (outcome != GIVEN_UP)
		check_counts(&r);
	seen.checked += outcome != GIVEN_UP;
	free_tallies(r.tally, p->unit.function_count);
}

static void check_seed(uint64_t seed)
{
	static const double least[] = {0, 0, 0.6, 2};
	struct random_program p;
	random_program_init(&p, seed);
	struct wm_follow_choice *choice = WM_NEW(&p.arena, struct wm_follow_choice, p.unit.function_count);
	assert_int_equal(
		wm_follow_choose(choice, &p.unit, p.fact, least[random_below(&p.random, COUNT(least))], &p.arena),
		WM_OK);
	for (int i = 0; i < RUNS; i++)
		run(&p, choice);
	for (uint32_t f = 0; f < p.unit.function_count; f++)
		seen.cut += p.function[f].sample.plan.cut_count && choice[f].followed_count;
	random_program_release(&p);
}

static uint64_t seeds = 2000;

static void test_random_programs(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < seeds; seed++)
		check_seed(seed);
	/* All of it must have happened, or the test proves nothing. */
	assert_true(seen.checked > seeds && seen.inner > seeds && seen.abandoned > seeds);
	assert_true(seen.by_paths > seeds && seen.by_block_cells > seeds && seen.exited > seeds / 8);
	assert_true(seen.recursive > 100 && seen.caught > 100 && seen.jumped > 50 && seen.tails > 100 && seen.cut > 50);
}

/* ---- By hand ---------------------------------------------------------------------------------- */

/* A caller with paths 0 (a b d) and 1 (a c d), which makes `calls` calls of a function of one block in block b. */
struct example {
	struct sample caller, leaf;
	struct wm_weights weights;
	struct wm_counting counting;
	struct wm_call call[3];
	struct wm_follow_block caller_block[4], leaf_block[1];
	struct wm_unit_function unit_function[2];
	struct wm_follow_function function[2];
	struct wm_follow_choice choice[2];
};

static void example_init(struct example *e, uint32_t calls, enum wm_counting_store store)
{
	static const bool stays[3];
	*e = (struct example){.counting = {.store = store}, .leaf_block = {{.instructions = 3}}};
	sample_parse(&e->caller, "function caller\na -> b c\nb -> d\nc -> d\nd\n");
	sample_parse(&e->leaf, "function leaf\na\n");
	assert_int_equal(
		wm_weights_static(&e->weights, &e->caller.graph, &e->caller.plan.dfs, &e->caller.arena), WM_OK);
	for (uint32_t b = 0; b < 4; b++)
		e->caller_block[b] = (struct wm_follow_block){
			.instructions = 10, .first_call = b > 1 ? calls : 0, .end_call = b > 0 ? calls : 0};
	for (uint32_t i = 0; i < calls; i++)
		e->call[i] = (struct wm_call){.block = 1, .position = i, .callee = 1};
	e->unit_function[0] = (struct wm_unit_function){"caller", &e->caller.graph, calls, e->call};
	e->unit_function[1] = (struct wm_unit_function){"leaf", &e->leaf.graph, 0, NULL};
	e->function[0] = (struct wm_follow_function){
		&e->caller.plan, &e->counting, &e->weights, e->caller_block, stays, false, true};
	e->function[1] =
		(struct wm_follow_function){&e->leaf.plan, &e->counting, &e->weights, e->leaf_block, stays, true, true};
}

static enum wm_status example_choose(struct example *e, double least, struct wm_arena *arena)
{
	struct wm_unit unit = {2, e->unit_function};
	return wm_follow_choose(e->choice, &unit, e->function, least, arena);
}

static void example_release(struct example *e)
{
	sample_release(&e->caller);
	sample_release(&e->leaf);
}

static void test_examples(void **state)
{
	(void)state;
	static const struct {
		uint32_t calls;
		enum wm_counting_store store;
		bool noinline, may_not_return;
		uint32_t instructions; /* of the callee */
		double least;
		uint32_t twins, block_cells, records; /* expected */
		bool by_block_cell;
	} cases[] = {
		{1, WM_COUNT_ARRAY, false, false, 3, 0, 1, 0, 1, false},
		{3, WM_COUNT_ARRAY, false, false, 3, 0, 3, 0, 3, false},
		{1, WM_COUNT_HASH, false, false, 3, 0, 0, 0, 0, false}, /* costs no more than a block cell */
		{2, WM_COUNT_HASH, false, false, 3, 0, 2, 1, 2, true},
		{1, WM_COUNT_ARRAY, false, true, 3, 0, 0, 0, 0, false}, /* block d may leave */
		{2, WM_COUNT_ARRAY, false, true, 3, 0, 2, 1, 2, true},
		{2, WM_COUNT_ARRAY, true, false, 3, 0, 0, 0, 0, false},
		{1, WM_COUNT_ARRAY, false, false, 48, 0, 1, 0, 1, false},
		{1, WM_COUNT_ARRAY, false, false, 49, 0, 0, 0, 0, false},
		{1, WM_COUNT_ARRAY, false, false, 3, 0.5, 1, 0, 1, false}, /* block b runs every other time */
		{1, WM_COUNT_ARRAY, false, false, 3, 0.6, 0, 0, 0, false},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct example e;
		example_init(&e, cases[i].calls, cases[i].store);
		e.function[1].may_follow = !cases[i].noinline;
		e.caller_block[3].may_not_return = cases[i].may_not_return;
		e.leaf_block[0].instructions = cases[i].instructions;
		assert_int_equal(example_choose(&e, cases[i].least, &e.caller.arena), WM_OK);
		const struct wm_follow_choice *choice = &e.choice[0];
		assert_int_equal(choice->call_count, cases[i].twins);
		assert_int_equal(choice->block_cell_count, cases[i].block_cells);
		assert_int_equal(choice->followed_count, cases[i].records);
		assert_int_equal(e.choice[1].twin, cases[i].twins > 0);
		for (uint32_t k = 0; k < choice->followed_count; k++)
			assert_true(choice->followed[k].function == 1 && choice->followed[k].first == 0 &&
				    choice->followed[k].count == 1 &&
				    choice->followed[k].block_cell == cases[i].by_block_cell);
		example_release(&e);
	}
}

static void test_no_memory(void **state)
{
	(void)state;
	struct example e;
	struct wm_arena arena;
	enum wm_status status = WM_NO_MEMORY;
	size_t failures = 0;
	example_init(&e, 3, WM_COUNT_HASH);
	for (size_t limit = 1; status != WM_OK; limit += 8) {
		wm_arena_init(&arena);
		wm_arena_set_limit(&arena, limit);
		status = example_choose(&e, 0, &arena);
		assert_true(status == WM_OK || status == WM_NO_MEMORY);
		for (uint32_t f = 0; f < 2 && status != WM_OK; f++)
			assert_true(!e.choice[f].twin && !e.choice[f].call_count && !e.choice[f].followed_count);
		failures += status != WM_OK;
		wm_arena_release(&arena);
	}
	assert_true(failures > 3);
	example_release(&e);
}

static void test_least(void **state)
{
	(void)state;
	struct wm_counted_path path[] = {{.id = 0, .count = 65536 * 10}, {.id = 1, .count = 65536 * 5}};
	struct wm_profile_function function = {.path_count = 2, .path = path};
	struct wm_profile_object object = {.function_count = 1, .function = &function};
	struct wm_profile profile = {.object_count = 1, .object = &object};
	assert_true(wm_follow_least(&profile) == 15);
	path[0].count = path[1].count = 3;
	assert_true(wm_follow_least(&profile) == 1);
}

/* test_follow [SEEDS] */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs), cmocka_unit_test(test_examples),
		cmocka_unit_test(test_no_memory), cmocka_unit_test(test_least)};
	if (argc > 1)
		seeds = strtoull(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
