/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * While blocks are cloned, every value that one block computes and another uses is stored in memory, so that a clone
 * does not depend on its predecessors.  Afterwards LLVM promotes that memory to registers again.
 */
#include "plugin/inline/clone.h"
#include "plugin/llvm/returns.h"
#include <stdlib.h>
#include <string.h>

/* ---- What can be cloned ------------------------------------------------------------ */

static bool is_plain_type(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind != LLVMTokenTypeKind && kind != LLVMScalableVectorTypeKind && kind != LLVMX86_AMXTypeKind &&
	       kind != LLVMTargetExtTypeKind;
}

/* Assembly that defines a label cannot be copied: the label would be defined twice. */
static bool has_label(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t size;
	return LLVMIsAInlineAsm(callee) && strchr(LLVMGetInlineAsmAsmString(callee, &size), ':');
}

static bool is_plain_opcode(LLVMOpcode code)
{
	return code != LLVMIndirectBr && code != LLVMCallBr && code != LLVMCatchSwitch && code != LLVMCatchPad &&
	       code != LLVMCleanupPad;
}

static bool is_plain(LLVMValueRef i)
{
	if (wm_is_call(i) && (wm_shim_call_has(i, "noduplicate") || wm_shim_call_has(i, "convergent") ||
				     wm_shim_call_has(i, "returns_twice") || has_label(i)))
		return false;
	return is_plain_opcode(LLVMGetInstructionOpcode(i)) && is_plain_type(LLVMTypeOf(i));
}

bool wm_may_clone(LLVMValueRef ir)
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

/* ---- Through memory ------------------------------------------------------------------ */

struct list {
	LLVMValueRef *item;
	size_t count;
};

bool wm_is_used_elsewhere(LLVMValueRef i)
{
	LLVMBasicBlockRef home = LLVMGetInstructionParent(i);
	for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) != home)
			return true;
	}
	return false;
}

static bool crosses_blocks(LLVMValueRef i)
{
	return !wm_shim_is_static_alloca(i) && wm_is_used_elsewhere(i);
}

static bool is_phi(LLVMValueRef i)
{
	return LLVMIsAPHINode(i);
}

static bool is_used_invoke(LLVMValueRef i)
{
	return LLVMIsAInvokeInst(i) && LLVMGetFirstUse(i);
}

/* list->item has room for all instructions. */
static void collect_instructions(LLVMValueRef ir, bool (*wanted)(LLVMValueRef), struct list *list)
{
	list->count = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (wanted(i))
				list->item[list->count++] = i;
}

static void add_alloca(struct list *allocas, LLVMValueRef alloca)
{
	if (alloca)
		allocas->item[allocas->count++] = alloca;
}

/* Values are demoted before phis, so that the operands of phis are available in the preceding blocks.  The result of an
 * invoke is stored in a block on its normal edge. */
static void move_to_memory(LLVMValueRef ir, struct list *found, struct list *allocas)
{
	collect_instructions(ir, is_used_invoke, found);
	for (size_t i = 0; i < found->count; i++)
		wm_shim_split_normal_edge(found->item[i]);
	collect_instructions(ir, crosses_blocks, found);
	for (size_t i = 0; i < found->count; i++)
		add_alloca(allocas, wm_shim_demote(found->item[i]));
	collect_instructions(ir, is_phi, found);
	for (size_t i = 0; i < found->count; i++)
		add_alloca(allocas, wm_shim_demote_phi(found->item[i]));
}

/* ---- Instances ------------------------------------------------------------------------ */

struct cloning {
	LLVMValueRef ir;
	const struct wm_shape *shape;
	const struct wm_dfs *dfs;
	const struct wm_anchors *anchors; /* of the original graph */
	struct wm_anchors *shaped;
	uint32_t **edge_of; /* per block of the original graph: per successor, the number of its out-edge */
	LLVMBasicBlockRef
		*behind; /* per block of the shape: the block on the normal edge of an invoke whose result is used */
	struct list found, allocas;
};

static bool is_reached(const struct cloning *c, uint32_t block)
{
	return c->dfs->position[block] != WM_NONE;
}

