/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/inline/inline.h"
#include "core/graph/callgraph.h"
#include "core/graph/inline_threshold.h"
#include "plugin/actions/inline_cost.h"
#include "plugin/extract/inline_bodies.h"
#include "plugin/inline/clone.h"
#include "plugin/llvm/inline_tags.h"

#define BODY_SUFFIX ".waymark.body"

/* ---- Tags ---------------------------------------------------------------------------- */

static bool is_musttail(LLVMValueRef call)
{
	return LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
}

/* After a call that LLVM cannot inline there is no tag, because nothing may follow a musttail call.  What follows
 * an invoke begins with the tag of a block.  `across`: paths may cross the call, so the tag before it says where it is. */
static void tag_sites(
	const struct wm_unit_function *f, const struct wm_call_anchors *calls, bool across, LLVMValueRef *site)
{
	for (uint32_t i = 0; i < f->call_count; i++) {
		LLVMValueRef call = calls->call[i];
		if (across)
			wm_tag_put(call, WM_TAG_BEHIND, f->call[i].block);
		site[i] = wm_tag_put(call, WM_TAG_SITE, i);
		if (LLVMIsACallInst(call) && !is_musttail(call))
			wm_tag_put(LLVMGetNextInstruction(call), WM_TAG_BEHIND, f->call[i].block);
	}
}

static bool is_landing_pad(LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
		if (LLVMGetInstructionOpcode(i) != LLVMPHI)
			return LLVMIsALandingPadInst(i);
	return false;
}

static void tag_blocks(const struct wm_unit_function *f, const struct wm_anchors *anchors)
{
	for (uint32_t b = 0; b < f->graph->block_count; b++) {
		LLVMValueRef at = wm_shim_first_insertion(anchors->block[b]);
		while (at && LLVMIsAAllocaInst(at))
			at = LLVMGetNextInstruction(at);
		if (at)
			wm_tag_put(at, is_landing_pad(anchors->block[b]) ? WM_TAG_PAD : WM_TAG_BLOCK, b);
	}
}

/* ---- Inlining into one function --------------------------------------------------------- */

struct inliner {
	struct wm_inline_request *request;
	struct wm_inlining inlining;
	struct wm_inline_budget budget;
	LLVMValueRef
		*body; /* per function of the unit: a copy that has its tags and nothing inlined; NULL: not needed */
	LLVMValueRef **own_site; /* per function of the unit: the tags of its call sites */
	struct wm_arena *arena;
	/* Of the function at work: */
	uint32_t root;
	struct wm_origins *origins;
	uint32_t context_capacity, site_capacity;
	LLVMValueRef **site; /* per context, per call site: its tag; NULL: LLVM removed it */
	uint32_t blocks;
};

static bool add_context(struct inliner *n, struct wm_context context, LLVMValueRef *site)
{
	struct wm_origins *o = n->origins;
	struct wm_context *contexts =
		wm_arena_grow(n->arena, o->context, &n->context_capacity, o->context_count, sizeof *contexts);
	LLVMValueRef **sites = wm_arena_grow(n->arena, n->site, &n->site_capacity, o->context_count, sizeof *sites);
	if (!contexts || !sites || !site)
		return false;
	o->context = contexts;
	n->site = sites;
	contexts[o->context_count] = context;
	sites[o->context_count++] = site;
	n->blocks += n->request->unit.function[context.function].graph->block_count + 1;
	return true;
}

/* The instruction that follows in the order of the function; NULL: none. */
static LLVMValueRef next_in_function(LLVMValueRef i)
{
	LLVMValueRef next = LLVMGetNextInstruction(i);
	LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
	while (!next && (block = LLVMGetNextBasicBlock(block)))
		next = LLVMGetFirstInstruction(block);
	return next;
}

/* Gives the tags of the body that was inlined last its context.  LLVM puts the body between the tag of the call site and
 * what was after it, which has tags with contexts. */
