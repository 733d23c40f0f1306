/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Supergraphs: the example of thesis07, section 3.4.2; random units against the definition of the graph, and random runs
 * whose paths must tell what was run.
 */
#include "core/graph/cfgtext.h"
#include "core/graph/supergraph.h"
#include "core/preferential/linear.h"
#include "core/scheme/scheme.h"
#include "core/trail/original.h"
#include "test/core/random_unit.h"
#include "test/core/support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16 };

struct text {
	char at[ROOM];
	size_t used;
};

static void add(struct text *text, const char *word)
{
	int length = snprintf(text->at + text->used, ROOM - text->used, "%s%s", text->used ? " " : "", word);
	assert_true((size_t)length < ROOM - text->used);
	text->used += (size_t)length;
}

static void add_block(struct text *text, uint32_t function, uint32_t block)
{
	char word[40];
	snprintf(word, sizeof word, "%u:%u", function, block);
	add(text, word);
}

static void add_steps(struct text *text, const struct wm_origins *origins, const struct wm_trail *trail,
	struct wm_segment_range range)
{
	for (uint32_t i = range.first; i < range.end; i++) {
		const struct wm_trail_step *step = &trail->step[i];
		uint32_t context = trail->frame[step->frame].context;
		if (step->kind != WM_TRAIL_BLOCK && !(step->kind == WM_TRAIL_RETURN && i == range.first))
			add(text, step->kind == WM_TRAIL_CALL ? "(" : ")");
		else if (step->kind == WM_TRAIL_BLOCK)
			add_block(text, origins->context[context].function, step->block);
		else
			add(text, "+");
	}
}

static const struct wm_origins *origins_of(const void *closure, uint32_t function)
{
	assert_int_equal(function, 0);
	return &((const struct wm_supergraph *)closure)->origins;
}

/* The trail of the original functions along some blocks of the supergraph. */
static void find_original(const struct wm_supergraph *s, uint32_t *block, uint32_t length, struct wm_trail *original,
	struct wm_arena *arena)
{
	const struct wm_trail_origins origins = {s, origins_of};
	const struct wm_plan plan = {.graph = &s->graph};
	const struct wm_block_path path = {.length = length, .block = block, .last_edge = WM_NONE};
	struct wm_trail trail;
	assert_int_equal(wm_trail_of_path(&plan, &path, &trail, arena), WM_OK);
	assert_int_equal(wm_trail_original(&origins, &trail, original, arena), WM_OK);
}

static const bool *const *mark_all(const struct wm_unit *unit, struct random *random, struct wm_arena *arena)
{
	const bool **marked = WM_NEW(arena, const bool *, unit->function_count);
	for (uint32_t f = 0; f < unit->function_count; f++) {
		bool *site = WM_NEW(arena, bool, unit->function[f].call_count);
		for (uint32_t i = 0; i < unit->function[f].call_count; i++)
			site[i] = !random || random_below(random, 4);
		marked[f] = site;
	}
	return marked;
}

/* ---- The example of the thesis -------------------------------------------------------- */

/* p1, p2, p3 and p7 end at calls; p4 and p5 end at the back edge of f4. */
static const char example[] = "function f1\na [call f2] -> b\nb\nfunction f2\na [call f3]\n"
			      "function f3\na [call f4] [call f5]\nfunction f4\na -> b\nb -> b c\nc\nfunction f5\na\n";

