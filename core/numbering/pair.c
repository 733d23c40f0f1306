/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/numbering/pair.h"

/* factor · x + addend. */
static bool multiply_add(uint64_t factor, uint64_t x, uint64_t addend, uint64_t *result)
{
	uint64_t sum;
	if (__builtin_mul_overflow(factor, x, &sum) || __builtin_add_overflow(sum, addend, &sum) || sum > INT64_MAX)
		return false;
	*result = sum;
	return true;
}

bool wm_pair_evaluate(struct wm_pair pair, uint64_t x, uint64_t *result)
{
	return multiply_add(pair.a, x, pair.b, result);
}

bool wm_pair_compose(struct wm_pair outer, struct wm_pair inner, struct wm_pair *result)
{
	struct wm_pair made;
	if (!multiply_add(outer.a, inner.a, 0, &made.a) || !multiply_add(outer.a, inner.b, outer.b, &made.b))
		return false;
	*result = made;
	return true;
}
