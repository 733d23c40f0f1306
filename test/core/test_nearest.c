/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nearest paths: cases by hand, random graphs and sets against the definition, and size. */
#include "core/graph/cfgtext.h"
#include "core/paths/nearest.h"
#include "core/scheme/scheme.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The walk of k-iteration figure 1; ids as in the papers. */
static const char figure[] = "function fig1\n1 -> 2\n2 -> 3 4\n3 -> 5\n4 -> 5 6\n5 -> 2 6\n6\n";

static void test_by_hand(void **state)
{
	static const struct {
		uint64_t set[3];
		struct wm_nearest want;
	} cases[] = {
		/* 1-2-3-5-6 shares more with 1-2-3-5 than with 1-2-4-6 */
		{{1, 4, 7}, {.id = 0, .nearest = 1, .common = 4, .distance = 1}},
		/* 2-4-6: both share 2-4; only the last node differs from 2-4-5-6 */
		{{5, 7, 8}, {.id = 9, .nearest = 7, .common = 2, .distance = 1}},
		/* no path of the set starts at the entry: 2-3-5-6 has all but the first block */
		{{5, 8, 9}, {.id = 0, .nearest = 5, .common = 0, .distance = 1}},
	};
	struct wm_arena arena;
	struct wm_cfg cfg;
	struct wm_cfg_error error;
	struct wm_plan plan;
	(void)state;
	wm_arena_init(&arena);
	assert_int_equal(wm_cfg_parse(&cfg, figure, strlen(figure), &error, &arena), WM_OK);
	assert_int_equal(wm_plan_make(&plan, &cfg.function[0].graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct wm_nearest query = {.id = cases[i].want.id};
		assert_int_equal(wm_nearest_find(&plan, cases[i].set, 3, &query, 1, &arena), WM_OK);
		assert_memory_equal(&query, &cases[i].want, sizeof query);
	}
	struct wm_nearest bad = {.id = 10};
	assert_int_equal(wm_nearest_find(&plan, cases[0].set, 3, &bad, 1, &arena), WM_BAD_PATH);
	wm_arena_release(&arena);
}

static uint32_t common_prefix(const struct wm_path *a, const struct wm_path *b)
{
	uint32_t i = 0;
	while (i < a->length && i < b->length && a->edge[i] == b->edge[i])
		i++;
	return i;
}

/* The textbook's table, of insertions and deletions. */
static uint32_t edit_distance(const struct wm_plan *plan, const struct wm_path *a, const struct wm_path *b)
{
	const struct wm_dag_edge *edge = plan->dag.edge;
	uint32_t width = b->length + 1, *d = malloc((a->length + 1) * width * sizeof *d);
	for (uint32_t i = 0; i <= a->length; i++)
		for (uint32_t j = 0; j <= b->length; j++) {
			uint32_t *at = &d[i * width + j];
			if (!i || !j) {
				*at = i + j;
				continue;
			}
			uint32_t remove = d[(i - 1) * width + j] + 1, insert = d[i * width + j - 1] + 1;
			*at = remove < insert ? remove : insert;
			if (edge[a->edge[i - 1]].to == edge[b->edge[j - 1]].to && d[(i - 1) * width + j - 1] < *at)
				*at = d[(i - 1) * width + j - 1];
		}
	uint32_t result = d[a->length * width + b->length];
	free(d);
	return result;
}

static struct wm_nearest by_definition(
	const struct wm_plan *plan, const uint64_t *set, size_t count, uint64_t id, struct wm_arena *arena)
{
	struct wm_nearest best = {.id = id};
	struct wm_path asked = {0};
	assert_int_equal(wm_dag_decode(&plan->dag, &plan->numbering, id, &asked, arena), WM_OK);
	for (size_t i = 0; i < count; i++) {
		struct wm_path path = {0};
		assert_int_equal(wm_dag_decode(&plan->dag, &plan->numbering, set[i], &path, arena), WM_OK);
		struct wm_nearest next = {id, set[i], common_prefix(&asked, &path), edit_distance(plan, &asked, &path)};
		if (!i || next.common > best.common || (next.common == best.common && next.distance < best.distance))
			best = next;
	}
	return best;
}

static int by_value(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* Distinct ids, ascending; how many there are. */
static size_t random_set(uint64_t *set, size_t count, uint64_t bound, struct random *random)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		set[i] = random_next(random) % bound;
	qsort(set, count, sizeof *set, by_value);
	for (size_t i = 0; i < count; i++)
		if (!kept || set[kept - 1] != set[i])
			set[kept++] = set[i];
	return kept;
}

static void one_graph(enum random_shape shape, struct random *random)
{
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_plan plan;
	uint64_t set[40];
	struct wm_nearest query[20];
	wm_arena_init(&arena);
	assert_int_equal(random_graph(&graph, shape, 3 + random_below(random, 30), random, &arena), WM_OK);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	size_t count = random_set(set, 1 + random_below(random, 40), plan.numbering.path_count, random);
	for (size_t i = 0; i < COUNT(query); i++)
		query[i].id = random_next(random) % plan.numbering.path_count;
	assert_int_equal(wm_nearest_find(&plan, set, count, query, COUNT(query), &arena), WM_OK);
	for (size_t i = 0; i < COUNT(query); i++) {
		struct wm_nearest want = by_definition(&plan, set, count, query[i].id, &arena);
		assert_memory_equal(&query[i], &want, sizeof want);
	}
	wm_arena_release(&arena);
}

static void test_random(void **state)
{
	struct random random = {7};
	(void)state;
	for (int i = 0; i < 2000; i++)
		one_graph((enum random_shape)(i % RANDOM_SHAPES), &random);
}

/* Sixty diamonds in a row after one choice: the queries take one side of it and the
 * set the other, so that every id is a candidate. */
static void make_ladder(struct wm_graph *graph, struct wm_arena *arena)
{
	enum { DIAMONDS = 60, BLOCKS = 3 + 3 * DIAMONDS + 1 };
	struct wm_graph_builder builder;
	assert_int_equal(wm_graph_builder_init(&builder, arena, BLOCKS), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, (uint32_t[]){1, 2}, 2, WM_END_NONE), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, (uint32_t[]){3}, 1, WM_END_NONE), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, (uint32_t[]){3}, 1, WM_END_NONE), WM_OK);
	for (uint32_t b = 3; b + 1 < BLOCKS; b += 3) {
		assert_int_equal(wm_graph_builder_add(&builder, (uint32_t[]){b + 1, b + 2}, 2, WM_END_NONE), WM_OK);
		assert_int_equal(wm_graph_builder_add(&builder, (uint32_t[]){b + 3}, 1, WM_END_NONE), WM_OK);
		assert_int_equal(wm_graph_builder_add(&builder, (uint32_t[]){b + 3}, 1, WM_END_NONE), WM_OK);
	}
	assert_int_equal(wm_graph_builder_add(&builder, NULL, 0, WM_END_RETURN), WM_OK);
	assert_int_equal(wm_graph_builder_finish(&builder, graph), WM_OK);
}

