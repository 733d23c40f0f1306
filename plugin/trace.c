/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/trace.h"
#include "plugin/copies.h"
#include <stdio.h>
#include <string.h>

enum { FRAME_BYTES = 64 };

struct tracing {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef i32, ptr;
	LLVMValueRef ir, frame;
	const struct wm_anchors *anchors;
	uint32_t block_count;
};

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
	while (t->anchors->block[index] != block)
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
		successors += LLVMGetNumSuccessors(t->anchors->terminator[b]);
	LLVMValueRef *numbers = WM_NEW(arena, LLVMValueRef, 2 * (size_t)successors);
	if (!numbers)
		return NULL;
	*count = 0;
	for (uint32_t b = 0; b < t->block_count; b++) {
		LLVMValueRef terminator = t->anchors->terminator[b];
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

/* The source file; that of a copy is marked, because a report need not list the function. */
static const char *origin(const struct tracing *t, struct wm_arena *arena)
{
	static const char mark[] = "copy:";
	size_t size;
	const char *source = LLVMGetSourceFileName(t->module, &size);
	if (!wm_is_local_copy(t->ir))
		return source;
	char *marked = WM_NEW(arena, char, sizeof mark + size);
	if (marked)
		snprintf(marked, sizeof mark + size, "%s%s", mark, source);
	return marked;
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

static unsigned end_of(LLVMValueRef terminator)
{
	switch (LLVMGetInstructionOpcode(terminator)) {
	case LLVMRet:
		return WM_END_RETURN;
	case LLVMUnreachable:
		return WM_END_NORETURN;
	default:
		return WM_END_UNWIND;
	}
}

enum wm_status wm_trace(LLVMModuleRef module, LLVMValueRef ir, const struct wm_anchors *anchors, struct wm_arena *arena)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	struct tracing t = {.module = module,
		.context = context,
		.builder = LLVMCreateBuilderInContext(context),
		.i32 = LLVMInt32TypeInContext(context),
		.ptr = LLVMPointerTypeInContext(context, 0),
		.ir = ir,
		.anchors = anchors,
		.block_count = LLVMCountBasicBlocks(ir)};
	LLVMValueRef facts = table(&t, arena);
	LLVMValueRef first = LLVMGetFirstInstruction(anchors->block[0]);
	LLVMPositionBuilderBefore(t.builder, first);
	LLVMTypeRef frame_type = LLVMArrayType2(LLVMInt64TypeInContext(context), FRAME_BYTES / 8);
	t.frame = LLVMBuildAlloca(t.builder, frame_type, "waymark.frame");
	while (wm_shim_is_static_alloca(first))
		first = LLVMGetNextInstruction(first);
	LLVMPositionBuilderBefore(t.builder, first);
	LLVMBuildStore(t.builder, LLVMConstNull(frame_type), t.frame);
	if (facts)
		call_tracer(&t, "__wm_trace_enter", facts, first);
	for (uint32_t b = 0; b < t.block_count && facts; b++) {
		LLVMValueRef at = b ? wm_shim_first_insertion(anchors->block[b]) : first;
		call_tracer(&t, "__wm_trace_block", LLVMConstInt(t.i32, b, false), at);
		if (anchors->exit[b])
			call_tracer(&t, "__wm_trace_leave", LLVMConstInt(t.i32, end_of(anchors->terminator[b]), false),
				anchors->exit[b]);
	}
	LLVMDisposeBuilder(t.builder);
	return facts ? WM_OK : WM_NO_MEMORY;
}
