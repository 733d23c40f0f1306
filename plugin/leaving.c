/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Every definition that the linker cannot replace is taken to come back; those with a
 * call that may leave do not, nor do their callers.  Functions that only call each other
 * need no better proof.  What is known stands on the functions as an attribute, so that
 * a call finds it without a table.
 */
#include "plugin/leaving.h"
#include <stdlib.h>
#include <string.h>

#define COMES_BACK "waymark-comes-back"

bool wm_comes_back(LLVMValueRef function)
{
	return LLVMIsAFunction(function) && LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex,
						    COMES_BACK, sizeof COMES_BACK - 1);
}

/* Assembly may do anything, but most is without effects or without instructions. */
static bool may_leave_by_assembly(LLVMValueRef assembly)
{
	size_t size;
	return LLVMGetInlineAsmHasSideEffects(assembly) && *LLVMGetInlineAsmAsmString(assembly, &size);
}

bool wm_may_leave(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (wm_shim_is_pseudo_call(call) || LLVMGetIntrinsicID(callee))
		return false;
	if (LLVMIsAInlineAsm(callee))
		return may_leave_by_assembly(callee);
	return !wm_comes_back(callee) && !(wm_shim_call_has(call, "nounwind") && wm_shim_call_has(call, "willreturn"));
}

static bool is_call(LLVMValueRef instruction)
{
	return LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction);
}

/* __builtin_longjmp: behind it nothing is counted, but who calls it does not come back. */
static bool is_way_out(LLVMValueRef call)
{
	return LLVMGetIntrinsicID(LLVMGetCalledValue(call)) && wm_shim_call_has(call, "noreturn");
}

static bool has_leaving_call(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsACallBrInst(i) || (is_call(i) && (wm_may_leave(i) || is_way_out(i))))
				return true;
	return false;
}

static void forget(LLVMValueRef function)
{
	LLVMRemoveStringAttributeAtIndex(
		function, LLVMAttributeFunctionIndex, COMES_BACK, sizeof COMES_BACK - 1);
}

/* Callers of one that does not come back: their calls are among its uses. */
static size_t forget_callers(LLVMValueRef function, LLVMValueRef *stack, size_t count)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user) || !is_call(user) || !wm_may_leave(user))
			continue;
		LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
		if (!wm_comes_back(caller))
			continue;
		forget(caller);
		stack[count++] = caller;
	}
	return count;
}

bool wm_leaving_find(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMAttributeRef attribute = LLVMCreateStringAttribute(context, COMES_BACK, sizeof COMES_BACK - 1, "", 0);
	size_t functions = 0, count = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		functions++;
		if (!LLVMIsDeclaration(f) && !wm_shim_is_interposable(f))
			LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, attribute);
	}
	/* A function is put there once: when it is forgotten. */
	LLVMValueRef *stack = malloc((functions + 1) * sizeof *stack);
	if (!stack)
		return false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (wm_comes_back(f) && has_leaving_call(f)) {
			forget(f);
			stack[count++] = f;
		}
	while (count) {
		LLVMValueRef function = stack[--count];
		count = forget_callers(function, stack, count);
	}
	free(stack);
	return true;
}
