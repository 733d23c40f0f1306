/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/crash/crash_emit.h"
#include "abi/crash.h"
#include "abi/thread.h"
#include "core/probes/shrink_wrap.h"
#include "core/scheme/kiter.h"
#include "plugin/actions/inline_cost.h"
#include "plugin/actions/probe_points.h"
#include "plugin/actions/this_thread.h"
#include "plugin/crash/faults.h"
#include "plugin/crash/frames.h"
#include "plugin/llvm/returns.h"
#include <inttypes.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

/* ---- Inlining ----------------------------------------------------------------------------- */

/* The function is as cheap to inline as it was, so that the option does not change which functions are inlined. */
static void hide_from_inliner(struct wm_crash_function *c, uint32_t size_before)
{
	uint32_t size = wm_inline_size(c->e.ir) - c->own_calls;
	if (c->only && size > size_before)
		wm_set_inline_cost(c->e.emitter, c->only, -WM_INLINE_COST * (int)(size - size_before));
}

/* ---- Frames -------------------------------------------------------------------------------- */

static LLVMValueRef address(struct wm_crash_function *c, LLVMValueRef base, size_t offset)
{
	LLVMValueRef index = wm_constant(c->e.emitter, offset);
	return LLVMBuildGEP2(c->e.builder, c->e.emitter->i8, base, &index, 1, "");
}

static LLVMValueRef frame(struct wm_crash_function *c)
{
	return wm_load(&c->e, c->e.emitter->ptr, c->frame);
}

static LLVMValueRef field(struct wm_crash_function *c, size_t offset)
{
	return address(c, frame(c), offset);
}

static void build_store(struct wm_crash_function *c, LLVMValueRef value, LLVMValueRef at)
{
	LLVMBuildStore(c->e.builder, value, at);
}

static LLVMValueRef build_load(struct wm_crash_function *c, LLVMTypeRef type, LLVMValueRef at)
{
	return LLVMBuildLoad2(c->e.builder, type, at, "");
}

static LLVMValueRef small(struct wm_crash_function *c, uint32_t value)
{
	return LLVMConstInt(c->e.emitter->i32, value, false);
}

static uint32_t tag(const struct wm_crash_function *c)
{
	return wm_crash_tag(c->request->key);
}

enum { SLOT = sizeof(struct wm_crash_frame) };

/* The register, a piece, or a saved context. */
static LLVMValueRef word(struct wm_crash_function *c, uint64_t index)
{
	return index ? address(c, c->slot, 8 * index) : c->slot;
}

static LLVMValueRef load_word(struct wm_crash_function *c, uint64_t index)
{
	return build_load(c, c->e.emitter->i64, word(c, index));
}

static void copy_pieces(struct wm_crash_function *c, uint32_t count)
{
	if (count)
		build_store(c, load_word(c, 1), field(c, SLOT + offsetof(struct wm_crash_frame, kept)));
	if (count > 1)
		LLVMBuildMemCpy(c->e.builder, field(c, 2 * SLOT), 8, word(c, 2), 8,
			wm_constant(c->e.emitter, 8 * (uint64_t)(count - 1)));
}

static void acquire(struct wm_crash_function *c, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(c->e.builder, before);
	LLVMValueRef taken = wm_frame_take(&c->e, tag(c), c->pending.most_earlier);
	build_store(c, taken, c->frame);
	wm_crash_call_is_free(c, taken);
}

static void drop_frame(struct wm_crash_function *c, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(c->e.builder, before);
	wm_frame_drop(&c->e, frame(c), c->pending.most_earlier);
	c->own_calls++;
}

static void unwind_to_frame(struct wm_crash_function *c, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(c->e.builder, before);
	wm_frame_unwind(&c->e, frame(c), c->pending.most_earlier);
	c->own_calls++;
}

/* ---- Events --------------------------------------------------------------------------------- */

/* One instruction, before the optimiser runs: of a load, an addition and a store it would keep the sum in a machine
 * register as well. */
