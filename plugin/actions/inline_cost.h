/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What LLVM's inliner thinks of instrumentation that is written before inlining. */
#ifndef WM_PLUGIN_ACTIONS_INLINE_COST_H
#define WM_PLUGIN_ACTIONS_INLINE_COST_H

#include "plugin/actions/emission.h"

enum { WM_INLINE_COST = 5 }; /* of most instructions */
/* The cost of a call, instead of LLVM's own estimate.  A negative cost makes up for other instructions. */
void wm_set_inline_cost(struct wm_emitter *emitter, LLVMValueRef call, int cost);
/* The number of instructions of a function that have a cost. */
uint32_t wm_inline_size(LLVMValueRef ir);

#endif