static void test_example(void **state)
{
	(void)state;
	/* f4 makes three iterations: the walk of the supergraph of f1, by blocks, each path on a line of its own. */
	static uint32_t path[][12] = {{0, 3, 5, 8, 9, WM_NONE}, {9, WM_NONE}, {9, 10, 6, 11, 7, 4, 1, 2, WM_NONE}};
	static const char *const expected[] = {"0:0 ( 1:0", "1:0 ( 2:0", "2:0 ( 3:0 3:1", "+ ( 4:0 )"};
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	struct wm_supergraph s;
	size_t found = 0;
	wm_arena_init(&arena);
	assert_int_equal(wm_cfg_parse(&cfg, example, sizeof example - 1, &error, &arena), WM_OK);
	struct wm_inlining inlining = {&cfg.unit, mark_all(&cfg.unit, NULL, &arena), 1, WM_SUPERGRAPH_BLOCKS, NULL};
	assert_int_equal(wm_supergraph_make(&s, &inlining, 0, &arena), WM_OK);
	assert_int_equal(s.origins.context_count, 5);
	for (size_t p = 0; p < COUNT(path); p++) {
		struct wm_trail original;
		struct wm_segment_range range[64];
		uint32_t length = 0;
		while (path[p][length] != WM_NONE)
			length++;
		for (uint32_t i = 0; i + 1 < length; i++) {
			uint32_t from = path[p][i];
			assert_int_not_equal(wm_graph_find_edge(&s.graph, from, path[p][i + 1]), WM_NONE);
		}
		find_original(&s, path[p], length, &original, &arena);
		uint32_t count = wm_trail_segments(&original, 1, range);
		for (uint32_t i = 0; i < count; i++) {
			struct text text = {.used = 0};
			add_steps(&text, &s.origins, &original, range[i]);
			assert_true(found < COUNT(expected));
			assert_string_equal(text.at, expected[found++]);
		}
	}
	assert_int_equal(found, COUNT(expected));
	wm_arena_release(&arena);
}

/* ---- The definition ------------------------------------------------------------------- */

/* A place: the open inlined calls, outermost first, as function and site; the block, and the calls of it that were made. */
struct place {
	uint32_t depth, function[40], site[40];
	uint32_t at, block, calls; /* at: the function */
};

static bool same_place(const struct place *a, const struct place *b)
{
	if (a->depth != b->depth || a->at != b->at || a->block != b->block || a->calls != b->calls)
		return false;
	for (uint32_t i = 0; i < a->depth; i++)
		if (a->function[i] != b->function[i] || a->site[i] != b->site[i])
			return false;
	return true;
}

/* Whether the call is inlined there: no more than K copies of the callee are open. */
static bool is_inlined(const struct wm_inlining *inlining, const struct place *p, uint32_t site)
{
	const struct wm_call *call = &inlining->unit->function[p->at].call[site];
	uint32_t copies = p->depth && p->at == call->callee;
	for (uint32_t i = 1; i < p->depth; i++)
		copies += p->function[i] == call->callee;
	return call->callee != WM_NONE && !call->opaque && inlining->marked[p->at][site] &&
	       copies < inlining->most_copies;
}

/* The next call of the block that is inlined; WM_NONE: there is none. */
static uint32_t next_site(const struct wm_inlining *inlining, const struct place *p)
{
	const struct wm_unit_function *f = &inlining->unit->function[p->at];
	for (uint32_t i = 0; i < f->call_count; i++)
		if (f->call[i].block == p->block && f->call[i].position >= p->calls && is_inlined(inlining, p, i))
			return i;
	return WM_NONE;
}

static struct place enter(const struct place *from, uint32_t block)
{
	struct place to = *from;
	to.block = block;
	to.calls = 0;
	return to;
}

/* Back in the caller, after the call or in its landing pad. */
static struct place leave(const struct wm_inlining *inlining, const struct place *from, bool unwinds)
{
	struct place to = *from;
	to.depth--;
	to.at = from->function[to.depth];
	const struct wm_unit_function *f = &inlining->unit->function[to.at];
	const struct wm_call *call = &f->call[from->site[to.depth]];
	to.block = call->block;
	to.calls = call->position + 1;
	return unwinds ? enter(&to, f->graph->edge_to[f->graph->first_edge[call->block + 1] - 1]) : to;
}

/* The successors of a place, and how a path ends there when it has none. */
static uint32_t successors(
	const struct wm_inlining *inlining, const struct place *p, struct place *to, enum wm_end *end)
{
	const struct wm_unit_function *f = &inlining->unit->function[p->at];
	uint32_t site = next_site(inlining, p), count = 0, last = f->graph->first_edge[p->block + 1];
	*end = WM_END_NONE;
	if (site != WM_NONE) {
		to[0] = enter(p, 0);
		to[0].function[p->depth] = p->at;
		to[0].site[p->depth] = site;
		to[0].depth++;
		to[0].at = f->call[site].callee;
		return 1;
	}
	for (uint32_t i = 0; i < f->call_count; i++) /* After an inlined invoke. */
		last -= f->call[i].block == p->block && f->call[i].unwinds && is_inlined(inlining, p, i);
	for (uint32_t e = f->graph->first_edge[p->block]; e < last; e++)
		to[count++] = enter(p, f->graph->edge_to[e]);
	if (count)
		return count;
	*end = (enum wm_end)f->graph->end[p->block];
	struct place at = *p;
	bool unwinds = *end == WM_END_UNWIND, lands = *end == WM_END_RETURN && p->depth;
	while (unwinds && at.depth && !lands) {
		lands = inlining->unit->function[at.function[at.depth - 1]].call[at.site[at.depth - 1]].unwinds;
		to[0] = leave(inlining, &at, lands);
		at = to[0];
	}
	if (lands && !unwinds)
		to[0] = leave(inlining, p, false);
	*end = lands ? WM_END_NONE : *end;
	return lands;
}

