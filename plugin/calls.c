/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/calls.h"
#include "plugin/leaving.h"

static bool is_site(LLVMValueRef instruction)
{
	if (!wm_is_call(instruction) || wm_shim_is_pseudo_call(instruction))
		return false;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	return !LLVMIsAInlineAsm(callee) && !LLVMGetIntrinsicID(callee);
}

static uint32_t count_sites(const struct wm_unit_function *function, const struct wm_anchors *anchors)
{
	uint32_t count = 0;
	for (uint32_t b = 0; b < function->graph->block_count; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(anchors->block[b]); i; i = LLVMGetNextInstruction(i))
			count += is_site(i);
	return count;
}

enum wm_status wm_extract_calls(struct wm_unit_function *function, struct wm_call_anchors *calls,
	const struct wm_anchors *anchors, uint32_t (*find)(void *closure, LLVMValueRef callee), void *closure,
	struct wm_arena *arena)
{
	uint32_t most = count_sites(function, anchors);
	function->call_count = 0;
	function->call = WM_NEW(arena, struct wm_call, most);
	calls->call = WM_NEW(arena, LLVMValueRef, most);
	if (!function->call || !calls->call)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < function->graph->block_count; b++) {
		uint32_t position = 0;
		for (LLVMValueRef i = LLVMGetFirstInstruction(anchors->block[b]); i; i = LLVMGetNextInstruction(i)) {
			if (!is_site(i))
				continue;
			LLVMValueRef callee = LLVMGetCalledValue(i);
			bool fits = LLVMIsAFunction(callee) &&
				    LLVMGetCalledFunctionType(i) == LLVMGlobalGetValueType(callee);
			calls->call[function->call_count] = i;
			function->call[function->call_count++] = (struct wm_call){.block = b,
				.position = position++,
				.callee = fits ? find(closure, callee) : WM_NONE,
				.may_not_return = wm_may_not_return(i),
				.unwinds = LLVMIsAInvokeInst(i)};
		}
	}
	return WM_OK;
}
