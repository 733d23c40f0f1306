/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Values that one block computes and another uses go through memory while blocks are copied, so that a copy needs to
 * know nothing of where control comes from; then all of that memory becomes registers again.
 */
#include "plugin/aside.h"
#include "plugin/leaving.h"
#include <stdlib.h>
#include <string.h>

/* --- what can be copied ------------------------------------------------------------------- */

static bool is_plain_type(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind != LLVMTokenTypeKind && kind != LLVMScalableVectorTypeKind && kind != LLVMX86_AMXTypeKind &&
	       kind != LLVMTargetExtTypeKind;
}

/* A label would be there twice. */
static bool has_label(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t size;
	return LLVMIsAInlineAsm(callee) && strchr(LLVMGetInlineAsmAsmString(callee, &size), ':');
}

static bool is_plain(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMIndirectBr:
	case LLVMCallBr:
	case LLVMCatchSwitch:
	case LLVMCatchPad:
	case LLVMCleanupPad:
		return false;
	default:
		break;
	}
	if (wm_is_call(i) && (wm_shim_call_has(i, "noduplicate") || wm_shim_call_has(i, "convergent") ||
				     wm_shim_call_has(i, "returns_twice") || has_label(i)))
		return false;
	return is_plain_type(LLVMTypeOf(i));
}

bool wm_may_go_aside(LLVMValueRef ir)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b)) {
		if (wm_shim_block_has_address_taken(b))
			return false;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (!is_plain(i))
				return false;
	}
	return true;
}

/* --- a growing list ------------------------------------------------------------------------- */

struct list {
	LLVMValueRef *item;
	size_t count, capacity;
	bool failed;
};

static void add(struct list *list, LLVMValueRef item)
{
	if (!item)
		return;
	if (list->count == list->capacity) {
		size_t more = list->capacity ? 2 * list->capacity : 64;
		LLVMValueRef *larger = realloc(list->item, more * sizeof *larger);
		if (!larger) {
			list->failed = true;
			return;
		}
		list->item = larger;
		list->capacity = more;
	}
	list->item[list->count++] = item;
}

/* --- through memory --------------------------------------------------------------------------- */

static bool is_used_elsewhere(LLVMValueRef i)
{
	LLVMBasicBlockRef home = LLVMGetInstructionParent(i);
	for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) != home)
			return true;
	}
	return false;
}

static void each_instruction(LLVMValueRef ir, bool (*wanted)(LLVMValueRef), struct list *list)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (wanted(i))
				add(list, i);
}

static bool is_cut(LLVMValueRef i)
{
	return !wm_shim_is_static_alloca(i) && is_used_elsewhere(i);
}

static bool is_phi(LLVMValueRef i)
{
	return LLVMIsAPHINode(i);
}

static bool is_used_invoke(LLVMValueRef i)
{
	return LLVMIsAInvokeInst(i) && LLVMGetFirstUse(i);
}

/* Values first: then what phis merge is at hand in the blocks before them.  What an invoke returns is stored behind
 * it, on an edge of its own: what comes behind that may belong to others. */
static bool move_to_memory(LLVMValueRef ir, struct list *allocas)
{
	struct list values = {0}, phis = {0}, invokes = {0};
	each_instruction(ir, is_used_invoke, &invokes);
	for (size_t i = 0; i < invokes.count; i++)
		wm_shim_split_normal_edge(invokes.item[i]);
	each_instruction(ir, is_cut, &values);
	for (size_t i = 0; i < values.count; i++)
		add(allocas, wm_shim_demote(values.item[i]));
	each_instruction(ir, is_phi, &phis);
	for (size_t i = 0; i < phis.count; i++)
		add(allocas, wm_shim_demote_phi(phis.item[i]));
	bool failed = invokes.failed || values.failed || phis.failed || allocas->failed;
	free(invokes.item);
	free(values.item);
	free(phis.item);
	return !failed;
}

/* --- the copy ------------------------------------------------------------------------------- */

struct pair {
	LLVMBasicBlockRef block, copy;
};

/* Something that is copied. */
struct part {
	LLVMValueRef ir;
	LLVMBasicBlockRef head; /* of the loop that it is; or NULL */
	struct pair *pair; /* in order of blocks */
	size_t count;
};

static int by_block(const void *a, const void *b)
{
	const struct pair *one = a, *other = b;
	return (one->block > other->block) - (one->block < other->block);
}

static LLVMBasicBlockRef copy_of(const struct part *part, LLVMBasicBlockRef block)
{
	struct pair wanted = {block, NULL}, *found = bsearch(&wanted, part->pair, part->count, sizeof wanted, by_block);
	return found ? found->copy : NULL;
}

static bool is_among(LLVMBasicBlockRef wanted, const LLVMBasicBlockRef *block, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (block[i] == wanted)
			return true;
	return false;
}

/* With the edges behind invokes that leave it. */
static size_t list_loop(const struct part *part, LLVMBasicBlockRef *block)
{
	size_t inside = wm_shim_loop_blocks(part->ir, part->head, block), count = inside;
	for (size_t i = 0; i < inside; i++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(block[i]);
		if (is_used_invoke(end) && !is_among(LLVMGetNormalDest(end), block, inside))
			block[count++] = LLVMGetNormalDest(end);
	}
	return count;
}

/* A function's entry is nothing that could be gone back to. */
static size_t list_blocks(const struct part *part, LLVMBasicBlockRef *block)
{
	size_t count = 0;
	if (part->head)
		return list_loop(part, block);
	LLVMBasicBlockRef at = LLVMGetEntryBasicBlock(part->ir);
	while ((at = LLVMGetNextBasicBlock(at)))
		block[count++] = at;
	return count;
}

