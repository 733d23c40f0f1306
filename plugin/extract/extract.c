/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/extract/extract.h"
#include "core/base/grow.h"
#include "plugin/conditions/branch_sides.h"
#include "plugin/conditions/conditions.h"
#include "plugin/conditions/values.h"
#include "plugin/llvm/inline_tags.h"
#include "plugin/llvm/returns.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

struct extraction {
	LLVMValueRef ir;
	bool optimised;
	struct wm_map_function *function;
	struct wm_anchors *anchors;
	struct wm_files *files;
	struct wm_arena *arena;
	struct wm_graph_builder builder;
	struct wm_origins *origins; /* of function->inlined; NULL: marks are ignored */
	uint32_t mark_capacity;
	uint32_t site_count, site_capacity, value_capacity;
	/* Open-addressing table from block to index; LLVM's C interface has no block numbers. */
	uint32_t slot_mask;
	uint32_t *slot;
};

static struct wm_map_line instruction_line(struct extraction *x, LLVMValueRef instruction)
{
	struct wm_map_line line = {WM_NONE, 0, 0};
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
	if (!location || !LLVMDILocationGetLine(location))
		return line;
	LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
	uint32_t index = file ? wm_files_index(x->files, file) : WM_NONE;
	if (index == WM_NONE)
		return line;
	return (struct wm_map_line){index, LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location)};
}

static bool same_line(struct wm_map_line a, struct wm_map_line b)
{
	return a.file == b.file && a.line == b.line;
}

/* A mark after a call says nothing if control is in its context already. */
static enum wm_status take_mark(struct extraction *x, LLVMValueRef ir, uint32_t line)
{
	struct wm_origins *o = x->origins;
	uint32_t *end = &o->first_mark[o->block_count], kind = wm_tag_get(ir, WM_TAG_KIND);
	struct wm_mark mark = {wm_tag_get(ir, WM_TAG_CONTEXT), wm_tag_get(ir, WM_TAG_NUMBER), kind == WM_TAG_BEHIND,
		line, kind == WM_TAG_PAD};
	bool first = *end == o->first_mark[o->block_count - 1];
	if (kind == WM_TAG_SITE || (mark.behind && !first && o->mark[*end - 1].context == mark.context))
		return WM_OK;
	struct wm_mark *grown = wm_arena_grow(x->arena, o->mark, &x->mark_capacity, *end, sizeof *grown);
	if (!grown)
		return WM_NO_MEMORY;
	o->mark = grown;
	grown[(*end)++] = mark;
	return WM_OK;
}

static void begin_marks(struct extraction *x)
{
	struct wm_origins *o = x->origins;
	o->block_count++;
	o->first_mark[o->block_count] = o->first_mark[o->block_count - 1];
}

/* The index after the last line of code up to a call. */
static enum wm_status note_call(struct extraction *x, uint32_t line)
{
	uint32_t *grown = wm_arena_grow(
		x->arena, x->function->call_line, &x->site_capacity, x->site_count, sizeof *x->function->call_line);
	if (!grown)
		return WM_NO_MEMORY;
	x->function->call_line = grown;
	grown[x->site_count++] = line;
	return WM_OK;
}

/* Whether a line is among the lines of a part of a block.  Code as clang emits it comes back to a line only to finish an
 * expression that spans lines.  In optimised code a block may be several iterations of a loop. */
static bool is_listed(const struct extraction *x, const struct wm_map_line *lines, uint32_t first, uint32_t end,
	struct wm_map_line line)
{
	if (x->function->stage == WM_CFG_OPTIMISED)
		return end > first && same_line(lines[end - 1], line);
	while (end > first && !same_line(lines[end - 1], line))
		end--;
	return end > first;
}

static bool has_own_line(LLVMValueRef i)
{
	return LLVMGetInstructionOpcode(i) != LLVMPHI && !(LLVMIsACallInst(i) && wm_shim_is_pseudo_call(i)) &&
	       wm_has_own_position(i);
}

