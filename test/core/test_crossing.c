/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Plans of units: the choice of calls to cross, the order of functions, limits, and the mailbox. */
#include "core/graph/cfgtext.h"
#include "core/probes/machine.h"
#include "test/core/random_unit.h"
#include "test/core/support.h"
#include "test/core/trail_encode.h"
#include <stdio.h>
#include <string.h>

/* ---- Nothing crossed ------------------------------------------------------------------- */

/* Stepping over every call gives the acyclic paths of every function, one function after the other. */
static void check_acyclic(struct unit_sample *s, const struct wm_unit_plan *plan)
{
	struct wm_trail across;
	uint64_t id = 0;
	for (uint32_t i = 0; i < s->unit.function_count; i++) {
		uint32_t f = plan->callgraph.order[i];
		struct wm_plan acyclic;
		assert_true(plan->function[f].pairs->root);
		assert_int_equal(
			wm_plan_make(&acyclic, s->unit.function[f].graph, &wm_scheme_acyclic, 0, &s->arena), WM_OK);
		for (uint64_t path = 0; path < acyclic.numbering.path_count; path++, id++) {
			struct wm_block_path blocks = {0};
			assert_int_equal(wm_plan_decode(&acyclic, path, &blocks, &s->arena), WM_OK);
			assert_int_equal(wm_trail_decode(plan->function, id, &across, &s->arena), WM_OK);
			assert_int_equal(across.count, blocks.length);
			for (uint32_t b = 0; b < blocks.length; b++) {
				assert_int_equal(across.step[b].function, f);
				assert_int_equal(across.step[b].block, blocks.block[b]);
			}
			assert_int_equal(across.start == WM_START_ENTRY, blocks.start == WM_START_ENTRY);
			assert_int_equal(across.end, blocks.end);
		}
	}
	assert_int_equal(plan->path_count, id);
}

static void test_stepping_over_everything_is_acyclic(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct unit_sample s;
		struct wm_unit_plan plan;
		unit_sample_init(&s, seed);
		for (uint32_t f = 0; f < s.unit.function_count; f++) {
			s.entry[f] = true;
			memset(s.over[f], true, s.unit.function[f].call_count);
		}
		assert_true(unit_sample_plan(&s, seed % 2 ? "piecewise" : "context", 0, &plan));
		check_acyclic(&s, &plan);
		unit_sample_release(&s);
	}
}

/* ---- Order --------------------------------------------------------------------------- */

/* The same unit with its functions listed in another order. */
static void shuffle(const struct unit_sample *s, struct unit_sample *shuffled, uint32_t *to, struct random *random)
{
	uint32_t count = s->unit.function_count;
	*shuffled = *s;
	wm_arena_init(&shuffled->arena);
	for (uint32_t f = 0; f < count; f++)
		to[f] = f;
	for (uint32_t f = count; f-- > 1;) {
		uint32_t other = random_below(random, f + 1), swap = to[f];
		to[f] = to[other];
		to[other] = swap;
	}
	shuffled->unit.function = WM_NEW(&shuffled->arena, struct wm_unit_function, count);
	shuffled->entry = WM_NEW(&shuffled->arena, bool, count);
	shuffled->handler = WM_NEW(&shuffled->arena, bool, count);
	shuffled->over = WM_NEW(&shuffled->arena, bool *, count);
	for (uint32_t f = 0; f < count; f++) {
		struct wm_unit_function *moved = &shuffled->unit.function[to[f]];
		*moved = s->unit.function[f];
		moved->call = WM_NEW(&shuffled->arena, struct wm_call, moved->call_count);
		for (uint32_t i = 0; i < moved->call_count; i++) {
			moved->call[i] = s->unit.function[f].call[i];
			if (moved->call[i].callee != WM_NONE)
				moved->call[i].callee = to[moved->call[i].callee];
		}
		shuffled->entry[to[f]] = s->entry[f];
		shuffled->handler[to[f]] = s->handler[f];
		shuffled->over[to[f]] = s->over[f];
	}
}

