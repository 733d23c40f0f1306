/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Subpaths: the ids against a list of all paths; and recordings of random runs of random units, in which the interpreter
 * executes the probes, exceptions unwind, longjmp jumps and signal handlers interrupt: the walk that is rebuilt from
 * the stream is the walk that was made.
 */
#include "abi/stream.h"
#include "core/probes/machine.h"
#include "core/probes/passes.h"
#include "core/walk/walk.h"
#include "test/core/oracle.h"
#include "test/core/random_unit.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

#define MOST_PATHS 3000
#define CALM_STEPS 150 /* from here on a run makes for its exits */
#define MOST_STEPS 1500
#define MOST_DEPTH 40

/* ---- Ids -------------------------------------------------------------------------- */

static void check_path(const struct wm_plan *plan, const struct oracle *o, uint64_t id, struct wm_arena *arena)
{
	const struct oracle_path *expected = &o->path[id];
	struct wm_block_path path = {0};
	struct wm_path edges = {0};
	uint64_t back;
	assert_int_equal(wm_plan_decode(plan, id, &path, arena), WM_OK);
	assert_int_equal(path.length, expected->length);
	assert_memory_equal(path.block, expected->block, path.length * sizeof *path.block);
	assert_int_equal(path.last_edge, expected->last_edge);
	bool call = path.last_edge != WM_NONE && plan->graph->call_edge[path.last_edge];
	assert_int_equal(path.end, call ? WM_END_CALL : expected->end);
	assert_int_equal(path.start == WM_START_ENTRY, expected->start == WM_START_ENTRY);
	assert_int_equal(wm_dag_decode(&plan->dag, &plan->numbering, id, &edges, arena), WM_OK);
	assert_int_equal(wm_dag_encode(&plan->dag, &plan->numbering, &edges, &back), WM_OK);
	assert_int_equal(back, id);
}

/* Every call that is not the last of its block divides it. */
static void check_parts(const struct wm_parts *parts)
{
	const struct wm_unit_function *f = parts->function;
	uint32_t dividing = 0;
	for (uint32_t c = 0; c < f->call_count; c++) {
		uint32_t part = parts->site_part[c];
		dividing += part != WM_NONE;
		assert_int_equal(part == WM_NONE, wm_unit_is_last_call(f, c));
		if (part == WM_NONE)
			continue;
		assert_int_equal(parts->behind[part], c);
		assert_int_equal(parts->block[part], f->call[c].block);
	}
	assert_int_equal(parts->graph.block_count, f->graph->block_count + dividing);
	assert_int_equal(parts->graph.edge_count, f->graph->edge_count + dividing);
}

static bool check_ids(const struct wm_unit_function *function, uint64_t limit, struct wm_arena *arena)
{
	struct wm_parts parts;
	struct wm_plan plan;
	struct oracle oracle;
	assert_int_equal(wm_parts_make(&parts, function, arena), WM_OK);
	check_parts(&parts);
	enum wm_status status = wm_plan_make(&plan, &parts.graph, &wm_scheme_subpath, limit, arena);
	assert_true(status == WM_OK || (limit && status == WM_TOO_MANY));
	if (status != WM_OK)
		return false;
	bool *stops = WM_NEW(arena, bool, parts.graph.edge_count);
	for (uint32_t e = 0; e < parts.graph.edge_count; e++)
		stops[e] = parts.graph.call_edge[e] || (plan.cut && plan.cut[e]);
	bool listed = oracle_init(&oracle, &parts.graph, stops, MOST_PATHS);
	if (listed)
		assert_int_equal(plan.numbering.path_count, oracle.count);
	for (uint32_t id = 0; listed && id < oracle.count; id++)
		check_path(&plan, &oracle, id, arena);
	oracle_release(&oracle);
	return plan.cut_count > 0;
}

static void test_ids(void **state)
{
	(void)state;
	uint32_t cut = 0;
	for (uint64_t seed = 0; seed < 1500; seed++) {
		struct unit_sample s;
		unit_sample_init(&s, seed);
		for (uint32_t f = 0; f < s.unit.function_count; f++)
			cut += check_ids(&s.unit.function[f], seed % 3 ? 0 : 6 + random_below(&s.random, 20), &s.arena);
		unit_sample_release(&s);
	}
	assert_true(cut > 40);
}

