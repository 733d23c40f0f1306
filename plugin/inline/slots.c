/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A slot is chosen greedily: the first one that is free in all blocks of the live range.  The live range of a phi is its
 * block and the preceding blocks, where its value is stored; the load that replaces the phi is then a value like others.
 *
 * Cost: for each value the size of its live range, at most RANGE_MAX blocks.  Larger live ranges, which probes do not have,
 * keep the slots that LLVM gives them.
 */
#include "plugin/inline/slots.h"
#include "core/base/arena.h"
#include "plugin/inline/clone.h"
#include "plugin/llvm/returns.h"
#include <stdlib.h>

enum { SLOT_MAX = 64, RANGE_MAX = 64 };

struct slots {
	LLVMValueRef ir;
	LLVMBasicBlockRef *block; /* sorted by address */
	uint32_t block_count;
	uint64_t *taken; /* per block: a bit per slot */
	LLVMValueRef slot[SLOT_MAX];
	uint32_t range[RANGE_MAX], range_count; /* of the value at hand: indices of blocks */
};

static int by_address(const void *a, const void *b)
{
	const LLVMBasicBlockRef *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static uint32_t index_of(const struct slots *s, LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef *found = bsearch(&block, s->block, s->block_count, sizeof block, by_address);
	return (uint32_t)(found - s->block);
}

static bool contains(const struct slots *s, uint32_t block)
{
	for (uint32_t i = 0; i < s->range_count; i++)
		if (s->range[i] == block)
			return true;
	return false;
}

/* False: the range is too large. */
static bool add_block(struct slots *s, LLVMBasicBlockRef block)
{
	uint32_t index = index_of(s, block);
	if (contains(s, index))
		return true;
	if (s->range_count == RANGE_MAX)
		return false;
	s->range[s->range_count++] = index;
	return true;
}

static bool add_predecessors(struct slots *s, LLVMBasicBlockRef block)
{
	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAInstruction(user) && !add_block(s, LLVMGetInstructionParent(user)))
			return false;
	}
	return true;
}

static bool add_uses_in_phi(struct slots *s, LLVMValueRef phi, LLVMValueRef value)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingValue(phi, i) == value && !add_block(s, LLVMGetIncomingBlock(phi, i)))
			return false;
	return true;
}

/* The block of the definition, all blocks with a use, and all blocks between them. */
static bool find_range(struct slots *s, LLVMValueRef value)
{
	s->range_count = 0;
	bool fits = add_block(s, LLVMGetInstructionParent(value));
	for (LLVMUseRef use = LLVMGetFirstUse(value); fits && use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		fits = LLVMIsAPHINode(user) ? add_uses_in_phi(s, user, value)
					    : add_block(s, LLVMGetInstructionParent(user));
	}
	for (uint32_t i = 1; fits && i < s->range_count; i++)
		fits = add_predecessors(s, s->block[s->range[i]]);
	return fits;
}

static bool find_phi_range(struct slots *s, LLVMValueRef phi)
{
	s->range_count = 0;
	return add_block(s, LLVMGetInstructionParent(phi)) && add_predecessors(s, LLVMGetInstructionParent(phi));
}

/* The slot for a value with the range at hand, or NULL. */
static LLVMValueRef take_slot(struct slots *s)
{
	uint64_t taken = 0;
	unsigned chosen = 0;
	for (uint32_t i = 0; i < s->range_count; i++)
		taken |= s->taken[s->range[i]];
	if (taken == UINT64_MAX)
		return NULL;
	while (taken >> chosen & 1)
		chosen++;
	for (uint32_t i = 0; i < s->range_count; i++)
		s->taken[s->range[i]] |= UINT64_C(1) << chosen;
	if (!s->slot[chosen]) {
		LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(s->ir));
		LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
		LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->ir)));
		s->slot[chosen] = LLVMBuildAlloca(builder, LLVMInt64TypeInContext(context), "waymark.slot");
		LLVMDisposeBuilder(builder);
	}
	return s->slot[chosen];
}

static bool fits_slot(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64) || kind == LLVMFloatTypeKind ||
	       kind == LLVMDoubleTypeKind || (kind == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == 0);
}

/* The result of a terminator cannot be stored in its block. */
static bool is_value(LLVMValueRef i)
{
	return fits_slot(LLVMTypeOf(i)) && !LLVMIsAPHINode(i) && !LLVMIsAAllocaInst(i) && !LLVMIsATerminatorInst(i) &&
	       wm_is_used_elsewhere(i);
}

static bool is_phi(LLVMValueRef i)
{
	if (!LLVMIsAPHINode(i) || !fits_slot(LLVMTypeOf(i)) || !LLVMGetFirstUse(i) ||
		!wm_shim_first_insertion(LLVMGetInstructionParent(i)))
		return false;
	for (unsigned in = 0; in < LLVMCountIncoming(i); in++)
		if (LLVMIsATerminatorInst(LLVMGetIncomingValue(i, in)))
			return false;
	return true;
}

static void move_to_slot(struct slots *s, LLVMValueRef value)
{
	bool phi = LLVMIsAPHINode(value);
	LLVMValueRef slot = (phi ? find_phi_range(s, value) : find_range(s, value)) ? take_slot(s) : NULL;
	if (!slot)
		return;
	LLVMValueRef own = phi ? wm_shim_demote_phi(value) : wm_shim_demote(value);
	LLVMReplaceAllUsesWith(own, slot);
	LLVMInstructionEraseFromParent(own);
}

/* Instructions that `move` adds are loads and stores, which it need not see. */
static bool move_all(struct slots *s, bool (*wanted)(LLVMValueRef), struct wm_arena *arena)
{
	size_t count = 0;
	for (uint32_t b = 0; b < s->block_count; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(s->block[b]); i; i = LLVMGetNextInstruction(i))
			count += wanted(i);
	LLVMValueRef *value = WM_NEW(arena, LLVMValueRef, count);
	if (!value)
		return false;
	count = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(s->ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (wanted(i))
				value[count++] = i;
	for (size_t i = 0; i < count; i++)
		move_to_slot(s, value[i]);
	return true;
}

/* When a call returns for a second time, a slot may hold a value that was stored after the call had returned first. */
static bool may_share(LLVMValueRef ir)
{
	if (LLVMIsDeclaration(ir) || !wm_shim_has(ir, "optnone"))
		return false;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (wm_is_call(i) && wm_returns_twice(i))
				return false;
	return true;
}

static void share_in(LLVMValueRef ir)
{
	struct slots s = {.ir = ir, .block_count = LLVMCountBasicBlocks(ir)};
	struct wm_arena arena;
	wm_arena_init(&arena);
	s.block = WM_NEW(&arena, LLVMBasicBlockRef, s.block_count);
	s.taken = WM_NEW(&arena, uint64_t, s.block_count);
	if (s.block && s.taken) {
		LLVMGetBasicBlocks(ir, s.block);
		qsort(s.block, s.block_count, sizeof *s.block, by_address);
		(void)(move_all(&s, is_phi, &arena) && move_all(&s, is_value, &arena));
	}
	wm_arena_release(&arena);
}

bool wm_share_slots(LLVMModuleRef module)
{
	bool changed = false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (may_share(f)) {
			share_in(f);
			changed = true;
		}
	return changed;
}
