/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/extract/inline_bodies.h"
#include "plugin/llvm/returns.h"
#include <string.h>

#define COPY "waymark-copy-of"
#define UNCOUNTED "waymark-uncounted"

static bool is_only_for_inlining(LLVMValueRef ir)
{
	return LLVMGetLinkage(ir) == LLVMAvailableExternallyLinkage && !wm_shim_has(ir, "alwaysinline");
}

bool wm_is_inline_body(LLVMValueRef ir)
{
	return is_only_for_inlining(ir) || wm_shim_has(ir, UNCOUNTED);
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

static void set_attribute(LLVMValueRef ir, const char *name, const char *value, size_t size)
{
	LLVMAddAttributeAtIndex(ir, LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(
			LLVMGetTypeContext(LLVMTypeOf(ir)), name, (unsigned)strlen(name), value, (unsigned)size));
}

static void make_local(LLVMValueRef ir)
{
	size_t size;
	const char *name = LLVMGetValueName2(ir, &size);
	LLVMValueRef local = wm_shim_clone(ir, ".copy");
	LLVMSetLinkage(local, LLVMInternalLinkage);
	set_attribute(local, COPY, name, size);
	if (is_of_standard_library(ir))
		set_attribute(local, UNCOUNTED, "", 0);
	wm_shim_delete_body(ir);
	redirect_calls(ir, local);
}

static void make_local_or_delete(LLVMValueRef ir)
{
	if (is_of_standard_library(ir))
		make_local(ir);
	else
		wm_shim_delete_body(ir);
}

static void change_each(LLVMModuleRef module, struct wm_files *files, void (*change)(LLVMValueRef ir))
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
		next = LLVMGetNextFunction(f);
		if (is_only_for_inlining(f) && !wm_files_in_system_header(files, f))
			change(f);
	}
}

void wm_inline_bodies_make_local(LLVMModuleRef module, struct wm_files *files)
{
	change_each(module, files, make_local);
}

void wm_inline_bodies_delete(LLVMModuleRef module, struct wm_files *files)
{
	change_each(module, files, make_local_or_delete);
}

void wm_inline_functions_keep(LLVMModuleRef module, struct wm_files *files)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (LLVMGetLinkage(f) == LLVMLinkOnceODRLinkage && LLVMGetVisibility(f) == LLVMDefaultVisibility &&
			!wm_files_in_system_header(files, f))
			LLVMSetLinkage(f, LLVMWeakODRLinkage);
}