static void check_mark(const struct wm_supergraph *s, uint32_t block, const struct place *p)
{
	assert_int_equal(s->origins.first_mark[block + 1] - s->origins.first_mark[block], 1);
	const struct wm_mark *mark = &s->origins.mark[s->origins.first_mark[block]];
	uint32_t context = mark->context;
	assert_int_equal(mark->block, p->block);
	assert_int_equal(mark->behind, p->calls > 0);
	assert_int_equal(wm_context_depth(&s->origins, context), p->depth);
	assert_int_equal(s->origins.context[context].function, p->at);
	for (uint32_t i = p->depth; i-- > 0; context = s->origins.context[context].parent) {
		uint32_t parent = s->origins.context[context].parent;
		assert_int_equal(s->origins.context[parent].function, p->function[i]);
		assert_int_equal(s->callee[parent][p->site[i]], context);
	}
}

/* Every reached block corresponds to one place, and its out-edges, in order, to the successors of that place. */
static void check_graph(const struct wm_inlining *inlining, const struct wm_supergraph *s, uint32_t root)
{
	struct place *place = calloc(s->graph.block_count, sizeof *place), to[64];
	bool *seen = calloc(s->graph.block_count, sizeof *seen);
	uint32_t *work = calloc(s->graph.block_count, sizeof *work), count = 1;
	place[0].at = root;
	seen[0] = true;
	for (uint32_t done = 0; done < count; done++) {
		uint32_t b = work[done], first = s->graph.first_edge[b];
		enum wm_end end;
		uint32_t expected = successors(inlining, &place[b], to, &end);
		check_mark(s, b, &place[b]);
		assert_int_equal(s->graph.first_edge[b + 1] - first, expected);
		assert_int_equal(s->graph.end[b], end);
		for (uint32_t i = 0; i < expected; i++) {
			uint32_t next = s->graph.edge_to[first + i];
			if (seen[next]) {
				assert_true(same_place(&place[next], &to[i]));
				continue;
			}
			seen[next] = true;
			place[next] = to[i];
			work[count++] = next;
		}
	}
	free(place);
	free(seen);
	free(work);
}

/* ---- Paths ----------------------------------------------------------------------------- */

/* The paths of a random walk, one after the other, tell the walk. */
static void check_walk(const struct wm_supergraph *s, const struct wm_plan *plan, struct random *random)
{
	struct wm_arena arena;
	struct text *told = calloc(1, sizeof *told), *walked = calloc(1, sizeof *walked);
	uint32_t path[256], length = 0, b = 0, context = 0;
	wm_arena_init(&arena);
	for (uint32_t steps = 0; steps < 200; steps++) {
		const struct wm_mark *mark = &s->origins.mark[s->origins.first_mark[b]];
		uint32_t from = wm_context_depth(&s->origins, context),
			 to = wm_context_depth(&s->origins, mark->context);
		for (; length && from > to; from--)
			add(walked, ")");
		for (; length && from < to; from++)
			add(walked, "(");
		context = mark->context;
		if (!mark->behind)
			add_block(walked, s->origins.context[context].function, mark->block);
		path[length++] = b;
		uint32_t first = s->graph.first_edge[b], count = s->graph.first_edge[b + 1] - first;
		uint32_t edge = count ? first + random_below(random, count) : WM_NONE;
		if (!count || wm_plan_stops(plan, edge)) {
			struct wm_trail original;
			find_original(s, path, length, &original, &arena);
			add_steps(told, &s->origins, &original, (struct wm_segment_range){0, original.count});
			uint32_t last = original.count ? original.step[original.count - 1].frame : original.first;
			assert_int_equal(original.frame[last].context, context);
			assert_string_equal(told->at, walked->at);
			told->used = walked->used = length = 0;
			told->at[0] = walked->at[0] = 0;
			if (!count)
				break;
		}
		b = s->graph.edge_to[edge];
		if (!length)
			context = s->origins.mark[s->origins.first_mark[b]].context;
	}
	free(told);
	free(walked);
	wm_arena_release(&arena);
}

