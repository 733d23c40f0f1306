/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/sides/statistics.h"
#include "support/xalloc.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct wm_sample wm_sample_of(const double *number, size_t count)
{
	struct wm_sample sample = {.count = count};
	double squares = 0;
	for (size_t i = 0; i < count; i++)
		sample.mean += number[i] / (double)count;
	bool varies = false;
	for (size_t i = 0; i < count; i++) {
		squares += (number[i] - sample.mean) * (number[i] - sample.mean);
		varies |= number[i] != number[0];
	}
	if (!varies)
		sample.mean = count ? number[0] : 0; /* without the rounding of the sum */
	else
		sample.variance = squares / (double)(count - 1);
	return sample;
}

/* The continued fraction of I_x(a, b), NIST Digital Library of Mathematical Functions 8.17.22, evaluated by the modified
 * algorithm of Lentz.  It converges fast for x < (a + 1) / (a + b + 2). */
static double fraction(double a, double b, double x)
{
	enum { MOST = 10000 };
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;
	for (int m = 1; m < MOST; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / (1 + even * d);
		c = 1 + even / c;
		value *= c * d;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		value *= c * d;
		if (fabs(c * d - 1) < DBL_EPSILON)
			break;
	}
	return value;
}

double wm_incomplete_beta(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x >= 1;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * fraction(a, b, x) / a;
	return 1 - front * fraction(b, a, 1 - x) / b;
}

double wm_welch(const struct wm_sample *a, const struct wm_sample *b)
{
	if (a->count < 2 || b->count < 2)
		return NAN;
	double u = a->variance / (double)a->count, v = b->variance / (double)b->count, difference = a->mean - b->mean;
	if (u + v <= 0)
		return difference == 0;
	/* Divided by u + v, because the square of a small variance may be too small for a double. */
	double s = u / (u + v), r = v / (u + v);
	double freedom = 1 / (s * s / (double)(a->count - 1) + r * r / (double)(b->count - 1));
	double t = difference / sqrt(u + v);
	return wm_incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

struct tested {
	double p;
	size_t index;
};

static int by_p(const void *left, const void *right)
{
	const struct tested *a = left, *b = right;
	return (a->p > b->p) - (a->p < b->p);
}

void wm_benjamini_hochberg(const double *p, double *q, size_t count)
{
	struct tested *list = wm_xmalloc((count + 1) * sizeof *list);
	size_t tests = 0;
	double least = 1;
	for (size_t i = 0; i < count; i++) {
		q[i] = NAN;
		if (!isnan(p[i]))
			list[tests++] = (struct tested){p[i], i};
	}
	qsort(list, tests, sizeof *list, by_p);
	for (size_t i = tests; i-- > 0;) {
		double adjusted = list[i].p * (double)tests / (double)(i + 1);
		least = adjusted < least ? adjusted : least;
		q[list[i].index] = least;
	}
	free(list);
}
