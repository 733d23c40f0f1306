/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/order.h"
#include <math.h>
#include <stdlib.h>

struct item {
	uint64_t value;
	size_t index;
};

static int by_value(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	return (a->value > b->value) - (a->value < b->value);
}

/* Ranks from 0; `item` is scratch. */
static void ranks(double *rank, const uint64_t *value, size_t count, struct item *item)
{
	for (size_t i = 0; i < count; i++)
		item[i] = (struct item){value[i], i};
	qsort(item, count, sizeof *item, by_value);
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && item[end].value == item[first].value; end++)
			continue;
		for (size_t i = first; i < end; i++)
			rank[item[i].index] = (double)(first + end - 1) / 2;
	}
}

enum wm_hw_status wm_hw_rank_correlation(
	double *correlation, const uint64_t *a, const uint64_t *b, size_t count, struct wm_arena *arena)
{
	double *x = WM_NEW(arena, double, count), *y = WM_NEW(arena, double, count);
	struct item *item = WM_NEW(arena, struct item, count);
	if (!x || !y || !item)
		return WM_HW_NO_MEMORY;
	ranks(x, a, count, item);
	ranks(y, b, count, item);
	double mean = ((double)count - 1) / 2, xx = 0, yy = 0, xy = 0;
	for (size_t i = 0; i < count; i++) {
		xx += (x[i] - mean) * (x[i] - mean);
		yy += (y[i] - mean) * (y[i] - mean);
		xy += (x[i] - mean) * (y[i] - mean);
	}
	*correlation = xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
	return WM_HW_OK;
}
