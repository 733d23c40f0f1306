/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which traces become superblocks: figure 2.1 of the thesis, and random paths of random graphs against the definition. */
#include "core/graph/cfgtext.h"
#include "policy/chosen_superblocks.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 800, PATHS = 12, LENGTH = 30 };

struct world {
	struct wm_arena arena;
	struct random random;
	struct wm_graph graph;
	struct wm_dfs dfs;
	struct wm_routed_path path[PATHS];
	struct wm_superblock_request request;
};

/* ---- Random programs ---------------------------------------------------------------------------- */

/* From the entry or a loop head to an exit or a back edge: an acyclic path. */
static bool draw_path(struct world *w, struct wm_routed_path *made)
{
	uint32_t block = 0, *list = WM_NEW(&w->arena, uint32_t, LENGTH), heads = 0;
	struct wm_block_path path = {
		.block = list, .start = WM_START_ENTRY, .end = WM_END_RETURN, .last_edge = WM_NONE};
	for (uint32_t b = 0; b < w->graph.block_count; b++)
		if (w->dfs.is_head[b] && random_below(&w->random, ++heads + 1) == 0) {
			block = b;
			path.start = WM_START_LOOP;
		}
	while (path.length < LENGTH) {
		list[path.length++] = block;
		uint32_t first = w->graph.first_edge[block], degree = w->graph.first_edge[block + 1] - first;
		if (!degree)
			break;
		uint32_t edge = first + random_below(&w->random, degree);
		if (w->dfs.back_edge[edge]) {
			path.last_edge = edge;
			path.end = WM_END_BACKEDGE;
			break;
		}
		block = w->graph.edge_to[edge];
	}
	static const uint64_t some[] = {0, 1, 1, 1000, 100000, 300000, UINT64_MAX / 2, UINT64_MAX};
	uint64_t count = some[random_below(&w->random, random_below(&w->random, 8) ? 6 : COUNT(some))];
	*made = (struct wm_routed_path){path, count};
	return path.length < LENGTH;
}

static void draw_world(struct world *w)
{
	static const enum random_shape shapes[] = {RANDOM_STRUCTURED, RANDOM_GOTO, RANDOM_DAG};
	wm_arena_init(&w->arena);
	assert_int_equal(random_graph(&w->graph, shapes[random_below(&w->random, COUNT(shapes))],
				 4 + random_below(&w->random, 20), &w->random, &w->arena),
		WM_OK);
	assert_int_equal(wm_dfs_run(&w->dfs, &w->graph, &w->arena), WM_OK);
	uint32_t *size = WM_NEW(&w->arena, uint32_t, w->graph.block_count);
	for (uint32_t b = 0; b < w->graph.block_count; b++)
		size[b] = 1 + random_below(&w->random, 30);
	w->request = (struct wm_superblock_request){.graph = &w->graph,
		.path = w->path,
		.size = size,
		.growth = random_below(&w->random, 100),
		.small = random_below(&w->random, 3) * 30,
		.evidence = WM_EVIDENCE_DETERMINED + (random_below(&w->random, 4) == 0)};
	for (uint32_t i = 0; i < PATHS; i++)
		if (draw_path(w, &w->path[w->request.path_count])) {
			w->request.executions += (double)w->path[w->request.path_count].count;
			w->request.path_count++;
		}
}

/* ---- The definition ------------------------------------------------------------------------------- */

struct tally {
	uint64_t count, taken;
};

static uint32_t edge_behind(const struct world *w, const struct wm_block_path *path, uint32_t i)
{
	return i + 1 == path->length ? path->last_edge
				     : wm_graph_find_edge(&w->graph, path->block[i], path->block[i + 1]);
}

static void add(uint64_t *sum, uint64_t more)
{
	*sum = more > INT64_MAX - *sum ? INT64_MAX : *sum + more;
}

/* How often the blocks were executed one after another and the last one decided, and decided for the edge. */
static struct tally count_way(const struct world *w, const uint32_t *block, uint32_t length, uint32_t edge)
{
	struct tally tally = {0};
	for (size_t p = 0; p < w->request.path_count; p++) {
		const struct wm_block_path *path = &w->path[p].path;
		for (uint32_t i = length - 1; i < path->length; i++) {
			uint32_t taken = edge_behind(w, path, i);
			if (taken == WM_NONE || memcmp(path->block + i + 1 - length, block, length * sizeof *block))
				continue;
			add(&tally.count, w->path[p].count);
			if (taken == edge)
				add(&tally.taken, w->path[p].count);
		}
	}
	return tally;
}