static enum wm_status block_lines(struct extraction *x, LLVMBasicBlockRef ir, struct wm_map_block *block)
{
	uint32_t count = 0, part = 0; /* part: lines before this are before a mark */
	struct wm_map_line *lines = NULL;
	if (x->origins)
		begin_marks(x);
	for (LLVMValueRef i = LLVMGetFirstInstruction(ir); i; i = LLVMGetNextInstruction(i)) {
		if (x->origins && wm_is_tag(i)) {
			if (take_mark(x, i, count) != WM_OK) {
				free(lines);
				return WM_NO_MEMORY;
			}
			part = wm_tag_get(i, WM_TAG_KIND) == WM_TAG_SITE ? part : count;
			continue;
		}
		if (!has_own_line(i))
			continue;
		struct wm_map_line line = instruction_line(x, i);
		bool listed = !line.line || is_listed(x, lines, part, count, line),
		     grown = listed || WM_GROW(lines, count);
		if (!listed && grown)
			lines[count++] = line;
		if (!grown || (wm_is_call_site(i) && note_call(x, count) != WM_OK)) {
			free(lines);
			return WM_NO_MEMORY;
		}
	}
	block->line = WM_NEW(x->arena, struct wm_map_line, count);
	if (block->line && count)
		memcpy(block->line, lines, count * sizeof *lines);
	block->line_count = count;
	free(lines);
	return block->line ? WM_OK : WM_NO_MEMORY;
}

static uint32_t slot_of(const struct extraction *x, LLVMBasicBlockRef block)
{
	uint32_t at = (uint32_t)(((uintptr_t)block >> 4) * 0x9E3779B1u) & x->slot_mask;
	while (x->slot[at] && x->anchors->block[x->slot[at] - 1] != block)
		at = (at + 1) & x->slot_mask;
	return at;
}

static enum wm_status index_blocks(struct extraction *x, uint32_t count)
{
	uint32_t slots = 4;
	while (slots < 2 * count)
		slots *= 2;
	x->slot_mask = slots - 1;
	x->slot = WM_NEW(x->arena, uint32_t, slots);
	x->anchors->block = WM_NEW(x->arena, LLVMBasicBlockRef, count);
	x->anchors->terminator = WM_NEW(x->arena, LLVMValueRef, count);
	x->anchors->exit = WM_NEW(x->arena, LLVMValueRef, count);
	x->anchors->may_not_return = WM_NEW(x->arena, bool, count);
	x->function->block = WM_NEW(x->arena, struct wm_map_block, count);
	if (!x->slot || !x->anchors->block || !x->anchors->terminator || !x->anchors->exit ||
		!x->anchors->may_not_return || !x->function->block)
		return WM_NO_MEMORY;
	uint32_t index = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(x->ir); b; b = LLVMGetNextBasicBlock(b), index++) {
		x->anchors->block[index] = b;
		x->anchors->terminator[index] = LLVMGetBasicBlockTerminator(b);
		x->slot[slot_of(x, b)] = index + 1;
	}
	return WM_OK;
}

static LLVMValueRef previous_call(LLVMValueRef from)
{
	for (LLVMValueRef i = LLVMGetPreviousInstruction(from); i; i = LLVMGetPreviousInstruction(i))
		if (LLVMIsACallInst(i) && !wm_shim_is_pseudo_call(i))
			return i;
	return NULL;
}

