/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Linear functions a·x + b, written ⟨a, b⟩: the number of completions of a path, where x is the number of completions
 * after the exit of its function (Melski and Reps, "Interprocedural path profiling", section 4).
 *
 * The functions that check their result keep both coefficients below 2^63.  Sums of values along a path are
 * taken modulo 2^64 and need no check.
 */
#ifndef WM_CORE_NUMBERING_PAIR_H
#define WM_CORE_NUMBERING_PAIR_H

#include <stdbool.h>
#include <stdint.h>

struct wm_pair {
	uint64_t a, b;
};

/* a·x + b modulo 2^64. */
static inline uint64_t wm_pair_at(struct wm_pair pair, uint64_t x)
{
	return pair.a * x + pair.b;
}

/* Sum and difference modulo 2^64. */
static inline struct wm_pair wm_pair_plus(struct wm_pair left, struct wm_pair right)
{
	return (struct wm_pair){left.a + right.a, left.b + right.b};
}
static inline struct wm_pair wm_pair_minus(struct wm_pair left, struct wm_pair right)
{
	return (struct wm_pair){left.a - right.a, left.b - right.b};
}

/* The following functions return false, with *result untouched, if a number would reach 2^63. */
bool wm_pair_evaluate(struct wm_pair pair, uint64_t x, uint64_t *result);
static inline bool wm_pair_add(struct wm_pair left, struct wm_pair right, struct wm_pair *result)
{
	struct wm_pair sum;
	if (__builtin_add_overflow(left.a, right.a, &sum.a) || __builtin_add_overflow(left.b, right.b, &sum.b) ||
		(sum.a | sum.b) > INT64_MAX)
		return false;
	*result = sum;
	return true;
}
/* outer(inner(x)): the completions in `outer` if those after its exit are `inner`. */
bool wm_pair_compose(struct wm_pair outer, struct wm_pair inner, struct wm_pair *result);

#endif
