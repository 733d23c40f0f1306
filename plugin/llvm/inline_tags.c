/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/llvm/inline_tags.h"
#include "core/graph/graph.h"

bool wm_is_tag(LLVMValueRef instruction)
{
	return LLVMIsACallInst(instruction) && wm_shim_is_tag(instruction);
}

uint32_t wm_tag_get(LLVMValueRef tag, enum wm_tag_operand operand)
{
	return (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(tag, operand));
}

static LLVMValueRef constant_number(LLVMModuleRef module, uint32_t value)
{
	return LLVMConstInt(LLVMInt32TypeInContext(LLVMGetModuleContext(module)), value, false);
}

static LLVMModuleRef module_of(LLVMValueRef instruction)
{
	return LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
}

void wm_tag_set(LLVMValueRef tag, enum wm_tag_operand operand, uint32_t value)
{
	LLVMSetOperand(tag, operand, constant_number(module_of(tag), value));
}

/* A tag neither throws nor ends the program, so that it changes nothing that is known about the function. */
static LLVMValueRef declare(LLVMModuleRef module, LLVMTypeRef type)
{
	LLVMValueRef function = LLVMGetNamedFunction(module, WM_TAG_NAME);
	LLVMContextRef context = LLVMGetModuleContext(module);
	if (function)
		return function;
	function = LLVMAddFunction(module, WM_TAG_NAME, type);
	static const char *const attributes[] = {"nounwind", "willreturn"};
	for (int i = 0; i < 2; i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], i ? 10 : 8);
		LLVMAddAttributeAtIndex(
			function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, 0));
	}
	return function;
}

LLVMValueRef wm_tag_put(LLVMValueRef before, enum wm_tag_kind kind, uint32_t index)
{
	LLVMModuleRef module = module_of(before);
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context), parameter[] = {i32, i32, i32, i32};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), parameter, WM_TAG_OPERANDS, false);
	LLVMValueRef operand[] = {constant_number(module, kind), constant_number(module, WM_NONE),
		constant_number(module, index), constant_number(module, 0)};
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderBefore(builder, before);
	LLVMValueRef tag = LLVMBuildCall2(builder, type, declare(module, type), operand, WM_TAG_OPERANDS, "");
	LLVMDisposeBuilder(builder);
	return tag;
}

void wm_tags_remove(LLVMModuleRef module)
{
	LLVMValueRef function = LLVMGetNamedFunction(module, WM_TAG_NAME);
	if (!function)
		return;
	for (LLVMUseRef use = LLVMGetFirstUse(function), next; use; use = next) {
		next = LLVMGetNextUse(use);
		LLVMInstructionEraseFromParent(LLVMGetUser(use));
	}
	LLVMDeleteFunction(function);
}
