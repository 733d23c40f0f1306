/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which successor of a conditional branch is taken when the condition *as the
 * source writes it* holds.  Clang emits `if (!p)` as a branch on p with its
 * targets swapped, so the branch alone cannot tell; the names of the blocks can.
 */
#ifndef WM_PLUGIN_SIDES_H
#define WM_PLUGIN_SIDES_H

#include <llvm-c/Core.h>

/* 0 or 1; 0, LLVM's own reading, where the blocks have no telling names. */
unsigned wm_true_successor(LLVMValueRef branch);

#endif
