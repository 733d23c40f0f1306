/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/crash/frames.h"
#include "abi/crash.h"
#include "abi/thread.h"
#include "plugin/actions/inline_cost.h"
#include "plugin/actions/this_thread.h"
#include "plugin/emit/emit.h"
#include "plugin/llvm/returns.h"
#include <stdlib.h>
#include <string.h>

enum { SLOT = sizeof(struct wm_crash_frame), TAG = offsetof(struct wm_crash_frame, tag), PAGE = 4096 };
static const char take_name[] = "__wm_frame_take", drop_name[] = "__wm_frame_drop", unwind_name[] = "__wm_crash_unwind";

uint32_t wm_frame_size(uint32_t pieces)
{
	return SLOT * (pieces ? 1 + wm_crash_more(pieces) : 1);
}

/* ---- Messages --------------------------------------------------------------------------- */

static LLVMValueRef send_message(
	struct wm_emission *e, const char *name, LLVMTypeRef result, LLVMValueRef argument, uint32_t pieces)
{
	enum { INACCESSIBLE_READ_WRITE = 3 << 2 };
	LLVMTypeRef types[] = {LLVMTypeOf(argument), e->emitter->i32};
	LLVMTypeRef type = LLVMFunctionType(result, types, 2, false);
	LLVMValueRef function = LLVMGetNamedFunction(e->emitter->module, name),
		     arguments[] = {argument, LLVMConstInt(e->emitter->i32, pieces, false)};
	if (!function)
		function = LLVMAddFunction(e->emitter->module, name, type);
	LLVMValueRef call = LLVMBuildCall2(e->builder, type, function, arguments, 2, "");
	wm_call_attribute(e->emitter, call, "memory", INACCESSIBLE_READ_WRITE);
	wm_call_attribute(e->emitter, call, "nounwind", 0);
	wm_call_attribute(e->emitter, call, "willreturn", 0);
	wm_set_inline_cost(e->emitter, call, 0);
	return call;
}

LLVMValueRef wm_frame_take(struct wm_emission *e, uint32_t tag, uint32_t pieces)
{
	return send_message(e, take_name, e->emitter->ptr, wm_constant(e->emitter, tag), pieces);
}

void wm_frame_drop(struct wm_emission *e, LLVMValueRef frame, uint32_t pieces)
{
	send_message(e, drop_name, LLVMVoidTypeInContext(e->emitter->context), frame, pieces);
}

static LLVMValueRef address(struct wm_emission *e, LLVMValueRef base, uint64_t offset)
{
	LLVMValueRef index = wm_constant(e->emitter, offset);
	return offset ? LLVMBuildGEP2(e->builder, e->emitter->i8, base, &index, 1, "") : base;
}

void wm_frame_unwind(struct wm_emission *e, LLVMValueRef frame, uint32_t pieces)
{
	LLVMValueRef last = address(e, frame, wm_frame_size(pieces) - SLOT);
	LLVMValueRef call = wm_call_runtime(e, unwind_name, LLVMVoidTypeInContext(e->emitter->context), &last, 1);
	wm_set_inline_cost(e->emitter, call, 0);
}

/* ---- How many frames of a machine function are taken ----------------------------------------- */

enum { UNSEEN = -1, VARIES = -2, GROUP = WM_CRASH_SLACK / SLOT };

struct machine_function {
	struct wm_emission e; /* only emitter, builder and ir are used */
	size_t block_count;
	LLVMBasicBlockRef *block;
	int *depth; /* per block: the number of frames on entry, or one of the above */
	bool counted; /* `depth` is known wherever it matters */
	bool changed;
	LLVMValueRef *base; /* per group: a variable, the address of its first frame; or NULL */
};

static bool calls(LLVMValueRef i, const char *name)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	size_t size;
	return callee && LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName2(callee, &size), name);
}

static uint32_t pieces_of(LLVMValueRef message)
{
	return (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(message, 1));
}