static void test_ten_thousand_by_ten_thousand(void **state)
{
	enum { MANY = 10000 };
	struct random random = {1};
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_plan plan;
	struct timespec begin, end;
	uint64_t *set = malloc(MANY * sizeof *set);
	struct wm_nearest *query = calloc(MANY, sizeof *query);
	(void)state;
	wm_arena_init(&arena);
	make_ladder(&graph, &arena);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	uint64_t half = plan.numbering.path_count / 2;
	size_t count = random_set(set, MANY, half, &random);
	for (size_t i = 0; i < MANY; i++)
		query[i].id = half + random_next(&random) % half;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	assert_int_equal(wm_nearest_find(&plan, set, count, query, MANY, &arena), WM_OK);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	print_message("10,000 by 10,000 paths of 124 blocks: %.2f s\n",
		(double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(query[i].common, 1);
	struct wm_nearest want = by_definition(&plan, set, count, query[0].id, &arena);
	assert_memory_equal(&query[0], &want, sizeof want);
	wm_arena_release(&arena);
	free(set);
	free(query);
}

static void test_no_memory(void **state)
{
	struct wm_arena arena, small;
	struct wm_graph graph;
	struct wm_plan plan;
	uint64_t set[1] = {0};
	(void)state;
	wm_arena_init(&arena);
	make_ladder(&graph, &arena);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	for (size_t limit = 1; limit < 700; limit += 16) {
		struct wm_nearest query = {.id = 1};
		wm_arena_init(&small);
		wm_arena_set_limit(&small, limit);
		assert_int_equal(wm_nearest_find(&plan, set, 1, &query, 1, &small), WM_NO_MEMORY);
		wm_arena_release(&small);
	}
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_ten_thousand_by_ten_thousand),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