static void add_by_assembly(struct wm_crash_function *c, int64_t value)
{
	enum { READS_AND_WRITES_ARGUMENTS = 3 };
	struct wm_emitter *emitter = c->e.emitter;
	bool wide = value != (int32_t)value;
	LLVMTypeRef types[] = {emitter->ptr, emitter->i64, emitter->ptr},
		    type = LLVMFunctionType(c->void_type, types, 3, false);
	const char *constraints = wide ? "=*m,r,*m,~{flags}" : "=*m,e,*m,~{flags}", *text = "addq $1, $0";
	LLVMValueRef add = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), false, false,
		LLVMInlineAsmDialectATT, false);
	LLVMValueRef arguments[] = {c->slot, wm_constant(emitter, (uint64_t)value), c->slot};
	LLVMValueRef call = LLVMBuildCall2(c->e.builder, type, add, arguments, 3, "");
	wm_call_attribute(emitter, call, "memory", READS_AND_WRITES_ARGUMENTS);
	wm_call_attribute(emitter, call, "nounwind", 0);
	wm_call_attribute(emitter, call, "willreturn", 0);
	wm_crash_memory_operand(c, call, 0);
	wm_crash_memory_operand(c, call, 2);
	wm_crash_call_is_free(c, call);
}

static void add_value(struct wm_crash_function *c, int64_t value)
{
	if (!c->e.emitter->promote) {
		add_by_assembly(c, value);
		return;
	}
	LLVMValueRef sum = build_load(c, c->e.emitter->i64, c->slot);
	build_store(c, LLVMBuildAdd(c->e.builder, sum, wm_constant(c->e.emitter, (uint64_t)value), ""), c->slot);
}

/* Adds a finished path to the ring: its offset is one byte, so that it wraps around. */
static void keep_path(struct wm_crash_function *c, uint32_t block)
{
	struct wm_emitter *emitter = c->e.emitter;
	const size_t first = offsetof(struct wm_crash_head, path) - offsetof(struct wm_crash_head, next);
	bool asked = wm_thread_call(c->e.ir);
	LLVMValueRef at = wm_thread_field(&c->e, offsetof(struct wm_thread, crash_paths));
	c->own_calls += !asked && wm_thread_call(c->e.ir);
	LLVMValueRef ring = LLVMBuildLoad2(c->e.builder, emitter->ptr, at, "");
	LLVMValueRef next = build_load(c, emitter->i8, ring);
	LLVMValueRef wide = LLVMBuildZExt(c->e.builder, next, emitter->i64, "");
	LLVMValueRef entry = address(c, LLVMBuildGEP2(c->e.builder, emitter->i8, ring, &wide, 1, ""), first);
	build_store(c, small(c, tag(c)), address(c, entry, offsetof(struct wm_crash_path, tag)));
	build_store(c, small(c, block), address(c, entry, offsetof(struct wm_crash_path, block)));
	if (wm_crash_depends(c, block))
		build_store(c, build_load(c, emitter->i64, c->slot),
			address(c, entry, offsetof(struct wm_crash_path, value)));
	LLVMValueRef size = LLVMConstInt(emitter->i8, sizeof(struct wm_crash_path), false);
	build_store(c, LLVMBuildAdd(c->e.builder, next, size, ""), ring);
}

/* Puts a piece in front of the list. */
static void keep_piece(struct wm_crash_function *c, const struct wm_action *action)
{
	uint32_t kept = c->pending.earlier[c->pending.plan.iterations->iterated[action->loop].head];
	LLVMValueRef piece = wm_constant(c->e.emitter, (uint64_t)action->value);
	if (action->kind == WM_ACTION_PIECE)
		piece = LLVMBuildAdd(c->e.builder, load_word(c, 0), piece, "");
	if (kept > 1)
		LLVMBuildMemMove(c->e.builder, word(c, 2), 8, word(c, 1), 8,
			wm_constant(c->e.emitter, 8 * (uint64_t)(kept - 1)));
	build_store(c, piece, word(c, 1));
}

