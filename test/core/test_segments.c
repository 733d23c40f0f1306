/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Interprocedural path segments: the example of thesis07, section 3.4.2, and random runs of random units, also of processes
 * that were forked in the middle, against the definition.
 */
#include "abi/stream.h"
#include "core/graph/cfgtext.h"
#include "core/walk/segments.h"
#include "core/walk/walk.h"
#include "test/core/random_unit.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

/* ---- A run: subpaths with what is known about them ------------------------------- */

struct record {
	uint64_t entry;
	uint32_t activation, caller; /* caller: WM_NONE, or an activation */
	bool opens; /* the subpath begins at the entry */
	bool caught; /* it begins with the edge to a landing pad */
	enum wm_end end;
	bool calls; /* it ends at a call, which may be one that does not return */
};

struct run {
	struct random random;
	const struct wm_unit *unit;
	struct wm_walk_function *function;
	struct record *record;
	size_t count;
	uint32_t activations, steps, depth;
	bool stopped;
};

static void prepare(struct run *run, struct wm_arena *arena)
{
	run->function = WM_NEW(arena, struct wm_walk_function, run->unit->function_count);
	for (uint32_t f = 0; f < run->unit->function_count; f++) {
		struct wm_plan *plan = WM_NEW(arena, struct wm_plan, 1);
		struct wm_parts *parts = WM_NEW(arena, struct wm_parts, 1);
		assert_int_equal(wm_subpath_plan(plan, parts, &run->unit->function[f], arena), WM_OK);
		run->function[f] = (struct wm_walk_function){plan, parts, false};
	}
}

/* A random subpath that begins with this edge of the DAG; returns its last edge. */
static const struct wm_dag_edge *walk_dag(
	struct run *run, const struct wm_walk_function *f, uint32_t edge, uint64_t *id, bool *caught)
{
	const struct wm_plan *plan = f->plan;
	const struct wm_dag *dag = &plan->dag;
	uint32_t length = 0;
	*id = plan->numbering.value[edge];
	*caught = false;
	while (dag->edge[edge].to != WM_DAG_END) {
		uint32_t node = dag->edge[edge].to, first = dag->first_edge[node], last = dag->first_edge[node + 1];
		edge = first + random_below(&run->random, last - first);
		*id += plan->numbering.value[edge];
		if (!length++ && dag->edge[edge].cfg_edge != WM_NONE)
			*caught = wm_parts_unwinds(f->parts, dag->edge[edge].cfg_edge);
	}
	return &dag->edge[edge];
}

/* Whether the activation returned. */
static bool run_function(struct run *run, uint32_t function, uint32_t caller);

static bool run_call(struct run *run, const struct wm_call *call, uint32_t activation)
{
	uint32_t callee = call->callee;
	if (callee != WM_NONE)
		return run_function(run, callee, activation);
	bool returned = true;
	for (uint32_t i = random_below(&run->random, 3); i > 0 && returned; i--)
		returned = run_function(run, random_below(&run->random, run->unit->function_count), activation);
	return returned;
}

/* The call at which a subpath ends, or WM_NONE. */
static uint32_t call_at(const struct wm_walk_function *f, const struct wm_dag_edge *last)
{
	const struct wm_unit_function *function = f->parts->function;
	uint32_t part = f->plan->dag.node_block[last->from];
	if (last->end == WM_END_CALL)
		return f->parts->before[part];
	for (uint32_t c = 0; last->end == WM_END_NORETURN && c < function->call_count; c++)
		if (function->call[c].block == f->parts->block[part] && wm_unit_is_last_call(function, c))
			return c;
	return WM_NONE;
}

static bool run_function(struct run *run, uint32_t function, uint32_t caller)
{
	const struct wm_walk_function *f = &run->function[function];
	uint32_t activation = run->activations++, edge = f->plan->dag.first_edge[WM_DAG_START];
	bool opens = true, goes_on = ++run->depth < 30, returned = false;
	run->stopped |= !goes_on;
	while (goes_on && !run->stopped) {
		uint64_t id;
		bool caught;
		const struct wm_dag_edge *last = walk_dag(run, f, edge, &id, &caught);
		uint32_t site = call_at(f, last);
		bool noreturn = last->end == WM_END_NORETURN;
		run->record = realloc(run->record, (run->count + 1) * sizeof *run->record);
		run->record[run->count++] = (struct record){wm_stream_subpath(function, (uint32_t)id), activation,
			caller, opens, caught, (enum wm_end)last->end, site != WM_NONE};
		run->stopped |= ++run->steps > 400 || last->end == WM_END_UNWIND;
		opens = false;
		edge = last->restart;
		returned = last->end == WM_END_RETURN;
		goes_on = last->kind == WM_EDGE_STOP;
		if (site != WM_NONE && !run->stopped)
			goes_on = run_call(run, &run->unit->function[function].call[site], activation);
		run->stopped |= noreturn;
	}
	run->depth--;
	return returned && !run->stopped;
}