static void check_same_ids(const struct wm_unit_plan *plan, const struct wm_unit_plan *other, const uint32_t *to)
{
	struct wm_arena arena;
	struct wm_trail path;
	wm_arena_init(&arena);
	assert_int_equal(plan->path_count, other->path_count);
	for (uint64_t i = 0; i < 50; i++) {
		uint64_t id = plan->path_count < 50 ? i % plan->path_count : plan->path_count / 50 * i, back;
		assert_int_equal(wm_trail_decode(plan->function, id, &path, &arena), WM_OK);
		for (uint32_t step = 0; step < path.count; step++)
			path.step[step].function = to[path.step[step].function];
		assert_int_equal(trail_encode(other, &path, &back, &arena), WM_OK);
		assert_int_equal(back, id);
	}
	wm_arena_release(&arena);
}

static void test_ids_do_not_depend_on_the_order_of_functions(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct unit_sample s, shuffled;
		struct wm_unit_plan plan, other;
		uint32_t to[8];
		unit_sample_init(&s, seed);
		shuffle(&s, &shuffled, to, &s.random);
		const char *name = seed % 2 ? "piecewise" : "context";
		uint64_t limit = seed % 3 ? 0 : 1000; /* under a limit some calls are stepped over */
		bool planned = unit_sample_plan(&s, name, limit, &plan);
		assert_int_equal(unit_sample_plan(&shuffled, name, limit, &other), planned);
		if (planned)
			check_same_ids(&plan, &other, to);
		unit_sample_release(&shuffled);
		unit_sample_release(&s);
	}
}

static void test_order_of_functions(void **state)
{
	(void)state;
	/* main first; callers before callees; then the earlier call site; then the name. */
	static const char text[] = "function z\n0 [call a]\nfunction b\n0 [call a]\nfunction a\n0 [call b]\n"
				   "function main\n0 -> 1 2\n1 [call c] [call a]\n2 [call d]\n"
				   "function d\n0 [call c]\nfunction c\n0\n";
	static const char *const order[] = {"main", "d", "c", "z", "a", "b"};
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	struct wm_unit_plan plan;
	wm_arena_init(&arena);
	assert_int_equal(wm_cfg_parse(&cfg, text, strlen(text), &error, &arena), WM_OK);
	struct wm_unit_request request = {.unit = &cfg.unit, .scheme = unit_scheme("context")};
	assert_int_equal(wm_unit_plan_make(&plan, &request, &arena), WM_OK);
	for (size_t i = 0; i < COUNT(order); i++)
		assert_string_equal(cfg.function[plan.callgraph.order[i]].name, order[i]);
	assert_int_equal(plan.function[1].pairs->site[0].crossing, WM_OVER_RECURSIVE);
	assert_int_equal(plan.function[2].pairs->site[0].crossing, WM_CROSSED);
	wm_arena_release(&arena);
}

/* ---- Too many paths, too long paths ----------------------------------------------------- */

/* `text` has %u for the number of a function and of the next. */
static void parse_chain(struct wm_cfg *cfg, const char *format, uint32_t length, struct wm_arena *arena)
{
	static char text[20000];
	struct wm_cfg_error error;
	size_t used = 0;
	for (uint32_t i = 0; i < length; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, format, i, i + 1, i + 1);
	used += (size_t)snprintf(text + used, sizeof text - used, "function f%u\na\n", length);
	assert_int_equal(wm_cfg_parse(cfg, text, used, &error, arena), WM_OK);
}

static uint32_t count_crossing(const struct wm_unit_plan *plan, enum wm_crossing crossing)
{
	uint32_t count = 0;
	for (uint32_t f = 0; f < plan->unit->function_count; f++)
		for (uint32_t i = 0; i < plan->unit->function[f].call_count; i++)
			count += plan->function[f].pairs->site[i].crossing == crossing;
	return count;
}

