/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arithmetic coding: tables 1 to 3 of popl07, then the two encoders against the two numberings. */
#include "core/preferential/coding.h"
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
	/* [0.2, 0.5) [0.2, 0.26) [0.23, 0.236) [0.233, 0.2336) [0.23354, 0.2336), in units of 10^-5 */
	static const struct wm_interval expected[] = {
		{20000, 50000}, {20000, 26000}, {23000, 23600}, {23300, 23360}, {23354, 23360}};
	struct wm_interval interval = {0, 100000};
	for (size_t i = 0; i < COUNT(message); i++) {
		interval = wm_interval_narrow(interval, model[message[i]]);
		assert_memory_equal(&interval, &expected[i], sizeof interval);
	}
	expect_range(model[b], 3, 10, 1, 5);
	assert_true(fabs(wm_entropy(model, COUNT(model)) - 2.45) < 0.005);
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

/* Encodes the path with this acyclic id, decodes what comes out and expects the same steps. */
static void code(struct sample *s, const struct wm_preferential *p, uint64_t id, struct wm_coding *coding)
{
	struct wm_path path = {0};
	struct wm_coding decoded = {0};
	*coding = (struct wm_coding){0};
	assert_int_equal(wm_dag_decode(&s->plan.dag, &s->plan.numbering, id, &path, &s->arena), WM_OK);
	assert_int_equal(wm_coding_encode(coding, &s->plan, p, &path, &s->arena), WM_OK);
	assert_int_equal(wm_coding_decode(&decoded, &s->plan, p, coding->id, &s->arena), WM_OK);
	assert_int_equal(decoded.length, coding->length);
	for (uint32_t i = 0; i < decoded.length; i++)
		assert_int_equal(decoded.step[i].edge, path.edge[i]);
}

static void expect_intervals(const struct wm_coding *coding, const struct wm_interval *interval, uint32_t count)
{
	assert_int_equal(coding->length, count);
	for (uint32_t i = 0; i < count; i++)
		assert_memory_equal(&coding->step[i].interval, &interval[i], sizeof *interval);
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
	/* pathEncoder(sbcdt): [0,6) [4,6) [4,6) [4,5) [4,5), after the edge from Start and before the one to End. */
	static const struct wm_interval expected[] = {{0, 6}, {4, 6}, {4, 6}, {4, 5}, {4, 5}, {4, 5}};
	struct wm_coding coding;
	code(&s, NULL, 4, &coding);
	assert_int_equal(coding.id, 4);
	expect_intervals(&coding, expected, COUNT(expected));
	assert_int_equal(wm_coding_decode(&coding, &s.plan, NULL, 6, &s.arena), WM_BAD_PATH);
	sample_release(&s);
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
	struct wm_coding coding;
	code(&s, &p, 1, &coding);
	assert_int_equal(coding.id, 1);
	expect_intervals(&coding, expected, COUNT(expected));
	/* sabct, an alias of sacdt, has no code. */
	struct wm_path path = {0};
	assert_int_equal(wm_dag_decode(&s.plan.dag, &s.plan.numbering, 3, &path, &s.arena), WM_OK);
	assert_int_equal(wm_coding_encode(&coding, &s.plan, &p, &path, &s.arena), WM_BAD_PATH);
	assert_int_equal(wm_coding_decode(&coding, &s.plan, &p, 3, &s.arena), WM_BAD_PATH);
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

static void check_coder(struct sample *s)
{
	struct wm_path_set set;
	struct wm_preferential p;
	struct wm_coding coding;
	sample_set(s, &set);
	assert_int_equal(wm_preferential_published(&p, &s->plan, &set, &s->arena), WM_OK);
	for (uint32_t i = 0; i < set.count; i++) {
		code(s, &p, set.id[i], &coding);
		assert_int_equal(coding.id, p.id[i]);
	}
	for (uint64_t id = 0; id < s->oracle.count; id += 7) {
		code(s, NULL, id, &coding);
		assert_int_equal(coding.id, id);
	}
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 600; seed++) {
		struct sample s;
		if (sample_init(&s, seed, 3 + (uint32_t)(seed / 5 % 17), 120) && s.oracle.count) {
			check_all_interesting(&s);
			check_coder(&s);
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