/* ---- Segments -------------------------------------------------------------------- */

struct list {
	uint64_t **item;
	uint32_t *length;
	size_t count;
};

static void add(void *closure, const uint64_t *item, uint32_t count)
{
	struct list *list = closure;
	list->item = realloc(list->item, (list->count + 1) * sizeof *list->item);
	list->length = realloc(list->length, (list->count + 1) * sizeof *list->length);
	list->item[list->count] = malloc(count * sizeof *item);
	memcpy(list->item[list->count], item, count * sizeof *item);
	list->length[list->count++] = count;
}

static void list_release(struct list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->item[i]);
	free(list->item);
	free(list->length);
}

/* Nothing was recorded in the call between two subpaths, which may have been left by an exception. */
static bool joins(const struct record *before, const struct record *r)
{
	return before->end == WM_END_CALL && before->activation == r->activation;
}

/* The definition: from subpath `at`, as far as it goes.  The process was forked before subpath `fork`, and counts what ends
 * at this subpath or later. */
static void follow(struct list *list, const struct run *run, size_t at, uint32_t most_calls, size_t fork)
{
	uint64_t item[4096];
	bool own = false;
	uint32_t count = 0, calls = 0, first_activation = run->record[at].activation;
	uint32_t oldest = first_activation; /* activations are numbered in the order in which they are entered */
	for (size_t i = at; i < run->count; i++) {
		const struct record *r = &run->record[i], *next = i + 1 < run->count ? r + 1 : NULL;
		item[count++] = r->entry;
		own = i >= fork;
		if (r->end == WM_END_RETURN && r->activation > oldest)
			item[count++] = WM_SEGMENT_RETURN;
		else if (!r->calls)
			break;
		own = !next || i + 1 >= fork;
		if (!next || (next->caught && !joins(r, next)))
			break;
		if (next->opens && calls == most_calls)
			break;
		if (next->opens) {
			assert_true(next->caller >= oldest);
			item[count++] = WM_SEGMENT_CALL;
			calls++;
		}
	}
	if (calls && own)
		add(list, item, count);
}

/* A segment begins at a path (a subpath, or several with calls between them in which nothing ran) that ends at a call. */
static void list_naively(struct list *list, const struct run *run, uint32_t most_calls, size_t fork)
{
	for (size_t i = 0; i < run->count; i++) {
		size_t end = i;
		if (i && joins(&run->record[i - 1], &run->record[i]))
			continue;
		while (end + 1 < run->count && joins(&run->record[end], &run->record[end + 1]))
			end++;
		if (run->record[end].calls)
			follow(list, run, i, most_calls, fork);
	}
}

static int compare_items(const uint64_t *a, uint32_t length, const uint64_t *b, uint32_t other)
{
	int order = memcmp(a, b, (length < other ? length : other) * sizeof *a);
	return order ? order : (length > other) - (length < other);
}

static void sort(struct list *list)
{
	for (size_t i = 1; i < list->count; i++)
		for (size_t j = i;
			j && compare_items(list->item[j - 1], list->length[j - 1], list->item[j], list->length[j]) > 0;
			j--) {
			uint64_t *item = list->item[j];
			uint32_t length = list->length[j];
			list->item[j] = list->item[j - 1];
			list->length[j] = list->length[j - 1];
			list->item[j - 1] = item;
			list->length[j - 1] = length;
		}
}

static void find_segments(
	struct list *list, const struct run *run, uint32_t most_calls, size_t fork, struct wm_arena *arena)
{
	struct wm_segments segments = {.most_calls = most_calls, .closure = list, .found = add};
	const struct wm_sink sink = wm_segments_sink(&segments);
	struct wm_walk walk;
	assert_int_equal(wm_walk_init(&walk, run->function, run->unit->function_count, &sink, arena), WM_OK);
	wm_walk_begin(&walk);
	for (size_t i = 0; i < run->count; i++) {
		if (i == fork)
			wm_sink_give(&sink, WM_WALK_OWN);
		assert_int_equal(wm_walk_take(&walk, run->record[i].entry), WM_OK);
	}
	wm_sink_give(&sink, WM_WALK_END);
	assert_int_equal(segments.status, WM_OK);
	wm_segments_release(&segments);
	wm_walk_release(&walk);
}

static size_t check(const struct run *run, uint32_t most_calls, size_t fork, struct wm_arena *arena)
{
	struct list found = {0}, expected = {0};
	find_segments(&found, run, most_calls, fork, arena);
	list_naively(&expected, run, most_calls, fork);
	assert_int_equal(found.count, expected.count);
	sort(&found);
	sort(&expected);
	for (size_t i = 0; i < found.count; i++)
		assert_int_equal(
			compare_items(found.item[i], found.length[i], expected.item[i], expected.length[i]), 0);
	size_t count = found.count;
	list_release(&found);
	list_release(&expected);
	return count;
}

