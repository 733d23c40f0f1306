/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Truth values that clang computes without a branch (wm_map_value in profile/map/map.h).
 *
 * Clang writes the value of `a && b` as a branch on `a`, to the block land.rhs or to land.end, and a phi in land.end: false from
 * the branch, and `b` from the block that computes it.  `||` is written with lor.end in the same way.  Operands of && and || in
 * the condition of an if are branches, and need nothing of this.
 */
#ifndef WM_PLUGIN_CONDITIONS_VALUES_H
#define WM_PLUGIN_CONDITIONS_VALUES_H

#include "plugin/llvm/shim.h"
#include "profile/map/map.h"

struct wm_value {
	enum wm_value_kind kind;
	enum wm_value_use use;
	bool disjunction, truth;
	LLVMBasicBlockRef block, join, teller; /* join, teller: NULL if there is none */
	LLVMValueRef operand; /* the instruction that computes the operand or condition; NULL: it is a constant */
};

/* The value that is joined in a block, as clang emits it or wm_values_split leaves it.  False: there is none. */
bool wm_value_joined(LLVMBasicBlockRef join, struct wm_value *value);
/* The value that the instruction is or uses: a choice, or a branch on a constant.  False: neither. */
bool wm_value_of(LLVMValueRef instruction, struct wm_value *value);

/* Makes branches of all operands and choices in a function that would not be branches, so that paths tell their outcome.  The
 * function computes what it did before. */
void wm_values_split(LLVMValueRef function);
/* The condition of a branch; of one that wm_values_split has made, the operand or the condition of ?:. */
LLVMValueRef wm_branch_condition(LLVMValueRef branch);
/* Whether the block is one that wm_values_split has made. */
bool wm_value_is_side(LLVMBasicBlockRef block);

#endif