/* ---- Recordings ---------------------------------------------------------------------- */

struct events {
	struct wm_walk_event *event;
	size_t count;
};

static void add_event(struct events *events, struct wm_walk_event event)
{
	events->event = realloc(events->event, (events->count + 1) * sizeof event);
	events->event[events->count++] = event;
}

struct function {
	struct wm_plan plan;
	struct wm_parts parts;
	struct wm_weights weights;
	struct wm_counting counting;
	struct wm_probe_program program;
};

enum outcome { RETURNED, UNWOUND, JUMPED };

struct activation {
	struct run *run;
	struct activation *below;
	uint32_t function, part, depth;
	uint64_t identity;
	struct wm_machine machine;
	struct events pending; /* of the subpath that has not ended */
	bool closed;
	/* setjmp: the call site of the last call that may return twice, and the state there. */
	uint32_t jump_site;
	struct wm_saved_frame jump_state;
};

struct run {
	struct random *random;
	struct wm_arena *arena;
	struct wm_unit *unit;
	struct function *function;
	bool interrupts, catches;
	uint32_t *handler, handler_count;
	struct events walk; /* as it was made */
	uint64_t *entry; /* the stream */
	size_t entry_count;
	struct events lost; /* activations abandoned since the last landing */
	struct activation *top, *target; /* target: of a jump */
	uint32_t steps, jumps, landings, handled;
	bool stopped, inside;
};

static bool chance(struct run *run, uint32_t percent)
{
	return random_below(run->random, 100) < percent;
}

static void put(struct run *run, uint64_t entry)
{
	run->entry = realloc(run->entry, (run->entry_count + 1) * sizeof entry);
	run->entry[run->entry_count++] = entry;
}

static void move(struct events *to, struct events *from)
{
	for (size_t i = 0; i < from->count; i++)
		add_event(to, from->event[i]);
	from->count = 0;
}

static enum outcome run_function(struct run *run, uint32_t function);

static void interrupt(struct run *run)
{
	if (!run->interrupts || run->stopped || run->inside || !run->handler_count || !chance(run, 3))
		return;
	struct events outer = run->lost;
	run->lost = (struct events){0};
	run->inside = true;
	run->handled++;
	/* What leaves a handler other than by returning ends the run. */
	if (run_function(run, run->handler[random_below(run->random, run->handler_count)]) != RETURNED)
		run->stopped = true;
	run->inside = false;
	free(run->lost.event);
	run->lost = outer;
}

static void note(struct activation *a, enum wm_walk_kind kind, uint32_t block, uint32_t call, enum wm_end end)
{
	add_event(&a->pending, (struct wm_walk_event){.kind = kind,
				       .function = a->function,
				       .block = block,
				       .call = call,
				       .end = end,
				       .depth = a->depth});
}

/* Events of a subpath are known when it ends. */
static void append(void *closure, uint64_t id)
{
	struct activation *a = closure;
	assert_true(id < a->run->function[a->function].plan.numbering.path_count);
	interrupt(a->run);
	if (a->run->stopped)
		return;
	put(a->run, wm_stream_subpath(a->function, (uint32_t)id));
	move(&a->run->walk, &a->pending);
	add_event(&a->run->walk, (struct wm_walk_event){.kind = WM_WALK_SUBPATH,
					 .function = WM_NONE,
					 .block = WM_NONE,
					 .call = WM_NONE,
					 .entry = wm_stream_subpath(a->function, (uint32_t)id)});
}

static void identify(void *closure, bool land)
{
	struct activation *a = closure;
	interrupt(a->run);
	if (a->run->stopped)
		return;
	put(a->run, wm_stream_special(land ? WM_STREAM_LAND : WM_STREAM_FRAME, a->identity));
	if (land)
		move(&a->run->walk, &a->run->lost);
	a->run->landings += land;
}

