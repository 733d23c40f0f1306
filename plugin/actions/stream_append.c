/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A thread reserves a word with one instruction (xadd without a lock prefix) and then writes it, so that a signal
 * handler that appends between the two loses nothing.  The cursor is a field of struct wm_thread.  A bit of
 * the address tells whether the word lies in the buffer; an entry that does not fit is handed to the runtime.
 *
 *     mov  $8, %eax
 *     xadd %rax, %fs:cursor
 *     test $WM_STREAM_FULL, %eax
 *     jne  full
 *     mov  index(%rip), %rcx         (index of the function + 1) << 32
 *     add  id, %rcx
 *     mov  %rcx, (%rax)
 */
#include "plugin/actions/stream_append.h"
#include "abi/stream.h"
#include "abi/thread.h"
#include "plugin/actions/this_thread.h"
#include "plugin/llvm/returns.h"
#include <string.h>

static LLVMValueRef inline_assembly(LLVMTypeRef type, const char *text, const char *constraints)
{
	return LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), false, false,
		LLVMInlineAsmDialectATT, false);
}

static void describe_memory(struct wm_emitter *emitter, LLVMValueRef call, unsigned memory)
{
	wm_call_attribute(emitter, call, "memory", memory);
	wm_call_attribute(emitter, call, "nounwind", 0);
	wm_call_attribute(emitter, call, "willreturn", 0);
}

/* Locations of the attribute `memory`, with read and write access. */
enum { ARGUMENT_MEMORY = 3, INACCESSIBLE_MEMORY = 3 << 2 };

static LLVMValueRef reserve_word(struct wm_emission *e)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef cursor = wm_thread_field(e, offsetof(struct wm_thread, stream_cursor));
	LLVMTypeRef parameters[] = {emitter->ptr, emitter->i64, emitter->ptr};
	LLVMTypeRef type = LLVMFunctionType(emitter->i64, parameters, 3, false);
	LLVMValueRef arguments[] = {cursor, wm_constant(emitter, sizeof(uint64_t)), cursor};
	LLVMValueRef call = LLVMBuildCall2(e->builder, type,
		inline_assembly(type, "xaddq $0, $1", "=r,=*m,0,*m,~{dirflag},~{fpsr},~{flags}"), arguments, 3, "");
	const char element[] = "elementtype";
	LLVMAttributeRef attribute = LLVMCreateTypeAttribute(
		emitter->context, LLVMGetEnumAttributeKindForName(element, sizeof element - 1), emitter->i64);
	LLVMAddCallSiteAttribute(call, 1, attribute);
	LLVMAddCallSiteAttribute(call, 3, attribute);
	describe_memory(emitter, call, ARGUMENT_MEMORY);
	return call;
}

/* The buffer is memory that the program does not access.  As an ordinary store, this would make LLVM reload whatever
 * the program has in registers. */
static void write_word(struct wm_emission *e, LLVMValueRef address, LLVMValueRef word)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMTypeRef parameters[] = {emitter->i64, emitter->i64};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(emitter->context), parameters, 2, false);
	LLVMValueRef arguments[] = {address, word};
	LLVMValueRef call =
		LLVMBuildCall2(e->builder, type, inline_assembly(type, "movq $1, ($0)", "r,r"), arguments, 2, "");
	describe_memory(emitter, call, INACCESSIBLE_MEMORY);
}

/* Reserves a word.  The builder continues where there was room; *full is where there was none. */
static LLVMValueRef reserve_or_fail(struct wm_emission *e, LLVMValueRef at, LLVMValueRef *full)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef room;
	LLVMPositionBuilderBefore(e->builder, at);
	LLVMValueRef address = reserve_word(e);
	LLVMValueRef outside = LLVMBuildAnd(e->builder, address, wm_constant(emitter, WM_STREAM_FULL), "");
	wm_shim_if_likely_else(LLVMBuildIsNull(e->builder, outside, ""), at, &room, full);
	LLVMPositionBuilderBefore(e->builder, room);
	return address;
}

