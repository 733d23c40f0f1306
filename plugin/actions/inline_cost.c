/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/actions/inline_cost.h"
#include <stdio.h>
#include <string.h>

void wm_set_inline_cost(struct wm_emitter *emitter, LLVMValueRef call, int cost)
{
	static const char name[] = "call-inline-cost";
	char text[16];
	snprintf(text, sizeof text, "%d", cost);
	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(
			emitter->context, name, (unsigned)strlen(name), text, (unsigned)strlen(text)));
}

static bool inliner_counts(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMPHI:
	case LLVMGetElementPtr:
	case LLVMPtrToInt:
	case LLVMAlloca:
		return false;
	case LLVMBr:
		return LLVMIsConditional(i);
	default:
		return true;
	}
}

uint32_t wm_inline_size(LLVMValueRef ir)
{
	uint32_t size = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			size += inliner_counts(i);
	return size;
}
