/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/inline/inline_targets.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

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

/* Puts one direct call before an indirect call, if the call may be replaced and the function has its type and calling
 * convention.  Returns the direct call, or NULL. */
static LLVMValueRef promote(LLVMValueRef call, LLVMValueRef target)
{
	LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	return is_candidate(call, caller) && fits_call(call, target) ? wm_shim_promote_call(call, target) : NULL;
}

/* A function of the unit by name that may be inlined; WM_NONE: there is none. */
static uint32_t find_function(const struct wm_inline_request *r, const char *name)
{
	for (uint32_t f = 0; f < r->unit.function_count; f++)
		if (!strcmp(r->unit.function[f].name, name))
			return r->subject[f].listed && !wm_shim_is_interposable(r->subject[f].ir) ? f : WM_NONE;
	return WM_NONE;
}

/* The call sites of a function, while they are extended. */
struct sites {
	uint32_t count, capacity, anchor_capacity;
	struct wm_call *call;
	LLVMValueRef *anchor;
};

static bool add_site(struct sites *sites, const struct wm_call *call, LLVMValueRef anchor, struct wm_arena *arena)
{
	struct wm_call *calls = wm_arena_grow(arena, sites->call, &sites->capacity, sites->count, sizeof *calls);
	LLVMValueRef *anchors =
		wm_arena_grow(arena, sites->anchor, &sites->anchor_capacity, sites->count, sizeof *anchors);
	if (!calls || !anchors)
		return false;
	sites->call = calls;
	sites->anchor = anchors;
	calls[sites->count] = *call;
	anchors[sites->count++] = anchor;
	return true;
}

static bool add_targets(
	struct wm_inline_request *r, uint32_t f, uint32_t site, struct sites *sites, struct wm_arena *arena)
{
	const struct wm_site_list *list = &r->options->inlining.sites;
	const struct wm_map_function *caller = r->subject[f].function;
	struct wm_call call = r->unit.function[f].call[site];
	LLVMValueRef indirect = r->subject[f].calls->call[site];
	struct wm_cross_rule *rule = wm_site_list_target(list, NULL, caller, &call);
	for (uint32_t count = 0; rule && count < WM_LISTED_TARGETS;
		rule = wm_site_list_target(list, rule + 1, caller, &call)) {
		call.callee = find_function(r, rule->callee);
		LLVMValueRef direct = call.callee == WM_NONE ? NULL : promote(indirect, r->subject[call.callee].ir);
		if (direct && !add_site(sites, &call, direct, arena))
			return false;
		count += direct != NULL;
		r->subject[f].changed |= direct != NULL;
	}
	return true;
}

static bool extend_request(struct wm_inline_request *r, uint32_t f, struct wm_arena *arena)
{
	struct wm_unit_function *function = &r->unit.function[f];
	struct sites sites = {0};
	for (uint32_t i = 0; i < function->call_count; i++) {
		LLVMValueRef call = r->subject[f].calls->call[i];
		if (function->call[i].callee == WM_NONE && wm_shim_is_indirect_call(call) &&
			!add_targets(r, f, i, &sites, arena))
			return false;
		if (!add_site(&sites, &function->call[i], call, arena))
			return false;
	}
	struct wm_call_anchors *anchors = WM_NEW(arena, struct wm_call_anchors, 1);
	if (!anchors)
		return false;
	anchors->call = sites.anchor;
	function->call = sites.call;
	function->call_count = sites.count;
	r->subject[f].calls = anchors;
	return true;
}

enum wm_status wm_inline_targets(struct wm_inline_request *request, struct wm_arena *arena)
{
	if (!request->options->inlining.has_sites)
		return WM_OK;
	for (uint32_t f = 0; f < request->unit.function_count; f++)
		if (request->subject[f].listed && !extend_request(request, f, arena))
			return WM_NO_MEMORY;
	return WM_OK;
}
