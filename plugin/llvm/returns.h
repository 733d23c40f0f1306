/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which calls may not return: calls from which control may leave the activation by an exception, by exit, by longjmp
 * or because the callee runs for ever.
 *
 * LLVM's attributes nounwind and willreturn together say that a call returns.  For functions defined in this module
 * the analysis here is more precise: a function that makes no call that may throw, exit, longjmp or switch stacks
 * either returns, or runs for ever, or the program dies.  For all other functions only LLVM's attributes count.
 * Assembly with side effects is treated as a call that may not return.
 */
#ifndef WM_PLUGIN_LLVM_RETURNS_H
#define WM_PLUGIN_LLVM_RETURNS_H

#include "plugin/llvm/shim.h"

bool wm_is_call(LLVMValueRef instruction);
/* Whether an instruction is a call site (core/graph/unit.h). */
bool wm_is_call_site(LLVMValueRef instruction);
/* Whether the code of the module may become part of a shared object. */
bool wm_may_be_shared(LLVMModuleRef module);
/* Whether LLVM does not know that the call returns. */
bool wm_call_not_known_to_return(LLVMValueRef call);

/* Runs the analysis.  Must be called once before the functions below.  A caller is analysed again for each of its
 * callees that is found to possibly not return.  false: out of memory. */
bool wm_returns_find(LLVMModuleRef module);
/* wm_call_not_known_to_return(call), and the analysis does not show that the callee returns, runs for ever, or dies with the
 * program. */
bool wm_call_may_not_return(LLVMValueRef call);
/* Whether a reachable call of the function may not return. */
bool wm_some_call_may_not_return(LLVMValueRef function);

#endif
