/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/crash.h"
#include "abi/crash.h"
#include "core/probes/pending.h"
#include "core/probes/wrap.h"
#include "plugin/faults.h"
#include "plugin/inline_cost.h"
#include "plugin/points.h"
#include "plugin/returns.h"
#include <inttypes.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

/* Instructions of a block, without calls between them, that may fault. */
struct run {
	uint32_t block;
	LLVMValueRef first, last;
};

struct crash {
	struct wm_emission e; /* only emitter, builder, ir and arena are used */
	const struct wm_crash_request *request;
	struct wm_pending pending;
	bool *held; /* per block: the activation has its frame there */
	bool never; /* no block has the frame */
	uint32_t run_count, memory_count;
	struct run *run;
	struct run *memory; /* calls of memcpy and the like, which the map does not list */
	LLVMValueRef frame; /* a variable: the address of the frame where it is held */
	LLVMValueRef slot; /* a variable that stays in memory: the register */
	LLVMTypeRef void_type;
	LLVMValueRef only; /* some call that was written here */
	uint32_t own_calls;
};

/* ---- Inlining ----------------------------------------------------------------------------- */

static void call_is_free(struct crash *c, LLVMValueRef call)
{
	wm_set_inline_cost(c->e.emitter, call, 0);
	c->only = call;
	c->own_calls++;
}

/* The function is as cheap to inline as it was, so that the option does not change which functions are inlined. */
static void hide_from_inliner(struct crash *c, uint32_t size_before)
{
	uint32_t size = wm_inline_size(c->e.ir) - c->own_calls;
	if (c->only && size > size_before)
		wm_set_inline_cost(c->e.emitter, c->only, -WM_INLINE_COST * (int)(size - size_before));
}

/* ---- Runs -------------------------------------------------------------------------------- */

static bool is_call_site(LLVMValueRef i)
{
	return wm_is_call(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i)) && !LLVMGetIntrinsicID(LLVMGetCalledValue(i));
}

/* A division is a run of its own: its operand and its result tie it to the marks. */
static void find_runs_of(struct crash *c, uint32_t block)
{
	struct run *open = NULL;
	for (LLVMValueRef i = LLVMGetFirstInstruction(c->request->anchors->block[block]); i;
		i = LLVMGetNextInstruction(i)) {
		if (wm_is_memory_call(i))
			c->memory[c->memory_count++] = (struct run){block, i, i};
		if (is_call_site(i) || wm_is_division(i))
			open = NULL;
		if (!wm_may_fault(i))
			continue;
		if (!open)
			c->run[c->run_count++] = (struct run){block, i, i};
		open = &c->run[c->run_count - 1];
		open->last = i;
		if (wm_is_division(i))
			open = NULL;
	}
}

static enum wm_status find_runs(struct crash *c)
{
	size_t most = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->e.ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			most++;
	c->run = WM_NEW(c->e.arena, struct run, most);
	c->memory = WM_NEW(c->e.arena, struct run, most);
	if (!c->run || !c->memory)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < c->request->graph->block_count; b++)
		find_runs_of(c, b);
	return WM_OK;
}

/* ---- Marks --------------------------------------------------------------------------------- */

static LLVMValueRef assembly(LLVMTypeRef type, const char *text, const char *constraints)
{
	return LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), /*HasSideEffects=*/true,
		false, LLVMInlineAsmDialectATT, false);
}

/* The flag ? puts the section into the group of the function, so that a copy that the linker drops takes its marks
 * along.  `place`: the operand of the assembly that is the register; -1: none. */
static void mark_text(const struct crash *c, uint32_t block, unsigned flags, int place, char text[256])
{
	int size = snprintf(text, 256,
		"771: .pushsection " WM_CRASH_SECTION ",\"?\",@progbits\n.quad 771b, %#" PRIx64 "\n.long %u, %u\n",
		c->request->key, block, flags | (c->held[block] ? 0 : WM_MARK_LEAF));
	if (place < 0)
		snprintf(text + size, 256 - (size_t)size, ".zero %d\n.popsection", WM_MARK_PLACE);
	else
		snprintf(text + size, 256 - (size_t)size, "772: .asciz \"$%d\"\n.org 772b+%d\n.popsection", place,
			WM_MARK_PLACE);
}

/* Whether the pending path of a block is not known without the register. */
static bool depends(const struct crash *c, uint32_t block)
{
	return c->slot && !c->pending.single[block];
}

static void describe(struct crash *c, LLVMValueRef call)
{
	enum { READS_ANY_MEMORY = 1 << 4 | 1, WRITES_INACCESSIBLE_MEMORY = 3 << 2 };
	wm_call_attribute(c->e.emitter, call, "memory", READS_ANY_MEMORY | WRITES_INACCESSIBLE_MEMORY);
	wm_call_attribute(c->e.emitter, call, "nounwind", 0);
	call_is_free(c, call);
}