/* Every function squares the number of ways: 2^(2^n). */
static void test_ids_fit(void **state)
{
	(void)state;
	for (size_t s = 0; crossing_schemes[s]; s++) {
		struct wm_arena arena;
		struct wm_cfg cfg;
		struct wm_unit_plan plan;
		struct wm_trail path;
		wm_arena_init(&arena);
		parse_chain(&cfg, "function f%u\na -> b c\nb -> d\nc -> d\nd [call f%u] [call f%u] -> a e\ne\n", 40,
			&arena);
		struct wm_unit_request request = {.unit = &cfg.unit, .scheme = crossing_schemes[s]};
		assert_int_equal(wm_unit_plan_make(&plan, &request, &arena), WM_OK);
		assert_true(plan.path_count <= INT64_MAX);
		assert_true(request.scheme->cuts || plan.path_count > UINT64_C(1) << 40);
		uint32_t over = count_crossing(&plan, WM_OVER_MANY) + count_crossing(&plan, WM_OVER_LONG);
		assert_int_equal(plan.crossed + over, plan.site_count);
		assert_true(plan.crossed > plan.site_count / 2);
		for (uint64_t i = 0; i < 100; i++) {
			uint64_t id = plan.path_count / 100 * i, back;
			assert_int_equal(wm_trail_decode(plan.function, id, &path, &arena), WM_OK);
			assert_int_equal(trail_encode(&plan, &path, &back, &arena), WM_OK);
			assert_int_equal(back, id);
		}
		wm_arena_release(&arena);
	}
}

/* If only one of two calls fits, the earlier one is crossed unless the request names the other. */
/* The choice numbers only the nodes whose numbers a trial changes: numbering all of them again must change nothing. */
static void check_numbers(const struct wm_unit_plan *plan, struct wm_arena *arena)
{
	for (uint32_t i = plan->unit->function_count; i-- > 0;) {
		uint32_t function = plan->callgraph.order[i], calls = plan->unit->function[function].call_count;
		const struct wm_dag *dag = &plan->function[function].dag;
		const struct wm_pairs *f = plan->function[function].pairs, before = *f;
		struct wm_pair *value = WM_NEW(arena, struct wm_pair, dag->edge_count);
		struct wm_site *site = WM_NEW(arena, struct wm_site, calls);
		memcpy(value, f->value, dag->edge_count * sizeof *value);
		memcpy(site, f->site, calls * sizeof *site);
		assert_true(wm_plan_number(&plan->function[function]));
		assert_memory_equal(value, f->value, dag->edge_count * sizeof *value);
		for (uint32_t k = 0; k < calls; k++)
			assert_memory_equal(&site[k].behind, &f->site[k].behind, sizeof site[k].behind);
		assert_memory_equal(&before.entry, &f->entry, sizeof before.entry);
		assert_memory_equal(&before.pieces, &f->pieces, sizeof before.pieces);
	}
}

static void test_numbers_are_those_of_the_choice(void **state)
{
	(void)state;
	uint32_t planned = 0;
	for (uint64_t seed = 0; seed < 400; seed++)
		for (uint64_t limit = 8; limit < 5000; limit *= 6) {
			struct unit_sample s;
			struct wm_unit_plan plan;
			unit_sample_init(&s, seed);
			if (unit_sample_plan(&s, seed % 2 ? "piecewise" : "context", limit, &plan)) {
				check_numbers(&plan, &s.arena);
				planned++;
			}
			unit_sample_release(&s);
		}
	assert_true(planned > 400);
}

static void test_named_sites_come_first(void **state)
{
	(void)state;
	static const char text[] =
		"function f\na [call g] -> b\nb [call g] -> c\nc\nfunction g\na -> b c d\nb -> e\nc -> e\nd -> e\ne\n";
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	struct wm_unit_plan plan;
	const bool second[] = {false, true}, *const first[] = {second, NULL};
	wm_arena_init(&arena);
	assert_int_equal(wm_cfg_parse(&cfg, text, sizeof text - 1, &error, &arena), WM_OK);
	for (uint32_t named = 0; named < 2; named++) {
		struct wm_unit_request request = {
			.unit = &cfg.unit, .scheme = unit_scheme("context"), .limit = 8, .first = named ? first : NULL};
		assert_int_equal(wm_unit_plan_make(&plan, &request, &arena), WM_OK);
		assert_int_equal(plan.crossed, 1);
		assert_int_equal(plan.function[0].pairs->site[named].crossing, WM_CROSSED);
		assert_int_equal(plan.function[0].pairs->site[1 - named].crossing, WM_OVER_MANY);
	}
	wm_arena_release(&arena);
}

