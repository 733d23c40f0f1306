/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arithmetic coding: tables 1 to 3 of popl07, then the two encoders against the two numberings. */
#include "core/paths/coding.h"
#include "test/core/sample.h"
#include "test/core/support.h"
#include <math.h>
#include <stdlib.h>

static void expect_range(struct wm_range range, uint64_t top, uint64_t bottom, uint64_t low, uint64_t whole)
{
	struct wm_fraction p = wm_range_probability(range);
	assert_int_equal(p.top, top);
	assert_int_equal(p.bottom, bottom);
	/* low/whole, however it is written */
	assert_int_equal(range.low * whole, low * range.whole);
}

static void test_table_1(void **state)
{
	(void)state;
	enum { a, b, c, d, e, stop };
	static const struct wm_range model[] = {[a] = {0, 2, 10},
		[b] = {2, 5, 10},
		[c] = {5, 6, 10},
		[d] = {6, 8, 10},
		[e] = {8, 9, 10},
		[stop] = {9, 10, 10}};
	static const int message[] = {b, a, c, c, stop};
	/* [0.2, 0.5) [0.2, 0.26) [0.23, 0.236) [0.233, 0.2336) [0.23354, 0.2336) */
	static const struct wm_range expected[] = {
		{2, 5, 10}, {20, 26, 100}, {230, 236, 1000}, {2330, 2336, 10000}, {23354, 23360, 100000}};
	struct wm_range interval = {0, 1, 1};
	for (size_t i = 0; i < COUNT(message); i++) {
		assert_int_equal(wm_range_narrow(&interval, model[message[i]]), WM_OK);
		assert_memory_equal(&interval, &expected[i], sizeof interval);
	}
	expect_range(model[b], 3, 10, 1, 5);
	assert_true(fabs(wm_entropy(model, COUNT(model)) - 2.45) < 0.005);
	for (int i = 0; i < 40; i++)
		if (wm_range_narrow(&interval, model[b]) != WM_OK)
			return;
	fail();
}

static const char fig3[] = "function fig3\ns -> a b\na -> c b\nb -> c\nc -> d t\nd -> t\nt\n";
enum { S, A, B, C, D, T };

static uint32_t dag_edge(const struct sample *s, uint32_t from, uint32_t to)
{
	uint32_t cfg_edge = wm_graph_find_edge(&s->graph, from, to);
	for (uint32_t e = 0; e < s->plan.dag.edge_count; e++)
		if (s->plan.dag.edge[e].cfg_edge == cfg_edge)
			return e;
	fail();
	return 0;
}

static void test_table_2(void **state)
{
	(void)state;
	struct sample s;
	struct wm_range *model;
	double bits;
	sample_parse(&s, fig3);
	assert_int_equal(wm_model_acyclic(&s.plan, &model, &s.arena), WM_OK);
	expect_range(model[dag_edge(&s, S, A)], 2, 3, 0, 1);
	expect_range(model[dag_edge(&s, S, B)], 1, 3, 2, 3);
	expect_range(model[dag_edge(&s, A, C)], 1, 2, 0, 1);
	expect_range(model[dag_edge(&s, A, B)], 1, 2, 1, 2);
	expect_range(model[dag_edge(&s, B, C)], 1, 1, 0, 1);
	expect_range(model[dag_edge(&s, C, D)], 1, 2, 0, 1);
	expect_range(model[dag_edge(&s, C, T)], 1, 2, 1, 2);
	expect_range(model[dag_edge(&s, D, T)], 1, 1, 0, 1);
	assert_int_equal(wm_model_entropy(&s.plan.dag, model, &bits, &s.arena), WM_OK);
	assert_true(fabs(bits - log2(6)) < 1e-12);
	/* pathEncoder(sbcdt): [0,6) [4,6) [4,6) [4,5) [4,5) */
	const struct wm_range *along[] = {&model[dag_edge(&s, S, B)], &model[dag_edge(&s, B, C)],
		&model[dag_edge(&s, C, D)], &model[dag_edge(&s, D, T)]};
	static const struct wm_interval expected[] = {{4, 6}, {4, 6}, {4, 5}, {4, 5}};
	struct wm_interval interval[4];
	assert_int_equal(wm_path_encoder(6, along, 4, interval), 4);
	assert_memory_equal(interval, expected, sizeof interval);
	sample_release(&s);
}