static bool copy_blocks(struct part *part)
{
	size_t most = LLVMCountBasicBlocks(part->ir);
	LLVMBasicBlockRef *block = calloc(most, sizeof *block), *copy = calloc(most, sizeof *copy);
	part->pair = calloc(most, sizeof *part->pair);
	bool done = block && copy && part->pair;
	if (done) {
		part->count = list_blocks(part, block);
		wm_shim_copy_blocks(part->ir, block, copy, part->count);
		for (size_t i = 0; i < part->count; i++)
			part->pair[i] = (struct pair){block[i], copy[i]};
		qsort(part->pair, part->count, sizeof *part->pair, by_block);
	}
	free(block);
	free(copy);
	return done;
}

/* Behind a mark its block jumps, and does nothing else that was there before.  The entry of a function has no copy. */
static void connect(const struct part *part, const struct wm_aside *aside, uint32_t number)
{
	for (uint32_t i = 0; i < aside->mark_count; i++) {
		const struct wm_aside_mark *mark = &aside->mark[i];
		LLVMBasicBlockRef block = LLVMGetInstructionParent(mark->at), copy = copy_of(part, block);
		LLVMBasicBlockRef next = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), 0);
		if ((copy || !part->head) && mark->leaves && copy_of(part, next))
			LLVMSetSuccessor(LLVMGetBasicBlockTerminator(block), 0, copy_of(part, next));
		else if (copy && !mark->leaves && mark->back_to == number)
			LLVMSetSuccessor(LLVMGetBasicBlockTerminator(copy), 0, next);
	}
}

/* What is forgotten in one part is not there for the next. */
static void forget(const struct part *part, const struct wm_aside *aside)
{
	for (uint32_t i = 0; i < aside->question_count; i++) {
		LLVMValueRef question = aside->question[i];
		LLVMBasicBlockRef block = question ? LLVMGetInstructionParent(question) : NULL;
		if (!block || !copy_of(part, block))
			continue;
		LLVMReplaceAllUsesWith(question, LLVMConstInt(LLVMTypeOf(question), 0, false));
		wm_shim_fold_terminator(block);
		LLVMInstructionEraseFromParent(question);
		aside->question[i] = NULL;
	}
}

/* Who comes from elsewhere goes to the head or to its copy. */
static void receive(const struct part *part, LLVMValueRef outside)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(part->ir));
	LLVMBasicBlockRef gate = LLVMInsertBasicBlockInContext(context, part->head, ""),
			  after = copy_of(part, part->head);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(builder, gate);
	LLVMValueRef bit = LLVMBuildLoad2(builder, LLVMInt1TypeInContext(context), outside, "");
	LLVMBuildCondBr(builder, bit, after, part->head);
	LLVMDisposeBuilder(builder);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(part->ir); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		for (unsigned i = 0; b != gate && !copy_of(part, b) && i < LLVMGetNumSuccessors(end); i++)
			if (LLVMGetSuccessor(end, i) == part->head)
				LLVMSetSuccessor(end, i, gate);
	}
}

/* --- marks ------------------------------------------------------------------------------------ */

static LLVMValueRef marker(LLVMModuleRef module)
{
	static const char name[] = "__wm_aside";
	LLVMValueRef function = LLVMGetNamedFunction(module, name);
	LLVMTypeRef none = LLVMVoidTypeInContext(LLVMGetModuleContext(module));
	return function ? function : LLVMAddFunction(module, name, LLVMFunctionType(none, NULL, 0, false));
}

void wm_aside_mark(struct wm_aside *aside, LLVMModuleRef module, LLVMBuilderRef builder, bool leaves, uint32_t back_to)
{
	LLVMValueRef function = marker(module);
	if (aside->outside)
		LLVMBuildStore(builder,
			LLVMConstInt(LLVMInt1TypeInContext(LLVMGetModuleContext(module)), leaves, false),
			aside->outside);
	LLVMValueRef at = LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, NULL, 0, "");
	aside->mark[aside->mark_count++] = (struct wm_aside_mark){at, back_to, leaves};
}

/* In the copies too. */
static void erase_marks(LLVMModuleRef module)
{
	LLVMValueRef function = marker(module);
	LLVMUseRef use;
	while ((use = LLVMGetFirstUse(function)))
		LLVMInstructionEraseFromParent(LLVMGetUser(use));
	LLVMDeleteFunction(function);
}

void wm_aside_split(LLVMValueRef ir, const struct wm_aside *aside, LLVMValueRef *registers, size_t register_count)
{
	struct list allocas = {0};
	for (uint32_t i = 0; i < aside->mark_count; i++)
		wm_shim_split_before(LLVMGetNextInstruction(aside->mark[i].at));
	for (size_t i = 0; i < register_count; i++)
		add(&allocas, registers[i]);
	add(&allocas, aside->outside);
	bool ready = move_to_memory(ir, &allocas);
	for (uint32_t i = 0; i < aside->part_count && ready; i++) {
		struct part part = {.ir = ir, .head = aside->head[i]};
		if (copy_blocks(&part) && part.count) {
			connect(&part, aside, i);
			forget(&part, aside);
			if (part.head)
				receive(&part, aside->outside);
		}
		free(part.pair);
	}
	erase_marks(LLVMGetGlobalParent(ir));
	wm_shim_drop_unreachable(ir);
	wm_shim_promote(ir, allocas.item, allocas.count);
	free(allocas.item);
}