static void claim_tags(struct inliner *n, LLVMValueRef from, uint32_t context)
{
	for (LLVMValueRef i = from; i; i = next_in_function(i)) {
		if (!wm_is_tag(i))
			continue;
		if (wm_tag_get(i, WM_TAG_CONTEXT) != WM_NONE)
			return;
		wm_tag_set(i, WM_TAG_CONTEXT, context);
		if (wm_tag_get(i, WM_TAG_KIND) == WM_TAG_SITE)
			n->site[context][wm_tag_get(i, WM_TAG_NUMBER)] = i;
	}
}

/* The call after its tag; NULL: LLVM has removed or replaced it. */
static LLVMValueRef tagged_call(LLVMValueRef tag, LLVMValueRef callee)
{
	LLVMValueRef i = LLVMGetNextInstruction(tag);
	while (i && LLVMIsACallInst(i) && wm_shim_is_pseudo_call(i))
		i = LLVMGetNextInstruction(i);
	bool call = i && (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i));
	return call && wm_called_function(i) == callee ? i : NULL;
}

static enum wm_inline_choice try_inline(struct inliner *n, LLVMValueRef tag, uint32_t callee)
{
	LLVMValueRef ir = n->request->subject[callee].ir, call = tagged_call(tag, ir);
	if (!call || is_musttail(call) || !n->body[callee] ||
		!wm_shim_may_inline(n->request->analyses, n->request->subject[n->root].ir, ir))
		return WM_INLINE_REFUSED;
	return wm_shim_inline(call, n->body[callee]) ? WM_INLINE_DONE : WM_INLINE_REFUSED;
}

static bool inline_site(struct inliner *n, uint32_t context, uint32_t site)
{
	const struct wm_unit_function *f = &n->request->unit.function[n->origins->context[context].function];
	LLVMValueRef tag = n->site[context][site];
	uint32_t callee = f->call[site].callee;
	if (!tag)
		return true;
	enum wm_inline_choice choice = wm_inlining_choose(&n->inlining, n->origins, context, site, n->blocks);
	if (choice == WM_INLINE_DONE)
		choice = try_inline(n, tag, callee);
	wm_tag_set(tag, WM_TAG_CHOICE, choice);
	if (choice != WM_INLINE_DONE)
		return true;
	wm_inline_budget_spend(&n->budget, n->origins, context, site);
	struct wm_context made = {context, callee, f->call[site].block, f->call[site].position};
	LLVMValueRef *sites = WM_NEW(n->arena, LLVMValueRef, n->request->unit.function[callee].call_count);
	if (!add_context(n, made, sites))
		return false;
	claim_tags(n, next_in_function(tag), n->origins->context_count - 1);
	return true;
}

/* Makes context 0. */
static bool begin_root(struct inliner *n, uint32_t root)
{
	struct wm_inline_subject *subject = &n->request->subject[root];
	wm_inline_budget_begin(&n->budget, root);
	n->root = root;
	n->origins = &subject->origins;
	n->context_capacity = n->site_capacity = n->blocks = 0;
	n->site = NULL;
	if (!add_context(n, (struct wm_context){WM_NONE, root, WM_NONE, WM_NONE}, n->own_site[root]))
		return false;
	claim_tags(n, LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(subject->ir)), 0);
	return true;
}

/* Makes every call that paths may cross the last instruction of its block: the last mark of the block is then that of the
 * call.  Invokes and calls that do not return are last already. */
static void split_after_calls(LLVMValueRef ir)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(ir)); i; i = next_in_function(i)) {
		if (!wm_is_tag(i) || wm_tag_get(i, WM_TAG_KIND) != WM_TAG_SITE)
			continue;
		LLVMValueRef call = LLVMGetNextInstruction(i);
		while (call && LLVMIsACallInst(call) && wm_shim_is_pseudo_call(call))
			call = LLVMGetNextInstruction(call);
		LLVMValueRef last = call ? LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(call)) : NULL;
		if (call && LLVMIsACallInst(call) && !is_musttail(call) && !LLVMIsAUnreachableInst(last))
			wm_shim_split_before(LLVMGetNextInstruction(call));
	}
}