static uint64_t context(const struct wm_crash_function *c, const struct wm_action *action)
{
	return 1 + c->pending.most_earlier + (uint64_t)action->value;
}

/* wm_pending_make uses no other actions. */
static void build_action(struct wm_crash_function *c, const struct wm_action *action, uint32_t block)
{
	switch (action->kind) {
	case WM_ACTION_SAVE:
		build_store(c, load_word(c, 0), word(c, context(c, action)));
		break;
	case WM_ACTION_RESTORE:
		build_store(c, load_word(c, context(c, action)), c->slot);
		break;
	case WM_ACTION_SET:
		build_store(c, wm_constant(c->e.emitter, (uint64_t)action->value), c->slot);
		break;
	case WM_ACTION_ADD:
		add_value(c, action->value);
		break;
	case WM_ACTION_PIECE:
	case WM_ACTION_PIECE_AT:
		keep_piece(c, action);
		__attribute__((fallthrough));
	case WM_ACTION_COUNT:
	case WM_ACTION_COUNT_AT:
		if (c->request->paths)
			keep_path(c, block);
		break;
	}
}

static void build_probe(struct wm_crash_function *c, const struct wm_probe *probe, uint32_t block, LLVMValueRef before)
{
	for (uint32_t i = 0; i < probe->count; i++) {
		LLVMPositionBuilderBefore(c->e.builder, before);
		build_action(c, &probe->action[i], block);
	}
}

static void build_probes(struct wm_crash_function *c, LLVMValueRef *points, LLVMValueRef entry)
{
	const struct wm_graph *graph = c->request->graph;
	const struct wm_dfs *dfs = &c->pending.plan.dfs;
	build_probe(c, &c->pending.program.entry, 0, entry);
	for (uint32_t i = 0; i < dfs->reached; i++) {
		uint32_t block = dfs->reverse_postorder[i];
		for (uint32_t edge = graph->first_edge[block]; edge < graph->first_edge[block + 1]; edge++)
			if (points[edge])
				build_probe(c, &c->pending.program.edge[edge], block, points[edge]);
	}
	for (uint32_t block = 0; block < graph->block_count; block++)
		if (c->pending.program.exit[block].count)
			build_probe(c, &c->pending.program.exit[block], block, c->request->anchors->exit[block]);
}

/* ---- Calls ------------------------------------------------------------------------------------ */

static void store_site(struct wm_crash_function *c, uint32_t site, uint32_t block, LLVMValueRef call)
{
	LLVMPositionBuilderBefore(c->e.builder, call);
	if (wm_crash_depends(c, block)) {
		build_store(c, load_word(c, 0), field(c, offsetof(struct wm_crash_frame, kept)));
		copy_pieces(c, c->pending.earlier ? c->pending.earlier[block] : 0);
	}
	build_store(c, small(c, site), field(c, offsetof(struct wm_crash_frame, site)));
}

static uint32_t *blocks_of_calls(struct wm_crash_function *c)
{
	uint32_t *block = WM_NEW(c->e.arena, uint32_t, c->request->call_count), used = 0;
	for (uint32_t b = 0; block && b < c->request->graph->block_count; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(c->request->anchors->block[b]); i;
			i = LLVMGetNextInstruction(i))
			if (used < c->request->call_count && c->request->calls->call[used] == i)
				block[used++] = b;
	return block;
}

/* A tail call ends the path and the frame before it. */
static bool is_tail(const struct wm_crash_function *c, uint32_t call, uint32_t block)
{
	return c->request->graph->end[block] == WM_END_RETURN &&
	       c->request->anchors->exit[block] == c->request->calls->call[call];
}

static uint64_t words(const struct wm_crash_function *c)
{
	return 1 + (uint64_t)c->pending.most_earlier + c->pending.program.saved_count;
}

