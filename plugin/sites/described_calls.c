/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/sites/described_calls.h"
#include "abi/crash.h"
#include "plugin/llvm/returns.h"
#include "plugin/llvm/stack_maps.h"
#include "plugin/sites/site_table.h"
#include <string.h>

/* ---- Which calls ------------------------------------------------------------------------- */

static bool has_attribute(LLVMValueRef ir, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	return LLVMGetEnumAttributeAtIndex(ir, LLVMAttributeFunctionIndex, kind);
}

static bool may_describe(LLVMValueRef ir)
{
	return !has_attribute(ir, "presplitcoroutine") && !has_attribute(ir, "naked") && !LLVMGetGC(ir);
}

/* LLVM ends with an error at a described call that goes through a thunk. */
static bool uses_thunks(LLVMValueRef ir)
{
	static const char name[] = "target-features";
	unsigned length;
	LLVMAttributeRef features =
		LLVMGetStringAttributeAtIndex(ir, LLVMAttributeFunctionIndex, name, sizeof name - 1);
	const char *text = features ? LLVMGetStringAttributeValue(features, &length) : "";
	return strstr(text, "+retpoline") || strstr(text, "+lvi-cfi");
}

static bool is_ours(LLVMValueRef call)
{
	size_t length;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	return LLVMIsAFunction(callee) && !strncmp(LLVMGetValueName2(callee, &length), "__wm_", 5);
}

static bool preserves_as_c(LLVMValueRef call)
{
	unsigned convention = LLVMGetInstructionCallConv(call);
	return convention == LLVMCCallConv || convention == LLVMFastCallConv || convention == LLVMX8664SysVCallConv;
}

static bool may_be_left_in(LLVMValueRef ir, LLVMValueRef call)
{
	return wm_is_call_site(call) && wm_call_not_known_to_return(call) && !wm_returns_twice(call) &&
	       !LLVMGetNumOperandBundles(call) && preserves_as_c(call) &&
	       !(LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail) &&
	       !(wm_shim_is_indirect_call(call) && uses_thunks(ir));
}

/* Whether the path has ended before the call with this index in the map, which does not return. */
static bool has_ended(const struct wm_map_function *map, uint32_t c)
{
	bool last = c + 1 == map->call_count || map->call[c + 1].block != map->call[c].block;
	return last && map->graph.end[map->call[c].block] == WM_END_NORETURN;
}

/* Where the frame is gone, nothing stands in the call. */
static uint32_t site_of(const struct wm_map_function *map, uint32_t c)
{
	if (map->call[c].tail)
		return 0;
	return has_ended(map, c) ? (c + 1) | WM_SITE_ENDED : c + 1;
}

static void find_in_block(struct wm_sites *sites, const struct wm_emission *e, uint32_t block, uint32_t origin)
{
	const struct wm_map_function *map = e->function;
	uint32_t c = 0;
	while (c < map->call_count && map->call[c].block < origin)
		c++;
	for (LLVMValueRef i = LLVMGetFirstInstruction(e->anchors->block[block]); i; i = LLVMGetNextInstruction(i)) {
		if (!wm_is_call_site(i) || is_ours(i))
			continue;
		bool listed = c < map->call_count && map->call[c].block == origin;
		uint32_t site = listed ? site_of(map, c) : WM_SITE_BLOCK | origin;
		if (may_be_left_in(e->ir, i))
			sites->item[sites->count++] = (struct wm_left_call){i, block, site};
		c += listed;
	}
}

static size_t count_calls(LLVMValueRef ir)
{
	size_t count = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			count += wm_is_call(i);
	return count;
}

enum wm_status wm_sites_find(
	struct wm_sites *sites, const struct wm_emission *e, const uint32_t *origin, const struct wm_weights *weights)
{
	const struct wm_dfs *dfs = &e->plan->dfs;
	bool *wanted = WM_NEW(e->arena, bool, e->plan->graph->block_count);
	*sites = (struct wm_sites){.item = WM_NEW(e->arena, struct wm_left_call, count_calls(e->ir))};
	if (!sites->item || !wanted)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < dfs->reached && may_describe(e->ir); i++) {
		uint32_t block = dfs->reverse_postorder[i];
		find_in_block(sites, e, block, origin ? origin[block] : block);
	}
	for (size_t i = 0; i < sites->count; i++)
		wanted[sites->item[i].block] |= sites->item[i].site && !(sites->item[i].site & WM_SITE_ENDED) &&
						wm_call_may_not_return(sites->item[i].call);
	return wm_prefix_sums_find(&sites->sums, e->plan, e->program, e->counting, wanted, weights, e->arena);
}

/* ---- Bundles -------------------------------------------------------------------------------- */

