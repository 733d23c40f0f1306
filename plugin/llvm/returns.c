/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The analysis first assumes that every definition that cannot be replaced returns.  Then functions with a call
 * that may not return lose that property, and so, transitively, do their callers.  Starting from the optimistic
 * assumption makes the result right for functions that only call each other.  The property is stored as an attribute
 * on the functions, so that it is found from a call without a table.
 */
#include "plugin/llvm/returns.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RETURNS "waymark-comes-back"

bool wm_is_call(LLVMValueRef instruction)
{
	return LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction);
}

bool wm_is_call_site(LLVMValueRef instruction)
{
	if (!wm_is_call(instruction) || wm_shim_is_pseudo_call(instruction))
		return false;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	return !LLVMIsAInlineAsm(callee) && !LLVMGetIntrinsicID(callee);
}

/* Assembly may do anything, but most assembly has no side effects or no instructions. */
static bool assembly_may_not_return(LLVMValueRef assembly)
{
	size_t size;
	return (LLVMGetInlineAsmHasSideEffects(assembly) && *LLVMGetInlineAsmAsmString(assembly, &size)) ||
	       LLVMGetInlineAsmCanUnwind(assembly);
}

/* Some intrinsics, those of coroutines, run code of the program.  After one that does not return nothing is counted. */
static bool intrinsic_may_not_return(LLVMValueRef call)
{
	return !wm_shim_call_has(call, "nounwind") && !wm_shim_call_has(call, "noreturn");
}

bool wm_call_not_known_to_return(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (wm_shim_is_pseudo_call(call))
		return false;
	if (LLVMGetIntrinsicID(callee))
		return intrinsic_may_not_return(call);
	if (LLVMIsAInlineAsm(callee))
		return assembly_may_not_return(callee);
	return !(wm_shim_call_has(call, "nounwind") && wm_shim_call_has(call, "willreturn"));
}

/* Whether the analysis shows that a function returns, runs for ever, or dies with the program. */
static bool function_returns(LLVMValueRef function)
{
	return LLVMIsAFunction(function) && wm_shim_has(function, RETURNS);
}

bool wm_call_may_not_return(LLVMValueRef call)
{
	return wm_call_not_known_to_return(call) && !function_returns(LLVMGetCalledValue(call));
}

/* __builtin_longjmp: its caller does not return. */
static bool is_way_out(LLVMValueRef call)
{
	return LLVMGetIntrinsicID(LLVMGetCalledValue(call)) && wm_shim_call_has(call, "noreturn");
}

/* Blocks that were seen, by address. */
struct seen {
	size_t mask;
	LLVMBasicBlockRef *slot;
};

static bool see(struct seen *seen, LLVMBasicBlockRef block)
{
	size_t at = ((uintptr_t)block >> 4) * 0x9E3779B97F4A7C15u;
	while (seen->slot[at & seen->mask] && seen->slot[at & seen->mask] != block)
		at++;
	if (seen->slot[at & seen->mask])
		return false;
	seen->slot[at & seen->mask] = block;
	return true;
}

static bool block_may_not_return(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		if (LLVMIsACallBrInst(i) || (wm_is_call(i) && (wm_call_may_not_return(i) || is_way_out(i))))
			return true;
	return false;
}

/* If every call returns, none unwinds, so blocks that are reached only through landing pads never run. */
static bool follow_blocks(LLVMValueRef function, struct seen *seen, LLVMBasicBlockRef *stack)
{
	size_t count = 0;
	stack[count++] = LLVMGetEntryBasicBlock(function);
	see(seen, stack[0]);
	while (count) {
		LLVMBasicBlockRef block = stack[--count];
		LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
		unsigned successors = LLVMIsAInvokeInst(terminator) ? 1 : LLVMGetNumSuccessors(terminator);
		if (block_may_not_return(block))
			return true;
		for (unsigned i = 0; i < successors; i++)
			if (see(seen, LLVMGetSuccessor(terminator, i)))
				stack[count++] = LLVMGetSuccessor(terminator, i);
	}
	return false;
}

/* Returns true if memory is exhausted. */
bool wm_some_call_may_not_return(LLVMValueRef function)
{
	size_t blocks = LLVMCountBasicBlocks(function), slots = 4;
	while (slots < 2 * blocks)
		slots *= 2;
	struct seen seen = {slots - 1, calloc(slots, sizeof *seen.slot)};
	LLVMBasicBlockRef *stack = malloc(blocks * sizeof *stack);
	bool may_not_return = !seen.slot || !stack || follow_blocks(function, &seen, stack);
	free(seen.slot);
	free(stack);
	return may_not_return;
}

static void forget_returns(LLVMValueRef function)
{
	LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, RETURNS, sizeof RETURNS - 1);
}

/* Removes the property from the callers of a function that may not return; its uses contain their calls. */
static size_t forget_callers(LLVMValueRef function, LLVMValueRef *stack, size_t count)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user) || !wm_is_call(user) || !wm_call_may_not_return(user))
			continue;
		LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
		if (!function_returns(caller) || !wm_some_call_may_not_return(caller))
			continue;
		forget_returns(caller);
		stack[count++] = caller;
	}
	return count;
}

static bool has_hooks(LLVMValueRef function)
{
	static const char *const names[] = {"instrument-function-entry", "instrument-function-entry-inlined",
		"instrument-function-exit", "instrument-function-exit-inlined", "function-instrument",
		"patchable-function", "patchable-function-entry"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (wm_shim_has(function, names[i]))
			return true;
	return false;
}

static bool has_flag(LLVMModuleRef module, const char *name)
{
	return LLVMGetModuleFlag(module, name, strlen(name)) != NULL;
}

bool wm_may_be_shared(LLVMModuleRef module)
{
	return has_flag(module, "PIC Level") && !has_flag(module, "PIE Level");
}

/* Whether the body of a function is the one that runs.  A symbol of a shared object can be replaced at run time.  A hook
 * on entry or exit may not return, and the calls of a coroutine do not exist yet. */
static bool is_known(LLVMValueRef function, bool shared)
{
	LLVMLinkage linkage = LLVMGetLinkage(function);
	bool symbol = linkage == LLVMExternalLinkage && LLVMGetVisibility(function) == LLVMDefaultVisibility;
	return !LLVMIsDeclaration(function) && !wm_shim_is_interposable(function) && !(shared && symbol) &&
	       linkage != LLVMAvailableExternallyLinkage && !has_hooks(function) &&
	       !wm_shim_has(function, "presplitcoroutine");
}

bool wm_returns_find(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMAttributeRef attribute = LLVMCreateStringAttribute(context, RETURNS, sizeof RETURNS - 1, "", 0);
	size_t functions = 0, count = 0;
	bool shared = wm_may_be_shared(module);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		functions++;
		if (is_known(f, shared))
			LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, attribute);
		else
			forget_returns(f); /* the attribute may come from an earlier compilation */
	}
	/* A function is pushed at most once: when it loses the property. */
	LLVMValueRef *stack = malloc((functions + 1) * sizeof *stack);
	if (!stack)
		return false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (function_returns(f) && wm_some_call_may_not_return(f)) {
			forget_returns(f);
			stack[count++] = f;
		}
	while (count) {
		LLVMValueRef function = stack[--count];
		count = forget_callers(function, stack, count);
	}
	free(stack);
	return true;
}
