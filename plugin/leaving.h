/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From which calls control may not come back: the callee may throw, exit, longjmp or hand
 * the stack to somebody else.  LLVM's nounwind and willreturn say what is known of
 * declarations.  Of definitions this knows more: one that makes no such call comes back, or
 * runs for ever, or dies, and then every frame above it dies as well.  Assembly with side
 * effects counts as a call.
 */
#ifndef WM_PLUGIN_LEAVING_H
#define WM_PLUGIN_LEAVING_H

#include "plugin/shim.h"

/* To be called once, before anything is asked.  Every caller is looked at again for each of its callees that
 * turns out not to come back. */
bool wm_leaving_find(LLVMModuleRef module);
bool wm_comes_back(LLVMValueRef function);
bool wm_may_leave(LLVMValueRef call);

#endif
