/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Small stack frames in functions that LLVM does not optimise.
 *
 * Without optimisation, LLVM's register allocator gives every value that one basic block computes and another one uses a
 * stack slot of its own.  A probe that branches has several such values, and a function has many probes, so the frames of
 * an instrumented program would be ten times as large, and a recursive function would overflow the stack.  This pass stores
 * such values in stack slots that values share whose live ranges have no block in common.
 */
#ifndef WM_PLUGIN_INLINE_SLOTS_H
#define WM_PLUGIN_INLINE_SLOTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Changes the functions of a module that have the attribute `optnone`.  Runs when all probes have been written.  Returns
 * whether the module has changed. */
bool wm_share_slots(LLVMModuleRef module);

#endif