/* ---- Which calls are crossed -------------------------------------------------------------- */

static const char hot_program[] = "function main\na -> b d\nb [call hot] -> c\nc -> b d\nd [call wide]\n"
				  "function hot\na [call leaf] [call leaf] -> b c\nb [call wide] -> c\nc\n"
				  "function leaf\na -> b c\nb -> c\nc\n";

/* `wide` has 2^40 paths. */
static void parse_hot(struct wm_cfg *cfg, struct wm_arena *arena)
{
	static char text[20000];
	struct wm_cfg_error error;
	size_t used = (size_t)snprintf(text, sizeof text, "%sfunction wide\n", hot_program);
	for (uint32_t i = 0; i < 40; i++)
		used += (size_t)snprintf(
			text + used, sizeof text - used, "d%u -> a%u d%u\na%u -> d%u\n", i, i, i + 1, i, i + 1);
	used += (size_t)snprintf(text + used, sizeof text - used, "d40\n");
	assert_int_equal(wm_cfg_parse(cfg, text, used, &error, arena), WM_OK);
}

/* In hot, `wide` would use the bits that the hotter call of hot in main needs, unless it runs very often itself. */
static void test_hot_calls_are_crossed_first(void **state)
{
	(void)state;
	for (size_t s = 0; s < 4; s++) {
		struct wm_arena arena;
		struct wm_cfg cfg;
		struct wm_unit_plan plan;
		wm_arena_init(&arena);
		parse_hot(&cfg, &arena);
		double in_main[] = {1, 1000, 1000, 1}, in_hot[] = {1000, 1, 1000}, in_leaf[] = {2000, 1000, 2000};
		double in_wide[81] = {2};
		struct wm_weights weights[] = {{.block = in_main, .entry = 1}, {.block = in_hot, .entry = 1000},
			{.block = in_leaf, .entry = 2000}, {.block = in_wide, .entry = 2}};
		struct wm_unit_request request = {.unit = &cfg.unit,
			.scheme = unit_scheme(s & 1 ? "piecewise" : "context"),
			.limit = UINT64_C(1) << 44,
			.weights = weights};
		in_hot[1] = s & 2 ? 1000000 : 1;
		assert_int_equal(wm_unit_plan_make(&plan, &request, &arena), WM_OK);
		assert_int_equal(plan.function[0].pairs->site[0].crossing, s & 2 ? WM_OVER_MANY : WM_CROSSED);
		assert_int_equal(plan.function[1].pairs->site[0].crossing, WM_CROSSED);
		assert_int_equal(plan.function[1].pairs->site[1].crossing, WM_CROSSED);
		assert_int_equal(plan.function[1].pairs->site[2].crossing, s & 2 ? WM_CROSSED : WM_OVER_MANY);
		wm_arena_release(&arena);
	}
}

/* In front of a callee that is too large, a small one; and the calls after it are still tried. */
static void test_colder_calls_are_tried(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_unit_plan plan;
	wm_arena_init(&arena);
	parse_hot(&cfg, &arena);
	bool over[] = {true, true, true}, none[] = {false, false};
	const bool *request_over[] = {none, over, none, none};
	struct wm_unit_request request = {
		.unit = &cfg.unit, .scheme = unit_scheme("context"), .limit = UINT64_C(1) << 41, .over = request_over};
	assert_int_equal(wm_unit_plan_make(&plan, &request, &arena), WM_OK);
	assert_int_equal(plan.function[0].pairs->site[0].crossing, WM_CROSSED);
	assert_int_equal(plan.function[0].pairs->site[1].crossing, WM_OVER_MANY);
	assert_true(plan.path_count <= request.limit);
	wm_arena_release(&arena);
}

