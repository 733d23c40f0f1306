/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths across calls: the figures of TR 1382, then random units against the definition. */
#include "core/graph/cfgtext.h"
#include "test/core/random_unit.h"
#include "test/core/support.h"
#include "test/core/trail_encode.h"
#include "test/core/unit_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LISTED 1500

/* ---- Figures --------------------------------------------------------------------- */

static const char pow_program[] = "function main\n"
				  "init -> while\n"
				  "while -> if1 end\n"
				  "if1 -> call1 if2\n"
				  "call1 [call pow] -> if2\n"
				  "if2 -> call2 next\n"
				  "call2 [call pow] -> next\n"
				  "next -> while\n"
				  "end\n"
				  "function pow\n"
				  "init -> while\n"
				  "while -> body exit\n"
				  "body -> while\n"
				  "exit\n";

struct figure {
	const char *scheme;
	uint64_t paths;
	uint8_t counts[40][2]; /* id and count */
};
static const struct figure figures[] = {
	{"context", 36,
		{{16, 1}, {18, 9}, {24, 9}, {25, 3}, {27, 3}, {28, 3}, {29, 6}, {30, 3}, {32, 3}, {33, 3}, {34, 5},
			{35, 1}}},
	{"piecewise", 21, {{6, 1}, {8, 9}, {12, 3}, {14, 5}, {15, 1}, {16, 15}, {17, 3}, {19, 6}, {20, 6}}},
};

struct counts {
	uint64_t count[64];
	const struct wm_machine *machine;
};

static void count_id(void *closure, uint64_t id, uint64_t amount)
{
	struct counts *counts = closure;
	assert_true(id < COUNT(counts->count));
	counts->count[id] += amount;
}

/* The table has what the runtime has seen. */
static bool find_id(void *closure, uint64_t id, uint64_t amount)
{
	struct counts *counts = closure;
	bool found = id < COUNT(counts->count) && counts->count[id];
	if (found)
		count_id(closure, id, amount);
	return found;
}

static void count_cell(void *closure, uint32_t cell, uint64_t amount)
{
	const struct counts *counts = closure;
	count_id(closure, wm_probed_cell(&counts->machine->probed[counts->machine->counts_in], cell), amount);
}

static void step(struct wm_machine *m, uint32_t block)
{
	assert_int_equal(wm_machine_step(m, block), WM_OK);
}

/* pow_(i, 2) */
static void run_pow(struct wm_machine *m)
{
	wm_machine_call(m, false);
	wm_machine_enter(m, 1, false);
	step(m, 1);
	for (int exponent = 2; exponent > 0; exponent--) {
		step(m, 2);
		step(m, 1);
	}
	step(m, 3);
	assert_int_equal(wm_machine_leave(m), WM_OK);
	wm_machine_go_on(m);
}

static void run_main(struct wm_machine *m)
{
	wm_machine_enter(m, 0, false);
	step(m, 1);
	for (int i = 1; i <= 18; i++) {
		step(m, 2);
		if (i % 2 == 0) {
			step(m, 3);
			run_pow(m);
		}
		step(m, 4);
		if (i % 3 == 0) {
			step(m, 5);
			run_pow(m);
		}
		step(m, 6);
		step(m, 1);
	}
	step(m, 7);
	assert_int_equal(wm_machine_leave(m), WM_OK);
}

static void check_figure(const struct wm_unit_plan *plan, const struct figure *figure, uint32_t tree)
{
	struct wm_arena arena;
	struct random random = {tree + 1};
	struct counts counts = {{0}, NULL}, expected = {{0}, NULL};
	struct wm_probed *probed;
	wm_arena_init(&arena);
	const struct wm_weights *weights = random_weights(plan->unit, &random, &arena);
	assert_int_equal(wm_unit_probes_make(plan, tree ? weights : NULL, NULL, &probed, &arena), WM_OK);
	struct wm_machine machine = {.probed = probed,
		.arena = &arena,
		.counters = {.closure = &counts, .cell = count_cell, .find = find_id, .call = count_id}};
	counts.machine = &machine;
	run_main(&machine);
	assert_int_equal(machine.depth, 0);
	for (size_t i = 0; i < COUNT(figure->counts); i++)
		expected.count[figure->counts[i][0]] += figure->counts[i][1];
	assert_memory_equal(counts.count, expected.count, sizeof counts.count);
	wm_arena_release(&arena);
}

