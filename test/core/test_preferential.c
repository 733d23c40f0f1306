/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preferential numbering: the papers' figures, then random graphs and sets against the definition. */
#include "core/preferential/linear.h"
#include "test/core/sample.h"
#include "test/core/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The path of the set with these two sums, or WM_NONE: not interesting. */
static uint32_t classify(const struct wm_preferential *p, uint64_t sum, uint64_t acyclic_id)
{
	uint32_t found = wm_preferential_find(p, sum);
	return found != WM_NONE && p->set->id[found] == acyclic_id ? found : WM_NONE;
}

static const char fig3[] = "function fig3\ns -> a b\na -> c b\nb -> c\nc -> d t\nd -> t\nt\n";
enum { S, A, B, C, D, T };
static const char fig6[] = "function fig6\ns -> a b c\na -> d\nb -> d\nc -> d\nd -> e f g\ne -> t\nf -> t\ng -> t\nt\n";

/* ---- Figures ------------------------------------------------------------------- */

static int64_t value_of(const struct sample *s, const int64_t *value, uint32_t from, uint32_t to)
{
	uint32_t cfg_edge = wm_graph_find_edge(&s->graph, from, to);
	for (uint32_t e = 0; e < s->plan.dag.edge_count; e++)
		if (s->plan.dag.edge[e].cfg_edge == cfg_edge)
			return value[e];
	fail();
	return 0;
}

static uint64_t sum_along(const struct sample *s, const int64_t *value, uint64_t id)
{
	struct wm_arena arena;
	struct wm_path path = {0};
	uint64_t sum = 0;
	wm_arena_init(&arena);
	assert_int_equal(wm_dag_decode(&s->plan.dag, &s->plan.numbering, id, &path, &arena), WM_OK);
	for (uint32_t i = 0; i < path.length; i++)
		sum += (uint64_t)value[path.edge[i]];
	wm_arena_release(&arena);
	return sum;
}

static void test_figure_3(void **state)
{
	(void)state;
	static const struct {
		uint32_t from, to;
		int64_t value;
	} expected[] = {{S, A, 0}, {S, B, 2}, {A, C, 0}, {A, B, 0}, {B, C, -1}, {C, D, 0}, {C, T, 1}, {D, T, 0}};
	struct sample s;
	struct wm_path_set set;
	struct wm_preferential p;
	sample_parse(&s, fig3);
	assert_int_equal(wm_path_set_make(&set, &s.plan, (uint64_t[]){5, 1, 0, 1}, 4, &s.arena), WM_OK);
	assert_int_equal(set.count, 3);
	assert_int_equal(wm_preferential_published(&p, &s.plan, &set, &s.arena), WM_OK);
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_int_equal(value_of(&s, p.value, expected[i].from, expected[i].to), expected[i].value);
	assert_int_equal(p.id[0], 0);
	assert_int_equal(p.id[1], 1);
	assert_int_equal(p.id[2], 2);
	assert_true(p.delta == 1 && p.gamma == 1 && p.acyclic_delta == 2);
	/* The aliases sabct and sbcdt. */
	assert_int_equal(sum_along(&s, p.value, 3), 0);
	assert_int_equal(sum_along(&s, p.value, 4), 1);
	assert_int_equal(classify(&p, 0, 3), WM_NONE);
	assert_int_equal(classify(&p, 1, 4), WM_NONE);
	assert_int_equal(classify(&p, 0, 0), 0);
	assert_int_equal(classify(&p, 2, 5), 2);
	assert_int_equal(wm_preferential_find(&p, 3), WM_NONE);
	sample_release(&s);
}

static void test_figure_6(void **state)
{
	(void)state;
	struct sample s;
	struct wm_path_set set;
	struct wm_preferential published, linear;
	sample_parse(&s, fig6);
	assert_int_equal(wm_path_set_make(&set, &s.plan, (uint64_t[]){1, 2, 3, 5, 6, 7}, 6, &s.arena), WM_OK);
	assert_int_equal(wm_preferential_published(&published, &s.plan, &set, &s.arena), WM_OK);
	assert_int_equal(wm_preferential_linear(&linear, &s.plan, &set, &s.arena), WM_OK);
	assert_int_equal(linear.span, 7);
	assert_true(published.span >= 7);
	assert_true(fabs(linear.delta - 7.0 / 6) < 1e-12);
	assert_true(linear.gamma == published.delta);
	sample_release(&s);
}

/* Five diamonds and six paths whose matrix has the invariant factor 2: independent, but
 * not every id can be reached. */