/* An edge that is no landing pad's, unless there is no other. */
static uint32_t choose_edge(struct activation *a)
{
	const struct wm_parts *parts = &a->run->function[a->function].parts;
	const struct wm_graph *graph = &parts->graph;
	uint32_t first = graph->first_edge[a->part], last = graph->first_edge[a->part + 1];
	last -= last - first > 1 && wm_parts_unwinds(parts, last - 1);
	uint32_t edge = first + random_below(a->run->random, last - first);
	for (uint32_t e = first; e < last && a->run->steps > CALM_STEPS; e++)
		if (distance_to_exit(graph, graph->edge_to[e]) < distance_to_exit(graph, graph->edge_to[edge]))
			edge = e;
	return edge;
}

static void take_edge(struct activation *a, uint32_t edge)
{
	const struct wm_parts *parts = &a->run->function[a->function].parts;
	uint32_t to = parts->graph.edge_to[edge];
	assert_int_equal(wm_machine_step(&a->machine, to), WM_OK);
	a->part = to;
	note(a, WM_WALK_BLOCK, parts->block[to], WM_NONE, WM_END_NONE);
}

/* A live activation with a jump to it, found at random. */
static struct activation *find_target(struct run *run)
{
	struct activation *found = NULL;
	uint32_t seen = 0;
	for (struct activation *a = run->top; a && !run->inside; a = a->below)
		if (a->jump_site != WM_NONE && random_below(run->random, ++seen) == 0)
			found = a;
	return found;
}

/* What a callee that is not in the unit does. */
static enum outcome run_unknown(struct run *run)
{
	enum outcome outcome = RETURNED;
	struct activation *target = chance(run, 30) ? find_target(run) : NULL;
	if (target) {
		run->jumps++;
		run->target = target;
		return JUMPED;
	}
	if (chance(run, 40))
		outcome = run_function(run, random_below(run->random, run->unit->function_count));
	if (outcome == UNWOUND && run->catches && chance(run, 50))
		outcome = RETURNED;
	return outcome == RETURNED && chance(run, 10) ? UNWOUND : outcome;
}

static enum outcome run_callee(struct run *run, const struct wm_call *call)
{
	return call->twice ? RETURNED : call->callee == WM_NONE ? run_unknown(run) : run_function(run, call->callee);
}

/* After a call edge: false when the activation is over. */
static bool go_on(struct activation *a, uint32_t site, enum outcome *outcome)
{
	struct run *run = a->run;
	const struct wm_call *call = &run->unit->function[a->function].call[site];
	const struct wm_parts *parts = &run->function[a->function].parts;
	if (run->stopped)
		return false;
	if (*outcome == JUMPED && run->target == a) {
		uint32_t edge = a->jump_state.frame.last_edge;
		site = a->jump_site;
		a->part = parts->graph.edge_to[edge];
		note(a, WM_WALK_AGAIN, parts->block[a->part], site, WM_END_NONE);
		wm_machine_return_again(&a->machine, &a->jump_state);
		return !run->stopped;
	}
	if (*outcome == RETURNED) {
		note(a, WM_WALK_BEHIND, call->block, site, WM_END_NONE);
		wm_machine_go_on(&a->machine);
		return !run->stopped;
	}
	if (*outcome == JUMPED || !call->unwinds)
		return false;
	note(a, WM_WALK_CAUGHT, call->block, site, WM_END_NONE);
	take_edge(a, parts->graph.first_edge[a->part + 1] - 1);
	return !run->stopped;
}