/* A chain of calls whose estimated frequencies exceed what a double holds. */
static void test_frequencies_stay_finite(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_unit_plan plan;
	wm_arena_init(&arena);
	parse_chain(&cfg, "function f%u\na -> b c\nb [call f%u] -> a\nc\n", 390, &arena);
	struct wm_unit_request request = {.unit = &cfg.unit, .scheme = unit_scheme("context")};
	assert_int_equal(wm_unit_plan_make(&plan, &request, &arena), WM_OK);
	assert_true(plan.crossed > 340);
	wm_arena_release(&arena);
}

/* Two functions with 2^62 paths each, and a third: one of the graphs must be cut. */
static void test_graphs_are_cut(void **state)
{
	(void)state;
	static char text[20000];
	size_t used = 0;
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	struct wm_unit_plan plan;
	wm_arena_init(&arena);
	for (uint32_t f = 0; f < 3; f++) {
		used += (size_t)snprintf(text + used, sizeof text - used, "function f%u\n", f);
		for (uint32_t i = 0; i < 62; i++)
			used += (size_t)snprintf(text + used, sizeof text - used,
				"d%u%s -> a%u b%u\na%u -> d%u\nb%u -> d%u\n", i, i || f == 2 ? "" : " [call f2]", i, i,
				i, i + 1, i, i + 1);
		used += (size_t)snprintf(text + used, sizeof text - used, "d62\n");
	}
	assert_int_equal(wm_cfg_parse(&cfg, text, used, &error, &arena), WM_OK);
	for (size_t s = 0; crossing_schemes[s]; s++) {
		struct wm_unit_request request = {.unit = &cfg.unit, .scheme = crossing_schemes[s]};
		assert_int_equal(wm_unit_plan_make(&plan, &request, &arena), WM_OK);
		assert_true(plan.path_count <= INT64_MAX);
		assert_true(plan.function[0].cut_count > 0);
	}
	wm_arena_release(&arena);
}

/* One path of 2^60 blocks. */
static void test_paths_have_a_length(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_unit_plan plan;
	struct wm_trail path;
	wm_arena_init(&arena);
	parse_chain(&cfg, "function f%u\na [call f%u] [call f%u]\n", 60, &arena);
	struct wm_unit_request request = {.unit = &cfg.unit, .scheme = crossing_schemes[0]};
	assert_int_equal(wm_unit_plan_make(&plan, &request, &arena), WM_OK);
	assert_true(count_crossing(&plan, WM_OVER_LONG) > 0);
	assert_true(plan.crossed > plan.site_count * 3 / 4);
	for (uint64_t id = 0; id < plan.path_count; id++) {
		assert_int_equal(wm_trail_decode(plan.function, id, &path, &arena), WM_OK);
		assert_true(path.count < WM_MAX_STEPS);
	}
	wm_arena_release(&arena);
}

/* ---- Programs and tables ------------------------------------------------------------------- */

static void check_same_probe(const struct wm_probe *probe, const struct wm_probe *other)
{
	assert_int_equal(probe->count, other->count);
	for (uint32_t i = 0; i < probe->count; i++) {
		assert_int_equal(probe->action[i].kind, other->action[i].kind);
		assert_int_equal(probe->action[i].value, other->action[i].value);
		assert_int_equal(probe->action[i].site, other->action[i].site);
	}
}

static void check_same_program(const struct wm_unit_function *in_unit, const struct wm_unit_program *program,
	const struct wm_unit_program *other)
{
	assert_int_equal(program->word_count, other->word_count);
	check_same_probe(&program->events.entry, &other->events.entry);
	for (uint32_t e = 0; e < in_unit->graph->edge_count; e++)
		check_same_probe(&program->events.edge[e], &other->events.edge[e]);
	for (uint32_t b = 0; b < in_unit->graph->block_count; b++)
		check_same_probe(&program->events.exit[b], &other->events.exit[b]);
	for (uint32_t i = 0; i < in_unit->call_count; i++) {
		assert_int_equal(program->site[i], other->site[i]);
		check_same_probe(&program->call[i].before, &other->call[i].before);
		check_same_probe(&program->call[i].after, &other->call[i].after);
	}
}