/* A memory operand of assembly.  The address does not escape, so LLVM knows all accesses. */
static void describe_memory(struct crash *c, LLVMValueRef call, unsigned argument)
{
	LLVMContextRef context = c->e.emitter->context;
	unsigned type = LLVMGetEnumAttributeKindForName("elementtype", 11),
		 nocapture = LLVMGetEnumAttributeKindForName("nocapture", 9);
	LLVMAddCallSiteAttribute(call, argument + 1, LLVMCreateTypeAttribute(context, type, c->e.emitter->i64));
	LLVMAddCallSiteAttribute(call, argument + 1, LLVMCreateEnumAttribute(context, nocapture, 0));
}

static void mark(struct crash *c, uint32_t block, unsigned flags, LLVMValueRef before)
{
	char text[256];
	bool reads = depends(c, block);
	LLVMTypeRef type = LLVMFunctionType(c->void_type, &c->e.emitter->ptr, reads, false);
	mark_text(c, block, flags, reads && !(flags & WM_MARK_END) ? 0 : -1, text);
	LLVMPositionBuilderBefore(c->e.builder, before);
	LLVMValueRef call =
		LLVMBuildCall2(c->e.builder, type, assembly(type, text, reads ? "*m" : ""), &c->slot, reads, "");
	describe(c, call);
	if (reads)
		describe_memory(c, call, 0);
}

static bool fits_register(LLVMTypeRef type)
{
	unsigned width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
	return width == 8 || width == 16 || width == 32 || width == 64;
}

/* A mark through which a value passes. */
static LLVMValueRef mark_value(
	struct crash *c, const struct run *run, unsigned flags, LLVMValueRef value, LLVMValueRef before)
{
	char text[256];
	bool reads = depends(c, run->block), end = flags & WM_MARK_END;
	LLVMTypeRef word = LLVMTypeOf(value), types[] = {word, c->e.emitter->ptr},
		    type = LLVMFunctionType(end ? c->void_type : word, types, 1 + reads, false);
	const char *constraints = end ? reads ? "r,*m" : "r" : reads ? "=r,0,*m" : "=r,0";
	LLVMValueRef arguments[] = {value, c->slot};
	mark_text(c, run->block, flags, reads && !end ? 2 : -1, text);
	LLVMPositionBuilderBefore(c->e.builder, before);
	LLVMValueRef call =
		LLVMBuildCall2(c->e.builder, type, assembly(type, text, constraints), arguments, 1 + reads, "");
	describe(c, call);
	if (reads)
		describe_memory(c, call, 1);
	return call;
}

static void mark_division(struct crash *c, const struct run *run)
{
	LLVMValueRef division = run->first;
	LLVMSetOperand(division, 1, mark_value(c, run, 0, LLVMGetOperand(division, 1), division));
	mark_value(c, run, WM_MARK_END, division, LLVMGetNextInstruction(division));
}

static void mark_runs(struct crash *c)
{
	for (uint32_t i = 0; i < c->run_count; i++) {
		const struct run *run = &c->run[i];
		if (wm_is_division(run->first) && fits_register(LLVMTypeOf(run->first))) {
			mark_division(c, run);
			continue;
		}
		mark(c, run->block, WM_MARK_END, LLVMGetNextInstruction(run->last));
		mark(c, run->block, 0, run->first);
	}
}

/* ---- Frames -------------------------------------------------------------------------------- */

static LLVMValueRef address(struct crash *c, LLVMValueRef base, size_t offset)
{
	LLVMValueRef index = wm_constant(c->e.emitter, offset);
	return LLVMBuildGEP2(c->e.builder, c->e.emitter->i8, base, &index, 1, "");
}

static LLVMValueRef frame(struct crash *c)
{
	return wm_load(&c->e, c->e.emitter->ptr, c->frame);
}

static LLVMValueRef field(struct crash *c, size_t offset)
{
	return address(c, frame(c), offset);
}

static LLVMValueRef top(struct crash *c)
{
	return wm_runtime_tls(c->e.emitter, "__wm_crash_top", c->e.emitter->ptr);
}

static void store(struct crash *c, LLVMValueRef value, LLVMValueRef at)
{
	LLVMBuildStore(c->e.builder, value, at);
}

static LLVMValueRef load(struct crash *c, LLVMTypeRef type, LLVMValueRef at)
{
	return LLVMBuildLoad2(c->e.builder, type, at, "");
}

/* An instrumented signal handler reads it at any time. */
static void store_top(struct crash *c, LLVMValueRef value)
{
	LLVMSetVolatile(LLVMBuildStore(c->e.builder, value, top(c)), true);
}

