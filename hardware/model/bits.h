/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Powers of two, for the sizes of hardware tables. */
#ifndef WM_HARDWARE_BITS_H
#define WM_HARDWARE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool wm_hw_is_power(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* Of a value above 0, rounded down. */
static inline uint32_t wm_hw_log2(uint64_t value)
{
	return 63 - (uint32_t)__builtin_clzll(value);
}

/* The least power of two that is not below `value`, which is at most 2^63. */
static inline uint64_t wm_hw_power_above(uint64_t value)
{
	return value <= 1 ? 1 : UINT64_C(1) << (wm_hw_log2(value - 1) + 1);
}

#endif
