/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/plackett.h"

enum { HALF = WM_HW_PLACKETT_RUNS / 2 };

/* Rows are rotations of the generating row of Plackett and Burman (1946), then one of low
 * values only; the second half has all signs turned. */
int wm_hw_plackett_sign(unsigned run, unsigned factor)
{
	static const signed char row[WM_HW_PLACKETT_FACTORS] = {1, 1, 1, -1, 1, -1, -1};
	unsigned plain = run % HALF;
	int sign = plain == HALF - 1 ? -1 : row[(factor + WM_HW_PLACKETT_FACTORS - plain) % WM_HW_PLACKETT_FACTORS];
	return run < HALF ? sign : -sign;
}

void wm_hw_plackett_effects(const double response[WM_HW_PLACKETT_RUNS], double effect[WM_HW_PLACKETT_FACTORS])
{
	for (unsigned factor = 0; factor < WM_HW_PLACKETT_FACTORS; factor++) {
		effect[factor] = 0;
		for (unsigned run = 0; run < WM_HW_PLACKETT_RUNS; run++)
			effect[factor] += wm_hw_plackett_sign(run, factor) * response[run] / HALF;
	}
}