static LLVMValueRef small(struct crash *c, uint32_t value)
{
	return LLVMConstInt(c->e.emitter->i32, value, false);
}

static uint32_t tag(const struct crash *c)
{
	return wm_crash_tag(c->request->key);
}

static LLVMValueRef load_top(struct crash *c)
{
	return load(c, c->e.emitter->ptr, top(c));
}

static LLVMValueRef call_runtime(struct crash *c, const char *name, LLVMTypeRef result, LLVMValueRef frame)
{
	LLVMValueRef call = wm_call_runtime(&c->e, name, result, &frame, 1);
	call_is_free(c, call);
	return call;
}

/* The tag and, in the same store, the site 0. */
static void take_frame(struct crash *c)
{
	store_top(c, field(c, sizeof(struct wm_crash_frame)));
	store(c, wm_constant(c->e.emitter, tag(c)), field(c, offsetof(struct wm_crash_frame, tag)));
}

/* The runtime may give another frame at the beginning of a page. */
static void acquire(struct crash *c, LLVMValueRef before)
{
	struct wm_emitter *emitter = c->e.emitter;
	LLVMPositionBuilderBefore(c->e.builder, before);
	store(c, load_top(c), c->frame);
	LLVMValueRef base = frame(c), number = LLVMBuildPtrToInt(c->e.builder, base, emitter->i64, "");
	LLVMValueRef page = LLVMBuildAnd(c->e.builder, number, wm_constant(emitter, 4095), "");
	LLVMPositionBuilderBefore(c->e.builder, wm_shim_if_unlikely(LLVMBuildIsNull(c->e.builder, page, ""), before));
	store(c, call_runtime(c, "__wm_crash_take", emitter->ptr, base), c->frame);
	LLVMPositionBuilderBefore(c->e.builder, before);
	take_frame(c);
}

static void drop_frame(struct crash *c, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(c->e.builder, before);
	store(c, small(c, 0), field(c, offsetof(struct wm_crash_frame, tag)));
	store_top(c, frame(c));
}

static void unwind_to_frame(struct crash *c, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(c->e.builder, before);
	call_runtime(c, "__wm_crash_unwind", c->void_type, frame(c));
}

/* ---- Events --------------------------------------------------------------------------------- */

/* One instruction, before the optimiser runs: of a load, an addition and a store it would keep the sum in a machine
 * register as well. */
static void add_by_assembly(struct crash *c, int64_t value)
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
	describe_memory(c, call, 0);
	describe_memory(c, call, 2);
	call_is_free(c, call);
}

static void add_value(struct crash *c, int64_t value)
{
	if (!c->e.emitter->promote) {
		add_by_assembly(c, value);
		return;
	}
	LLVMValueRef sum = load(c, c->e.emitter->i64, c->slot);
	store(c, LLVMBuildAdd(c->e.builder, sum, wm_constant(c->e.emitter, (uint64_t)value), ""), c->slot);
}

/* Adds a finished path to the ring: its offset is one byte, so that it wraps around. */
static void keep_path(struct crash *c, uint32_t block)
{
	struct wm_emitter *emitter = c->e.emitter;
	const size_t first = offsetof(struct wm_crash_head, path) - offsetof(struct wm_crash_head, next);
	LLVMValueRef ring = LLVMBuildLoad2(
		c->e.builder, emitter->ptr, wm_runtime_tls(emitter, "__wm_crash_paths", emitter->ptr), "");
	LLVMValueRef next = load(c, emitter->i8, ring);
	LLVMValueRef wide = LLVMBuildZExt(c->e.builder, next, emitter->i64, "");
	LLVMValueRef entry = address(c, LLVMBuildGEP2(c->e.builder, emitter->i8, ring, &wide, 1, ""), first);
	store(c, small(c, tag(c)), address(c, entry, offsetof(struct wm_crash_path, tag)));
	store(c, small(c, block), address(c, entry, offsetof(struct wm_crash_path, block)));
	if (depends(c, block))
		store(c, load(c, emitter->i64, c->slot), address(c, entry, offsetof(struct wm_crash_path, value)));
	LLVMValueRef size = LLVMConstInt(emitter->i8, sizeof(struct wm_crash_path), false);
	store(c, LLVMBuildAdd(c->e.builder, next, size, ""), ring);
}

/* wm_pending_make uses no other actions. */
static void build_action(struct crash *c, const struct wm_action *action, uint32_t block)
{
	switch (action->kind) {
	case WM_ACTION_SET:
		store(c, wm_constant(c->e.emitter, (uint64_t)action->value), c->slot);
		break;
	case WM_ACTION_ADD:
		add_value(c, action->value);
		break;
	case WM_ACTION_COUNT:
	case WM_ACTION_COUNT_AT:
		if (c->request->paths)
			keep_path(c, block);
		break;
	}
}

