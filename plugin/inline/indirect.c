/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/inline/indirect.h"
#include "plugin/across/module_unit.h"
#include "plugin/extract/extract.h"
#include "plugin/extract/inline_bodies.h"
#include "plugin/llvm/scope.h"
#include "policy/known.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* ---- Targets ------------------------------------------------------------------------------ */

static bool is_instrumented(LLVMModuleRef module, const struct wm_options *options, LLVMValueRef ir)
{
	return LLVMIsDeclaration(ir) ||
	       (!wm_uninstrumentable(module, ir) && !wm_options_refuse(options, wm_linkage_name(ir)));
}

static bool is_target(
	LLVMModuleRef module, const struct wm_options *options, LLVMValueRef ir, struct wm_shim_analyses *analyses)
{
	return !LLVMGetIntrinsicID(ir) && wm_shim_has_address_taken(ir) && !wm_has_handler_type(ir) &&
	       !wm_is_opaque_callee(ir, analyses) && !wm_shim_has(ir, "returns_twice") &&
	       is_instrumented(module, options, ir);
}

static int by_likelihood(const void *left, const void *right)
{
	const struct wm_indirect_target *a = left, *b = right;
	int order = (a->activity < b->activity) - (a->activity > b->activity);
	return order ? order : strcmp(a->name, b->name);
}

static struct wm_indirect_target make_target(const struct wm_profile *profile, LLVMValueRef ir, const char *scope)
{
	const char *name = wm_linkage_name(ir);
	uint64_t key = wm_function_key(name, wm_is_local(ir) ? scope : NULL);
	return (struct wm_indirect_target){ir, name, profile ? wm_known_activity(profile, key) : 0};
}

enum wm_status wm_indirect_find(struct wm_indirect_targets *targets, LLVMModuleRef module,
	const struct wm_options *options, const char *scope, struct wm_shim_analyses *analyses, struct wm_arena *arena)
{
	size_t most = 0;
	*targets = (struct wm_indirect_targets){0};
	if (!options->indirect_targets)
		return WM_OK;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		most++;
	targets->target = WM_NEW(arena, struct wm_indirect_target, most);
	if (!targets->target)
		return WM_NO_MEMORY;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (is_target(module, options, f, analyses))
			targets->target[targets->count++] = make_target(wm_options_weights(options), f, scope);
	if (targets->count)
		qsort(targets->target, targets->count, sizeof *targets->target, by_likelihood);
	return WM_OK;
}

/* ---- Calls -------------------------------------------------------------------------------- */

/* LLVM requires a source line of direct calls between functions with debug information. */
static bool has_line(LLVMValueRef call, LLVMValueRef caller)
{
	return !LLVMGetSubprogram(caller) || LLVMInstructionGetDebugLoc(call);
}

static bool is_candidate(LLVMValueRef call, LLVMValueRef caller)
{
	return (LLVMIsACallInst(call) || LLVMIsAInvokeInst(call)) && wm_shim_is_indirect_call(call) &&
	       !(LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail) &&
	       !LLVMGetNumOperandBundles(call) && !wm_shim_call_has(call, "returns_twice") && has_line(call, caller);
}

static bool fits_call(LLVMValueRef call, LLVMValueRef target)
{
	return LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(target) &&
	       LLVMGetInstructionCallConv(call) == LLVMGetFunctionCallConv(target) &&
	       wm_shim_can_promote_call(call, target);
}

LLVMValueRef wm_indirect_promote(LLVMValueRef call, LLVMValueRef target)
{
	LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	return is_candidate(call, caller) && fits_call(call, target) ? wm_shim_promote_call(call, target) : NULL;
}

static void chain(const struct wm_indirect_targets *targets, LLVMValueRef call)
{
	bool ran = false;
	unsigned length = 0;
	for (size_t i = 0; i < targets->count && length < WM_INDIRECT_TARGETS; i++) {
		const struct wm_indirect_target *target = &targets->target[i];
		if (!fits_call(call, target->ir))
			continue;
		if (ran && !target->activity)
			return;
		ran = target->activity;
		wm_shim_promote_call(call, target->ir);
		length++;
	}
}

/* Into call[], if that is not NULL.  Returns how many. */
static size_t list_calls(LLVMValueRef ir, LLVMValueRef *call)
{
	size_t count = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (!is_candidate(i, ir))
				continue;
			if (call)
				call[count] = i;
			count++;
		}
	return count;
}

enum wm_status wm_indirect_chain(const struct wm_indirect_targets *targets, LLVMValueRef ir,
	struct wm_shim_analyses *analyses, struct wm_arena *arena)
{
	size_t count = targets->count ? list_calls(ir, NULL) : 0;
	if (!count)
		return WM_OK;
	LLVMValueRef *call = WM_NEW(arena, LLVMValueRef, count);
	if (!call)
		return WM_NO_MEMORY;
	list_calls(ir, call);
	for (size_t i = 0; i < count; i++)
		chain(targets, call[i]);
	wm_shim_drop_analyses(analyses, ir);
	return WM_OK;
}