/* One part: false when the activation is over. */
static bool run_part(struct activation *a, enum outcome *outcome)
{
	struct run *run = a->run;
	const struct wm_parts *parts = &run->function[a->function].parts;
	const struct wm_unit_function *f = &run->unit->function[a->function];
	uint32_t block = parts->block[a->part], site = parts->before[a->part];
	run->stopped |= ++run->steps > MOST_STEPS;
	interrupt(run);
	*outcome = UNWOUND;
	if (run->stopped)
		return false;
	if (site != WM_NONE) {
		note(a, WM_WALK_CALL, block, site, WM_END_NONE);
		uint32_t edge = parts->graph.first_edge[a->part], to = parts->graph.edge_to[edge];
		assert_int_equal(wm_machine_step(&a->machine, to), WM_OK);
		a->part = to;
		if (f->call[site].twice) {
			a->jump_site = site;
			wm_machine_save(&a->machine, &a->jump_state);
		}
		*outcome = run->stopped ? UNWOUND : run_callee(run, &f->call[site]);
		return go_on(a, site, outcome);
	}
	enum wm_end end = (enum wm_end)parts->graph.end[a->part];
	if (end == WM_END_NONE) {
		take_edge(a, choose_edge(a));
		return !run->stopped;
	}
	uint32_t last = wm_unit_first_call(f, block);
	while (last + 1 < f->call_count && f->call[last + 1].block == block)
		last++;
	last = last < f->call_count && wm_unit_is_last_call(f, last) ? last : WM_NONE;
	if (end == WM_END_NORETURN)
		note(a, WM_WALK_STUCK, block, last, WM_END_NONE);
	else
		note(a, WM_WALK_LEAVE, WM_NONE, WM_NONE, end);
	assert_int_equal((end == WM_END_NORETURN ? wm_machine_stick : wm_machine_leave)(&a->machine), WM_OK);
	*outcome = end == WM_END_RETURN ? RETURNED : UNWOUND;
	a->closed = end != WM_END_NORETURN;
	if (end == WM_END_NORETURN && last != WM_NONE && !run->stopped)
		*outcome = run_callee(run, &f->call[last]) == JUMPED ? JUMPED : UNWOUND;
	if (end == WM_END_NORETURN && *outcome == JUMPED && run->target == a)
		return go_on(a, last, outcome);
	return false;
}

static enum outcome run_function(struct run *run, uint32_t function)
{
	struct function *f = &run->function[function];
	struct activation a = {.run = run, .below = run->top, .function = function, .jump_site = WM_NONE};
	enum outcome outcome = UNWOUND;
	a.depth = run->top ? run->top->depth + 1 : 0;
	a.identity = 16 * (1000 - a.depth);
	const struct wm_probed probed = {.plan = &f->plan, .program = &f->program, .counting = &f->counting};
	a.machine = (struct wm_machine){.probed = &probed, .arena = run->arena};
	a.machine.counters = (struct wm_counters){.closure = &a, .append = append, .frame = identify};
	run->top = &a;
	run->stopped |= a.depth > MOST_DEPTH;
	if (!run->stopped) {
		assert_int_equal(wm_machine_enter(&a.machine, 0, false), WM_OK);
		note(&a, WM_WALK_ENTER, WM_NONE, WM_NONE, WM_END_NONE);
		note(&a, WM_WALK_BLOCK, 0, WM_NONE, WM_END_NONE);
		while (run_part(&a, &outcome))
			continue;
		if (!run->stopped && !a.closed)
			add_event(&run->lost, (struct wm_walk_event){WM_WALK_ABANDON, function, WM_NONE, WM_NONE,
						      WM_END_NONE, a.depth, 0});
	}
	free(a.pending.event);
	run->top = a.below;
	return outcome;
}

static void prepare(struct run *run, struct unit_sample *s)
{
	run->function = WM_NEW(&s->arena, struct function, s->unit.function_count);
	run->arena = &s->arena;
	run->handler = WM_NEW(&s->arena, uint32_t, s->unit.function_count);
	for (uint32_t i = 0; i < s->unit.function_count; i++) {
		struct function *f = &run->function[i];
		struct wm_unit_function *in_unit = &s->unit.function[i];
		for (uint32_t c = 0; c < in_unit->call_count; c++) {
			struct wm_call *call = &in_unit->call[c];
			call->twice = call->callee == WM_NONE && !call->unwinds && !wm_unit_is_last_call(in_unit, c) &&
				      random_below(&s->random, 100) < 50;
			call->tail = !call->twice && !call->unwinds &&
				     in_unit->graph->end[call->block] == WM_END_RETURN &&
				     (c + 1 == in_unit->call_count || in_unit->call[c + 1].block != call->block) &&
				     random_below(&s->random, 100) < 30;
		}
		if (s->handler[i])
			run->handler[run->handler_count++] = i;
		assert_int_equal(wm_subpath_plan(&f->plan, &f->parts, in_unit, &s->arena), WM_OK);
		struct wm_unit one = {1, &(struct wm_unit_function){.graph = f->plan.graph}};
		f->weights = *random_weights(&one, &s->random, &s->arena);
		struct wm_probe_request request = {.plan = &f->plan,
			.weights = &f->weights,
			.parts = &f->parts,
			.placement = random_below(&s->random, 2) ? WM_PLACE_OPTIMAL : WM_PLACE_NAIVE,
			.trips = true,
			.regions = true};
		wm_counting_stream(&f->counting, &f->plan);
		assert_int_equal(wm_passes_run(&request, &f->counting, NULL, &f->program, &s->arena), WM_OK);
	}
}