static LLVMValueRef half(const struct wm_emission *e, uint64_t word, unsigned shift)
{
	return LLVMConstInt(e->emitter->i32, (uint32_t)(word >> shift), false);
}

static LLVMValueRef load_sum(struct wm_emission *e, enum wm_prefix_place place, LLVMValueRef second)
{
	switch (place) {
	case WM_PREFIX_REGISTER:
		return wm_load(e, e->word, e->reg.path);
	case WM_PREFIX_SECOND:
		return wm_load(e, e->emitter->i64, second);
	case WM_PREFIX_CONSTANT:
	case WM_PREFIX_UNKNOWN:
		break;
	}
	return LLVMConstInt(e->emitter->i32, 0, false);
}

static void attach(struct wm_emitter *emitter, LLVMValueRef call, LLVMValueRef *value)
{
	for (int i = 0; i < WM_SITE_VALUES; i++)
		value[i] = value[i] ? value[i] : LLVMConstInt(emitter->i32, 0, false);
	wm_shim_add_deopt(call, value, WM_SITE_VALUES);
}

/* S: the number of a path that has ended follows from the register only if the end of the path has left it as it was. */
static bool is_known(const struct wm_emission *e, const struct wm_left_call *left, const struct wm_prefix_sum *sum)
{
	const struct wm_probe *end = &e->program->exit[left->block];
	bool known = sum->place != WM_PREFIX_UNKNOWN;
	if (!(left->site & WM_SITE_ENDED) || sum->place != WM_PREFIX_REGISTER)
		return known;
	for (uint32_t i = 0; i < end->count; i++)
		known &= end->action[i].kind == WM_ACTION_COUNT;
	return known;
}

/* Without bits, S is not known. */
static void attach_sum(
	struct wm_emission *e, const struct wm_left_call *left, const struct wm_prefix_sum *sum, LLVMValueRef second)
{
	bool known = is_known(e, left, sum);
	LLVMTypeRef i32 = e->emitter->i32;
	LLVMValueRef value[WM_SITE_VALUES] = {NULL};
	LLVMPositionBuilderBefore(e->builder, left->call);
	value[WM_SITE_KEY_LOW] = half(e, e->function->key, 0);
	value[WM_SITE_KEY_HIGH] = half(e, e->function->key, 32);
	value[WM_SITE_NUMBER] =
		LLVMConstInt(i32, left->site | (LLVMIsAInvokeInst(left->call) ? WM_SITE_LANDS : 0), false);
	value[WM_SITE_MISSING_LOW] = half(e, sum->missing, 0);
	value[WM_SITE_MISSING_HIGH] = half(e, sum->missing, 32);
	value[WM_SITE_BITS] = LLVMConstInt(i32, known ? sum->bits : 0, false);
	value[WM_SITE_SUM] = load_sum(e, known ? sum->place : WM_PREFIX_UNKNOWN, second);
	attach(e->emitter, left->call, value);
}

static void attach_none(struct wm_emitter *emitter, LLVMValueRef call)
{
	LLVMValueRef value[WM_SITE_VALUES] = {NULL};
	attach(emitter, call, value);
}

/* Where the function is inlined, its callers are left when it goes on to unwind. */
static void describe_resumes(struct wm_emitter *emitter, LLVMValueRef ir)
{
	LLVMValueRef zero = LLVMConstInt(emitter->i32, 0, false), value[WM_SITE_VALUES];
	for (int i = 0; i < WM_SITE_VALUES; i++)
		value[i] = zero;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b && may_describe(ir); b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		if (end && LLVMGetInstructionOpcode(end) == LLVMResume)
			wm_shim_describe_resume(end, value, WM_SITE_VALUES);
	}
}

static void describe(struct wm_emitter *emitter, LLVMValueRef ir)
{
	if (!emitter->promote)
		describe_resumes(emitter, ir);
	LLVMSetGC(ir, WM_STRATEGY_NAME);
}

void wm_sites_attach(struct wm_emission *e, const struct wm_sites *sites, LLVMValueRef second)
{
	for (size_t i = 0; i < sites->count; i++) {
		const struct wm_prefix_sum *sum = &sites->sums.block[sites->item[i].block];
		bool tested = sum->place == WM_PREFIX_UNKNOWN && e->counting->residual;
		if (sites->item[i].site && !tested)
			attach_sum(e, &sites->item[i], sum, second);
		else
			attach_none(e->emitter, sites->item[i].call);
	}
	if (sites->count)
		describe(e->emitter, e->ir);
}

void wm_sites_attach_none(struct wm_emitter *emitter, LLVMValueRef ir)
{
	bool some = false;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b && may_describe(ir); b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (!may_be_left_in(ir, i) || is_ours(i))
				continue;
			attach_none(emitter, i);
			some = true;
		}
	if (some)
		describe(emitter, ir);
}