/* The register, pieces and contexts at a call that may return twice are kept where longjmp does not change them. */
static void build_second_return(struct wm_crash_function *c, LLVMValueRef call)
{
	LLVMValueRef after = LLVMGetNextInstruction(call);
	unwind_to_frame(c, after);
	for (uint64_t i = 0; c->slot && i < words(c); i++) {
		LLVMValueRef saved = wm_new_alloca(&c->e, c->e.emitter->i64, "waymark.saved");
		LLVMPositionBuilderBefore(c->e.builder, call);
		LLVMSetVolatile(LLVMBuildStore(c->e.builder, load_word(c, i), saved), true);
		LLVMPositionBuilderBefore(c->e.builder, after);
		LLVMValueRef value = build_load(c, c->e.emitter->i64, saved);
		LLVMSetVolatile(value, true);
		build_store(c, value, word(c, i));
	}
}

static void build_calls(struct wm_crash_function *c, const uint32_t *block)
{
	const struct wm_anchors *anchors = c->request->anchors;
	const struct wm_graph *graph = c->request->graph;
	for (uint32_t i = 0; i < c->request->call_count; i++)
		if (!is_tail(c, i, block[i]))
			store_site(c, i + 1, block[i], c->request->calls->call[i]);
	for (uint32_t i = 0; i < c->memory_count; i++)
		store_site(c, WM_SITE_BLOCK | c->memory[i].block, c->memory[i].block, c->memory[i].first);
	for (uint32_t i = 0; i < anchors->resume_count; i++)
		build_second_return(c, anchors->resume_call[i]);
	for (uint32_t b = 0; b < graph->block_count; b++)
		if (c->held[b] && (graph->end[b] == WM_END_RETURN || graph->end[b] == WM_END_UNWIND))
			drop_frame(c, anchors->exit[b]);
}

/* Where the frame is acquired and, but for returns, released. */
static void build_wrapping(struct wm_crash_function *c, LLVMValueRef *points, LLVMValueRef entry)
{
	const struct wm_graph *graph = c->request->graph;
	if (c->held[0])
		acquire(c, entry);
	for (uint32_t edge = 0; edge < graph->edge_count; edge++) {
		bool before = c->held[graph->edge_from[edge]], after = c->held[graph->edge_to[edge]];
		if (!points[edge] || before == after)
			continue;
		if (after)
			acquire(c, points[edge]);
		else
			drop_frame(c, points[edge]);
	}
}

/* The map does not say on which line of its block a call is. */
static void list_lines(struct wm_crash_function *c)
{
	for (uint32_t i = 0; i < c->request->call_count; i++) {
		char text[256];
		struct wm_crash_lines lines = wm_crash_lines_of(c->request->calls->call[i]);
		if (!lines.least)
			continue;
		int size = snprintf(text, sizeof text,
			".pushsection " WM_CRASH_SECTION ",\"\",@progbits\n.quad %u, %#" PRIx64
			"\n.long %u, %u, %u, %u, %u\n.zero %zu\n.popsection\n",
			lines.least, c->request->key, i, WM_MARK_SITE | WM_MARK_LINES, lines.least, lines.greatest,
			lines.own, WM_MARK_PLACE - sizeof lines);
		LLVMAppendModuleInlineAsm(c->e.emitter->module, text, (size_t)size);
	}
}

static LLVMValueRef landing_pad(LLVMBasicBlockRef block)
{
	LLVMValueRef i = LLVMGetFirstInstruction(block);
	while (i && LLVMGetInstructionOpcode(i) == LLVMPHI)
		i = LLVMGetNextInstruction(i);
	return i && LLVMGetInstructionOpcode(i) == LLVMLandingPad ? i : NULL;
}

static void build_landing_pads(struct wm_crash_function *c)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->e.ir); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef pad = landing_pad(b);
		if (pad)
			unwind_to_frame(c, LLVMGetNextInstruction(pad));
	}
}

/* ---- The function --------------------------------------------------------------------------------- */

