/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How alike two profiles of the same paths order them (sections 5.3 and 5.5.2: the analytical
 * and the cycle-level energy model find the same hot paths although their totals differ). */
#ifndef WM_HARDWARE_ORDER_H
#define WM_HARDWARE_ORDER_H

#include "core/base/arena.h"
#include "hardware/model/path.h"
#include <stddef.h>
#include <stdint.h>

/* Spearman's rank correlation of a[i] and b[i], from -1 to 1: the correlation of their ranks,
 * where equal values share the mean of their ranks.  0 if all values of either are equal.
 * O(count · log count).  WM_HW_NO_MEMORY. */
enum wm_hw_status wm_hw_rank_correlation(
	double *correlation, const uint64_t *a, const uint64_t *b, size_t count, struct wm_arena *arena);

#endif