/* The ranges of an interesting path under its own prefixes. */
static uint64_t encode(struct sample *s, const struct wm_preferential *p, uint32_t index, struct wm_interval *interval)
{
	struct wm_path path = {0};
	struct wm_range *range;
	assert_int_equal(wm_model_prefixes(&s->plan, p, index, &path, &range, &s->arena), WM_OK);
	const struct wm_range **along = calloc(path.length, sizeof *along);
	for (uint32_t i = 0; i < path.length; i++)
		along[i] = &range[i];
	uint64_t id = wm_path_encoder(p->span, along, path.length, interval);
	free(along);
	return id;
}

static void test_table_3(void **state)
{
	(void)state;
	struct sample s;
	struct wm_path_set set;
	struct wm_preferential p;
	struct wm_range *model;
	sample_parse(&s, fig3);
	assert_int_equal(wm_path_set_make(&set, &s.plan, (uint64_t[]){0, 1, 5}, 3, &s.arena), WM_OK);
	assert_int_equal(wm_preferential_published(&p, &s.plan, &set, &s.arena), WM_OK);
	assert_int_equal(wm_model_joined(&s.plan, &p, &model, &s.arena), WM_OK);
	expect_range(model[dag_edge(&s, S, A)], 2, 3, 0, 1);
	expect_range(model[dag_edge(&s, S, B)], 1, 3, 2, 3);
	expect_range(model[dag_edge(&s, A, C)], 1, 1, 0, 1);
	assert_int_equal(model[dag_edge(&s, A, B)].low, model[dag_edge(&s, A, B)].high);
	expect_range(model[dag_edge(&s, B, C)], 1, 1, 0, 1);
	expect_range(model[dag_edge(&s, C, D)], 1, 3, 0, 1);
	expect_range(model[dag_edge(&s, C, T)], 2, 3, 1, 3);
	expect_range(model[dag_edge(&s, D, T)], 1, 1, 0, 1);
	/* pathEncoder(sact): [0,3), then s→a [0,2) a→c [0,2) c→t [1,2), after the edge from Start
	 * and before the one to End. */
	static const struct wm_interval expected[] = {{0, 3}, {0, 2}, {0, 2}, {1, 2}, {1, 2}};
	struct wm_interval interval[5];
	assert_int_equal(encode(&s, &p, 1, interval), 1);
	assert_memory_equal(interval, expected, sizeof interval);
	sample_release(&s);
}

/* With every path interesting the joined model is the acyclic one. */
static void check_all_interesting(struct sample *s)
{
	struct wm_path_set set;
	struct wm_preferential p;
	struct wm_range *acyclic, *joined;
	uint64_t *ids = calloc(s->oracle.count, sizeof *ids);
	double bits;
	for (uint32_t id = 0; id < s->oracle.count; id++)
		ids[id] = id;
	assert_int_equal(wm_path_set_make(&set, &s->plan, ids, s->oracle.count, &s->arena), WM_OK);
	assert_int_equal(wm_preferential_published(&p, &s->plan, &set, &s->arena), WM_OK);
	assert_int_equal(wm_model_acyclic(&s->plan, &acyclic, &s->arena), WM_OK);
	assert_int_equal(wm_model_joined(&s->plan, &p, &joined, &s->arena), WM_OK);
	for (uint32_t e = 0; e < s->plan.dag.edge_count; e++) {
		struct wm_fraction a = wm_range_probability(acyclic[e]), b = wm_range_probability(joined[e]);
		/* A node that Start does not reach has no interesting path. */
		if (joined[e].low == joined[e].high)
			continue;
		assert_true(a.top == b.top && a.bottom == b.bottom);
		assert_int_equal(p.value[e], s->plan.numbering.value[e]);
	}
	assert_int_equal(wm_model_entropy(&s->plan.dag, joined, &bits, &s->arena), WM_OK);
	assert_true(fabs(bits - log2(s->oracle.count)) < 1e-9);
	assert_true(p.gamma == 1);
	free(ids);
}

static void check_encoder(struct sample *s)
{
	struct wm_path_set set;
	struct wm_preferential p;
	struct wm_interval *interval = calloc(s->plan.dag.node_count, sizeof *interval);
	sample_set(s, &set);
	assert_int_equal(wm_preferential_published(&p, &s->plan, &set, &s->arena), WM_OK);
	for (uint32_t i = 0; i < set.count; i++)
		assert_int_equal(encode(s, &p, i, interval), p.id[i]);
	free(interval);
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 600; seed++) {
		struct sample s;
		if (sample_init(&s, seed, 3 + (uint32_t)(seed / 5 % 17), 120) && s.oracle.count) {
			check_all_interesting(&s);
			check_encoder(&s);
		}
		sample_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_1),
		cmocka_unit_test(test_table_2),
		cmocka_unit_test(test_table_3),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
