/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which successor of a conditional branch is taken when the condition holds *as it is written in the source*.  Clang
 * emits `if (!p)` as a branch on p with swapped targets, so the branch alone does not tell; the names of the blocks
 * do.
 */
#ifndef WM_PLUGIN_CONDITIONS_BRANCH_SIDES_H
#define WM_PLUGIN_CONDITIONS_BRANCH_SIDES_H

#include "profile/map/map.h"
#include <llvm-c/Core.h>

/* What it means that control reaches the block from a condition. */
enum wm_side wm_side_of(LLVMBasicBlockRef block);
/* Returns 0 or 1.  Returns 0, which is LLVM's own order, if the names of the blocks do not tell. */
unsigned wm_true_successor(LLVMValueRef branch);

#endif