static void expect_pair(struct wm_pair pair, uint64_t a, uint64_t b)
{
	assert_int_equal(pair.a, a);
	assert_int_equal(pair.b, b);
}

static struct wm_pair value_of(const struct wm_plan *f, uint32_t from, uint32_t to)
{
	const struct wm_dag *dag = &f->dag;
	uint32_t cfg_edge = from == WM_NONE ? WM_NONE : wm_graph_find_edge(f->graph, from, to);
	if (from == WM_NONE)
		return f->pairs->value[f->pairs->start_edge[to]];
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (dag->edge[e].cfg_edge == cfg_edge)
			return f->pairs->value[e];
	fail();
	return (struct wm_pair){0, 0};
}

/* Figures 7 and 17 of the document. */
static void check_linear_functions(const struct wm_unit_plan *plan)
{
	const struct wm_plan *in_main = &plan->function[0], *in_pow = &plan->function[1];
	expect_pair(in_pow->pairs->entry, 2, 2);
	expect_pair(value_of(in_pow, WM_NONE, 1), 1, 1);
	expect_pair(value_of(in_pow, 1, 3), 0, 1);
	expect_pair(value_of(in_main, WM_NONE, 1), 1, 17);
	expect_pair(value_of(in_main, 1, 7), 0, 17);
	expect_pair(value_of(in_main, 2, 4), 0, 12);
	expect_pair(value_of(in_main, 4, 6), 0, 4);
	assert_int_equal(wm_pair_at(in_main->pairs->site[0].behind, 1), 5);
	assert_int_equal(wm_pair_at(in_main->pairs->site[1].behind, 1), 1);
}

static void test_figures(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(figures); i++) {
		struct wm_arena arena;
		struct wm_cfg cfg;
		struct wm_cfg_error error;
		struct wm_unit_plan plan;
		wm_arena_init(&arena);
		assert_int_equal(wm_cfg_parse(&cfg, pow_program, strlen(pow_program), &error, &arena), WM_OK);
		struct wm_unit_request request = {.unit = &cfg.unit, .scheme = unit_scheme(figures[i].scheme)};
		assert_int_equal(wm_unit_plan_make(&plan, &request, &arena), WM_OK);
		assert_int_equal(plan.path_count, figures[i].paths);
		for (uint32_t tree = 0; tree < 40; tree++)
			check_figure(&plan, &figures[i], tree);
		if (i == 0)
			check_linear_functions(&plan);
		wm_arena_release(&arena);
	}
}

/* ---- Random units ------------------------------------------------------------------ */

/* How often the cases that matter were met: a check must not pass for want of them. */
static struct {
	uint32_t crossed, stepped, recursive, ids[2], interrupts, caught, poisoned, jumps, opaque, several;
	uint32_t tail, last_crossed, last_over; /* calls that do not return, that ran */
	uint32_t again;
	uint32_t pending, held, inlined, fixed, residual;
	uint32_t regions, nests, cells; /* nests: regions with inner loops; cells: those that counted a path */
} met;

/* What may be crossed, and what must be. */
static void check_choice(const struct unit_sample *s, const struct wm_unit_plan *plan)
{
	for (uint32_t f = 0; f < s->unit.function_count; f++) {
		for (uint32_t i = 0; i < s->unit.function[f].call_count; i++) {
			const struct wm_call *call = &s->unit.function[f].call[i];
			enum wm_crossing crossing = plan->function[f].pairs->site[i].crossing;
			bool unknown = call->callee == WM_NONE,
			     reached = plan->function[f].dfs.position[call->block] != WM_NONE;
			met.several += call->position > 0;
			met.crossed += crossing == WM_CROSSED;
			met.stepped += crossing != WM_CROSSED;
			met.recursive += crossing == WM_OVER_RECURSIVE;
			met.tail += crossing == WM_OVER_LAST;
			assert_int_equal(crossing == WM_OVER_LAST, call->tail && reached);
			met.opaque += crossing == WM_OVER_OPAQUE;
			assert_int_equal(crossing == WM_OVER_UNREACHED, !reached);
			if (crossing != WM_CROSSED)
				continue;
			assert_false(unknown || call->opaque || s->over[f][i] || s->handler[call->callee]);
			assert_true(plan->callgraph.position[f] < plan->callgraph.position[call->callee]);
		}
	}
}

