/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/inline_bodies.h"
#include "plugin/returns.h"
#include <string.h>

#define COPY "waymark-copy-of"

bool wm_is_inline_body(LLVMValueRef ir)
{
	return LLVMGetLinkage(ir) == LLVMAvailableExternallyLinkage && !wm_shim_has(ir, "alwaysinline");
}

bool wm_is_local_inline_body(LLVMValueRef ir)
{
	return wm_shim_has(ir, COPY);
}

const char *wm_linkage_name(LLVMValueRef ir)
{
	size_t size;
	unsigned length;
	if (!wm_is_local_inline_body(ir))
		return LLVMGetValueName2(ir, &size);
	return LLVMGetStringAttributeValue(
		LLVMGetStringAttributeAtIndex(ir, LLVMAttributeFunctionIndex, COPY, sizeof COPY - 1), &length);
}

/* std::, by its mangled name: St, or one of the abbreviations Sa Sb Ss Si So Sd. */
static bool is_of_standard_library(LLVMValueRef ir)
{
	size_t size;
	const char *name = LLVMGetValueName2(ir, &size);
	if (strncmp(name, "_Z", 2))
		return false;
	name += 2;
	name += *name == 'N';
	name += *name == 'K';
	return *name == 'S' && name[1] && strchr("tabsiod", name[1]);
}

static void redirect_calls(LLVMValueRef from, LLVMValueRef to)
{
	for (LLVMUseRef use = LLVMGetFirstUse(from), next; use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (LLVMIsAInstruction(user) && wm_is_call(user) && LLVMGetCalledValue(user) == from)
			LLVMSetOperand(user, (unsigned)LLVMGetNumOperands(user) - 1, to);
	}
}

static void make_local(LLVMValueRef ir)
{
	size_t size;
	const char *name = LLVMGetValueName2(ir, &size);
	LLVMValueRef local = wm_shim_clone(ir, ".copy", NULL, 0);
	LLVMSetLinkage(local, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(local, LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(
			LLVMGetTypeContext(LLVMTypeOf(ir)), COPY, sizeof COPY - 1, name, (unsigned)size));
	wm_shim_delete_body(ir);
	redirect_calls(ir, local);
}

static void change_each(LLVMModuleRef module, void (*change)(LLVMValueRef ir))
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
		next = LLVMGetNextFunction(f);
		if (wm_is_inline_body(f) && !is_of_standard_library(f))
			change(f);
	}
}

void wm_inline_bodies_make_local(LLVMModuleRef module)
{
	change_each(module, make_local);
}

void wm_inline_bodies_delete(LLVMModuleRef module)
{
	change_each(module, wm_shim_delete_body);
}