static void test_even_factor(void **state)
{
	(void)state;
	struct sample s;
	struct wm_path_set set;
	struct wm_preferential linear;
	char text[2048];
	size_t used = (size_t)snprintf(text, sizeof text, "function diamonds\n");
	for (int i = 0; i < 5; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "d%d -> a%d b%d\na%d -> d%d\nb%d -> d%d\n", i,
			i, i, i, i + 1, i, i + 1);
	snprintf(text + used, sizeof text - used, "d5\n");
	sample_parse(&s, text);
	for (uint64_t seed = 1; seed < 400; seed++) {
		uint64_t ids[6];
		struct random random = {seed};
		for (int i = 0; i < 6; i++)
			ids[i] = random_below(&random, 32);
		assert_int_equal(wm_path_set_make(&set, &s.plan, ids, 6, &s.arena), WM_OK);
		assert_int_equal(wm_preferential_linear(&linear, &s.plan, &set, &s.arena), WM_OK);
		assert_true(linear.span <= set.count + 1u);
	}
	sample_release(&s);
}

static void test_paths_as_blocks(void **state)
{
	(void)state;
	struct sample s;
	uint64_t id = 99;
	sample_parse(&s, "function fig1\n1 -> 2\n2 -> 3 4\n3 -> 5\n4 -> 5 6\n5 -> 2 6\n6\n");
	assert_int_equal(wm_plan_encode(&s.plan, (uint32_t[]){0, 1, 2, 4, 5}, 5, &id), WM_OK);
	assert_int_equal(id, 0);
	assert_int_equal(wm_plan_encode(&s.plan, (uint32_t[]){0, 1, 2, 4}, 4, &id), WM_OK);
	assert_int_equal(id, 1);
	assert_int_equal(wm_plan_encode(&s.plan, (uint32_t[]){1, 3, 4, 1}, 4, &id), WM_OK);
	assert_int_equal(id, 8);
	assert_int_equal(wm_plan_encode(&s.plan, (uint32_t[]){1, 3, 5}, 3, &id), WM_OK);
	assert_int_equal(id, 9);
	assert_int_equal(wm_plan_encode(&s.plan, (uint32_t[]){2, 4, 5}, 3, &id), WM_BAD_PATH);
	assert_int_equal(wm_plan_encode(&s.plan, (uint32_t[]){0, 1, 4}, 3, &id), WM_BAD_PATH);
	assert_int_equal(wm_plan_encode(&s.plan, (uint32_t[]){0, 1}, 2, &id), WM_BAD_PATH);
	assert_int_equal(wm_plan_encode(&s.plan, (uint32_t[]){0, 1, 3, 4, 1, 2, 4}, 7, &id), WM_BAD_PATH);
	assert_int_equal(wm_plan_encode(&s.plan, NULL, 0, &id), WM_BAD_PATH);
	assert_int_equal(id, 9);
	struct wm_path_set set;
	assert_int_equal(wm_path_set_make(&set, &s.plan, (uint64_t[]){10}, 1, &s.arena), WM_BAD_PATH);
	sample_release(&s);
}

/* ---- Figure 10, word for word ---------------------------------------------------- */

struct definition {
	const struct wm_dag *dag;
	uint32_t count;
	struct wm_path *path;
	int64_t *pid;
};

/* Where path p takes edge e, or WM_NONE. */
static uint32_t place_of(const struct definition *d, uint32_t p, uint32_t e)
{
	for (uint32_t i = 0; i < d->path[p].length; i++)
		if (d->path[p].edge[i] == e)
			return i;
	return WM_NONE;
}

static bool same_prefix(const struct definition *d, uint32_t p, uint32_t q, uint32_t length)
{
	return length <= d->path[q].length &&
	       memcmp(d->path[p].edge, d->path[q].edge, length * sizeof *d->path[p].edge) == 0;
}

/* max pid + 1 of the paths with p's prefix through earlier out-edges, 0 without any. */
static int64_t cis(const struct definition *d, uint32_t p, uint32_t length, uint32_t e)
{
	int64_t most = 0;
	for (uint32_t q = 0; q < d->count; q++)
		if (same_prefix(d, p, q, length) && d->path[q].edge[length] < e && d->pid[q] + 1 > most)
			most = d->pid[q] + 1;
	return most;
}