static int by_block(const void *a, const void *b)
{
	LLVMBasicBlockRef x = *(const LLVMBasicBlockRef *)a, y = *(const LLVMBasicBlockRef *)b;
	return (x > y) - (x < y);
}

static int *depth_of(struct machine_function *m, LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef *found = bsearch(&block, m->block, m->block_count, sizeof *m->block, by_block);
	return &m->depth[found - m->block];
}

/* The depth after an instruction.  A landing pad is reached from calls in functions that were inlined too; the address in
 * the call of the runtime says which frame is the last one then. */
static int depth_after(struct machine_function *m, LLVMValueRef i, int depth);

static int depth_at(struct machine_function *m, LLVMValueRef message)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(message);
	int depth = *depth_of(m, block);
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != message; i = LLVMGetNextInstruction(i))
		depth = depth_after(m, i, depth);
	return depth;
}

static int depth_after_unwind(struct machine_function *m, LLVMValueRef frame)
{
	if (!LLVMIsAInstruction(frame) || !calls(frame, take_name))
		return VARIES;
	int before = depth_at(m, frame);
	return before < 0 ? before : before + 1;
}

static int depth_after(struct machine_function *m, LLVMValueRef i, int depth)
{
	bool takes = calls(i, take_name), drops = calls(i, drop_name);
	if (calls(i, unwind_name))
		return depth_after_unwind(m, LLVMGetOperand(i, 0));
	if (!takes && !drops)
		return depth;
	if (depth == VARIES || pieces_of(i) || (drops && depth == 0))
		m->counted = false;
	return depth < 0 ? depth : takes ? depth + 1 : depth - 1;
}

static void note_depth(struct machine_function *m, LLVMBasicBlockRef block, int depth)
{
	int *known = depth_of(m, block), joined = *known == UNSEEN || *known == depth ? depth : VARIES;
	m->changed |= joined != *known;
	*known = joined;
}

static void leave_block(struct machine_function *m, LLVMBasicBlockRef block, int depth)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
	for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
		note_depth(m, LLVMGetSuccessor(last, i), depth);
}

static void count_frames(struct machine_function *m)
{
	*depth_of(m, LLVMGetEntryBasicBlock(m->e.ir)) = 0;
	do {
		m->changed = false;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(m->e.ir); b; b = LLVMGetNextBasicBlock(b)) {
			int depth = *depth_of(m, b);
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && depth != UNSEEN;
				i = LLVMGetNextInstruction(i))
				depth = depth_after(m, i, depth);
			if (depth != UNSEEN)
				leave_block(m, b, depth);
		}
	} while (m->changed && m->counted);
}

/* ---- Replacing messages --------------------------------------------------------------------------- */

static LLVMValueRef top(struct wm_emission *e)
{
	return wm_thread_field(e, offsetof(struct wm_thread, crash_top));
}

static void store_volatile(struct wm_emission *e, LLVMValueRef value, LLVMValueRef at)
{
	LLVMSetVolatile(LLVMBuildStore(e->builder, value, at), true);
}

/* One machine instruction. */
static void move_top(struct wm_emission *e, int64_t bytes)
{
	LLVMValueRef now = LLVMBuildLoad2(e->builder, e->emitter->i64, top(e), "");
	LLVMSetVolatile(now, true);
	store_volatile(e, LLVMBuildAdd(e->builder, now, wm_constant(e->emitter, (uint64_t)bytes), ""), top(e));
}

/* The tag and, in the same store, the site 0. */
static void store_tags(struct wm_emission *e, LLVMValueRef frame, LLVMValueRef tag, uint32_t pieces)
{
	move_top(e, wm_frame_size(pieces));
	store_volatile(e, tag, address(e, frame, TAG));
	if (pieces)
		store_volatile(e, wm_constant(e->emitter, WM_CRASH_MORE + pieces), address(e, frame, SLOT + TAG));
}