static void check_ids(const struct wm_unit_plan *plan, const struct unit_oracle *oracle)
{
	struct wm_arena arena;
	struct wm_trail path;
	static char text[8192];
	uint64_t back;
	wm_arena_init(&arena);
	assert_int_equal(plan->path_count, oracle->count);
	for (uint32_t id = 0; id < oracle->count; id++) {
		if (id)
			assert_true(strcmp(oracle->path[oracle->sorted[id - 1]], oracle->path[oracle->sorted[id]]) < 0);
		assert_int_equal(wm_trail_decode(plan->function, id, &path, &arena), WM_OK);
		unit_path_text(plan, &path, text, sizeof text);
		assert_string_equal(text, oracle->path[id]);
		assert_int_equal(trail_encode(plan, &path, &back, &arena), WM_OK);
		assert_int_equal(back, id);
		path.count--;
		assert_int_equal(trail_encode(plan, &path, &back, &arena), WM_BAD_PATH);
		path.count++;
		path.step[path.count / 2].block++;
		enum wm_status status = trail_encode(plan, &path, &back, &arena);
		assert_true(status == WM_BAD_PATH || (status == WM_OK && back != id));
	}
	assert_int_equal(wm_trail_decode(plan->function, plan->path_count, &path, &arena), WM_BAD_PATH);
	assert_int_equal(wm_trail_decode(plan->function, UINT64_MAX, &path, &arena), WM_BAD_PATH);
	wm_arena_release(&arena);
}

static void list_functions(const struct unit_sample *s, const bool *which, uint32_t **list, uint32_t *count)
{
	*list = calloc(s->unit.function_count, sizeof **list);
	for (uint32_t f = 0; f < s->unit.function_count; f++)
		if (which[f])
			(*list)[(*count)++] = f;
}

static void meet_regions(const struct unit_run *run)
{
	for (uint32_t f = 0; f < run->oracle->plan->unit->function_count; f++) {
		const struct wm_unit_program *program = run->machine.probed[f].unit;
		met.regions += program->regions.count;
		for (uint32_t r = 0; r < program->regions.count; r++)
			met.nests += program->regions.region[r].paths > 2 * program->regions.region[r].entered;
		for (uint32_t i = program->first_id; i < program->word_count; i++) {
			uint64_t id = run->machine.probed[f].table[i];
			assert_true(id == UINT64_MAX || id < run->oracle->count);
			met.cells += id != UINT64_MAX && run->counted[id] > 0;
		}
	}
}

/* A third of the runs are those of a residual build, in which about half of the paths are tested. */
static void draw_tested(struct unit_sample *s, const struct unit_oracle *oracle, struct wm_counting *counting)
{
	counting->residual = random_below(&s->random, 3) == 0;
	if (!counting->residual)
		return;
	counting->set.id = WM_NEW(&s->arena, uint64_t, oracle->count);
	for (uint32_t id = 0; id < oracle->count; id++)
		if (random_below(&s->random, 2))
			counting->set.id[counting->set.count++] = id;
	met.residual++;
}

