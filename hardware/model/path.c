/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hardware/model/path.h"
#include <string.h>

static const char *const metric_name[WM_HW_METRIC_COUNT] = {
	[WM_HW_FREQUENCY] = "frequency",
	[WM_HW_INSTRUCTIONS] = "instructions",
	[WM_HW_L1_MISSES] = "l1-misses",
	[WM_HW_L2_MISSES] = "l2-misses",
	[WM_HW_MISPREDICTIONS] = "mispredictions",
	[WM_HW_ENERGY] = "energy",
	[WM_HW_CYCLE_ENERGY] = "cycle-energy",
	[WM_HW_CYCLES] = "cycles",
};

const char *wm_hw_metric_name(enum wm_hw_metric metric)
{
	return metric_name[metric];
}

enum wm_hw_metric wm_hw_metric_find(const char *name)
{
	size_t i = 0;
	while (i < WM_HW_METRIC_COUNT && strcmp(metric_name[i], name) != 0)
		i++;
	return (enum wm_hw_metric)i;
}
