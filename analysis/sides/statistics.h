/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tests for significance, for samples of a few runs. */
#ifndef WM_ANALYSIS_SIDES_STATISTICS_H
#define WM_ANALYSIS_SIDES_STATISTICS_H

#include <stddef.h>

/* The mean, and the unbiased estimate of the variance, of at least one number. */
struct wm_sample {
	size_t count;
	double mean, variance; /* variance: 0 for a single number */
};
struct wm_sample wm_sample_of(const double *number, size_t count);

/*
 * The two-sided p-value of the t-test for samples with different variances: B. L. Welch, "The generalization of Student's
 * problem when several different population variances are involved", Biometrika 34, 1947; degrees of freedom by
 * F. E. Satterthwaite, 1946.  NAN if a sample has fewer than two numbers.  If neither sample varies, the statistic is not
 * finite: 1 if the means are equal, otherwise 0.
 */
double wm_welch(const struct wm_sample *a, const struct wm_sample *b);

/*
 * The q-values of many tests: Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal
 * Statistical Society B 57, 1995, as adjusted p-values.  If all tests with q <= r are called significant, the expected share
 * of false ones among them is at most r.  A p of NAN is no test, and its q is NAN.  O(n log n).
 */
void wm_benjamini_hochberg(const double *p, double *q, size_t count);

/* The regularised incomplete beta function I_x(a, b), for a, b > 0 and 0 <= x <= 1. */
double wm_incomplete_beta(double a, double b, double x);

#endif