/* Whether the runtime must be asked: in the first bytes of a page, and where the frame would end on the next one. */
static LLVMValueRef needs_runtime(struct wm_emission *e, LLVMValueRef frame, uint32_t pieces)
{
	LLVMValueRef number = LLVMBuildPtrToInt(e->builder, frame, e->emitter->i64, "");
	if (!pieces)
		return LLVMBuildIsNull(e->builder,
			LLVMBuildAnd(e->builder, number, wm_constant(e->emitter, PAGE - WM_CRASH_SLACK), ""), "");
	LLVMValueRef moved = LLVMBuildSub(e->builder, number, wm_constant(e->emitter, WM_CRASH_SLACK), "");
	return LLVMBuildICmp(e->builder, LLVMIntUGT,
		LLVMBuildAnd(e->builder, moved, wm_constant(e->emitter, PAGE - 1), ""),
		wm_constant(e->emitter, PAGE - WM_CRASH_SLACK - wm_frame_size(pieces)), "");
}

static LLVMValueRef take_from_top(struct wm_emission *e, LLVMValueRef message)
{
	uint32_t pieces = pieces_of(message);
	LLVMValueRef from_top = LLVMBuildLoad2(e->builder, e->emitter->ptr, top(e), "");
	LLVMValueRef slow = wm_shim_if_unlikely(needs_runtime(e, from_top, pieces), message);
	LLVMPositionBuilderBefore(e->builder, slow);
	LLVMValueRef arguments[] = {from_top, wm_constant(e->emitter, wm_frame_size(pieces))};
	LLVMValueRef given = wm_call_runtime(e, "__wm_crash_take", e->emitter->ptr, arguments, 2);
	wm_set_inline_cost(e->emitter, given, 0);
	store_volatile(e, given, top(e));
	LLVMBasicBlockRef asked = LLVMGetInstructionParent(slow), here = LLVMGetInstructionParent(message),
			  before = LLVMGetInstructionParent(from_top);
	LLVMPositionBuilderBefore(e->builder, LLVMGetFirstInstruction(here));
	LLVMValueRef frame = LLVMBuildPhi(e->builder, e->emitter->ptr, "");
	LLVMAddIncoming(frame, &from_top, &before, 1);
	LLVMAddIncoming(frame, &given, &asked, 1);
	LLVMPositionBuilderBefore(e->builder, message);
	return frame;
}

/* The variable of a group; the last pass makes it a value. */
static LLVMValueRef base_of(struct machine_function *m, int depth)
{
	LLVMValueRef *base = &m->base[depth / GROUP];
	if (!*base)
		*base = wm_new_alloca(&m->e, m->e.emitter->ptr, "waymark.base");
	return *base;
}

static void lower_take(struct machine_function *m, LLVMValueRef message, int depth)
{
	struct wm_emission *e = &m->e;
	LLVMValueRef frame, base = depth < 0 ? NULL : base_of(m, depth);
	LLVMPositionBuilderBefore(e->builder, message);
	if (base && depth % GROUP) {
		frame = address(e, wm_load(e, e->emitter->ptr, base), (uint64_t)(SLOT * (depth % GROUP)));
	} else {
		frame = take_from_top(e, message);
		if (base)
			LLVMBuildStore(e->builder, frame, base);
	}
	store_tags(e, frame, LLVMGetOperand(message, 0), pieces_of(message));
	LLVMReplaceAllUsesWith(message, frame);
	LLVMInstructionEraseFromParent(message);
}

/* The frame of a function that was not inlined sets the top to its address: a longjmp out of code that is not instrumented
 * may have left frames above it. */
