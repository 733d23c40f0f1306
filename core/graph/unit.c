/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/unit.h"

uint32_t wm_unit_first_call(const struct wm_unit_function *function, uint32_t block)
{
	uint32_t low = 0, high = function->call_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (function->call[middle].block < block)
			low = middle + 1;
		else
			high = middle;
	}
	return low < function->call_count && function->call[low].block == block ? low : function->call_count;
}