/* Parallel successors are one edge. */
static bool map_successors(struct cloning *c, uint32_t block, struct wm_arena *arena)
{
	const struct wm_graph *graph = c->shape->original;
	LLVMValueRef terminator = c->anchors->terminator[block];
	uint32_t count = LLVMGetNumSuccessors(terminator), first = graph->first_edge[block];
	c->edge_of[block] = WM_NEW(arena, uint32_t, count);
	if (!c->edge_of[block])
		return false;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t e = first; e < graph->first_edge[block + 1]; e++)
			if (c->anchors->block[graph->edge_to[e]] == LLVMGetSuccessor(terminator, i))
				c->edge_of[block][i] = e - first;
	return true;
}

static size_t count_instructions(LLVMValueRef ir)
{
	size_t count = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			count++;
	return count;
}

/* Allocates all memory before anything is changed.  Splitting edges and demoting values adds few instructions. */
static bool cloning_alloc(struct cloning *c, struct wm_arena *arena)
{
	uint32_t blocks = c->shape->graph.block_count, edges = c->shape->graph.edge_count;
	size_t most = 2 * count_instructions(c->ir);
	struct wm_anchors *made = c->shaped;
	made->block = WM_NEW(arena, LLVMBasicBlockRef, blocks);
	made->terminator = WM_NEW(arena, LLVMValueRef, blocks);
	made->exit = WM_NEW(arena, LLVMValueRef, blocks);
	made->may_not_return = WM_NEW(arena, bool, blocks);
	made->edge_successor = WM_NEW(arena, uint32_t, edges);
	c->behind = WM_NEW(arena, LLVMBasicBlockRef, blocks);
	c->edge_of = WM_NEW(arena, uint32_t *, c->shape->origin_count);
	c->found.item = WM_NEW(arena, LLVMValueRef, most);
	c->allocas.item = WM_NEW(arena, LLVMValueRef, most);
	bool good = made->block && made->terminator && made->exit && made->may_not_return && made->edge_successor &&
		    c->behind && c->edge_of && c->found.item && c->allocas.item;
	for (uint32_t b = 0; b < c->shape->origin_count && good; b++)
		good = map_successors(c, b, arena);
	return good;
}

/* The instruction of a clone that corresponds to `at` in the original. */
static LLVMValueRef same_place(LLVMValueRef at, LLVMBasicBlockRef original, LLVMBasicBlockRef clone)
{
	LLVMValueRef here = LLVMGetFirstInstruction(original), there = LLVMGetFirstInstruction(clone);
	while (here != at) {
		here = LLVMGetNextInstruction(here);
		there = LLVMGetNextInstruction(there);
	}
	return there;
}

static void keep_block(struct cloning *c, uint32_t block)
{
	LLVMValueRef terminator = c->anchors->terminator[block];
	c->shaped->block[block] = c->anchors->block[block];
	c->shaped->terminator[block] = terminator;
	c->shaped->exit[block] = c->anchors->exit[block];
	c->behind[block] = is_used_invoke(terminator) ? LLVMGetNormalDest(terminator) : NULL;
}

/* A block is cloned together with the block on the normal edge of its invoke. */
static void clone_block(struct cloning *c, uint32_t block)
{
	uint32_t origin = c->shape->origin[block];
	LLVMBasicBlockRef from[2] = {c->shaped->block[origin], c->behind[origin]}, to[2] = {0};
	wm_shim_copy_blocks(c->ir, from, to, from[1] ? 2 : 1);
	c->shaped->block[block] = to[0];
	c->behind[block] = to[1];
	c->shaped->terminator[block] = LLVMGetBasicBlockTerminator(to[0]);
	if (c->anchors->exit[origin])
		c->shaped->exit[block] = same_place(c->anchors->exit[origin], from[0], to[0]);
}

/* ---- Where control goes ------------------------------------------------------------------ */

/* The block of the shape to which successor `i` of a terminator leads. */
static uint32_t successor_block(const struct cloning *c, uint32_t block, uint32_t i)
{
	const struct wm_graph *graph = &c->shape->graph;
	return graph->edge_to[graph->first_edge[block] + c->edge_of[c->shape->origin[block]][i]];
}

static void connect_block(struct cloning *c, uint32_t block)
{
	LLVMValueRef terminator = c->shaped->terminator[block];
	for (uint32_t i = 0; i < LLVMGetNumSuccessors(terminator); i++) {
		LLVMBasicBlockRef to = c->shaped->block[successor_block(c, block, i)];
		if (i == 0 && c->behind[block])
			LLVMSetSuccessor(LLVMGetBasicBlockTerminator(c->behind[block]), 0, to);
		else
			LLVMSetSuccessor(terminator, i, to);
	}
}

