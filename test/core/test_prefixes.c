/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which paths and which prefixes begin with a prefix (core/probes/prefix_sums.h): for all prefixes of all paths of random graphs,
 * what their edges say. */
#include "core/probes/prefix_sums.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"

#include <string.h>

enum { GRAPHS = 4000, MOST = 40, LONGEST = 64 };

/* The edges up to a block. */
struct begun {
	struct wm_prefix prefix;
	uint32_t length;
	uint32_t edge[LONGEST];
};
struct all {
	struct wm_plan plan;
	struct wm_path path[MOST];
	struct begun begun[MOST * LONGEST];
	uint32_t count;
};

static bool begins(const uint32_t *edge, uint32_t length, const uint32_t *other, uint32_t other_length)
{
	return length <= other_length && !memcmp(edge, other, length * sizeof *edge);
}

static void list_prefixes(struct all *all, const struct wm_path *path)
{
	const struct wm_dag *dag = &all->plan.dag;
	uint64_t sum = 0;
	for (uint32_t i = 0; i + 1 < path->length; i++) {
		uint32_t block = dag->node_block[dag->edge[path->edge[i]].to];
		sum += (uint64_t)all->plan.numbering.value[path->edge[i]];
		if (block == WM_NONE)
			continue;
		struct begun *begun = &all->begun[all->count++];
		*begun = (struct begun){{block, sum}, i + 1, {0}};
		memcpy(begun->edge, path->edge, (i + 1) * sizeof *begun->edge);
	}
}

static void check_completions(const struct all *all, const struct begun *begun, struct wm_arena *arena)
{
	struct wm_id_run ids;
	assert_int_equal(wm_prefix_completions(&all->plan, &begun->prefix, &ids, arena), WM_OK);
	for (uint64_t id = 0; id < all->plan.numbering.path_count; id++)
		assert_int_equal(id >= ids.first && id - ids.first < ids.count,
			begins(begun->edge, begun->length, all->path[id].edge, all->path[id].length));
}

static uint32_t found[2]; /* how often a prefix was the beginning of another, and how often not */

static void check_prefix(const struct all *all, const struct begun *begun)
{
	struct wm_arena arena;
	wm_arena_init(&arena);
	check_completions(all, begun, &arena);
	for (uint32_t i = 0; i < all->count; i++) {
		const struct begun *other = &all->begun[i];
		bool is = false, wanted = begins(begun->edge, begun->length, other->edge, other->length);
		assert_int_equal(wm_prefix_begins(&all->plan, &begun->prefix, &other->prefix, &is, &arena), WM_OK);
		assert_int_equal(is, wanted);
		found[wanted]++;
	}
	wm_arena_release(&arena);
}

static void check_graph(const struct wm_graph *graph, const struct wm_scheme *scheme)
{
	static struct all all;
	struct wm_arena arena;
	wm_arena_init(&arena);
	all.count = 0;
	bool fits = wm_plan_make(&all.plan, graph, scheme, 0, &arena) == WM_OK &&
		    all.plan.numbering.path_count <= MOST && all.plan.dag.node_count <= LONGEST;
	for (uint64_t id = 0; fits && id < all.plan.numbering.path_count; id++) {
		all.path[id] = (struct wm_path){0};
		assert_int_equal(wm_dag_decode(&all.plan.dag, &all.plan.numbering, id, &all.path[id], &arena), WM_OK);
		list_prefixes(&all, &all.path[id]);
	}
	for (uint32_t i = 0; fits && i < all.count; i++)
		check_prefix(&all, &all.begun[i]);
	wm_arena_release(&arena);
}

static void edges_say_the_same(void **state)
{
	(void)state;
	struct random random = {20261119};
	for (int i = 0; i < GRAPHS; i++) {
		struct wm_arena arena;
		struct wm_graph graph;
		wm_arena_init(&arena);
		assert_int_equal(random_graph(&graph, (enum random_shape)(i % RANDOM_SHAPES),
					 2 + random_below(&random, 12), &random, &arena),
			WM_OK);
		check_graph(&graph, i % 3 ? &wm_scheme_acyclic : &wm_scheme_loopcontext);
		wm_arena_release(&arena);
	}
	assert_true(found[0] > 10000 && found[1] > 10000);
}

/* A prefix that does not exist. */
static void bad_prefixes_are_refused(void **state)
{
	(void)state;
	struct random random = {1};
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_plan plan;
	struct wm_id_run ids;
	bool is;
	wm_arena_init(&arena);
	assert_int_equal(random_graph(&graph, RANDOM_DAG, 8, &random, &arena), WM_OK);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	const struct wm_prefix entry = {0, 0}, none = {graph.block_count, 0}, far = {0, plan.numbering.path_count};
	assert_int_equal(wm_prefix_completions(&plan, &none, &ids, &arena), WM_BAD_PATH);
	assert_int_equal(wm_prefix_completions(&plan, &far, &ids, &arena), WM_BAD_PATH);
	assert_int_equal(wm_prefix_begins(&plan, &entry, &none, &is, &arena), WM_BAD_PATH);
	assert_int_equal(wm_prefix_begins(&plan, &far, &entry, &is, &arena), WM_BAD_PATH);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_say_the_same),
		cmocka_unit_test(bad_prefixes_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
