/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/blame/measure.h"
#include <math.h>

const char *const wm_measure_name[WM_MEASURES + 1] = {[WM_OCHIAI] = "ochiai",
	[WM_TARANTULA] = "tarantula",
	[WM_DSTAR] = "dstar",
	[WM_JACCARD] = "jaccard",
	[WM_OP2] = "op2",
	[WM_IMPORTANCE] = "importance"};

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

double wm_increase(const struct wm_spectrum *s)
{
	double failure = ratio((double)s->failed_with, (double)(s->failed_with + s->passed_with));
	double context = ratio((double)s->failed_near, (double)(s->failed_near + s->passed_near));
	return failure - context;
}

/* The harmonic mean of Increase and of how many of the failed runs did it, on a logarithmic scale. */
static double importance(const struct wm_spectrum *s)
{
	double increase = wm_increase(s);
	double reach = s->failed > 1 ? log((double)s->failed_with) / log((double)s->failed) : 1;
	return increase > 0 && reach > 0 ? 2 / (1 / increase + 1 / reach) : 0;
}

double wm_measure(enum wm_measure measure, const struct wm_spectrum *s)
{
	double failed = (double)s->failed, passed = (double)s->passed;
	double with = (double)s->failed_with, passed_with = (double)s->passed_with;
	double failing = ratio(with, failed), passing = ratio(passed_with, passed);
	switch (measure) {
	case WM_OCHIAI:
		return ratio(with, sqrt(failed * (with + passed_with)));
	case WM_TARANTULA:
		return ratio(failing, failing + passing);
	case WM_DSTAR:
		return with * with / (passed_with + failed - with);
	case WM_JACCARD:
		return ratio(with, failed + passed_with);
	case WM_OP2:
		return with - passed_with / (passed + 1);
	case WM_IMPORTANCE:
		return importance(s);
	case WM_MEASURES:
		break;
	}
	return 0;
}