/* A function is compiled before anything is known about the rest of the unit: its program must not depend on it. */
static void test_programs_do_not_depend_on_what_is_crossed(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct unit_sample s;
		struct wm_unit_plan plan, other;
		struct wm_probed *probed, *another;
		unit_sample_init(&s, seed);
		const struct wm_weights *weights = random_weights(&s.unit, &s.random, &s.arena);
		const char *name = crossing_schemes[seed % 6]->name;
		assert_true(unit_sample_plan(&s, name, 0, &plan));
		for (uint32_t f = 0; f < s.unit.function_count; f++)
			for (uint32_t i = 0; i < s.unit.function[f].call_count; i++)
				s.over[f][i] = random_below(&s.random, 2);
		assert_true(unit_sample_plan(&s, name, 0, &other));
		assert_int_equal(wm_unit_probes_make(&plan, weights, NULL, &probed, &s.arena), WM_OK);
		assert_int_equal(wm_unit_probes_make(&other, weights, NULL, &another, &s.arena), WM_OK);
		for (uint32_t f = 0; f < s.unit.function_count; f++)
			check_same_program(&s.unit.function[f], probed[f].unit, another[f].unit);
		unit_sample_release(&s);
	}
}

/* ---- Messages that nobody took ------------------------------------------------------------ */

static bool count_nothing(void *closure, uint64_t id, uint64_t amount)
{
	(void)closure;
	(void)id;
	(void)amount;
	return true;
}

/* A unit of graphs written by hand. */
struct written {
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_unit_plan plan;
	struct wm_probed *probed;
	struct wm_machine machine;
};

static void parse_written(struct written *w, const char *text)
{
	struct wm_cfg_error error;
	wm_arena_init(&w->arena);
	assert_int_equal(wm_cfg_parse(&w->cfg, text, strlen(text), &error, &w->arena), WM_OK);
}

/* `request`: without unit and scheme. */
static void start_written(struct written *w, struct wm_unit_request request)
{
	request.unit = &w->cfg.unit;
	request.scheme = unit_scheme("context");
	assert_int_equal(wm_unit_plan_make(&w->plan, &request, &w->arena), WM_OK);
	assert_int_equal(wm_unit_probes_make(&w->plan, NULL, NULL, &w->probed, &w->arena), WM_OK);
	w->machine = (struct wm_machine){.probed = w->probed, .arena = &w->arena, .counters = {.find = count_nothing}};
	wm_machine_enter(&w->machine, 0, false);
	wm_machine_call(&w->machine, false);
}

/* Two ways to leave a message to h in the mailbox: an exception comes out of it before it could take the message,
 * from a call that main crosses or from one that it steps over.  main then steps over a call of h. */
static void check_stale_message(bool crossed)
{
	static const char text[] = "function main\na [call g] -> b c\nb\nc [call h]\nfunction g\nd [call h] -> e\ne\n"
				   "function h\ni\n";
	struct written w;
	bool over_main[] = {!crossed, true}, over_g[] = {false};
	const bool *over[] = {over_main, over_g, NULL};
	parse_written(&w, text);
	w.cfg.unit.function[0].call[0].unwinds = true;
	start_written(&w, (struct wm_unit_request){.over = over});
	wm_machine_enter(&w.machine, 1, false);
	wm_machine_call(&w.machine, false);
	assert_int_equal(w.machine.mailbox.token, w.probed[2].table[WM_UNIT_TOKEN]);
	wm_machine_unwind(&w.machine);
	assert_int_equal(wm_machine_catch(&w.machine), WM_OK);
	wm_machine_call(&w.machine, false);
	wm_machine_enter(&w.machine, 2, false);
	assert_false(w.machine.frame[1].crossed);
	wm_arena_release(&w.arena);
}