static void build_probe(struct crash *c, const struct wm_probe *probe, uint32_t block, LLVMValueRef before)
{
	for (uint32_t i = 0; i < probe->count; i++) {
		LLVMPositionBuilderBefore(c->e.builder, before);
		build_action(c, &probe->action[i], block);
	}
}

static void build_probes(struct crash *c, LLVMValueRef *points, LLVMValueRef entry)
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

static void store_site(struct crash *c, uint32_t site, uint32_t block, LLVMValueRef call)
{
	LLVMPositionBuilderBefore(c->e.builder, call);
	if (depends(c, block))
		store(c, load(c, c->e.emitter->i64, c->slot), field(c, offsetof(struct wm_crash_frame, kept)));
	store(c, small(c, site), field(c, offsetof(struct wm_crash_frame, site)));
}

static uint32_t *blocks_of_calls(struct crash *c)
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
static bool is_tail(const struct crash *c, uint32_t call, uint32_t block)
{
	return c->request->graph->end[block] == WM_END_RETURN &&
	       c->request->anchors->exit[block] == c->request->calls->call[call];
}

/* The value of the register at a call that may return twice is kept where longjmp does not change it. */
static void build_second_return(struct crash *c, LLVMValueRef call)
{
	LLVMValueRef after = LLVMGetNextInstruction(call), saved;
	unwind_to_frame(c, after);
	if (!c->slot)
		return;
	saved = wm_new_alloca(&c->e, c->e.emitter->i64, "waymark.saved");
	LLVMPositionBuilderBefore(c->e.builder, call);
	LLVMSetVolatile(LLVMBuildStore(c->e.builder, load(c, c->e.emitter->i64, c->slot), saved), true);
	LLVMPositionBuilderBefore(c->e.builder, after);
	LLVMValueRef value = load(c, c->e.emitter->i64, saved);
	LLVMSetVolatile(value, true);
	store(c, value, c->slot);
}

static void build_calls(struct crash *c, const uint32_t *block)
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
static void build_wrapping(struct crash *c, LLVMValueRef *points, LLVMValueRef entry)
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
static void list_lines(struct crash *c)
{
	for (uint32_t i = 0; i < c->request->call_count; i++) {
		char text[256];
		LLVMMetadataRef location = LLVMInstructionGetDebugLoc(c->request->calls->call[i]);
		if (!location)
			continue;
		int size = snprintf(text, sizeof text,
			".pushsection " WM_CRASH_SECTION ",\"\",@progbits\n.quad %u, %#" PRIx64
			"\n.long %u, %u\n.zero %d\n.popsection\n",
			LLVMDILocationGetLine(location), c->request->key, i, WM_MARK_SITE, WM_MARK_PLACE);
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

static void build_landing_pads(struct crash *c)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->e.ir); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef pad = landing_pad(b);
		if (pad)
			unwind_to_frame(c, LLVMGetNextInstruction(pad));
	}
}

/* ---- The function --------------------------------------------------------------------------------- */

/* The blocks that need a frame; false: none does. */
static bool need_frame(struct crash *c, const uint32_t *block)
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
static enum wm_status choose_held(struct crash *c, const uint32_t *block)
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
	return c->never ? WM_OK : wm_wrap(c->held, graph, weights, (struct wm_wrap_costs){5, 2}, c->e.arena);
}

/* Whether some update of the register can matter. */
static bool uses_register(const struct crash *c)
{
	return c->pending.program.probe_count && (c->run_count || c->request->paths || !c->never);
}

static enum wm_status emit(struct crash *c, const uint32_t *block, LLVMValueRef *points)
{
	uint32_t size_before = wm_inline_size(c->e.ir);
	if (uses_register(c))
		c->slot = wm_new_alloca(&c->e, c->e.emitter->i64, "waymark.pending");
	mark_runs(c);
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
	struct crash c = {.e = {.emitter = emitter, .builder = emitter->builder, .ir = ir, .arena = arena},
		.request = request,
		.void_type = LLVMVoidTypeInContext(emitter->context)};
	enum wm_status status = wm_pending_make(&c.pending, request->graph, arena);
	uint32_t *block = blocks_of_calls(&c);
	LLVMValueRef *points = WM_NEW(arena, LLVMValueRef, request->graph->edge_count);
	bool *needed = WM_NEW(arena, bool, request->graph->edge_count);
	if (status == WM_OK)
		status = block && points && needed ? find_runs(&c) : WM_NO_MEMORY;
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
	return emit(&c, block, points);
}
