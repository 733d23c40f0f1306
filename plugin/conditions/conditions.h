/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The condition of a branch: which instruction computes it, and what the source calls it.
 *
 * Clang gives a branch the position of an operator or statement around its condition, which is on another line if the
 * condition spans lines.  The instruction that computes the condition has the position of the condition itself.
 */
#ifndef WM_PLUGIN_CONDITIONS_CONDITIONS_H
#define WM_PLUGIN_CONDITIONS_CONDITIONS_H

#include "plugin/llvm/shim.h"
#include "profile/map/map.h"

/* The instruction whose position is that of the condition of a conditional branch; the branch itself, if no other one is
 * known. */
LLVMValueRef wm_condition_place(LLVMValueRef branch);
/* Whether an instruction has a position that is its own.  A conditional branch has that of something around its condition;
 * jumps from one case label to the next and comparisons with ranges of labels have that of the code before. */
bool wm_has_own_position(LLVMValueRef instruction);
/* The instruction whose position is that of an operand of && or ||, which `operand` computes; *negated: it computes the negation
 * of the expression there. */
LLVMValueRef wm_operand_place(LLVMValueRef operand, bool *negated);
/* wm_map_condition.name of a truth value. */
const char *wm_condition_name(LLVMValueRef condition);
/* The condition, with sides by successor.  `optimised`: the branch may be inverted or merged with others.  The name lives as
 * long as the IR is not changed. */
struct wm_map_condition wm_condition_describe(LLVMValueRef branch, bool optimised);

#endif