/* The tail call that replaces the frame: only the return follows it. */
static LLVMValueRef tail_call(const struct extraction *x, LLVMValueRef ret)
{
	LLVMValueRef call = previous_call(ret);
	if (!call)
		return NULL;
	if (LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
		return call;
	if (!x->optimised || LLVMGetTailCallKind(call) != LLVMTailCallKindTail ||
		LLVMGetIntrinsicID(LLVMGetCalledValue(call)))
		return NULL;
	LLVMValueRef after = LLVMGetNextInstruction(call);
	while (after != ret && LLVMIsACallInst(after) && wm_shim_is_pseudo_call(after))
		after = LLVMGetNextInstruction(after);
	bool returns_it =
		!LLVMGetNumOperands(ret) || LLVMGetOperand(ret, 0) == call || LLVMIsUndef(LLVMGetOperand(ret, 0));
	return after == ret && returns_it ? call : NULL;
}

static enum wm_end exit_end(struct extraction *x, uint32_t index, LLVMValueRef terminator)
{
	LLVMValueRef call = NULL;
	enum wm_end end = WM_END_NONE;
	switch (LLVMGetInstructionOpcode(terminator)) {
	case LLVMRet:
		end = WM_END_RETURN;
		call = tail_call(x, terminator);
		break;
	case LLVMUnreachable:
		end = WM_END_NORETURN;
		call = previous_call(terminator);
		break;
	case LLVMResume:
		end = WM_END_UNWIND;
		break;
	default:
		break;
	}
	x->anchors->exit[index] = call ? call : terminator;
	return end;
}

static const char *refusal(LLVMValueRef terminator)
{
	switch (LLVMGetInstructionOpcode(terminator)) {
	case LLVMRet:
	case LLVMUnreachable:
	case LLVMResume:
	case LLVMBr:
	case LLVMSwitch:
	case LLVMIndirectBr:
	case LLVMInvoke:
	case LLVMCallBr:
		return NULL;
	default:
		return "uses funclet-based exception handling";
	}
}

static enum wm_status switch_cases(
	struct extraction *x, LLVMValueRef ir, const uint32_t *ordinal, struct wm_map_block *block)
{
	uint32_t successors = LLVMGetNumSuccessors(ir);
	block->cases = WM_NEW(x->arena, struct wm_map_case, successors);
	if (!block->cases)
		return WM_NO_MEMORY;
	block->default_edge = ordinal[0];
	if (LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(ir, 0))) > 64)
		return WM_OK;
	for (uint32_t i = 1; i < successors; i++) {
		int64_t value = LLVMConstIntGetSExtValue(LLVMGetOperand(ir, 2 * i));
		block->cases[block->case_count++] = (struct wm_map_case){ordinal[i], value};
	}
	return WM_OK;
}

static char *copied(struct extraction *x, const char *name)
{
	char *copy = WM_NEW(x->arena, char, strlen(name) + 1);
	return copy ? memcpy(copy, name, strlen(name) + 1) : NULL;
}

static enum wm_status describe_condition(
	struct extraction *x, LLVMValueRef ir, const uint32_t *ordinal, struct wm_map_block *block)
{
	struct wm_map_condition condition = wm_condition_describe(ir, x->function->stage == WM_CFG_OPTIMISED);
	char *name = copied(x, condition.name);
	if (!name)
		return WM_NO_MEMORY;
	block->condition = (struct wm_map_condition){condition.kind, .name = name};
	block->decision = instruction_line(x, wm_condition_place(ir));
	block->true_edge = ordinal[condition.kind == WM_CONDITION_UNKNOWN ? wm_true_successor(ir) : 0];
	for (unsigned i = 0; i < 2; i++)
		block->condition.side[ordinal[i]] = condition.side[i];
	return WM_OK;
}

static enum wm_status describe_decision(
	struct extraction *x, LLVMValueRef ir, const uint32_t *ordinal, uint32_t edges, struct wm_map_block *block)
{
	block->default_edge = WM_NONE;
	if (edges < 2)
		return WM_OK;
	block->decision = instruction_line(x, ir);
	switch (LLVMGetInstructionOpcode(ir)) {
	case LLVMBr:
		block->terminator = WM_TERM_BRANCH;
		return describe_condition(x, ir, ordinal, block);
	case LLVMSwitch:
		block->terminator = WM_TERM_SWITCH;
		return switch_cases(x, ir, ordinal, block);
	case LLVMInvoke:
		block->terminator = WM_TERM_INVOKE;
		return WM_OK;
	case LLVMCallBr:
		block->terminator = WM_TERM_ASM_GOTO;
		return WM_OK;
	default:
		block->terminator = WM_TERM_INDIRECT;
		return WM_OK;
	}
}

