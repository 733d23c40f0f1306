/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The last operand of && or || in the condition of a loop.
 *
 * Clang computes such a condition as a value, which is joined from all operands, and branches on it.  What the branch tells of its
 * last operand follows from the operators: the value is that of the operand if the operand was evaluated, and otherwise the
 * constant that decides the operator.
 */
#ifndef WM_ANALYSIS_SOURCE_LAST_OPERAND_H
#define WM_ANALYSIS_SOURCE_LAST_OPERAND_H

#include "profile/map/map.h"

enum { WM_MOST_JOINS = 8 };
struct wm_last_operand {
	const struct wm_map_value *value; /* OPERAND: the block that computes it, and its place */
	uint32_t join_count;
	/* The values that are joined from it, the one that the branch tells first; the last one is `value`. */
	const struct wm_map_value *join[WM_MOST_JOINS];
};

/* The operand whose value the branch at the end of a block tells, if it was evaluated.  False: there is none. */
bool wm_last_operand_find(struct wm_last_operand *operand, const struct wm_map_function *function, uint32_t block);
/* The out-edge of the branch, 0 or 1, that is taken if the expression at the place of the operand was evaluated with this result. */
uint32_t wm_last_operand_ordinal(
	const struct wm_last_operand *operand, const struct wm_map_function *function, uint32_t block, bool result);
/* How often the expression at the place of the operand was evaluated with each result, from the executions of edges.  False: they
 * do not tell. */
bool wm_last_operand_counts(const struct wm_last_operand *operand, const struct wm_map_function *function,
	uint32_t block, const uint64_t *edge_count, uint64_t count[2]);

#endif
