/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fragments of the paths of random walks, joined: whole paths keep their counts, and joining keeps those of blocks. */
#include "core/paths/fragments.h"
#include "core/paths/pathset.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 1500, WALKS = 8, LENGTH = 60, MOST = WALKS * LENGTH };

struct world {
	struct wm_arena arena;
	struct random random;
	struct wm_graph graph;
	struct wm_plan plan;
	struct wm_fragment fragment[MOST];
	size_t count;
	uint64_t ran[4096]; /* executions of each block */
	struct wm_joined joined;
};

static bool draw_world(struct world *w, uint64_t seed)
{
	memset(w, 0, sizeof *w);
	wm_arena_init(&w->arena);
	w->random.state = seed;
	enum random_shape shape = (enum random_shape)(seed % RANDOM_SHAPES);
	assert_int_equal(
		random_graph(&w->graph, shape, 3 + random_below(&w->random, 30), &w->random, &w->arena), WM_OK);
	return w->graph.block_count < COUNT(w->ran) &&
	       wm_plan_make(&w->plan, &w->graph, &wm_scheme_acyclic, 0, &w->arena) == WM_OK;
}

static void put(struct world *w, const uint32_t *block, uint32_t length, bool begins, bool ends)
{
	uint32_t *copy = WM_NEW(&w->arena, uint32_t, length);
	memcpy(copy, block, length * sizeof *copy);
	w->fragment[w->count++] = (struct wm_fragment){copy, length, 1 + random_below(&w->random, 5), begins, ends};
}

/* One path, in fragments of equal counts if it is cut. */
static void put_path(struct world *w, const uint32_t *block, uint32_t length, bool stops, uint32_t cuts)
{
	size_t first = w->count;
	uint32_t from = 0;
	for (uint32_t i = 1; i + stops < length; i++)
		if (cuts && !random_below(&w->random, cuts)) {
			put(w, block + from, i - from, !from, false);
			from = i;
		}
	put(w, block + from, length - from, !from, true);
	for (size_t i = first; i < w->count; i++) {
		w->fragment[i].count = w->fragment[first].count;
		for (uint32_t k = 0; k < w->fragment[i].length - (stops && i + 1 == w->count); k++)
			w->ran[w->fragment[i].block[k]] += w->fragment[i].count;
	}
}

/* Only what the walk does up to its last end of a path. */
static void walk(struct world *w, uint32_t cuts)
{
	uint32_t path[LENGTH + 1] = {0}, length = 1;
	for (uint32_t i = 0; i < LENGTH && w->count + LENGTH < MOST; i++) {
		uint32_t at = path[length - 1], first = w->graph.first_edge[at],
			 degree = w->graph.first_edge[at + 1] - first;
		if (!degree) {
			put_path(w, path, length, false, cuts);
			return;
		}
		uint32_t edge = first + random_below(&w->random, degree);
		path[length++] = w->graph.edge_to[edge];
		if (!wm_plan_stops(&w->plan, edge))
			continue;
		put_path(w, path, length, true, cuts);
		path[0] = path[length - 1];
		length = 1;
	}
}

static uint64_t count_of(const struct wm_joined *joined, uint64_t id)
{
	for (size_t i = 0; i < joined->count; i++)
		if (joined->path[i].id == id)
			return joined->path[i].count;
	return 0;
}

static void whole_paths_keep_their_counts(struct world *w)
{
	uint64_t sum = 0, id;
	for (size_t i = 0; i < w->count; i++) {
		uint64_t same = 0, other;
		assert_int_equal(wm_plan_encode(&w->plan, w->fragment[i].block, w->fragment[i].length, &id), WM_OK);
		for (size_t k = 0; k < w->count; k++)
			if (wm_plan_encode(&w->plan, w->fragment[k].block, w->fragment[k].length, &other) == WM_OK &&
				other == id)
				same += w->fragment[k].count;
		assert_int_equal(count_of(&w->joined, id), same);
		sum += w->fragment[i].count;
	}
	assert_int_equal(w->joined.executions, sum);
	assert_int_equal(w->joined.chosen, 0);
	assert_int_equal(w->joined.assumed, 0);
}

static void blocks_keep_their_counts(struct world *w)
{
	static uint64_t ran[COUNT(w->ran)];
	memset(ran, 0, sizeof ran);
	for (size_t i = 0; i < w->joined.count; i++) {
		struct wm_block_path path = {0};
		assert_int_equal(wm_plan_decode(&w->plan, w->joined.path[i].id, &path, &w->arena), WM_OK);
		for (uint32_t k = 0; k < path.length; k++)
			ran[path.block[k]] += w->joined.path[i].count;
	}
	for (uint32_t b = 0; b < w->graph.block_count; b++) {
		assert_true(ran[b] >= w->ran[b]);
		if (!w->joined.assumed)
			assert_int_equal(ran[b], w->ran[b]);
	}
}

static void test_joins_what_was_cut(void **state)
{
	static struct world w;
	size_t cut = 0, exact = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		uint32_t cuts = (uint32_t)(seed / RANDOM_SHAPES % 3);
		if (draw_world(&w, seed)) {
			for (uint32_t i = 0; i < WALKS; i++)
				walk(&w, cuts ? 1 + cuts * 2 : 0);
			assert_int_equal(wm_fragments_join(&w.joined, &w.plan, w.fragment, w.count, &w.arena), WM_OK);
			if (!cuts)
				whole_paths_keep_their_counts(&w);
			blocks_keep_their_counts(&w);
			cut += cuts && w.count;
			exact += cuts && w.count && !w.joined.assumed;
		}
		wm_arena_release(&w.arena);
	}
	assert_true(exact * 3 > cut && exact < cut); /* both cases occur */
}

static void test_refuses_what_is_no_path(void **state)
{
	static struct world w;
	static const uint32_t nowhere[] = {1u << 20}, twice[] = {0, 0};
	struct wm_fragment wrong[] = {
		{nowhere, 1, 1, true, true}, {twice, 2, 1, true, false}, {twice, 0, 1, true, true}};
	(void)state;
	assert_true(draw_world(&w, 5 * RANDOM_SHAPES));
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(wm_fragments_join(&w.joined, &w.plan, &wrong[i], 1, &w.arena), WM_BAD_PATH);
	static const uint32_t entry[] = {0};
	struct wm_fragment many[] = {{entry, 1, UINT64_MAX, true, false}, {entry, 1, UINT64_MAX, true, false}};
	assert_int_equal(wm_fragments_join(&w.joined, &w.plan, many, 2, &w.arena), WM_OK);
	assert_int_equal(w.joined.executions, INT64_MAX);
	wm_arena_release(&w.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joins_what_was_cut),
		cmocka_unit_test(test_refuses_what_is_no_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