static bool is_determined(const struct tally *tally)
{
	return tally->count - tally->taken <= tally->count / WM_SUPERBLOCK_EXCEPTIONS;
}

static void check_determined(const struct world *w, const struct wm_formed_trace *formed)
{
	const struct wm_trace *trace = &formed->trace;
	struct tally tally = count_way(w, trace->block, trace->length, formed->edge);
	assert_true(w->graph.edge_from[formed->edge] == trace->block[trace->length - 1]);
	if (tally.count == INT64_MAX)
		return; /* saturated sums depend on the order */
	assert_int_equal(formed->count, tally.count);
	assert_int_equal(formed->taken, tally.taken);
	assert_true(is_determined(&tally));
	for (uint32_t first = 1; first < trace->length; first++) {
		tally = count_way(w, trace->block + first, trace->length - first, formed->edge);
		assert_false(is_determined(&tally));
	}
}

static void check_hot(const struct world *w, const struct wm_formed_trace *formed)
{
	bool found = false;
	for (size_t p = 0; p < w->request.path_count; p++)
		found |= w->path[p].path.length == formed->trace.length && w->path[p].count == formed->count &&
			 !memcmp(w->path[p].path.block, formed->trace.block, formed->trace.length * sizeof(uint32_t));
	assert_true(found);
}

/* The worth of a trace, and the limit on growth. */
static void check_formation(const struct world *w, const struct wm_formation *made)
{
	uint64_t all = 0;
	for (uint32_t b = 0; b < w->graph.block_count; b++)
		all += w->request.size[b];
	uint64_t most = all * w->request.growth / 100;
	most = most < w->request.small ? w->request.small : most;
	assert_true(made->size <= made->original_size + most);
	for (uint32_t i = 0; i < made->trace_count; i++) {
		uint64_t size = 0;
		for (uint32_t j = 1; j < made->trace[i].trace.length; j++)
			size += w->request.size[made->trace[i].trace.block[j]];
		assert_true((double)made->trace[i].count * WM_SUPERBLOCK_RARE >= (double)size * w->request.executions);
		if (made->trace[i].evidence == WM_EVIDENCE_HOT)
			check_hot(w, &made->trace[i]);
		else
			check_determined(w, &made->trace[i]);
	}
	for (uint32_t b = 0; b < made->shape.graph.block_count; b++)
		assert_int_equal(made->shape.unlikely[b], !made->routing.block[b]);
}

static void check_same(struct world *w, const struct wm_formation *made)
{
	struct wm_formation again = {0};
	assert_int_equal(wm_superblocks_form(&again, &w->request, &w->arena), WM_OK);
	assert_int_equal(again.shape.graph.edge_count, made->shape.graph.edge_count);
	assert_memory_equal(
		again.shape.graph.edge_to, made->shape.graph.edge_to, made->shape.graph.edge_count * sizeof(uint32_t));
	assert_memory_equal(again.routing.edge, made->routing.edge, made->shape.graph.edge_count * sizeof(uint64_t));
}

static void test_random(void **state)
{
	(void)state;
	uint32_t formed = 0;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct world w = {.random = {seed}};
		struct wm_formation made = {0};
		draw_world(&w);
		enum wm_status status = wm_superblocks_form(&made, &w.request, &w.arena);
		assert_true(status == WM_OK || status == WM_UNKNOWN);
		if (status == WM_OK) {
			check_formation(&w, &made);
			check_same(&w, &made);
			formed++;
		}
		wm_arena_release(&w.arena);
	}
	assert_in_range(formed, ROUNDS / 8, ROUNDS);
}

/* ---- Figure 2.1 ---------------------------------------------------------------------------------- */

/* A and X assign constants; B tests what they assign. */
static const char figure[] = "function f\ne -> A X\nA -> B\nX -> B\nB -> C Y\nC -> r\nY -> r\nr\n";

struct figure {
	struct wm_graph graph;
	uint32_t e, a, x, b, c, y, r;
};