static void check_run(
	struct unit_sample *s, const struct wm_unit_plan *plan, const struct unit_oracle *oracle, bool optimal)
{
	struct unit_run run = {.oracle = oracle, .random = &s->random, .vanishes = random_below(&s->random, 2)};
	struct wm_probed *probed;
	struct wm_counting counting = wm_counting_across;
	const struct wm_weights *weights = random_weights(&s->unit, &s->random, &s->arena);
	draw_tested(s, oracle, &counting);
	assert_int_equal(wm_unit_probes_make(plan, optimal ? weights : NULL, &counting, &probed, &s->arena), WM_OK);
	run.tested = counting.residual ? &counting.set : NULL;
	run.machine = (struct wm_machine){.probed = probed,
		.arena = &s->arena,
		.counters = unit_run_counters(&run),
		.interrupt = unit_run_interrupt};
	run.counted = calloc(oracle->count, sizeof *run.counted);
	run.expected = calloc(oracle->count, sizeof *run.expected);
	list_functions(s, s->handler, &run.handler, &run.handler_count);
	list_functions(s, s->entry, &run.entry, &run.entry_count);
	for (uint32_t f = 0; f < 4 * s->unit.function_count; f++)
		if (oracle->root[f / 4])
			unit_run(&run, f / 4);
	for (uint32_t id = 0; id < oracle->count; id++) {
		assert_int_equal(run.counted[id], run.expected[id]);
		met.ids[oracle->pieces] += run.counted[id] > 0;
	}
	if (!run.cut_short)
		assert_int_equal(run.machine.abandoned, run.abandoned);
	assert_int_equal(run.machine.resumed, run.resumed);
	meet_regions(&run);
	met.interrupts += run.interrupts;
	met.caught += run.caught;
	met.poisoned += run.poisoned;
	met.jumps += run.jumps;
	met.pending += run.pending;
	met.held += run.held;
	met.inlined += run.inlined;
	met.last_crossed += run.last_crossed;
	met.last_over += run.last_over;
	free(run.counted);
	free(run.expected);
	free(run.handler);
	free(run.entry);
}

/* Fixed words are the same if no call is crossed. */
static void check_fixed(struct unit_sample *s, const char *name, const struct wm_unit_plan *plan)
{
	struct wm_unit_plan alone;
	struct wm_probed *probed[2];
	for (uint32_t f = 0; f < s->unit.function_count; f++)
		for (uint32_t i = 0; i < s->unit.function[f].call_count; i++)
			s->over[f][i] = true;
	assert_true(unit_sample_plan(s, name, 0, &alone));
	assert_int_equal(wm_unit_probes_make(plan, NULL, NULL, &probed[0], &s->arena), WM_OK);
	assert_int_equal(wm_unit_probes_make(&alone, NULL, NULL, &probed[1], &s->arena), WM_OK);
	for (uint32_t f = 0; f < s->unit.function_count; f++)
		for (uint32_t word = 0; word < probed[0][f].unit->word_count; word++)
			if (wm_unit_word_is_fixed(probed[0][f].unit, word)) {
				assert_int_equal(probed[0][f].table[word], probed[1][f].table[word]);
				met.fixed++;
			}
}

static void check_unit(struct unit_sample *s, const char *name)
{
	struct wm_unit_plan plan;
	struct unit_oracle oracle;
	if (!unit_sample_plan(s, name, 0, &plan))
		return;
	check_choice(s, &plan);
	if (unit_oracle_init(&oracle, &plan, s->entry, MAX_LISTED)) {
		check_ids(&plan, &oracle);
		check_run(s, &plan, &oracle, false);
		check_run(s, &plan, &oracle, true);
	}
	unit_oracle_release(&oracle);
	check_fixed(s, name, &plan);
}

static void check_sample(uint64_t seed, const char *name)
{
	struct unit_sample s;
	unit_sample_init(&s, seed);
	check_unit(&s, name);
	unit_sample_release(&s);
}

static void test_random_units(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 900; seed++) {
		static const char *const variants[][2] = {{"context", "piecewise"}, {"context=cut", "piecewise=cut"},
			{"context=pending", "piecewise=pending"}};
		check_sample(seed, variants[seed % 3][0]);
		check_sample(seed, variants[seed % 3][1]);
	}
	assert_true(met.crossed > 1000 && met.stepped > 1000 && met.recursive > 100 && met.tail > 10);
	assert_true(met.last_crossed > 100 && met.last_over > 100);
	assert_true(met.ids[0] > 5000 && met.ids[1] > 5000 && met.several > 1000);
	assert_true(met.interrupts > 1000 && met.caught > 500 && met.poisoned > 500);
	assert_true(met.jumps > 300 && met.opaque > 300 && met.pending > 300 && met.held > 10);
	assert_true(met.fixed > 1000 && met.inlined > 1000 && met.residual > 100);
}

