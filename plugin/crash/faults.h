/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which instructions of a function may raise a signal such as SIGSEGV or SIGFPE. */
#ifndef WM_PLUGIN_CRASH_FAULTS_H
#define WM_PLUGIN_CRASH_FAULTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Calls other than of assembly and of intrinsics may not. */
bool wm_may_fault(LLVMValueRef instruction);
/* A division whose divisor is not a constant. */
bool wm_is_division(LLVMValueRef instruction);
/* An intrinsic that is one instruction, which traps and is never left. */
bool wm_is_trap(LLVMValueRef instruction);
/* An intrinsic such as llvm.memcpy, which LLVM may turn into a call of the C library. */
bool wm_is_memory_call(LLVMValueRef instruction);

#endif