static uint32_t successor(const struct wm_graph *graph, uint32_t block, uint32_t ordinal)
{
	return graph->edge_to[graph->first_edge[block] + ordinal];
}

static void read_figure(struct figure *f, struct wm_arena *arena)
{
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	assert_int_equal(wm_cfg_parse(&cfg, figure, strlen(figure), &error, arena), WM_OK);
	f->graph = cfg.function[0].graph;
	f->e = 0;
	f->a = successor(&f->graph, f->e, 0);
	f->x = successor(&f->graph, f->e, 1);
	f->b = successor(&f->graph, f->a, 0);
	f->c = successor(&f->graph, f->b, 0);
	f->y = successor(&f->graph, f->b, 1);
	f->r = successor(&f->graph, f->c, 0);
}

/* With facts, a decision is decided although counts do not say so.  Without, it is determined only by paths. */
static void form_figure_of_size(struct wm_formation *made, uint32_t of_block, bool facts, bool correlated,
	enum wm_superblock_evidence evidence, enum wm_status expected)
{
	struct wm_arena arena;
	struct figure f;
	wm_arena_init(&arena);
	read_figure(&f, &arena);
	uint32_t first = f.graph.first_edge[f.b];
	struct wm_fact fact[4] = {{f.a, WM_FACT_BEFORE, 0, WM_NONE, {1, 1}}, {f.x, WM_FACT_BEFORE, 0, WM_NONE, {2, 2}},
		{f.b, WM_FACT_TEST, 0, first, {1, 1}}, {f.b, WM_FACT_TEST, 0, first + 1, {2, INT64_MAX}}};
	qsort(fact, 4, sizeof *fact, wm_fact_compare);
	struct wm_facts all = {1, 4, fact};
	assert_true(wm_facts_are_valid(&all, &f.graph));
	uint32_t through[4][5] = {{f.e, f.a, f.b, f.c, f.r}, {f.e, f.x, f.b, f.y, f.r}, {f.e, f.a, f.b, f.y, f.r},
		{f.e, f.x, f.b, f.c, f.r}};
	struct wm_routed_path path[4];
	for (uint32_t i = 0; i < 4; i++)
		path[i] = (struct wm_routed_path){
			{.length = 5, .block = through[i], .end = WM_END_RETURN, .last_edge = WM_NONE}, i < 2 ? 500
													: correlated
														? 0
														: 500};
	uint32_t size[7];
	for (uint32_t i = 0; i < 7; i++)
		size[i] = of_block;
	struct wm_superblock_request request = {.graph = &f.graph,
		.facts = facts ? &all : NULL,
		.path = path,
		.path_count = 4,
		.executions = 1000,
		.size = size,
		.growth = 50,
		.evidence = evidence};
	assert_int_equal(wm_superblocks_form(made, &request, &arena), expected);
	if (expected == WM_OK && correlated)
		for (uint32_t i = 0; i < made->shape.graph.edge_count; i++)
			assert_true(made->routing.edge[i] == 0 || made->routing.edge[i] == 500);
	wm_arena_release(&arena);
}

static void form_figure(struct wm_formation *made, bool facts, bool correlated, enum wm_superblock_evidence evidence,
	enum wm_status expected)
{
	form_figure_of_size(made, WM_SUPERBLOCK_LEAST, facts, correlated, evidence, expected);
}

static void test_figure(void **state)
{
	(void)state;
	struct wm_formation made;
	form_figure(&made, true, true, WM_EVIDENCE_DECIDED, WM_OK);
	assert_int_equal(made.trace_count, 2);
	assert_int_equal(made.size - made.original_size,
		WM_SUPERBLOCK_LEAST); /* one of the two copies replaces the block itself */
	form_figure(&made, false, true, WM_EVIDENCE_DECIDED, WM_UNKNOWN);
	form_figure(&made, false, true, WM_EVIDENCE_DETERMINED, WM_OK);
	assert_int_equal(made.trace_count, 2);
	form_figure(&made, false, false, WM_EVIDENCE_DETERMINED, WM_UNKNOWN);
	form_figure_of_size(&made, WM_SUPERBLOCK_LEAST - 1, true, true, WM_EVIDENCE_DECIDED, WM_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_figure), cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