/* ---- Too many paths, too long paths ----------------------------------------------------- */

static bool exceeds_limit(struct unit_sample *s, const char *name, uint64_t limit, struct wm_unit_plan *plan)
{
	struct wm_trail path;
	uint64_t back;
	if (!unit_sample_plan(s, name, limit, plan))
		return true;
	assert_true(plan->path_count <= limit);
	for (uint32_t i = 0; i < 20; i++) {
		uint64_t id = random_next(&s->random) % plan->path_count;
		assert_int_equal(wm_trail_decode(plan->function, id, &path, &s->arena), WM_OK);
		assert_int_equal(trail_encode(plan, &path, &back, &s->arena), WM_OK);
		assert_int_equal(back, id);
	}
	return false;
}

/* Loops as large as possible, without calls that may be crossed; their local paths come from the head and from all blocks
 * at which paths begin.  `diamonds`: branches in the body of the outer loop. */
struct loop_case {
	const char *scheme;
	const char *call;
	uint32_t diamonds;
	bool opaque, unwinds, twice; /* the calls */
	uint32_t regions;
	uint32_t paths; /* of the first region */
};

static void check_regions(const struct loop_case *c)
{
	char text[2048];
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	struct wm_unit_plan plan;
	struct wm_probed *probed;
	size_t used = (size_t)snprintf(text, sizeof text, "function main\na -> h\nh -> i e\ni -> i d0\ne%s\n", c->call);
	for (uint32_t i = 0; i < c->diamonds; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "d%u -> x%u y%u\nx%u -> d%u\ny%u -> d%u\n", i,
			i, i, i, i + 1, i, i + 1);
	used += (size_t)snprintf(text + used, sizeof text - used, "d%u%s -> h\nfunction g\na\n", c->diamonds, c->call);
	wm_arena_init(&arena);
	assert_int_equal(wm_cfg_parse(&cfg, text, used, &error, &arena), WM_OK);
	for (uint32_t i = 0; i < cfg.unit.function[0].call_count; i++) {
		struct wm_call *call = &cfg.unit.function[0].call[i];
		call->opaque = c->opaque;
		call->unwinds = c->unwinds;
		call->twice = c->twice;
	}
	struct wm_unit_request request = {.unit = &cfg.unit, .scheme = unit_scheme(c->scheme)};
	assert_int_equal(wm_unit_plan_make(&plan, &request, &arena), WM_OK);
	assert_int_equal(wm_unit_probes_make(&plan, NULL, NULL, &probed, &arena), WM_OK);
	assert_int_equal(probed[0].unit->regions.count, c->regions);
	if (c->regions)
		assert_int_equal(probed[0].unit->regions.region[0].paths, c->paths);
	wm_arena_release(&arena);
}