static void call_full(struct wm_emission *e, const char *name, LLVMValueRef *arguments, unsigned count, LLVMValueRef at)
{
	LLVMPositionBuilderBefore(e->builder, at);
	LLVMValueRef call = wm_call_runtime(e, name, LLVMVoidTypeInContext(e->emitter->context), arguments, count);
	describe_memory(e->emitter, call, ARGUMENT_MEMORY | INACCESSIBLE_MEMORY);
}

void wm_emit_append(struct wm_emission *e, LLVMValueRef id, LLVMValueRef at)
{
	LLVMValueRef full, address = reserve_or_fail(e, at, &full);
	LLVMValueRef index = wm_load(e, e->emitter->i64, e->global.head);
	write_word(e, address, LLVMBuildAdd(e->builder, index, id, ""));
	LLVMValueRef arguments[] = {e->global.record, id};
	call_full(e, "__wm_stream_path", arguments, 2, full);
	LLVMPositionBuilderBefore(e->builder, at);
}

void wm_emit_identity(struct wm_emission *e, enum wm_action_kind kind, LLVMValueRef at)
{
	struct wm_emitter *emitter = e->emitter;
	enum wm_stream_kind entry = kind == WM_ACTION_LAND ? WM_STREAM_LAND : WM_STREAM_FRAME;
	LLVMPositionBuilderBefore(e->builder, at);
	LLVMValueRef frame = LLVMBuildPtrToInt(e->builder, e->reg.frame, emitter->i64, "");
	LLVMValueRef word = LLVMBuildOr(e->builder, frame, wm_constant(emitter, wm_stream_special(entry, 0)), "");
	LLVMValueRef full, address = reserve_or_fail(e, at, &full);
	write_word(e, address, word);
	call_full(e, "__wm_stream_word", &word, 1, full);
	LLVMPositionBuilderBefore(e->builder, at);
}

/* ---- Parts ------------------------------------------------------------------------ */

static enum wm_status part_anchors(struct wm_anchors *made, const struct wm_parts *parts,
	const struct wm_anchors *anchors, const struct wm_call_anchors *calls, struct wm_arena *arena)
{
	uint32_t part_count = parts->graph.block_count;
	*made = *anchors;
	made->block = WM_NEW(arena, LLVMBasicBlockRef, part_count);
	made->terminator = WM_NEW(arena, LLVMValueRef, part_count);
	made->exit = WM_NEW(arena, LLVMValueRef, part_count);
	made->may_not_return = WM_NEW(arena, bool, part_count);
	made->edge_successor = WM_NEW(arena, uint32_t, parts->graph.edge_count);
	if (!made->block || !made->terminator || !made->exit || !made->may_not_return || !made->edge_successor)
		return WM_NO_MEMORY;
	for (uint32_t p = 0; p < part_count; p++) {
		uint32_t block = parts->block[p], call = parts->before[p];
		made->block[p] = anchors->block[block];
		made->may_not_return[p] = anchors->may_not_return[block];
		made->terminator[p] = call == WM_NONE ? anchors->terminator[block] : calls->call[call];
		made->exit[p] = call == WM_NONE ? anchors->exit[block] : NULL;
	}
	for (uint32_t e = 0; e < parts->graph.edge_count; e++)
		if (parts->edge[e] != WM_NONE)
			made->edge_successor[e] = anchors->edge_successor[parts->edge[e]];
	return WM_OK;
}

/* An intrinsic is no call site, so nothing would tell the second return of __builtin_setjmp from the first. */
static bool resumes_unseen(const struct wm_anchors *anchors)
{
	for (uint32_t i = 0; i < anchors->resume_count; i++)
		if (LLVMGetIntrinsicID(LLVMGetCalledValue(anchors->resume_call[i])))
			return true;
	return false;
}

enum wm_status wm_divide(struct wm_divided **divided, const struct wm_unit_function *in_unit,
	struct wm_map_function *function, const struct wm_anchors *anchors, const struct wm_call_anchors *calls,
	struct wm_arena *arena)
{
	struct wm_divided *made = WM_NEW(arena, struct wm_divided, 1);
	enum wm_status status = made ? wm_subpath_plan(&made->plan, &made->parts, in_unit, arena) : WM_NO_MEMORY;
	if (status == WM_TOO_MANY || resumes_unseen(anchors)) {
		function->reason = status == WM_TOO_MANY ? "has too many paths to be recorded"
							 : "uses __builtin_setjmp, which a recording cannot follow";
		return WM_BAD_GRAPH;
	}
	if (status == WM_OK)
		status = part_anchors(&made->anchors, &made->parts, anchors, calls, arena);
	if (status == WM_OK)
		*divided = made;
	return status;
}

