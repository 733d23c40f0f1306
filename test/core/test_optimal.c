/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How far the numberings are from the optimum of small sets: figure 6, then random ones. */
#include "core/preferential/linear.h"
#include "test/core/optimal.h"
#include "test/core/sample.h"
#include "test/core/support.h"
#include <math.h>

static void test_figure_6(void **state)
{
	(void)state;
	struct sample s;
	struct wm_path_set set;
	struct wm_preferential p;
	sample_parse(&s, "function fig6\ns -> a b c\na -> d\nb -> d\nc -> d\nd -> e f g\ne -> t\nf -> t\ng -> t\nt\n");
	assert_int_equal(wm_path_set_make(&set, &s.plan, (uint64_t[]){1, 2, 3, 5, 6, 7}, 6, &s.arena), WM_OK);
	assert_int_equal(preferential_optimal(&p, &s.plan, &set, 60, &s.arena), WM_OK);
	assert_int_equal(p.span, 7);
	sample_release(&s);
}

static struct {
	uint32_t sets, published, linear;
	double optimal_delta, published_delta, linear_delta;
} totals;

static void check_set(struct sample *s, const struct wm_path_set *set)
{
	struct wm_preferential published, linear, optimal;
	assert_int_equal(wm_preferential_published(&published, &s->plan, set, &s->arena), WM_OK);
	assert_int_equal(wm_preferential_linear(&linear, &s->plan, set, &s->arena), WM_OK);
	if (published.span == set->count)
		return;
	assert_int_equal(preferential_optimal(&optimal, &s->plan, set, 60, &s->arena), WM_OK);
	assert_true(optimal.span <= linear.span);
	totals.sets++;
	totals.published += published.span == optimal.span;
	totals.linear += linear.span == optimal.span;
	totals.optimal_delta += log(optimal.delta);
	totals.published_delta += log(published.delta);
	totals.linear_delta += log(linear.delta);
}

/* Sets that figure 10 does not number perfectly, of at most seven paths: more take too long. */
static void test_random_sets(void **state)
{
	(void)state;
	for (uint64_t seed = 0; totals.sets < 60; seed++) {
		struct sample s;
		struct wm_path_set set;
		if (sample_init(&s, seed, 6 + (uint32_t)(seed / 5 % 14), 60) && s.oracle.count) {
			sample_set(&s, &set);
			if (set.count >= 4 && set.count <= 7)
				check_set(&s, &set);
		}
		sample_release(&s);
	}
	assert_true(totals.linear >= totals.published);
	print_message("%u sets: optimal for %u published, %u linear; mean delta %.3f published, %.3f linear, %.3f "
		      "optimal\n",
		totals.sets, totals.published, totals.linear, exp(totals.published_delta / totals.sets),
		exp(totals.linear_delta / totals.sets), exp(totals.optimal_delta / totals.sets));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure_6),
		cmocka_unit_test(test_random_sets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
