/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/emit/follow_twins.h"
#include "abi/abi.h"
#include "plugin/extract/inline_bodies.h"
#include "plugin/llvm/returns.h"
#include "profile/map/identity.h"
#include <stdlib.h>

#define TWIN "waymark-twin"

/* ---- Facts ------------------------------------------------------------------------------ */

enum wm_status wm_follow_init(struct wm_followers *followers, const struct wm_unit *unit, struct wm_arena *arena)
{
	followers->unit = unit;
	followers->fact = WM_NEW(arena, struct wm_follow_function, unit->function_count);
	followers->emission = WM_NEW(arena, struct wm_follow_emission, unit->function_count);
	return followers->fact && followers->emission ? WM_OK : WM_NO_MEMORY;
}

/* Such a call binds its block to the frame of the function. */
static bool must_stay(LLVMValueRef instruction)
{
	if (!wm_is_call(instruction))
		return false;
	bool tail = LLVMIsACallInst(instruction) && LLVMGetTailCallKind(instruction) == LLVMTailCallKindMustTail;
	return tail || wm_shim_call_has(instruction, "returns_twice");
}

struct extraction {
	const struct wm_anchors *anchors;
	const LLVMValueRef *call; /* per call site */
	uint32_t call_count, next_call;
	struct wm_follow_block *block;
	bool *may_not_return_before;
};

static void extract_call(struct extraction *x, struct wm_follow_block *block, LLVMValueRef instruction, bool ended)
{
	bool is_site = x->next_call < x->call_count && x->call[x->next_call] == instruction;
	x->next_call += is_site;
	if (ended)
		return;
	if (is_site) {
		x->may_not_return_before[block->end_call++] = block->may_not_return;
		block->may_not_return = false;
	} else {
		block->may_not_return |= wm_call_may_not_return(instruction);
	}
}

static void extract_block(struct extraction *x, uint32_t index)
{
	struct wm_follow_block *block = &x->block[index];
	LLVMValueRef terminator = x->anchors->terminator[index];
	bool ended = false, stays = false;
	block->first_call = block->end_call = x->next_call;
	block->returns = LLVMIsAInvokeInst(terminator) && !wm_call_may_not_return(terminator);
	for (LLVMValueRef i = LLVMGetFirstInstruction(x->anchors->block[index]); i; i = LLVMGetNextInstruction(i)) {
		ended |= i == x->anchors->exit[index];
		stays |= must_stay(i);
		block->instructions++;
		if (wm_is_call(i))
			extract_call(x, block, i, ended);
	}
	block->instructions = stays ? WM_NONE : block->instructions;
}

enum wm_status wm_follow_extract(struct wm_followers *followers, uint32_t function, LLVMValueRef ir,
	const struct wm_anchors *anchors, const struct wm_call_anchors *calls, struct wm_arena *arena)
{
	const struct wm_unit_function *in_unit = &followers->unit->function[function];
	struct wm_follow_function *fact = &followers->fact[function];
	struct extraction x = {.anchors = anchors,
		.call = calls->call,
		.call_count = in_unit->call_count,
		.block = WM_NEW(arena, struct wm_follow_block, in_unit->graph->block_count),
		.may_not_return_before = WM_NEW(arena, bool, in_unit->call_count)};
	if (!x.block || !x.may_not_return_before)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < in_unit->graph->block_count; b++)
		extract_block(&x, b);
	bool optimised = !wm_shim_has(ir, "optnone");
	fact->block = x.block;
	fact->may_not_return_before = x.may_not_return_before;
	fact->may_follow = optimised && !wm_shim_has(ir, "noinline") && wm_function_returns(ir) &&
			   !wm_is_local_inline_body(ir) && !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(ir));
	fact->may_call_twins = optimised && !anchors->resume_count;
	followers->emission[function].call = calls->call;
	return WM_OK;
}

static bool room_for_inner(struct wm_followers *followers, uint32_t function, struct wm_arena *arena)
{
	struct wm_follow_emission *emission = &followers->emission[function];
	const struct wm_follow_choice *choice = &followers->choice[function];
	emission->inner = WM_NEW(arena, LLVMValueRef, choice->inner_count);
	for (uint32_t i = 0; emission->inner && i < choice->inner_count; i++)
		emission->inner[i] = emission->call[choice->inner[i]];
	return emission->inner;
}

void wm_follow_decide(struct wm_followers *followers, double least, struct wm_arena *arena)
{
	const struct wm_unit *unit = followers->unit;
	followers->choice = WM_NEW(arena, struct wm_follow_choice, unit->function_count);
	bool good =
		followers->choice && wm_follow_choose(followers->choice, unit, followers->fact, least, arena) == WM_OK;
	for (uint32_t f = 0; good && f < unit->function_count; f++)
		good = room_for_inner(followers, f, arena);
	followers->choice = good ? followers->choice : NULL;
}

