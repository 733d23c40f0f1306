/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The diagram of a boolean expression that is evaluated with short circuits, and masking MC/DC of it.
 *
 * Node c is a condition; it leads to next[c][0] if the condition is false and to next[c][1] if it is true: to a condition with a
 * larger number, or to an outcome of the expression.  Evaluation begins at condition 0.  An *evaluation* gives each condition
 * the value that it had, or WM_NOT_EVALUATED.
 *
 * The definitions:
 *
 *   - A condition *decides* an evaluation if it was evaluated, and if the outcome could have been the other one had the condition
 *     had the other value: the other conditions that were evaluated keep their values, and those that were not evaluated may
 *     have any.  Otherwise it is *masked* in this evaluation.  For && and || this is the usual definition: a condition is masked
 *     if an operand that was evaluated, of an operator around it, has the value that decides that operator alone.
 *   - *Masking MC/DC*, as of gcc -fcondition-coverage: a condition is shown to be independent by two evaluations in which it has
 *     different values, that have different outcomes, and both of which it decides.
 *   - *Unique-cause MC/DC with don't-cares*, as of clang -fcoverage-mcdc: the evaluations have different outcomes, and among the
 *     conditions that were evaluated in both, this condition is the only one whose values differ.  Such a pair is also one of
 *     masking MC/DC: with the values that the second evaluation gives to the conditions that the first one lacks, the first one
 *     becomes the second by changing this condition.
 */
#ifndef WM_CORE_DIAGRAM_H
#define WM_CORE_DIAGRAM_H

#include "core/base/arena.h"
#include <stdbool.h>
#include <stdint.h>

/* The outcomes, as nodes. */
#define WM_OUTCOME_FALSE (UINT32_MAX - 2)
#define WM_OUTCOME_TRUE (UINT32_MAX - 1)
#define WM_NOT_EVALUATED 2

struct wm_diagram {
	uint32_t count;
	uint32_t (*next)[2];
};

static inline bool wm_is_outcome(uint32_t node)
{
	return node == WM_OUTCOME_FALSE || node == WM_OUTCOME_TRUE;
}

/* Whether every node leads to a larger one or to an outcome, and every condition is reached from condition 0. */
bool wm_diagram_is_valid(const struct wm_diagram *diagram);
/* The outcome of an evaluation, or the condition that it lacks. */
uint32_t wm_diagram_outcome(const struct wm_diagram *diagram, const uint8_t *value);
/* Whether the condition decides a complete evaluation.  O(conditions); `work` has room for `count` bytes. */
bool wm_diagram_decides(const struct wm_diagram *diagram, const uint8_t *value, uint32_t condition, uint8_t *work);
/* Whether two complete evaluations are a pair of unique-cause MC/DC; returns the condition, or WM_OUTCOME_FALSE if they are not. */
uint32_t wm_diagram_unique_pair(const struct wm_diagram *diagram, const uint8_t *a, const uint8_t *b);

/*
 * The evaluations in order, as of a counter whose first digit is condition 0: `value` is the evaluation before, or has
 * WM_NOT_EVALUATED everywhere to begin.  False: there are no more.
 */
bool wm_diagram_step(const struct wm_diagram *diagram, uint8_t *value);

#endif