/* Weights that the branch has already are kept. */
static bool lacks_weights(LLVMValueRef terminator, unsigned kind)
{
	LLVMOpcode code = LLVMGetInstructionOpcode(terminator);
	return LLVMGetNumSuccessors(terminator) > 1 && (code == LLVMBr || code == LLVMSwitch) &&
	       !LLVMGetMetadata(terminator, kind);
}

/* `operand` has room for the name of the metadata and a weight per successor.  Returns how many successors are unlikely. */
static unsigned list_weights(struct cloning *c, uint32_t block, LLVMContextRef context, LLVMMetadataRef *operand)
{
	enum { LIKELY = 2000, UNLIKELY = 1 };
	unsigned count = LLVMGetNumSuccessors(c->shaped->terminator[block]), unlikely_count = 0;
	operand[0] = LLVMMDStringInContext2(context, "branch_weights", 14);
	for (unsigned i = 0; i < count; i++) {
		bool unlikely = c->shape->unlikely[successor_block(c, block, i)];
		LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
		operand[i + 1] = LLVMValueAsMetadata(LLVMConstInt(i32, unlikely ? UNLIKELY : LIKELY, false));
		unlikely_count += unlikely;
	}
	return unlikely_count;
}

/* A branch of which some but not all successors are unlikely gets branch weights.  Without them, LLVM would place unlikely
 * blocks between the others. */
static void set_branch_weights(struct cloning *c, uint32_t block, LLVMContextRef context)
{
	LLVMValueRef terminator = c->shaped->terminator[block];
	unsigned count = LLVMGetNumSuccessors(terminator), kind = LLVMGetMDKindIDInContext(context, "prof", 4);
	if (!lacks_weights(terminator, kind))
		return;
	LLVMMetadataRef *operand = calloc((size_t)count + 1, sizeof *operand);
	unsigned unlikely_count = operand ? list_weights(c, block, context, operand) : 0;
	if (unlikely_count && unlikely_count < count) {
		LLVMMetadataRef node = LLVMMDNodeInContext2(context, operand, (size_t)count + 1);
		LLVMSetMetadata(terminator, kind, LLVMMetadataAsValue(context, node));
	}
	free(operand);
}

static void set_all_branch_weights(struct cloning *c)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(c->ir));
	for (uint32_t b = 0; b < c->shape->graph.block_count; b++)
		if (is_reached(c, b) && !c->shape->unlikely[b])
			set_branch_weights(c, b, context);
}

static void lift_anchors(struct cloning *c)
{
	const struct wm_shape *shape = c->shape;
	for (uint32_t e = 0; e < shape->graph.edge_count; e++)
		c->shaped->edge_successor[e] = c->anchors->edge_successor[wm_shape_edge_origin(shape, e)];
	for (uint32_t b = 0; b < shape->graph.block_count; b++) {
		c->shaped->may_not_return[b] = c->anchors->may_not_return[shape->origin[b]];
		if (is_reached(c, b))
			continue;
		c->shaped->block[b] = NULL;
		c->shaped->terminator[b] = c->shaped->exit[b] = NULL;
	}
}

enum wm_status wm_clone_shape(LLVMValueRef ir, const struct wm_shape *shape, const struct wm_dfs *dfs,
	const struct wm_anchors *anchors, struct wm_anchors *shaped, struct wm_arena *arena)
{
	struct cloning c = {.ir = ir, .shape = shape, .dfs = dfs, .anchors = anchors, .shaped = shaped};
	*shaped = *anchors;
	if (!cloning_alloc(&c, arena))
		return WM_NO_MEMORY;
	move_to_memory(ir, &c.found, &c.allocas);
	for (uint32_t b = 0; b < shape->origin_count; b++)
		keep_block(&c, b);
	for (uint32_t b = shape->origin_count; b < shape->graph.block_count; b++)
		if (is_reached(&c, b))
			clone_block(&c, b);
	for (uint32_t b = 0; b < shape->graph.block_count; b++)
		if (is_reached(&c, b))
			connect_block(&c, b);
	set_all_branch_weights(&c);
	lift_anchors(&c);
	wm_shim_drop_unreachable(ir);
	wm_shim_promote(ir, c.allocas.item, c.allocas.count);
	return WM_OK;
}