/* ---- Twins, block cells and records --------------------------------------------------------- */

/* What it calls may count. */
static bool calls_others(LLVMValueRef ir)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (wm_is_call(i) && !LLVMGetIntrinsicID(LLVMGetCalledValue(i)))
				return true;
	return false;
}

void wm_follow_twin(
	struct wm_followers *followers, uint32_t function, LLVMValueRef ir, const struct wm_map_function *map)
{
	if (!followers->choice || !followers->choice[function].twin)
		return;
	struct wm_follow_emission *emission = &followers->emission[function];
	LLVMValueRef twin = wm_shim_clone(ir, ".uncounted", emission->inner, followers->choice[function].inner_count);
	LLVMSetLinkage(twin, LLVMInternalLinkage);
	if (calls_others(twin))
		wm_drop_memory_attributes(twin);
	LLVMAddAttributeAtIndex(twin, LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(LLVMGetTypeContext(LLVMTypeOf(ir)), TWIN, sizeof TWIN - 1, "", 0));
	emission->twin = twin;
	emission->function = map;
}

bool wm_is_twin(LLVMValueRef ir)
{
	return wm_shim_has(ir, TWIN);
}

void wm_follow_emit(
	struct wm_followers *followers, uint32_t function, struct wm_emitter *emitter, const struct wm_emitted *emitted)
{
	if (!followers->choice)
		return;
	const struct wm_follow_choice *choice = &followers->choice[function];
	struct wm_follow_emission *emission = &followers->emission[function];
	emission->cells = emitted->cells;
	emission->header_cells = emitted->header_cells;
	if (choice->block_cell_count)
		emission->block_cells = wm_emit_cells(emitter, "__wm_sites", choice->block_cell_count);
	for (uint32_t i = 0; i < choice->block_cell_count; i++)
		wm_emit_increment(emitter, emitted, emission->block_cells, i, emission->call[choice->block_cell[i]]);
}

static void call_twin(const struct wm_followers *followers, uint32_t function, uint32_t site, LLVMValueRef call)
{
	uint32_t callee = followers->unit->function[function].call[site].callee;
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, followers->emission[callee].twin);
}

static void call_twins(const struct wm_followers *followers, uint32_t function)
{
	const struct wm_follow_choice *choice = &followers->choice[function];
	const struct wm_follow_emission *emission = &followers->emission[function];
	for (uint32_t i = 0; emission->cells && i < choice->call_count; i++)
		call_twin(followers, function, choice->call[i], emission->call[choice->call[i]]);
	for (uint32_t i = 0; emission->twin && i < choice->inner_count; i++)
		call_twin(followers, function, choice->inner[i], emission->inner[i]);
}

static size_t count_records(const struct wm_followers *followers)
{
	size_t count = 0;
	for (uint32_t f = 0; f < followers->unit->function_count; f++)
		count += followers->choice[f].followed_count;
	return count;
}

static size_t fill_records(const struct wm_followers *followers, uint32_t caller, struct wm_record *record)
{
	const struct wm_follow_choice *choice = &followers->choice[caller];
	const struct wm_follow_emission *emission = &followers->emission[caller];
	size_t count = 0;
	for (uint32_t i = 0; emission->cells && i < choice->followed_count; i++) {
		const struct wm_followed *followed = &choice->followed[i];
		const struct wm_map_function *function = followers->emission[followed->function].function;
		if (function->status != WM_SKIPPED)
			record[count++] = (struct wm_record){.key = function->key,
				.graph_hash = function->graph_hash,
				.source = wm_map_source(function),
				.cells = followed->block_cell ? emission->block_cells : emission->cells,
				.first = followed->first + (followed->block_cell ? 0 : emission->header_cells),
				.cell_count = (uint32_t)followed->count,
				.flags = function->update | WM_FUNC_FOLLOWS};
	}
	return count;
}

/* Without memory for records all functions count for themselves. */
LLVMValueRef wm_follow_finish(struct wm_followers *followers, struct wm_emitter *emitter)
{
	struct wm_record *record = followers->choice ? calloc(count_records(followers) + 1, sizeof *record) : NULL;
	size_t count = 0;
	for (uint32_t f = 0; record && f < followers->unit->function_count; f++)
		count += fill_records(followers, f, record + count);
	LLVMValueRef records = count ? wm_emit_records(emitter, "__wm_follows", record, count) : NULL;
	for (uint32_t f = 0; records && f < followers->unit->function_count; f++)
		call_twins(followers, f);
	free(record);
	return records;
}
