/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From which calls control may not come back.  LLVM's nounwind and willreturn say of a call that
 * it neither unwinds nor runs for ever.  Of definitions this knows more, and less: one that
 * makes no call that throws, exits, longjmps or hands the stack to somebody else comes back, or
 * runs for ever, or dies.  Assembly with side effects counts as a call.
 */
#ifndef WM_PLUGIN_LEAVING_H
#define WM_PLUGIN_LEAVING_H

#include "plugin/shim.h"

bool wm_is_call(LLVMValueRef instruction);
/* Its code may become part of a shared object. */
bool wm_may_be_shared(LLVMModuleRef module);
/* LLVM does not know that it returns. */
bool wm_may_leave(LLVMValueRef call);

/* To be called once, before the following are asked.  Every caller is looked at again for each of its callees
 * that turns out not to come back. */
bool wm_leaving_find(LLVMModuleRef module);
bool wm_comes_back(LLVMValueRef function);
/* Nor is the callee known to come back, or run for ever, or die. */
bool wm_may_not_return(LLVMValueRef call);
/* Some call that can be reached may not return. */
bool wm_has_leaving_call(LLVMValueRef function);

#endif
