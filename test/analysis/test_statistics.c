/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests for significance, against closed forms, a published example and numerical integration. */
#include "analysis/sides/statistics.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka.h needs the headers above it. */
#include <cmocka.h>

#define NEAR(a, b, far) assert_true(fabs((a) - (b)) <= (far))
enum { MOST = 15 };
#define PI 3.14159265358979323846

static double p_of(const double *a, size_t n, const double *b, size_t m)
{
	struct wm_sample x = wm_sample_of(a, n), y = wm_sample_of(b, m);
	return wm_welch(&x, &y);
}

/* With 2 degrees of freedom, p = 1 - |t| / sqrt(2 + t²): here t = -2 / sqrt(1/2). */
static void two_degrees(void **state)
{
	(void)state;
	NEAR(p_of((double[]){1, 2}, 2, (double[]){3, 4}, 2), 1 - sqrt(8) / sqrt(10), 1e-12);
	NEAR(p_of((double[]){3, 4}, 2, (double[]){1, 2}, 2), 1 - sqrt(8) / sqrt(10), 1e-12);
}

/* If one sample does not vary and the other has two numbers, the distribution is Cauchy's: t = 2 / (1/2) = 4. */
static void one_degree(void **state)
{
	(void)state;
	NEAR(p_of((double[]){1, 1, 1}, 3, (double[]){2.5, 3.5}, 2), 1 - 2 / PI * atan(4), 1e-12);
}

static void no_variance(void **state)
{
	(void)state;
	assert_true(p_of((double[]){0.1, 0.1, 0.1}, 3, (double[]){0.1, 0.1}, 2) == 1);
	assert_true(p_of((double[]){0.1, 0.1, 0.1}, 3, (double[]){0.2, 0.2}, 2) == 0);
	assert_true(isnan(p_of((double[]){1, 2}, 2, (double[]){3}, 1)));
	/* variances whose squares are below the smallest double */
	NEAR(p_of((double[]){1e-100, 2e-100}, 2, (double[]){3e-100, 4e-100}, 2), 1 - sqrt(8) / sqrt(10), 1e-9);
}

/* Equal variances and sizes: 2 (n - 1) = 4 degrees of freedom, t = 3 / sqrt(2/3); for 4 degrees
 * p = 1 - s (3 - s²) / 2 with s = t / sqrt(4 + t²). */
static void four_degrees(void **state)
{
	(void)state;
	double t = 3 / sqrt(2.0 / 3), s = t / sqrt(4 + t * t);
	NEAR(p_of((double[]){1, 2, 3}, 3, (double[]){4, 5, 6}, 3), 1 - s * (3 - s * s) / 2, 1e-12);
}

/* The integral of t^(a-1) (1-t)^(b-1) by Simpson's rule, after t = u², which removes the singularity at 0 for a = 1/2. */
static double integral(double a, double b, double x)
{
	enum { STEPS = 20000 };
	double sum = 0, width = sqrt(x) / STEPS;
	for (int i = 0; i <= STEPS; i++) {
		double u = i * width, f = (i || a > 0.5) ? 2 * pow(u, 2 * a - 1) * pow(1 - u * u, b - 1) : 2;
		sum += f * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2);
	}
	return sum * width / 3;
}

static void incomplete_beta(void **state)
{
	(void)state;
	for (double a = 0.5; a < 40; a = a * 1.7 + 0.3)
		for (double b = 1; b < 40; b = b * 1.9 + 0.2)
			for (double x = 0.05; x < 1; x += 0.1) {
				double whole = exp(lgamma(a) + lgamma(b) - lgamma(a + b));
				NEAR(wm_incomplete_beta(a, b, x), integral(a, b, x) / whole, 1e-6);
				NEAR(wm_incomplete_beta(a, b, x), 1 - wm_incomplete_beta(b, a, 1 - x), 1e-12);
			}
	assert_true(wm_incomplete_beta(2, 3, 0) == 0);
	assert_true(wm_incomplete_beta(2, 3, 1) == 1);
}

/* The first table of the paper of Benjamini and Hochberg: 15 p-values, of which 4 are rejected at 0.05. */
static void benjamini_hochberg(void **state)
{
	(void)state;
	const double p[MOST] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
		0.5719, 0.6528, 0.7590, 1.0000};
	double q[MOST];
	size_t rejected = 0;
	wm_benjamini_hochberg(p, q, MOST);
	for (size_t i = 0; i < MOST; i++)
		rejected += q[i] <= 0.05;
	assert_int_equal(rejected, 4);
	NEAR(q[0], 0.0001 * 15, 1e-12);
	NEAR(q[3], 0.0095 * 15 / 4, 1e-12);
	NEAR(q[14], 1, 1e-12);

	const double mixed[5] = {0.01, NAN, 0.04, 0.03, 0.005};
	wm_benjamini_hochberg(mixed, q, 5);
	NEAR(q[0], 0.02, 1e-12);
	assert_true(isnan(q[1]));
	NEAR(q[2], 0.04, 1e-12);
	NEAR(q[3], 0.04, 1e-12);
	NEAR(q[4], 0.02, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_degrees),
		cmocka_unit_test(one_degree),
		cmocka_unit_test(no_variance),
		cmocka_unit_test(four_degrees),
		cmocka_unit_test(incomplete_beta),
		cmocka_unit_test(benjamini_hochberg),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