static void take(void *closure, const struct wm_walk_event *event)
{
	add_event(closure, *event);
}

static bool is_same(const struct wm_walk_event *a, const struct wm_walk_event *b, bool depths)
{
	depths &= a->kind != WM_WALK_SUBPATH; /* its activation may be closed */
	return a->kind == b->kind && a->function == b->function && a->block == b->block && a->call == b->call &&
	       a->end == b->end && a->entry == b->entry && (!depths || a->depth == b->depth);
}

static void compare(const struct events *real, const struct events *rebuilt, size_t from, bool depths, uint64_t seed)
{
	for (size_t i = 0; i < real->count - from && i < rebuilt->count; i++) {
		const struct wm_walk_event *a = &real->event[from + i], *b = &rebuilt->event[i];
		if (!is_same(a, b, depths))
			fail_msg("seed %llu, event %zu: made %u %u.%d call %d depth %u, rebuilt %u %u.%d call %d depth "
				 "%u",
				(unsigned long long)seed, from + i, a->kind, a->function, (int)a->block, (int)a->call,
				a->depth, b->kind, b->function, (int)b->block, (int)b->call, b->depth);
	}
	assert_int_equal(real->count - from, rebuilt->count);
}

/* Removes what is not in both walks where unrecorded code caught an exception: when activations were abandoned. */
static void drop_abandoned(struct events *events)
{
	size_t kept = 0;
	for (size_t i = 0; i < events->count; i++)
		if (events->event[i].kind != WM_WALK_ABANDON)
			events->event[kept++] = events->event[i];
	events->count = kept;
}

static void feed(struct wm_walk *walk, const struct run *run, size_t first, size_t last)
{
	for (size_t i = first; i < last; i++)
		assert_int_equal(wm_walk_take(walk, run->entry[i]), WM_OK);
}

static size_t count_blocks(const struct events *events, size_t from)
{
	size_t blocks = 0;
	for (size_t i = from; i < events->count; i++)
		blocks += events->event[i].kind == WM_WALK_BLOCK;
	return blocks;
}

/* The child of a fork in the middle, without the entries of its parent, adopts the activations of the parent. */
static void check_fork(const struct run *run, const struct wm_walk_function *f, uint32_t count, struct wm_arena *arena)
{
	struct events whole = {0}, alone = {0};
	size_t middle = run->entry_count / 2;
	struct wm_walk child, stranger;
	assert_int_equal(wm_walk_init(&child, f, count, &(struct wm_sink){&whole, take}, arena), WM_OK);
	assert_int_equal(wm_walk_init(&stranger, f, count, &(struct wm_sink){&alone, take}, arena), WM_OK);
	feed(&child, run, 0, middle);
	size_t inherited = whole.count;
	feed(&child, run, middle, run->entry_count);
	feed(&stranger, run, middle, run->entry_count);
	compare(&run->walk, &whole, 0, !run->interrupts, 0);
	assert_int_equal(count_blocks(&whole, inherited), count_blocks(&alone, 0));
	wm_walk_release(&child);
	wm_walk_release(&stranger);
	free(whole.event);
	free(alone.event);
}