static void test_regions_are_small_loops(void **state)
{
	(void)state;
	static const struct loop_case cases[] = {
		{"piecewise", "", 0, .regions = 1, .paths = 3 + 3 + 2},
		{"piecewise", "", 2, .regions = 1, .paths = 6 + 6 + 5},
		{"piecewise", "", 6, .regions = 1, .paths = 66 + 66 + 65},
		{"piecewise", "", 7, .regions = 1, .paths = 2 + 2},
		{"piecewise", " [call g]", 2, .regions = 1, .paths = 2 + 2},
		{"piecewise", " [call g]", 2, .opaque = true, .regions = 1, .paths = 6 + 6 + 5},
		{"piecewise", " [call g]", 2, .opaque = true, .unwinds = true, .regions = 1, .paths = 2 + 2},
		{"piecewise", " [call g]", 2, .opaque = true, .twice = true, .regions = 1, .paths = 6 + 6 + 5},
		{"context", "", 0, .regions = 0},
		{"piecewise=cut", "", 0, .regions = 0},
		{"piecewise=pending", "", 0, .regions = 0},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		check_regions(&cases[i]);
}

/* Calls that do not keep a loop from being a region: of setjmp, and of functions that may jump back there. */
static void make_opaque_calls(struct unit_sample *s, uint32_t function)
{
	struct wm_unit_function *f = &s->unit.function[function];
	uint32_t blocks = f->graph->block_count;
	f->call = WM_NEW(&s->arena, struct wm_call, blocks);
	f->call_count = 0;
	s->over[function] = WM_NEW(&s->arena, bool, blocks);
	for (uint32_t b = 0; b < blocks; b++)
		if (random_below(&s->random, 3) == 0)
			f->call[f->call_count++] = (struct wm_call){
				.block = b, .callee = WM_NONE, .opaque = true, .twice = random_below(&s->random, 2)};
}

/* Most functions lose the calls that keep loops from being regions, and have larger graphs. */
static void test_random_regions(void **state)
{
	(void)state;
	memset(&met, 0, sizeof met);
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct unit_sample s;
		unit_sample_init(&s, seed);
		for (uint32_t f = 0; f < s.unit.function_count; f++) {
			enum random_shape shape = random_below(&s.random, 2) ? RANDOM_STRUCTURED : RANDOM_GOTO;
			struct wm_graph *graph = WM_NEW(&s.arena, struct wm_graph, 1);
			if (random_below(&s.random, 3) == 0)
				continue;
			s.unit.function[f].graph = graph;
			assert_int_equal(
				random_graph(graph, shape, 2 + random_below(&s.random, 8), &s.random, &s.arena), WM_OK);
			make_opaque_calls(&s, f);
		}
		check_unit(&s, "piecewise");
		unit_sample_release(&s);
	}
	assert_true(met.crossed > 100 && met.regions > 500 && met.nests > 100 && met.cells > 500 && met.jumps > 500);
}

/* A request that steps over what a plan steps over gives the plan again: so a plan can be read back from a binary.  This does
 * not hold if a graph was cut: whether that is necessary depends on the paths if no call is crossed, and there are more of
 * these if the callee does not return. */
static void check_again(struct unit_sample *s, const char *name, uint64_t limit, const struct wm_unit_plan *plan)
{
	struct wm_unit_plan again;
	for (uint32_t f = 0; f < s->unit.function_count; f++)
		if (plan->function[f].cut_count)
			return;
	met.again++;
	for (uint32_t f = 0; f < s->unit.function_count; f++)
		for (uint32_t i = 0; i < s->unit.function[f].call_count; i++)
			s->over[f][i] = plan->function[f].pairs->site[i].crossing != WM_CROSSED;
	assert_true(unit_sample_plan(s, name, limit, &again));
	assert_int_equal(again.path_count, plan->path_count);
	assert_int_equal(again.crossed, plan->crossed);
}

static void test_limits_are_kept(void **state)
{
	(void)state;
	uint32_t over = 0, crossed = 0;
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct unit_sample s;
		struct wm_unit_plan plan;
		struct unit_oracle oracle;
		unit_sample_init(&s, seed);
		const char *name = crossing_schemes[seed % 6]->name;
		uint64_t limit = 15 + random_below(&s.random, 120);
		if (!exceeds_limit(&s, name, limit, &plan)) {
			check_choice(&s, &plan);
			check_again(&s, name, limit, &plan);
			for (uint32_t f = 0; f < s.unit.function_count; f++)
				for (uint32_t i = 0; i < s.unit.function[f].call_count; i++)
					over += plan.function[f].pairs->site[i].crossing == WM_OVER_MANY;
			crossed += plan.crossed;
			assert_true(unit_oracle_init(&oracle, &plan, s.entry, 200));
			check_ids(&plan, &oracle);
			check_run(&s, &plan, &oracle, true);
			unit_oracle_release(&oracle);
		}
		unit_sample_release(&s);
	}
	assert_true(over > 30 && crossed > 100 && met.again > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_random_units),
		cmocka_unit_test(test_regions_are_small_loops),
		cmocka_unit_test(test_random_regions),
		cmocka_unit_test(test_limits_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