static void define_edge(struct definition *d, uint32_t e, int64_t *value)
{
	bool any = false;
	for (uint32_t p = 0; p < d->count; p++) {
		uint32_t length = place_of(d, p, e);
		if (length == WM_NONE)
			continue;
		int64_t least = d->pid[p];
		for (uint32_t q = 0; q < d->count; q++)
			if (same_prefix(d, p, q, length) && d->path[q].edge[length] == e && d->pid[q] < least)
				least = d->pid[q];
		int64_t weight = cis(d, p, length, e) - least;
		*value = any && *value > weight ? *value : weight;
		any = true;
	}
	for (uint32_t p = 0; p < d->count && any; p++)
		if (place_of(d, p, e) != WM_NONE)
			d->pid[p] += *value;
}

static void check_definition(struct sample *s, const struct wm_preferential *p)
{
	const struct wm_dag *dag = &s->plan.dag;
	struct definition d = {dag, p->set->count, calloc(p->set->count + 1, sizeof *d.path),
		calloc(p->set->count + 1, sizeof *d.pid)};
	for (uint32_t i = 0; i < d.count; i++)
		assert_int_equal(wm_dag_decode(dag, &s->plan.numbering, p->set->id[i], &d.path[i], &s->arena), WM_OK);
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			int64_t value = 0;
			define_edge(&d, e, &value);
			assert_int_equal(p->value[e], value);
		}
	}
	for (uint32_t i = 0; i < d.count; i++)
		assert_int_equal(p->id[i], d.pid[i]);
	free(d.path);
	free(d.pid);
}

/* ---- Random sets ------------------------------------------------------------------- */

/* Every path of the graph: interesting exactly when its two sums say so. */
static void check_numbering(struct sample *s, const struct wm_preferential *p)
{
	uint8_t *seen = calloc(p->span + 1, 1);
	for (uint32_t id = 0; id < s->oracle.count; id++) {
		uint64_t sum = sum_along(s, p->value, id);
		uint32_t index = wm_path_set_find(p->set, id);
		assert_int_equal(classify(p, sum, id), index);
		if (index == WM_NONE)
			continue;
		assert_true(sum < p->span && !seen[sum]++);
		assert_true(sum == p->id[index]);
	}
	assert_true(p->set->count == 0 || p->delta >= 1);
	free(seen);
}

static struct {
	uint32_t sets, better, perfect, published_perfect, join;
	double published, linear, acyclic;
} totals;

static void tally(const struct wm_preferential *published, const struct wm_preferential *linear)
{
	totals.sets++;
	totals.better += linear->span < published->span;
	totals.perfect += linear->delta == 1;
	totals.published_perfect += published->delta == 1;
	totals.published += log(published->delta);
	totals.linear += log(linear->delta);
	totals.acyclic += log(published->acyclic_delta);
}

static void check_sample(uint64_t seed)
{
	struct sample s;
	if (sample_init(&s, seed, 3 + (uint32_t)(seed / 5 % 21), 250) && s.oracle.count) {
		for (int i = 0; i < 3; i++) {
			struct wm_path_set set;
			struct wm_preferential published, linear;
			sample_set(&s, &set);
			assert_int_equal(wm_preferential_published(&published, &s.plan, &set, &s.arena), WM_OK);
			assert_true(published.span <= s.plan.numbering.path_count);
			check_numbering(&s, &published);
			if (set.count <= 24)
				check_definition(&s, &published);
			assert_int_equal(wm_preferential_linear(&linear, &s.plan, &set, &s.arena), WM_OK);
			check_numbering(&s, &linear);
			assert_true(linear.span <= published.span);
			assert_true(linear.delta <= published.acyclic_delta);
			if (set.count > 1)
				tally(&published, &linear);
		}
	}
	sample_release(&s);
}

static void test_random_sets(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 5200; seed++)
		check_sample(seed);
	assert_true(totals.sets > 10000);
	assert_true(totals.better > 200);
	print_message("%u sets: delta 1 for %u published, %u linear; %u better; mean delta %.3f acyclic, %.3f "
		      "published, %.3f linear\n",
		totals.sets, totals.published_perfect, totals.perfect, totals.better, exp(totals.acyclic / totals.sets),
		exp(totals.published / totals.sets), exp(totals.linear / totals.sets));
}

/* Every set of paths over three diamonds and a skip, by exhaustive choice of ids, is what
 * the linear numbering must reach within a window of one more. */