static bool inline_into(struct inliner *n, uint32_t root)
{
	struct wm_inline_subject *subject = &n->request->subject[root];
	if (!begin_root(n, root))
		return false;
	for (uint32_t c = 0; c < n->origins->context_count; c++)
		for (uint32_t i = 0; i < n->request->unit.function[n->origins->context[c].function].call_count; i++)
			if (!inline_site(n, c, i))
				return false;
	subject->changed |= n->origins->context_count > 1;
	if (subject->changed && wm_options_crosses(n->request->options))
		split_after_calls(subject->ir);
	return true;
}

/* A function that is not executed any more.  If its indirect calls were extended, it is extracted again. */
static bool leave_alone(struct inliner *n, uint32_t root)
{
	struct wm_inline_subject *subject = &n->request->subject[root];
	if (!subject->changed)
		return true;
	if (!begin_root(n, root))
		return false;
	for (uint32_t i = 0; i < n->request->unit.function[root].call_count; i++)
		if (n->site[0][i])
			wm_tag_set(n->site[0][i], WM_TAG_CHOICE, WM_INLINE_IDLE);
	if (wm_options_crosses(n->request->options))
		split_after_calls(subject->ir);
	return true;
}

/* ---- All functions ------------------------------------------------------------------------ */

/* Which call sites of a function the user wants to be inlined; all indirect calls, whose listed targets are call sites of their
 * own.  A callee that is not in the map could not be named. */
static bool choose_sites(struct wm_inline_request *r, uint32_t f, bool *marked, uint64_t *count)
{
	const struct wm_unit_function *function = &r->unit.function[f];
	if (!marked || !count)
		return false;
	for (uint32_t i = 0; i < function->call_count; i++) {
		struct wm_call *call = &function->call[i];
		call->opaque |= call->callee != WM_NONE && !r->subject[call->callee].listed;
		LLVMValueRef callee = wm_called_function(r->subject[f].calls->call[i]);
		marked[i] = !callee || (r->subject[f].listed && wm_options_inline(r->options, r->subject[f].function,
									call, wm_linkage_name(callee), &count[i]));
	}
	return true;
}

/* Says what may be inlined, and how much. */
static bool describe_inlining(struct inliner *n)
{
	struct wm_inline_request *r = n->request;
	uint32_t functions = r->unit.function_count;
	const bool **marked = WM_NEW(n->arena, const bool *, functions);
	const uint64_t **count = WM_NEW(n->arena, const uint64_t *, functions);
	uint32_t *size = WM_NEW(n->arena, uint32_t, functions);
	if (!marked || !count || !size)
		return false;
	n->inlining = (struct wm_inlining){&r->unit, marked, r->options->inlining.copies, WM_INLINE_BLOCKS, &n->budget};
	n->budget = (struct wm_inline_budget){.unit = &r->unit, .count = count, .size = size};
	for (uint32_t f = 0; f < functions; f++) {
		bool *site = WM_NEW(n->arena, bool, r->unit.function[f].call_count);
		uint64_t *executed = WM_NEW(n->arena, uint64_t, r->unit.function[f].call_count);
		if (!choose_sites(r, f, site, executed))
			return false;
		marked[f] = site;
		count[f] = executed;
		size[f] = wm_inline_size(r->subject[f].ir);
		n->budget.room += size[f];
	}
	n->budget.room = wm_options_inline_room(r->options, n->budget.room);
	return true;
}

/* Copies the functions that may be inlined. */
static void copy_bodies(struct inliner *n)
{
	const struct wm_unit *unit = &n->request->unit;
	for (uint32_t f = 0; f < unit->function_count; f++)
		for (uint32_t i = 0; i < unit->function[f].call_count; i++) {
			uint32_t callee = unit->function[f].call[i].callee;
			if (callee == WM_NONE || !n->inlining.marked[f][i] || n->body[callee] ||
				!wm_may_clone(n->request->subject[callee].ir))
				continue;
			n->body[callee] = wm_shim_copy_for_inlining(n->request->subject[callee].ir, BODY_SUFFIX);
		}
}