static void check_walk(struct run *run, struct unit_sample *s, uint64_t seed, uint64_t *ambiguous)
{
	uint32_t count = s->unit.function_count;
	struct wm_walk_function *f = WM_NEW(&s->arena, struct wm_walk_function, count);
	struct events rebuilt = {0};
	struct wm_walk walk;
	for (uint32_t i = 0; i < count; i++)
		f[i] = (struct wm_walk_function){
			&run->function[i].plan, &run->function[i].parts, wm_parts_has_frames(&run->function[i].parts)};
	assert_int_equal(wm_walk_init(&walk, f, count, &(struct wm_sink){&rebuilt, take}, &s->arena), WM_OK);
	feed(&walk, run, 0, run->entry_count);
	*ambiguous += walk.ambiguous;
	if (run->catches) {
		drop_abandoned(&run->walk);
		drop_abandoned(&rebuilt);
	} else {
		assert_int_equal(walk.ambiguous, 0);
	}
	assert_int_equal(walk.adopted, 0);
	if (!walk.ambiguous)
		compare(&run->walk, &rebuilt, 0, !run->interrupts && !run->catches, seed);
	if (!run->catches)
		check_fork(run, f, count, &s->arena);
	wm_walk_release(&walk);
	free(rebuilt.event);
}

static void test_recordings(void **state)
{
	(void)state;
	uint64_t jumps = 0, landings = 0, handled = 0, entries = 0, ambiguous = 0;
	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct unit_sample s;
		unit_sample_init(&s, seed);
		struct run run = {
			.random = &s.random, .unit = &s.unit, .interrupts = seed & 1, .catches = seed % 10 == 0};
		prepare(&run, &s);
		enum outcome outcome = RETURNED;
		for (uint32_t i = 0; i < 5 && !run.stopped && outcome == RETURNED; i++)
			outcome = run_function(&run, random_below(&s.random, s.unit.function_count));
		check_walk(&run, &s, seed, &ambiguous);
		jumps += run.jumps;
		landings += run.landings;
		handled += run.handled;
		entries += run.entry_count;
		free(run.walk.event);
		free(run.lost.event);
		free(run.entry);
		unit_sample_release(&s);
	}
	assert_true(jumps > 50 && landings > 2000 && handled > 1000 && entries > 100000 && ambiguous > 0);
}

/* Words that are no entries. */
static void test_bad_entries(void **state)
{
	(void)state;
	struct unit_sample s;
	struct events events = {0};
	struct wm_walk walk;
	struct wm_plan plan;
	struct wm_parts parts;
	unit_sample_init(&s, 1);
	assert_int_equal(wm_subpath_plan(&plan, &parts, &s.unit.function[0], &s.arena), WM_OK);
	struct wm_walk_function f[] = {{&plan, &parts, false}, {NULL, NULL, false}};
	assert_int_equal(wm_walk_init(&walk, f, 2, &(struct wm_sink){&events, take}, &s.arena), WM_OK);
	assert_int_equal(wm_walk_take(&walk, 1), WM_BAD_PATH);
	assert_int_equal(wm_walk_take(&walk, wm_stream_subpath(1, 0)), WM_BAD_PATH);
	assert_int_equal(wm_walk_take(&walk, wm_stream_subpath(2, 0)), WM_BAD_PATH);
	assert_int_equal(wm_walk_take(&walk, wm_stream_subpath(0, (uint32_t)plan.numbering.path_count)), WM_BAD_PATH);
	assert_int_equal(wm_walk_take(&walk, wm_stream_special(WM_STREAM_KINDS, 0)), WM_BAD_PATH);
	assert_int_equal(events.count, 0);
	assert_int_equal(wm_walk_take(&walk, 0), WM_OK);
	assert_int_equal(walk.holes, 1);
	assert_int_equal(wm_walk_take(&walk, wm_stream_special(WM_STREAM_WAIT, 5)), WM_OK);
	assert_int_equal(events.count, 1);
	assert_int_equal(wm_stream_value(events.event[0].entry), 5);
	wm_walk_release(&walk);
	free(events.event);
	unit_sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_recordings),
		cmocka_unit_test(test_bad_entries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
