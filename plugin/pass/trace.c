/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/pass/trace.h"
#include "plugin/emit/emit.h"
#include "plugin/extract/inline_bodies.h"
#include "plugin/llvm/returns.h"
#include "plugin/llvm/shim.h"
#include <stdio.h>
#include <string.h>

enum { FRAME_BYTES = 64 };

struct tracing {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef i32, ptr;
	LLVMValueRef ir, frame;
	bool optimised;
	uint32_t block_count;
	LLVMBasicBlockRef *block; /* in the order of the function */
};

/* What the tracer is told of the end of an activation: numbers of enum wm_end, written out here. */
enum end { RETURNS = 1, NEVER_RETURNS = 2, UNWINDS = 3 };

static void call_tracer(struct tracing *t, const char *name, LLVMValueRef second, LLVMValueRef before)
{
	LLVMTypeRef parameters[] = {t->ptr, LLVMTypeOf(second)};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(t->context), parameters, 2, false);
	LLVMValueRef tracer = LLVMGetNamedFunction(t->module, name);
	if (!tracer)
		tracer = LLVMAddFunction(t->module, name, type);
	LLVMValueRef arguments[] = {t->frame, second};
	LLVMPositionBuilderBefore(t->builder, before);
	LLVMBuildCall2(t->builder, type, tracer, arguments, 2, "");
}

static uint32_t index_of(const struct tracing *t, LLVMBasicBlockRef block)
{
	uint32_t index = 0;
	while (t->block[index] != block)
		index++;
	return index;
}

static bool named_before(LLVMValueRef terminator, unsigned successor)
{
	for (unsigned i = 0; i < successor; i++)
		if (LLVMGetSuccessor(terminator, i) == LLVMGetSuccessor(terminator, successor))
			return true;
	return false;
}

static LLVMValueRef edge_array(struct tracing *t, uint32_t *count, struct wm_arena *arena)
{
	uint32_t successors = 0;
	for (uint32_t b = 0; b < t->block_count; b++)
		successors += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(t->block[b]));
	LLVMValueRef *numbers = WM_NEW(arena, LLVMValueRef, 2 * (size_t)successors);
	if (!numbers)
		return NULL;
	*count = 0;
	for (uint32_t b = 0; b < t->block_count; b++) {
		LLVMValueRef terminator = LLVMGetBasicBlockTerminator(t->block[b]);
		for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++) {
			if (named_before(terminator, i))
				continue;
			numbers[2 * *count] = LLVMConstInt(t->i32, b, false);
			numbers[2 * *count + 1] =
				LLVMConstInt(t->i32, index_of(t, LLVMGetSuccessor(terminator, i)), false);
			++*count;
		}
	}
	return LLVMConstArray2(t->i32, numbers, 2 * (uint64_t)*count);
}

static LLVMValueRef private_constant(struct tracing *t, LLVMValueRef value)
{
	LLVMValueRef global = LLVMAddGlobal(t->module, LLVMTypeOf(value), "__wm_trace.table");
	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, true);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	return global;
}

static LLVMValueRef text(struct tracing *t, const char *string)
{
	return private_constant(t, LLVMConstStringInContext2(t->context, string, strlen(string), false));
}

/* The source file; that of a local inline body has a prefix, because a report need not list the function. */
static const char *origin(const struct tracing *t, struct wm_arena *arena)
{
	static const char prefix[] = "copy:";
	size_t size;
	const char *source = LLVMGetSourceFileName(t->module, &size);
	if (!wm_is_local_inline_body(t->ir))
		return source;
	char *prefixed = WM_NEW(arena, char, sizeof prefix + size);
	if (prefixed)
		snprintf(prefixed, sizeof prefix + size, "%s%s", prefix, source);
	return prefixed;
}

static LLVMValueRef table(struct tracing *t, struct wm_arena *arena)
{
	uint32_t edges;
	LLVMValueRef list = edge_array(t, &edges, arena);
	const char *source = origin(t, arena);
	if (!list || !source)
		return NULL;
	LLVMValueRef fields[] = {text(t, wm_linkage_name(t->ir)), text(t, source),
		LLVMConstInt(t->i32, t->block_count, false), LLVMConstInt(t->i32, edges, false), list};
	return private_constant(t, LLVMConstStructInContext(t->context, fields, 5, false));
}

/* ---- Where an activation ends -------------------------------------------------------- */

static bool is_real_call(LLVMValueRef instruction)
{
	return LLVMIsACallInst(instruction) && !wm_shim_is_pseudo_call(instruction);
}

static LLVMValueRef last_call(LLVMValueRef terminator)
{
	LLVMValueRef at = LLVMGetPreviousInstruction(terminator);
	while (at && !is_real_call(at))
		at = LLVMGetPreviousInstruction(at);
	return at;
}