static void delete_bodies(struct inliner *n)
{
	for (uint32_t f = 0; f < n->request->unit.function_count; f++)
		if (n->body[f])
			LLVMDeleteFunction(n->body[f]);
}

static bool is_body(const struct inliner *n, LLVMValueRef ir)
{
	for (uint32_t f = 0; f < n->request->unit.function_count; f++)
		if (n->body[f] == ir)
			return true;
	return false;
}

/* Whether a function can still be executed when all callers have been treated: a local function is not, if all its calls
 * are inlined.  Then nothing needs to be inlined into it. */
static bool is_needed(const struct inliner *n, uint32_t function)
{
	LLVMValueRef ir = n->request->subject[function].ir;
	if (LLVMGetLinkage(ir) != LLVMInternalLinkage && LLVMGetLinkage(ir) != LLVMPrivateLinkage)
		return true;
	for (LLVMUseRef use = LLVMGetFirstUse(ir); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		LLVMValueRef in =
			LLVMIsAInstruction(user) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) : NULL;
		if (!in || (in != ir && !is_body(n, in)))
			return true;
	}
	return false;
}

/* Callers first. */
static bool inline_all(struct inliner *n)
{
	const struct wm_unit *unit = &n->request->unit;
	struct wm_callgraph callgraph;
	struct wm_dfs *dfs = WM_NEW(n->arena, struct wm_dfs, unit->function_count);
	bool good = dfs;
	for (uint32_t f = 0; f < unit->function_count && good; f++)
		good = wm_dfs_run(&dfs[f], unit->function[f].graph, n->arena) == WM_OK;
	good = good && wm_callgraph_run(&callgraph, unit, dfs, n->arena) == WM_OK &&
	       wm_inline_threshold_find(&n->inlining, callgraph.order, n->arena) == WM_OK;
	for (uint32_t i = 0; i < unit->function_count && good; i++)
		good = is_needed(n, callgraph.order[i]) ? inline_into(n, callgraph.order[i])
							: leave_alone(n, callgraph.order[i]);
	return good;
}

static bool tag_all(struct inliner *n)
{
	struct wm_inline_request *r = n->request;
	for (uint32_t f = 0; f < r->unit.function_count; f++) {
		n->own_site[f] = WM_NEW(n->arena, LLVMValueRef, r->unit.function[f].call_count);
		if (!n->own_site[f])
			return false;
		tag_sites(&r->unit.function[f], r->subject[f].calls, wm_options_crosses(r->options), n->own_site[f]);
		tag_blocks(&r->unit.function[f], r->subject[f].anchors);
	}
	return true;
}

enum wm_status wm_inline_calls(struct wm_inline_request *request, struct wm_arena *arena)
{
	uint32_t count = request->unit.function_count;
	struct inliner n = {.request = request,
		.body = WM_NEW(arena, LLVMValueRef, count),
		.own_site = WM_NEW(arena, LLVMValueRef *, count),
		.arena = arena};
	bool good = n.body && n.own_site && describe_inlining(&n) && tag_all(&n);
	if (good)
		copy_bodies(&n);
	good = good && inline_all(&n);
	if (n.body)
		delete_bodies(&n);
	return good ? WM_OK : WM_NO_MEMORY;
}

uint8_t wm_inline_kept(LLVMValueRef call)
{
	LLVMValueRef i = LLVMGetPreviousInstruction(call);
	while (i && LLVMIsACallInst(i) && wm_shim_is_pseudo_call(i)) {
		if (wm_is_tag(i) && wm_tag_get(i, WM_TAG_KIND) == WM_TAG_SITE)
			return wm_tag_get(i, WM_TAG_CONTEXT) == WM_NONE ? WM_INLINE_IDLE
									: (uint8_t)wm_tag_get(i, WM_TAG_CHOICE);
		i = LLVMGetPreviousInstruction(i);
	}
	return WM_INLINE_REFUSED;
}
