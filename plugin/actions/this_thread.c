/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/actions/this_thread.h"
#include "abi/thread.h"
#include "plugin/actions/inline_cost.h"
#include "plugin/actions/probe_points.h"
#include "plugin/llvm/returns.h"

/* ---- Whether the object is attached to the thread -------------------------------- */

static LLVMValueRef mark_variable(struct wm_emitter *emitter)
{
	static const char name[] = "__wm_mark";
	LLVMValueRef variable = LLVMGetNamedGlobal(emitter->module, name);
	if (variable)
		return variable;
	variable = LLVMAddGlobal(emitter->module, emitter->i64, name);
	LLVMSetVisibility(variable, LLVMHiddenVisibility);
	return variable;
}

/* The thread pointer is at address 0 relative to FS. */
void wm_thread_check(struct wm_emission *e, LLVMValueRef at)
{
	struct wm_emitter *emitter = e->emitter;
	enum { GS = 256, FS = 257 };
	LLVMContextRef context = emitter->context;
	LLVMTypeRef in_gs = LLVMPointerTypeInContext(context, GS), in_fs = LLVMPointerTypeInContext(context, FS);
	LLVMPositionBuilderBefore(e->builder, at);
	LLVMValueRef mark = LLVMBuildLoad2(e->builder, emitter->i64, mark_variable(emitter), "");
	LLVMValueRef own = LLVMBuildIntToPtr(e->builder, mark, in_gs, "");
	LLVMValueRef attached = LLVMBuildLoad2(e->builder, emitter->i64, own, "");
	LLVMValueRef self = LLVMBuildLoad2(e->builder, emitter->i64, LLVMConstNull(in_fs), "");
	LLVMValueRef unknown = LLVMBuildICmp(e->builder, LLVMIntNE, attached, self, "");
	LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(unknown, at));
	wm_call_runtime(e, "__wm_new_thread", LLVMVoidTypeInContext(emitter->context), NULL, 0);
}

/* ---- What a thread owns -------------------------------------------------------- */

static LLVMValueRef thread_variable(struct wm_emitter *emitter)
{
	LLVMValueRef variable = LLVMGetNamedGlobal(emitter->module, WM_THREAD_SYMBOL);
	if (variable)
		return variable;
	variable =
		LLVMAddGlobal(emitter->module, LLVMArrayType2(emitter->i8, sizeof(struct wm_thread)), WM_THREAD_SYMBOL);
	LLVMSetVisibility(variable, LLVMHiddenVisibility);
	LLVMSetThreadLocalMode(variable, LLVMInitialExecTLSModel);
	LLVMSetAlignment(variable, _Alignof(struct wm_thread));
	return variable;
}

/* In the entry block, so that one call serves the whole function; the result is the same in all of it, functions that are
 * inlined included. */
static LLVMValueRef ask_for_thread(struct wm_emission *e)
{
	LLVMValueRef ir = LLVMGetBasicBlockParent(LLVMGetInsertBlock(e->builder)), known = wm_thread_call(ir);
	if (known)
		return known;
	struct wm_emitter *emitter = e->emitter;
	LLVMTypeRef type = LLVMFunctionType(emitter->ptr, NULL, 0, false);
	LLVMValueRef function = LLVMGetNamedFunction(emitter->module, WM_THREAD_FUNCTION);
	if (!function) {
		function = LLVMAddFunction(emitter->module, WM_THREAD_FUNCTION, type);
		LLVMSetVisibility(function, LLVMHiddenVisibility);
		LLVMSetFunctionCallConv(function, LLVMPreserveMostCallConv);
	}
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(emitter->context);
	LLVMPositionBuilderBefore(builder, wm_after_allocas(ir));
	LLVMValueRef call = LLVMBuildCall2(builder, type, function, NULL, 0, "waymark.thread");
	LLVMDisposeBuilder(builder);
	LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
	wm_call_attribute(emitter, call, "memory", 0);
	wm_call_attribute(emitter, call, "nounwind", 0);
	wm_call_attribute(emitter, call, "willreturn", 0);
	wm_set_inline_cost(emitter, call, 0);
	return call;
}

LLVMValueRef wm_thread_field(struct wm_emission *e, size_t offset)
{
	LLVMValueRef at = wm_constant(e->emitter, offset);
	bool shared = wm_may_be_shared(e->emitter->module);
	LLVMValueRef base = shared ? ask_for_thread(e) : thread_variable(e->emitter);
	return LLVMBuildGEP2(e->builder, e->emitter->i8, base, &at, 1, "");
}