/* The blocks that need a frame; false: none does. */
static bool need_frame(struct wm_crash_function *c, const uint32_t *block)
{
	bool some = false;
	for (uint32_t i = 0; i < c->request->call_count; i++)
		if (!is_tail(c, i, block[i]))
			some = c->held[block[i]] = true;
	for (uint32_t i = 0; i < c->memory_count; i++)
		some = c->held[c->memory[i].block] = true;
	for (uint32_t b = 0; b < c->request->graph->block_count; b++)
		if (landing_pad(c->request->anchors->block[b]))
			some = c->held[b] = true;
	return some;
}

/* The costs are instructions. */
static enum wm_status choose_held(struct wm_crash_function *c, const uint32_t *block)
{
	const struct wm_graph *graph = c->request->graph;
	struct wm_weights guess;
	const struct wm_weights *weights = c->request->weights ? c->request->weights : &guess;
	c->held = WM_NEW(c->e.arena, bool, graph->block_count);
	if (!c->held)
		return WM_NO_MEMORY;
	if (weights == &guess && wm_weights_static(&guess, graph, &c->pending.plan.dfs, c->e.arena) != WM_OK)
		return WM_NO_MEMORY;
	c->never = !need_frame(c, block);
	for (uint32_t b = 0; c->request->anchors->resume_count && b < graph->block_count; b++)
		c->held[b] = true;
	return c->never ? WM_OK
			: wm_shrink_wrap(c->held, graph, weights, (struct wm_shrink_wrap_costs){5, 2}, c->e.arena);
}

/* Whether some update of the register can matter. */
static bool uses_register(const struct wm_crash_function *c)
{
	return c->pending.program.probe_count && (c->run_count || c->request->paths || !c->never);
}

static enum wm_status emit_frame(struct wm_crash_function *c, const uint32_t *block, LLVMValueRef *points)
{
	uint32_t size_before = wm_inline_size(c->e.ir);
	if (uses_register(c))
		c->slot = wm_new_alloca(&c->e, LLVMArrayType2(c->e.emitter->i64, words(c)), "waymark.pending");
	wm_crash_mark_runs(c);
	LLVMValueRef at = wm_after_allocas(c->e.ir);
	if (c->slot)
		build_probes(c, points, at);
	if (!c->never) {
		c->frame = wm_new_alloca(&c->e, c->e.emitter->ptr, "waymark.frame");
		list_lines(c);
		build_wrapping(c, points, at);
		build_calls(c, block);
		build_landing_pads(c);
		wm_shim_promote(c->e.ir, &c->frame, 1);
	}
	hide_from_inliner(c, size_before);
	return WM_OK;
}

enum wm_status wm_crash_emit(
	struct wm_emitter *emitter, LLVMValueRef ir, const struct wm_crash_request *request, struct wm_arena *arena)
{
	struct wm_crash_function c = {.e = {.emitter = emitter, .builder = emitter->builder, .ir = ir, .arena = arena},
		.request = request,
		.void_type = LLVMVoidTypeInContext(emitter->context)};
	enum wm_status status = wm_pending_make(&c.pending, request->graph, request->plan, arena);
	uint32_t *block = blocks_of_calls(&c);
	LLVMValueRef *points = WM_NEW(arena, LLVMValueRef, request->graph->edge_count);
	bool *needed = WM_NEW(arena, bool, request->graph->edge_count);
	if (status == WM_OK)
		status = block && points && needed ? wm_crash_find_runs(&c) : WM_NO_MEMORY;
	if (status == WM_OK)
		status = choose_held(&c, block);
	if (status != WM_OK)
		return status;
	const struct wm_graph *graph = request->graph;
	for (uint32_t edge = 0; edge < graph->edge_count; edge++)
		needed[edge] = c.pending.program.edge[edge].count ||
			       c.held[graph->edge_from[edge]] != c.held[graph->edge_to[edge]];
	if (!wm_edge_points(&c.pending.plan, needed, ir, request->anchors, points))
		return WM_BAD_GRAPH;
	return emit_frame(&c, block, points);
}