/* ---- Threads ------------------------------------------------------------------------ */

/* The thread is the first argument, or what it points to.  `checked`: the result 0 means success. */
static const struct thread_function {
	const char *name;
	bool creates, points, checked;
} thread_functions[] = {
	{"pthread_create", true, true, true},
	{"thrd_create", true, true, true},
	{"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE", true, true, false},
	{"pthread_join", false, false, true},
	{"pthread_tryjoin_np", false, false, true},
	{"pthread_timedjoin_np", false, false, true},
	{"pthread_clockjoin_np", false, false, true},
	{"thrd_join", false, false, true},
	{"_ZNSt6thread4joinEv", false, true, false},
};

static const struct thread_function *find_thread_function(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) || LLVMGetNumArgOperands(call) == 0)
		return NULL;
	size_t size;
	const char *name = LLVMGetValueName2(callee, &size);
	for (size_t i = 0; i < sizeof thread_functions / sizeof *thread_functions; i++)
		if (!strcmp(name, thread_functions[i].name))
			return &thread_functions[i];
	return NULL;
}

static LLVMValueRef thread_of(struct wm_emitter *emitter, const struct thread_function *function, LLVMValueRef call)
{
	LLVMValueRef argument = LLVMGetOperand(call, 0);
	return function->points ? LLVMBuildLoad2(emitter->builder, emitter->i64, argument, "") : argument;
}

static LLVMValueRef behind(LLVMValueRef call)
{
	return LLVMIsAInvokeInst(call) ? wm_shim_first_insertion(wm_shim_edge_block(call, 0))
				       : LLVMGetNextInstruction(call);
}

/* A joined std::thread no longer knows its thread: it is read before the call. */
static void emit_thread_event(struct wm_emitter *emitter, const struct thread_function *function, LLVMValueRef call)
{
	struct wm_emission e = {.emitter = emitter, .builder = emitter->builder};
	LLVMValueRef at = behind(call), thread = NULL;
	if (!function->creates) {
		LLVMPositionBuilderBefore(emitter->builder, call);
		thread = thread_of(emitter, function, call);
	}
	LLVMPositionBuilderBefore(emitter->builder, at);
	if (function->checked) {
		at = wm_shim_if_unlikely(LLVMBuildIsNull(emitter->builder, call, ""), at);
		LLVMPositionBuilderBefore(emitter->builder, at);
	}
	if (function->creates)
		thread = thread_of(emitter, function, call);
	LLVMValueRef arguments[] = {
		wm_constant(emitter, function->creates ? WM_STREAM_CREATE : WM_STREAM_JOIN), thread};
	wm_call_runtime(&e, "__wm_stream_event", LLVMVoidTypeInContext(emitter->context), arguments, 2);
}

void wm_emit_thread_events(
	struct wm_emitter *emitter, const struct wm_unit_function *function, const struct wm_call_anchors *calls)
{
	for (uint32_t c = 0; c < function->call_count; c++) {
		const struct thread_function *known = find_thread_function(calls->call[c]);
		if (known && !wm_unit_is_last_call(function, c))
			emit_thread_event(emitter, known, calls->call[c]);
	}
}

/* Whether nothing can follow the call in its function. */
static bool is_last(LLVMValueRef call)
{
	LLVMValueRef next = LLVMGetNextInstruction(call);
	return !LLVMIsAInvokeInst(call) && (LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail || !next ||
						   LLVMGetInstructionOpcode(next) == LLVMUnreachable);
}

void wm_emit_thread_events_of_system(struct wm_emitter *emitter, LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function), next_block; b; b = next_block) {
		next_block = LLVMGetNextBasicBlock(b); /* emitting splits blocks: what is new follows b */
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			next = LLVMGetNextInstruction(i);
			const struct thread_function *known =
				wm_is_call(i) && !is_last(i) ? find_thread_function(i) : NULL;
			if (known)
				emit_thread_event(emitter, known, i);
		}
	}
}