static void test_landing_pads_clear_the_mailbox(void **state)
{
	(void)state;
	check_stale_message(true);
	check_stale_message(false);
}

/* main crosses a call of g.  Before g takes the message, a signal handler ends in a tail call of g, which must not take it. */
static void test_tail_calls_of_handlers_leave_the_message(void **state)
{
	(void)state;
	static const char text[] = "function main\na [call g] -> b\nb\nfunction g\nc\nfunction handler\nd [call g]\n";
	struct written w;
	bool entry[] = {true, true, true}, handler[] = {false, false, true};
	parse_written(&w, text);
	w.cfg.unit.function[2].call[0].tail = true;
	start_written(&w, (struct wm_unit_request){.entry = entry, .handler = handler});
	assert_int_equal(w.plan.function[0].pairs->site[0].crossing, WM_CROSSED);
	struct wm_mailbox message = w.machine.mailbox;
	wm_machine_enter(&w.machine, 2, false);
	assert_int_equal(wm_machine_leave(&w.machine), WM_OK);
	wm_machine_enter(&w.machine, 1, false);
	assert_false(w.machine.frame[1].crossed);
	assert_int_equal(wm_machine_leave(&w.machine), WM_OK);
	assert_memory_equal(&w.machine.mailbox, &message, sizeof message);
	wm_machine_enter(&w.machine, 1, false);
	assert_true(w.machine.frame[1].crossed);
	wm_arena_release(&w.arena);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static enum wm_status plan_and_place(struct unit_sample *s, const char *name, struct wm_arena *arena)
{
	struct wm_unit_plan plan;
	struct wm_probed *probed;
	struct wm_trail path;
	uint64_t id;
	struct wm_unit_request request = {
		.unit = &s->unit, .scheme = unit_scheme(name), .limit = 300, .entry = s->entry};
	enum wm_status status = wm_unit_plan_make(&plan, &request, arena);
	if (status == WM_OK)
		status = wm_unit_probes_make(
			&plan, random_weights(&s->unit, &s->random, &s->arena), NULL, &probed, arena);
	if (status == WM_OK)
		status = wm_trail_decode(plan.function, plan.path_count - 1, &path, arena);
	return status == WM_OK ? trail_encode(&plan, &path, &id, arena) : status;
}

static void test_memory(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 6; seed++) {
		struct unit_sample s;
		unit_sample_init(&s, seed);
		enum wm_status status = WM_NO_MEMORY;
		for (size_t limit = 1; status == WM_NO_MEMORY; limit += 1 + limit / 16) {
			struct wm_arena arena;
			wm_arena_init(&arena);
			wm_arena_set_limit(&arena, limit);
			status = plan_and_place(&s, seed % 2 ? "piecewise" : "context", &arena);
			wm_arena_release(&arena);
		}
		assert_true(status == WM_OK || status == WM_TOO_MANY);
		unit_sample_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stepping_over_everything_is_acyclic),
		cmocka_unit_test(test_ids_do_not_depend_on_the_order_of_functions),
		cmocka_unit_test(test_order_of_functions),
		cmocka_unit_test(test_ids_fit),
		cmocka_unit_test(test_graphs_are_cut),
		cmocka_unit_test(test_numbers_are_those_of_the_choice),
		cmocka_unit_test(test_named_sites_come_first),
		cmocka_unit_test(test_hot_calls_are_crossed_first),
		cmocka_unit_test(test_colder_calls_are_tried),
		cmocka_unit_test(test_frequencies_stay_finite),
		cmocka_unit_test(test_paths_have_a_length),
		cmocka_unit_test(test_programs_do_not_depend_on_what_is_crossed),
		cmocka_unit_test(test_landing_pads_clear_the_mailbox),
		cmocka_unit_test(test_tail_calls_of_handlers_leave_the_message),
		cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