/* Folds parallel successors: ordinal[i] is the out-edge that successor i belongs to. */
static enum wm_status add_block(struct extraction *x, uint32_t index, uint32_t *last_seen, uint32_t *first_ordinal)
{
	LLVMValueRef terminator = x->anchors->terminator[index];
	uint32_t count = LLVMGetNumSuccessors(terminator), edges = 0;
	uint32_t *target = WM_NEW(x->arena, uint32_t, count), *ordinal = WM_NEW(x->arena, uint32_t, count);
	if (!target || !ordinal)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t to = x->slot[slot_of(x, LLVMGetSuccessor(terminator, i))] - 1;
		if (last_seen[to] != index + 1) {
			last_seen[to] = index + 1;
			first_ordinal[to] = edges;
			x->anchors->edge_successor[x->builder.graph.edge_count + edges] = i;
			target[edges++] = to;
		}
		ordinal[i] = first_ordinal[to];
	}
	enum wm_end end = count ? WM_END_NONE : exit_end(x, index, terminator);
	enum wm_status status = wm_graph_builder_add(&x->builder, target, edges, end);
	if (status == WM_OK)
		status = describe_decision(x, terminator, ordinal, edges, &x->function->block[index]);
	return status == WM_OK ? block_lines(x, x->anchors->block[index], &x->function->block[index]) : status;
}

/* __builtin_setjmp is an intrinsic that LLVM does not mark. */
bool wm_returns_twice(LLVMValueRef call)
{
	static const char name[] = "llvm.eh.sjlj.setjmp";
	unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(call));
	return wm_shim_call_has(call, "returns_twice") || (id && id == LLVMLookupIntrinsicID(name, sizeof name - 1));
}

/* Also refuses instructions that the emitter cannot handle. */
static enum wm_status scan_calls(struct extraction *x, uint32_t count, uint32_t *successors)
{
	uint32_t resumes = 0;
	*successors = 0;
	x->anchors->some_call_may_not_return = wm_some_call_may_not_return(x->ir);
	for (uint32_t b = 0; b < count; b++) {
		const char *reason = refusal(x->anchors->terminator[b]);
		for (LLVMValueRef i = LLVMGetFirstInstruction(x->anchors->block[b]); i; i = LLVMGetNextInstruction(i)) {
			if (!wm_is_call(i))
				continue;
			x->anchors->may_not_return[b] |= wm_call_not_known_to_return(i) || wm_returns_twice(i);
			if (!wm_returns_twice(i))
				continue;
			resumes++;
			if (LLVMIsAInvokeInst(i))
				reason = "invokes a function that may return twice";
		}
		if (reason) {
			x->function->reason = reason;
			return WM_BAD_GRAPH;
		}
		x->anchors->some_block_may_not_return |= x->anchors->may_not_return[b];
		*successors += LLVMGetNumSuccessors(x->anchors->terminator[b]);
	}
	x->anchors->resume_call = WM_NEW(x->arena, LLVMValueRef, resumes);
	if (!x->anchors->resume_call)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; resumes && b < count; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(x->anchors->block[b]); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i) && wm_returns_twice(i))
				x->anchors->resume_call[x->anchors->resume_count++] = i;
	return WM_OK;
}

static bool is_ifunc_resolver(LLVMModuleRef module, LLVMValueRef function)
{
	for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(module); i; i = LLVMGetNextGlobalIFunc(i))
		if (LLVMGetGlobalIFuncResolver(i) == function)
			return true;
	return false;
}

const char *wm_uninstrumentable(LLVMModuleRef module, LLVMValueRef ir)
{
	if (wm_shim_has(ir, "naked"))
		return "is naked";
	if (is_ifunc_resolver(module, ir))
		return "is an ifunc resolver, which runs before the program is relocated";
	if (wm_shim_has(ir, "presplitcoroutine"))
		return "is a coroutine not yet split into its parts; -fwaymark-cfg=optimised profiles the parts";
	return wm_shim_has(ir, "noprofile") ? "has the attribute no_profile_instrument_function" : NULL;
}

void wm_extract_definition(LLVMValueRef ir, struct wm_map_function *function, struct wm_files *files)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(ir);
	function->file = WM_NONE;
	function->line = 0;
	if (!subprogram)
		return;
	LLVMMetadataRef file = LLVMDIScopeGetFile(subprogram);
	if (file)
		function->file = wm_files_index(files, file);
	function->line = LLVMDISubprogramGetLine(subprogram);
}

