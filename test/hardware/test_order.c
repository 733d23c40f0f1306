/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rank correlation: cases by hand, and random values against the formula for distinct ones. */
#include "hardware/model/order.h"
#include "test/core/random_graph.h"
#include "test/core/support.h"
#include <math.h>

static double correlation(const uint64_t *a, const uint64_t *b, size_t count)
{
	struct wm_arena arena;
	double result;
	wm_arena_init(&arena);
	assert_int_equal(wm_hw_rank_correlation(&result, a, b, count, &arena), WM_HW_OK);
	wm_arena_release(&arena);
	return result;
}

static void test_by_hand(void **state)
{
	static const struct {
		uint64_t a[5], b[5];
		double want;
	} cases[] = {
		{{1, 2, 3, 4, 5}, {10, 200, 3000, UINT64_MAX - 1, UINT64_MAX}, 1},
		{{1, 2, 3, 4, 5}, {9, 7, 5, 3, 1}, -1},
		{{1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}, 0.8}, /* 1 - 6 · 4 / (5 · 24) */
		{{1, 1, 1, 1, 1}, {1, 2, 3, 4, 5}, 0}, {{1, 1, 2, 2, 2}, {1, 1, 2, 2, 2}, 1},
		{{0, 0, 0, 0, 1}, {1, 2, 3, 4, 5}, 0.70710678}, /* 5 / √(5 · 10) */
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_true(fabs(correlation(cases[i].a, cases[i].b, 5) - cases[i].want) < 1e-8);
	assert_true(correlation(cases[0].a, cases[0].b, 1) == 0 && correlation(cases[0].a, cases[0].b, 0) == 0);
}

static uint64_t rank(const uint64_t *value, size_t count, size_t of)
{
	uint64_t below = 0;
	for (size_t i = 0; i < count; i++)
		below += value[i] < value[of];
	return below;
}

static void test_random(void **state)
{
	enum { MAX = 200 };
	uint64_t a[MAX], b[MAX];
	struct random seed = {5};
	(void)state;
	for (size_t count = 2; count < MAX; count += 13) {
		double squares = 0, n = (double)count;
		for (size_t i = 0; i < count; i++) /* distinct, by the low bits */
			a[i] = random_next(&seed) << 8 | i, b[i] = random_next(&seed) << 8 | i;
		for (size_t i = 0; i < count; i++) {
			double distance = (double)rank(a, count, i) - (double)rank(b, count, i);
			squares += distance * distance;
		}
		assert_true(fabs(correlation(a, b, count) - (1 - 6 * squares / (n * (n * n - 1)))) < 1e-9);
	}
}

static void test_memory(void **state)
{
	struct wm_arena arena;
	uint64_t values[100] = {0};
	double result = 7;
	(void)state;
	wm_arena_init(&arena);
	wm_arena_set_limit(&arena, 1000);
	assert_int_equal(wm_hw_rank_correlation(&result, values, values, 100, &arena), WM_HW_NO_MEMORY);
	assert_true(result == 7);
	wm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand), cmocka_unit_test(test_random), cmocka_unit_test(test_memory)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