static void test_random(void **state)
{
	(void)state;
	size_t found = 0, forked = 0;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct unit_sample s;
		unit_sample_init(&s, seed);
		struct run run = {.random = {seed + 1}, .unit = &s.unit};
		prepare(&run, &s.arena);
		bool returned = true;
		for (uint32_t i = 0; i < 4 && returned; i++)
			returned = run_function(&run, random_below(&run.random, s.unit.function_count), WM_NONE);
		for (uint32_t most_calls = 1; most_calls <= 5; most_calls++)
			found += check(&run, most_calls, 0, &s.arena);
		for (uint32_t most_calls = 1; most_calls <= 5; most_calls++)
			forked += check(&run, most_calls, run.count / 2, &s.arena);
		free(run.record);
		unit_sample_release(&s);
	}
	assert_true(found > 20000 && forked > 5000 && forked < found);
}

/* ---- The example of the thesis ----------------------------------------------------- */

static const char example[] = "function f1\na [call f2] -> b\nb\n"
			      "function f2\nc [call f3] -> d\nd\n"
			      "function f3\ne [call f4] -> g\ng [call f5] -> h\nh\n"
			      "function f4\nl -> l m\nm\n"
			      "function f5\nn\n";

/* The subpaths of the example by their numbers in the thesis: functions and ids. */
static uint64_t subpath(unsigned number)
{
	/* f1: p1 ends at its call, p11 begins after it.  f4: a path from the entry and one from the head, each to the back
	 * edge or to the exit. */
	static const uint32_t place[][2] = {[1] = {0, 0},
		[2] = {1, 0},
		[3] = {2, 0},
		[4] = {3, 1},
		[5] = {3, 3},
		[6] = {3, 2},
		[7] = {2, 1},
		[8] = {4, 0},
		[9] = {2, 2},
		[10] = {1, 1},
		[11] = {0, 1}};
	return wm_stream_subpath(place[number][0], place[number][1]);
}

/* Handlers of errors: a call that does not return begins a segment, here one of a function that does not return either. */
static void test_noreturn(void **state)
{
	(void)state;
	static const char text[] = "function check\na -> b c\nb [call fail]\nc\n"
				   "function fail\nd\n";
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	wm_arena_init(&arena);
	assert_int_equal(wm_cfg_parse(&cfg, text, sizeof text - 1, &error, &arena), WM_OK);
	cfg.function[0].graph.end[1] = cfg.function[1].graph.end[0] = WM_END_NORETURN;
	struct run run = {.unit = &cfg.unit};
	struct record record[2] = {{.entry = wm_stream_subpath(0, 0)}, {.entry = wm_stream_subpath(1, 0)}};
	prepare(&run, &arena);
	run.record = record;
	run.count = 2;
	const uint64_t expected[] = {record[0].entry, WM_SEGMENT_CALL, record[1].entry};
	struct list found = {0};
	find_segments(&found, &run, 1, 0, &arena);
	assert_int_equal(found.count, 1);
	assert_int_equal(compare_items(found.item[0], found.length[0], expected, 3), 0);
	list_release(&found);
	wm_arena_release(&arena);
}

static void expect(const struct list *list, const char *text)
{
	uint64_t item[16];
	uint32_t count = 0;
	for (; *text; text++)
		item[count++] = *text == '('   ? WM_SEGMENT_CALL
				: *text == ')' ? WM_SEGMENT_RETURN
					       : subpath((unsigned)(*text - '0'));
	for (size_t i = 0; i < list->count; i++)
		if (!compare_items(list->item[i], list->length[i], item, count))
			return;
	fail_msg("a segment is missing");
}

static void test_thesis(void **state)
{
	(void)state;
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	wm_arena_init(&arena);
	assert_int_equal(wm_cfg_parse(&cfg, example, sizeof example - 1, &error, &arena), WM_OK);
	struct run run = {.unit = &cfg.unit};
	struct record record[11] = {{0}};
	prepare(&run, &arena);
	for (unsigned i = 0; i < 11; i++)
		record[i].entry = subpath(i + 1);
	run.record = record;
	run.count = 10;
	struct list one = {0}, two = {0};
	find_segments(&one, &run, 1, 0, &arena);
	assert_int_equal(one.count, 4);
	expect(&one, "1(2");
	expect(&one, "2(3");
	expect(&one, "3(4");
	expect(&one, "7(8)9");
	run.count = 11;
	find_segments(&two, &run, 2, 0, &arena);
	assert_int_equal(two.count, 4);
	expect(&two, "1(2(3");
	expect(&two, "2(3(4");
	expect(&two, "3(4");
	expect(&two, "7(8)9");
	list_release(&one);
	list_release(&two);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thesis),
		cmocka_unit_test(test_noreturn),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