static enum wm_status add_value(struct extraction *x, uint32_t block, const struct wm_value *value)
{
	struct wm_map_function *f = x->function;
	bool computed = value->operand && LLVMIsAInstruction(value->operand), negated = false;
	LLVMValueRef place = computed ? wm_operand_place(value->operand, &negated) : NULL;
	bool truth = value->kind == WM_VALUE_OPERAND || value->kind == WM_VALUE_SPLIT ? !negated : value->truth;
	struct wm_map_value *grown =
		wm_arena_grow(x->arena, f->value, &x->value_capacity, f->value_count, sizeof *grown);
	char *name = copied(x, computed ? wm_condition_name(place) : "");
	if (!grown || !name)
		return WM_NO_MEMORY;
	f->value = grown;
	grown[f->value_count++] = (struct wm_map_value){.kind = (uint8_t)value->kind,
		.use = (uint8_t)value->use,
		.disjunction = value->disjunction,
		.truth = truth,
		.block = block,
		.join = value->join ? x->slot[slot_of(x, value->join)] - 1 : WM_NONE,
		.teller = value->teller ? x->slot[slot_of(x, value->teller)] - 1 : WM_NONE,
		.place = instruction_line(x, computed ? place : LLVMGetBasicBlockTerminator(value->block)),
		.name = name};
	return WM_OK;
}

/* The values that a block computes: it may end with the last operand of what its successor joins. */
static enum wm_status block_values(struct extraction *x, uint32_t block)
{
	struct wm_value value;
	enum wm_status status = WM_OK;
	LLVMBasicBlockRef ir = x->anchors->block[block];
	LLVMValueRef last = x->anchors->terminator[block];
	for (LLVMValueRef i = LLVMGetFirstInstruction(ir); i && status == WM_OK; i = LLVMGetNextInstruction(i))
		if (wm_value_of(i, &value))
			status = add_value(x, block, &value);
	if (status != WM_OK || !LLVMIsABranchInst(last))
		return status;
	LLVMBasicBlockRef next = LLVMGetSuccessor(last, 0);
	if (wm_value_is_side(next))
		next = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(next), 0);
	return wm_value_joined(next, &value) && value.block == ir ? add_value(x, block, &value) : WM_OK;
}

static enum wm_status find_values(struct extraction *x, uint32_t count)
{
	enum wm_status status = WM_OK;
	x->function->value = NULL;
	x->function->value_count = 0;
	for (uint32_t b = 0; b < count && status == WM_OK && x->function->stage == WM_CFG_SOURCE; b++)
		status = block_values(x, b);
	return status;
}

static enum wm_status build_graph(struct extraction *x, uint32_t count, uint32_t successors)
{
	uint32_t *last_seen = WM_NEW(x->arena, uint32_t, count), *first_ordinal = WM_NEW(x->arena, uint32_t, count);
	x->anchors->edge_successor = WM_NEW(x->arena, uint32_t, successors);
	if (!last_seen || !first_ordinal || !x->anchors->edge_successor)
		return WM_NO_MEMORY;
	enum wm_status status = wm_graph_builder_init(&x->builder, x->arena, count);
	for (uint32_t b = 0; status == WM_OK && b < count; b++)
		status = add_block(x, b, last_seen, first_ordinal);
	return status == WM_OK ? wm_graph_builder_finish(&x->builder, &x->function->graph) : status;
}

enum wm_status wm_extract(LLVMValueRef ir, bool optimised, struct wm_map_function *function, struct wm_anchors *anchors,
	struct wm_files *files, struct wm_arena *arena)
{
	struct extraction x = {.ir = ir,
		.optimised = optimised,
		.function = function,
		.anchors = anchors,
		.files = files,
		.arena = arena};
	uint32_t count = LLVMCountBasicBlocks(ir), successors = 0;
	if (function->inlined) {
		x.origins = &function->inlined->origins;
		x.origins->block_count = 0;
		x.origins->first_mark = WM_NEW(arena, uint32_t, (size_t)count + 1);
		if (!x.origins->first_mark)
			return WM_NO_MEMORY;
	}
	enum wm_status status = index_blocks(&x, count);
	if (status == WM_OK)
		status = scan_calls(&x, count, &successors);
	if (status == WM_OK)
		status = find_values(&x, count);
	return status == WM_OK ? build_graph(&x, count, successors) : status;
}