/* Nothing but the return stands after the call, and the return gives back what the call did. */
static bool is_last(LLVMValueRef call, LLVMValueRef ret)
{
	LLVMValueRef at = LLVMGetPreviousInstruction(ret);
	while (at != call && LLVMIsACallInst(at) && wm_shim_is_pseudo_call(at))
		at = LLVMGetPreviousInstruction(at);
	LLVMValueRef result = LLVMGetNumOperands(ret) ? LLVMGetOperand(ret, 0) : NULL;
	return at == call && (!result || result == call || LLVMIsUndef(result));
}

/* The frame of a tail call takes the place of ours: the path ends before it. */
static bool replaces_frame(const struct tracing *t, LLVMValueRef call, LLVMValueRef ret)
{
	LLVMTailCallKind kind = LLVMGetTailCallKind(call);
	if (kind == LLVMTailCallKindMustTail)
		return true;
	return t->optimised && kind == LLVMTailCallKindTail && !LLVMGetIntrinsicID(LLVMGetCalledValue(call)) &&
	       is_last(call, ret);
}

/* Before which instruction of a block an activation ends; NULL: it goes on.  Before the tracer is called there. */
static LLVMValueRef end_point(const struct tracing *t, LLVMBasicBlockRef block)
{
	LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block), call = last_call(terminator);
	LLVMOpcode code = LLVMGetInstructionOpcode(terminator);
	if (LLVMGetNumSuccessors(terminator))
		return NULL;
	bool before_call =
		call && (code == LLVMUnreachable || (code == LLVMRet && replaces_frame(t, call, terminator)));
	return before_call ? call : terminator;
}

static enum end end_of(LLVMBasicBlockRef block)
{
	LLVMOpcode code = LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(block));
	return code == LLVMRet ? RETURNS : code == LLVMUnreachable ? NEVER_RETURNS : UNWINDS;
}

/* ---- Calls ---------------------------------------------------------------------------- */

static bool is_tracer(LLVMValueRef callee)
{
	size_t size;
	return !strncmp(LLVMGetValueName2(callee, &size), "__wm_trace_", strlen("__wm_trace_"));
}

static bool is_call_of_function(LLVMValueRef instruction)
{
	if (!wm_is_call(instruction) || wm_shim_is_pseudo_call(instruction))
		return false;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	return !LLVMIsAInlineAsm(callee) && !LLVMGetIntrinsicID(callee) && !is_tracer(callee);
}

static void trace_calls(struct tracing *t, LLVMBasicBlockRef block)
{
	uint32_t position = 0;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		if (is_call_of_function(i))
			call_tracer(t, "__wm_trace_call", LLVMConstInt(t->i32, position++, false), i);
}

static bool list_blocks(struct tracing *t, struct wm_arena *arena)
{
	t->block_count = LLVMCountBasicBlocks(t->ir);
	t->block = WM_NEW(arena, LLVMBasicBlockRef, t->block_count);
	if (t->block)
		LLVMGetBasicBlocks(t->ir, t->block);
	return t->block;
}

/* The first instruction after the frame and the function's own allocas. */
static LLVMValueRef make_frame(struct tracing *t)
{
	LLVMValueRef first = LLVMGetFirstInstruction(t->block[0]);
	LLVMTypeRef type = LLVMArrayType2(LLVMInt64TypeInContext(t->context), FRAME_BYTES / 8);
	LLVMPositionBuilderBefore(t->builder, first);
	t->frame = LLVMBuildAlloca(t->builder, type, "waymark.frame");
	while (wm_shim_is_static_alloca(first))
		first = LLVMGetNextInstruction(first);
	LLVMPositionBuilderBefore(t->builder, first);
	LLVMBuildStore(t->builder, LLVMConstNull(type), t->frame);
	return first;
}

enum wm_status wm_trace(LLVMModuleRef module, LLVMValueRef ir, bool optimised, struct wm_arena *arena)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	struct tracing t = {.module = module,
		.context = context,
		.i32 = LLVMInt32TypeInContext(context),
		.ptr = LLVMPointerTypeInContext(context, 0),
		.ir = ir,
		.optimised = optimised};
	LLVMValueRef facts = list_blocks(&t, arena) ? table(&t, arena) : NULL;
	if (!facts)
		return WM_NO_MEMORY;
	t.builder = LLVMCreateBuilderInContext(context);
	LLVMValueRef first = make_frame(&t);
	for (uint32_t b = 0; b < t.block_count; b++) {
		LLVMValueRef end = end_point(&t, t.block[b]);
		if (b == 0)
			call_tracer(&t, "__wm_trace_enter", facts, first);
		call_tracer(&t, "__wm_trace_block", LLVMConstInt(t.i32, b, false),
			b ? wm_shim_first_insertion(t.block[b]) : first);
		trace_calls(&t, t.block[b]);
		if (end)
			call_tracer(&t, "__wm_trace_leave", LLVMConstInt(t.i32, end_of(t.block[b]), false), end);
	}
	LLVMDisposeBuilder(t.builder);
	wm_drop_memory_attributes(ir);
	return WM_OK;
}
