/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/crash/faults.h"
#include <string.h>

static bool is_constant_address(LLVMValueRef pointer)
{
	for (int i = 1; i < LLVMGetNumOperands(pointer); i++)
		if (!LLVMIsAConstantInt(LLVMGetOperand(pointer, (unsigned)i)))
			return false;
	return true;
}

/* Whether the pointer is a variable plus a constant. */
static bool is_variable(LLVMValueRef pointer, bool store)
{
	while ((LLVMIsAGetElementPtrInst(pointer) ||
		       (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr)) &&
		is_constant_address(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	if (LLVMIsAAllocaInst(pointer))
		return true;
	return LLVMIsAGlobalVariable(pointer) && LLVMGetLinkage(pointer) != LLVMExternalWeakLinkage &&
	       !(store && LLVMIsGlobalConstant(pointer));
}

bool wm_is_division(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem:
		return !LLVMIsAConstantInt(LLVMGetOperand(i, 1));
	default:
		return false;
	}
}

static bool names_intrinsic(LLVMValueRef call, const char *const *names)
{
	unsigned id = LLVMIsACallInst(call) ? LLVMGetIntrinsicID(LLVMGetCalledValue(call)) : 0;
	for (; id && *names; names++)
		if (id == LLVMLookupIntrinsicID(*names, strlen(*names)))
			return true;
	return false;
}

bool wm_is_memory_call(LLVMValueRef i)
{
	static const char *const names[] = {"llvm.memcpy", "llvm.memmove", "llvm.memset", NULL};
	return names_intrinsic(i, names);
}

bool wm_is_trap(LLVMValueRef i)
{
	static const char *const names[] = {"llvm.trap", "llvm.ubsantrap", NULL};
	return names_intrinsic(i, names);
}

bool wm_may_fault(LLVMValueRef i)
{
	static const char *const names[] = {"llvm.debugtrap", "llvm.masked.load", "llvm.masked.store", NULL};
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
		return !is_variable(LLVMGetOperand(i, 0), false);
	case LLVMStore:
		return !is_variable(LLVMGetOperand(i, 1), true);
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return !is_variable(LLVMGetOperand(i, 0), true);
	case LLVMCall:
		return LLVMIsAInlineAsm(LLVMGetCalledValue(i)) || wm_is_memory_call(i) || wm_is_trap(i) ||
		       names_intrinsic(i, names);
	default:
		return wm_is_division(i);
	}
}