static int by_id(const void *a, const void *b)
{
	return (*(const uint64_t *)a > *(const uint64_t *)b) - (*(const uint64_t *)a < *(const uint64_t *)b);
}

/* Two paths never tell the same, and interesting ones are numbered without gaps where they can be. */
static void check_paths(const struct wm_supergraph *s, const struct wm_plan *plan, struct random *random)
{
	struct wm_arena arena;
	uint64_t id[5];
	struct wm_path_set set;
	struct wm_preferential p;
	uint32_t wanted = plan->numbering.path_count < 5 ? (uint32_t)plan->numbering.path_count : 5;
	wm_arena_init(&arena);
	for (uint32_t i = 0; i < wanted; i++)
		id[i] = random_next(random) % plan->numbering.path_count;
	qsort(id, wanted, sizeof *id, by_id);
	assert_int_equal(wm_path_set_make(&set, plan, id, wanted, &arena), WM_OK);
	assert_int_equal(wm_preferential_linear(&p, plan, &set, &arena), WM_OK);
	for (uint32_t i = 0; i < set.count; i++) {
		struct wm_block_path path = {0};
		assert_true(p.id[i] < p.span);
		for (uint32_t j = 0; j < i; j++)
			assert_int_not_equal(p.id[i], p.id[j]);
		assert_int_equal(wm_plan_decode(plan, set.id[i], &path, &arena), WM_OK);
		assert_true(path.length && path.block[0] < s->graph.block_count);
	}
	wm_arena_release(&arena);
}

struct tally {
	uint32_t inlined, recursive, whole;
};

static void check_unit(struct unit_sample *u, struct tally *tally)
{
	struct wm_inlining inlining = {
		&u->unit, mark_all(&u->unit, &u->random, &u->arena), 1 + random_below(&u->random, 3), 1500, NULL};
	for (uint32_t root = 0; root < u->unit.function_count; root++) {
		struct wm_supergraph s;
		struct wm_plan plan;
		bool cut = false;
		assert_int_equal(wm_supergraph_make(&s, &inlining, root, &u->arena), WM_OK);
		assert_true(s.graph.block_count <= inlining.limit);
		for (uint32_t c = 0; c < s.origins.context_count; c++)
			for (uint32_t i = 0; i < u->unit.function[s.origins.context[c].function].call_count; i++) {
				cut |= s.choice[c][i] == WM_INLINE_TOO_LARGE;
				tally->recursive += s.choice[c][i] == WM_INLINE_RECURSIVE;
			}
		tally->inlined += s.origins.context_count - 1;
		tally->whole += !cut;
		if (!cut)
			check_graph(&inlining, &s, root);
		assert_int_equal(wm_plan_make(&plan, &s.graph, &wm_scheme_acyclic, 0, &u->arena), WM_OK);
		check_walk(&s, &plan, &u->random);
		if (!plan.cut_count)
			check_paths(&s, &plan, &u->random);
	}
}

static void test_random_units(void **state)
{
	(void)state;
	struct tally tally = {0};
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct unit_sample u;
		unit_sample_init(&u, seed);
		check_unit(&u, &tally);
		unit_sample_release(&u);
	}
	assert_true(tally.inlined > 1000 && tally.recursive > 100 && tally.whole > 500);
}

static void test_memory(void **state)
{
	(void)state;
	struct unit_sample u;
	unit_sample_init(&u, 7);
	struct wm_inlining inlining = {&u.unit, mark_all(&u.unit, NULL, &u.arena), 2, 300, NULL};
	enum wm_status status = WM_NO_MEMORY;
	for (size_t limit = 1; status == WM_NO_MEMORY; limit += limit / 8 + 64) {
		struct wm_arena arena;
		struct wm_supergraph s;
		wm_arena_init(&arena);
		wm_arena_set_limit(&arena, limit);
		status = wm_supergraph_make(&s, &inlining, 0, &arena);
		wm_arena_release(&arena);
	}
	assert_int_equal(status, WM_OK);
	unit_sample_release(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example), cmocka_unit_test(test_random_units), cmocka_unit_test(test_memory)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
