/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/blame/measure.h"
#include "support/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- Ranking ----------------------------------------------------------------------------------- */

/* 0: neither is more suspicious. */
static int by_suspicion(const struct wm_suspect *a, const struct wm_suspect *b)
{
	if (a->untested != b->untested)
		return a->untested ? -1 : 1;
	return (a->score < b->score) - (a->score > b->score);
}

/* Elements of an array are at ascending addresses. */
static int by_rank(const void *left, const void *right)
{
	const struct wm_suspect *a = *(const struct wm_suspect *const *)left;
	const struct wm_suspect *b = *(const struct wm_suspect *const *)right;
	int order = by_suspicion(a, b);
	if (!order)
		order = (a->tie > b->tie) - (a->tie < b->tie);
	if (!order)
		order = (a->order > b->order) - (a->order < b->order);
	return order ? order : (a > b) - (a < b);
}

void wm_suspects_rank(void *element, size_t count, size_t size)
{
	struct wm_suspect **sorted = wm_xrealloc(NULL, count + 1, sizeof *sorted);
	char *copy = wm_xrealloc(NULL, count + 1, size);
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct wm_suspect *)(void *)((char *)element + i * size);
	if (count)
		qsort(sorted, count, sizeof *sorted, by_rank);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first; end < count && by_suspicion(sorted[first], sorted[end]) == 0;)
			end++;
		for (size_t i = first; i < end; i++) {
			sorted[i]->first_rank = first + 1;
			sorted[i]->last_rank = end;
		}
	}
	for (size_t i = 0; i < count; i++)
		memcpy(copy + i * size, sorted[i], size);
	memcpy(element, copy, count * size);
	free(copy);
	free(sorted);
}