static void lower_drop(struct wm_emission *e, LLVMValueRef message, int depth)
{
	uint32_t pieces = pieces_of(message);
	bool inlined = depth > 0 && (depth - 1) % GROUP;
	LLVMValueRef frame = LLVMGetOperand(message, 0), zero = LLVMConstNull(e->emitter->i32);
	LLVMPositionBuilderBefore(e->builder, message);
	store_volatile(e, zero, address(e, frame, TAG));
	if (pieces == 1)
		store_volatile(e, zero, address(e, frame, SLOT + TAG));
	else if (pieces)
		LLVMBuildMemSet(e->builder, address(e, frame, SLOT), LLVMConstNull(e->emitter->i8),
			wm_constant(e->emitter, wm_frame_size(pieces) - SLOT), 8);
	if (inlined)
		move_top(e, -(int64_t)SLOT);
	else
		store_volatile(e, frame, top(e));
	LLVMInstructionEraseFromParent(message);
}

struct list {
	size_t count;
	LLVMValueRef *message;
	int *depth; /* per message, before it; negative: not known */
};

static void list_messages(struct machine_function *m, struct list *list)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(m->e.ir); b; b = LLVMGetNextBasicBlock(b)) {
		int depth = m->counted ? *depth_of(m, b) : UNSEEN;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (calls(i, take_name) || calls(i, drop_name)) {
				list->depth[list->count] = depth;
				list->message[list->count++] = i;
			}
			depth = m->counted && depth != UNSEEN ? depth_after(m, i, depth) : UNSEEN;
		}
	}
}

static void lower_messages(struct machine_function *m, struct list *list)
{
	for (size_t i = 0; i < m->block_count; i++)
		m->depth[i] = UNSEEN;
	qsort(m->block, m->block_count, sizeof *m->block, by_block);
	count_frames(m);
	list_messages(m, list);
	for (size_t i = 0; i < list->count; i++)
		if (calls(list->message[i], take_name))
			lower_take(m, list->message[i], list->depth[i]);
		else
			lower_drop(&m->e, list->message[i], list->depth[i]);
	for (size_t i = 0; i <= list->count; i++)
		if (m->base[i])
			wm_shim_promote(m->e.ir, &m->base[i], 1);
	wm_drop_memory_attributes(m->e.ir);
}

/* `messages`: how many the function has.  false: there is no memory. */
static bool lower_function(struct wm_emitter *emitter, LLVMValueRef ir, size_t messages)
{
	struct machine_function m = {.e = {.emitter = emitter, .builder = emitter->builder, .ir = ir},
		.counted = true,
		.block_count = LLVMCountBasicBlocks(ir)};
	struct list list = {.message = calloc(messages, sizeof *list.message), .depth = calloc(messages, sizeof(int))};
	m.block = malloc(m.block_count * sizeof *m.block);
	m.depth = malloc(m.block_count * sizeof *m.depth);
	m.base = calloc(messages + 1, sizeof *m.base);
	bool memory = list.message && list.depth && m.block && m.depth && m.base;
	if (memory) {
		LLVMGetBasicBlocks(ir, m.block);
		lower_messages(&m, &list);
	}
	free(list.message);
	free(list.depth);
	free(m.block);
	free(m.depth);
	free(m.base);
	return memory;
}

static size_t count_messages(LLVMValueRef ir)
{
	size_t count = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			count += calls(i, take_name) || calls(i, drop_name);
	return count;
}

bool wm_frames_lower(LLVMModuleRef module)
{
	LLVMValueRef take = LLVMGetNamedFunction(module, take_name), drop = LLVMGetNamedFunction(module, drop_name);
	struct wm_emitter emitter;
	if (!take && !drop)
		return false;
	wm_emitter_init(&emitter, module, false);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		size_t count = LLVMIsDeclaration(f) ? 0 : count_messages(f);
		if (count && !lower_function(&emitter, f, count))
			wm_shim_error(module, "out of memory");
	}
	wm_emitter_release(&emitter);
	if (take && !LLVMGetFirstUse(take))
		LLVMDeleteFunction(take);
	if (drop && !LLVMGetFirstUse(drop))
		LLVMDeleteFunction(drop);
	return true;
}