static void test_independent_sets_are_perfect(void **state)
{
	(void)state;
	struct sample s;
	sample_parse(
		&s, "function f\ns -> a b\na -> c\nb -> c\nc -> d e\nd -> f\ne -> f\nf -> g h\ng -> t\nh -> t\nt\n");
	/* Rank 4: any path and its three neighbours that differ in one diamond are independent. */
	for (uint32_t id = 0; id < 8; id++) {
		struct wm_path_set set;
		struct wm_preferential p;
		uint64_t ids[] = {id, id ^ 1, id ^ 2, id ^ 4};
		assert_int_equal(wm_path_set_make(&set, &s.plan, ids, 4, &s.arena), WM_OK);
		assert_int_equal(wm_preferential_linear(&p, &s.plan, &set, &s.arena), WM_OK);
		assert_int_equal(p.span, 4);
	}
	sample_release(&s);
}

/* ---- Scale ------------------------------------------------------------------------ */

#define SCALE_PATHS 100000
/* Processor time; sanitizers take their share. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SCALE_SECONDS 60
#endif
#endif
#ifndef SCALE_SECONDS
#define SCALE_SECONDS 5
#endif

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* `stages` switches of `ways` arms each, then a chain of early exits and one of plain blocks. */
static void ladder(
	struct wm_graph *graph, uint32_t stages, uint32_t ways, uint32_t exits, uint32_t chain, struct wm_arena *arena)
{
	struct wm_graph_builder builder;
	uint32_t *arms = calloc(ways, sizeof *arms), at = 0, total = stages * (ways + 1) + exits + chain + 1;
	assert_int_equal(wm_graph_builder_init(&builder, arena, total), WM_OK);
	for (uint32_t s = 0; s < stages; s++, at += ways + 1) {
		uint32_t join = at + ways + 1;
		for (uint32_t i = 0; i < ways; i++)
			arms[i] = at + 1 + i;
		assert_int_equal(wm_graph_builder_add(&builder, arms, ways, WM_END_NONE), WM_OK);
		for (uint32_t i = 0; i < ways; i++)
			assert_int_equal(wm_graph_builder_add(&builder, &join, 1, WM_END_NONE), WM_OK);
	}
	for (uint32_t i = 0; i < exits; i++, at++)
		assert_int_equal(
			wm_graph_builder_add(&builder, (uint32_t[]){at + 1, total - 1}, 2, WM_END_NONE), WM_OK);
	for (uint32_t i = 0; i < chain; i++, at++)
		assert_int_equal(wm_graph_builder_add(&builder, (uint32_t[]){at + 1}, 1, WM_END_NONE), WM_OK);
	assert_int_equal(wm_graph_builder_add(&builder, NULL, 0, WM_END_RETURN), WM_OK);
	assert_int_equal(wm_graph_builder_finish(&builder, graph), WM_OK);
	free(arms);
}

static void check_scale(uint32_t stages, uint32_t ways, uint32_t exits, uint32_t chain)
{
	struct wm_arena arena;
	struct wm_graph graph;
	struct wm_plan plan;
	struct wm_path_set set;
	struct wm_preferential p;
	struct random random = {stages};
	wm_arena_init(&arena);
	ladder(&graph, stages, ways, exits, chain, &arena);
	assert_int_equal(wm_plan_make(&plan, &graph, &wm_scheme_acyclic, 0, &arena), WM_OK);
	uint64_t *ids = WM_NEW(&arena, uint64_t, SCALE_PATHS);
	for (uint32_t i = 0; i < SCALE_PATHS; i++)
		ids[i] = random_next(&random) % plan.numbering.path_count;
	double begin = seconds();
	assert_int_equal(wm_path_set_make(&set, &plan, ids, SCALE_PATHS, &arena), WM_OK);
	assert_int_equal(wm_preferential_linear(&p, &plan, &set, &arena), WM_OK);
	double took = seconds() - begin;
	print_message("%u edges, %u paths: %.2f s, delta %.3g against %.3g\n", graph.edge_count, set.count, took,
		p.delta, p.acyclic_delta);
	assert_true(took < SCALE_SECONDS);
	for (uint32_t i = 0; i < set.count; i += 997)
		assert_int_equal(wm_preferential_find(&p, p.id[i]), i);
	wm_arena_release(&arena);
}

static void test_scale(void **state)
{
	(void)state;
	check_scale(10, 500, 0, 0);
	check_scale(50, 2, 0, 9800);
	check_scale(20, 5, 500, 8800);
	check_scale(9, 100, 4000, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure_3),
		cmocka_unit_test(test_figure_6),
		cmocka_unit_test(test_even_factor),
		cmocka_unit_test(test_paths_as_blocks),
		cmocka_unit_test(test_random_sets),
		cmocka_unit_test(test_independent_sets_are_perfect),
		cmocka_unit_test(test_scale),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
