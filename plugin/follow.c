/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/follow.h"
#include "abi/abi.h"
#include "plugin/leaving.h"
#include <stdlib.h>
#include <string.h>

/* Twins are for inlining: of about the size that LLVM inlines at -O2. */
#define MOST_INSTRUCTIONS 48
/* What a call makes follow, the callees of the callee included; for recursion this is too little. */
#define MOST_FOLLOWERS 24
#define MOST_RUNS 64
/* Edges looked at in one function. */
#define MOST_STEPS (1 << 22)
/* The share of all path executions from which on a block is worth records. */
#define LEAST_SHARE (1.0 / 65536)

#define TWIN "waymark-twin"

/* Calls of a block between two that may leave: all of them are made, or none. */
struct segment {
	size_t first_call; /* in followers->call */
	uint32_t count; /* functions that follow */
	struct wm_follower *follower[MOST_FOLLOWERS];
};

struct choosing {
	struct wm_followers *followers;
	const struct wm_plan *plan;
	const struct wm_counting *counting;
	const struct wm_anchors *anchors;
	struct wm_arena arena;
	uint64_t steps; /* taken to find runs */
	bool *ends; /* per block: whoever leaves it takes the path to its end */
	uint32_t *node; /* per block: of the DAG */
};

/* --- lists ------------------------------------------------------------------------ */

static bool grow(void **list, size_t *room, size_t count, size_t size)
{
	if (count < *room)
		return true;
	size_t wanted = *room ? 2 * *room : 64;
	void *grown = realloc(*list, wanted * size);
	if (!grown)
		return false;
	*list = grown;
	*room = wanted;
	return true;
}

static bool add_followed(struct wm_followers *f, struct wm_followed followed)
{
	if (!grow((void **)&f->followed, &f->followed_room, f->followed_count, sizeof *f->followed))
		return false;
	f->followed[f->followed_count++] = followed;
	return true;
}

static bool add_call(struct wm_followers *f, struct wm_follow_call call)
{
	if (!grow((void **)&f->call, &f->call_room, f->call_count, sizeof *f->call))
		return false;
	f->call[f->call_count++] = call;
	return true;
}

static bool add_site(struct wm_followers *f, LLVMValueRef before)
{
	if (!grow((void **)&f->site, &f->site_room, f->site_count, sizeof *f->site))
		return false;
	f->site[f->site_count++] = before;
	return true;
}

void wm_follow_release(struct wm_followers *followers)
{
	free(followers->item);
	free(followers->followed);
	free(followers->call);
	free(followers->site);
	*followers = (struct wm_followers){0};
}

/* --- which functions -------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct wm_follower *x = a, *y = b;
	return (x->ir > y->ir) - (x->ir < y->ir);
}

static struct wm_follower *find(const struct wm_followers *followers, LLVMValueRef ir)
{
	struct wm_follower key = {.ir = ir};
	return followers->count ? bsearch(&key, followers->item, followers->count, sizeof key, compare) : NULL;
}

/* Of a call whose callee may follow. */
static struct wm_follower *callee_of(const struct wm_followers *followers, LLVMValueRef instruction)
{
	struct wm_follower *callee = wm_is_call(instruction) ? find(followers, LLVMGetCalledValue(instruction)) : NULL;
	bool fits = callee && LLVMGetCalledFunctionType(instruction) == LLVMGlobalGetValueType(callee->ir);
	return fits ? callee : NULL;
}

static bool is_plain(LLVMValueRef instruction)
{
	if (!wm_is_call(instruction))
		return true;
	bool must = LLVMIsACallInst(instruction) && LLVMGetTailCallKind(instruction) == LLVMTailCallKindMustTail;
	return !must && !wm_shim_call_has(instruction, "returns_twice");
}

/* Where control goes from a block, if that is one place; calls that come back do not unwind. */
static LLVMBasicBlockRef next_block(LLVMBasicBlockRef block)
{
	LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
	bool returns = LLVMIsAInvokeInst(terminator) && !wm_may_not_return(terminator);
	bool jumps = LLVMIsABranchInst(terminator) && !LLVMIsConditional(terminator);
	return returns || jumps ? LLVMGetSuccessor(terminator, 0) : NULL;
}

/* Its only path that can be taken is then number 0: the first way out of every block. */
static bool is_small_line(LLVMValueRef ir)
{
	uint32_t count = 0;
	LLVMBasicBlockRef last = NULL;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; last = b, b = next_block(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (++count > MOST_INSTRUCTIONS || !is_plain(i))
				return false;
	return LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(last));
}

static bool may_follow(LLVMValueRef ir)
{
	return wm_comes_back(ir) && !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(ir)) && !wm_shim_has(ir, "noinline") &&
	       !wm_shim_has(ir, "optnone") && is_small_line(ir);
}

static double executions(const struct wm_profile *profile)
{
	double sum = 0;
	for (size_t o = 0; o < profile->object_count; o++)
		for (size_t f = 0; f < profile->object[o].function_count; f++)
			for (size_t i = 0; i < profile->object[o].function[f].path_count; i++)
				sum += (double)profile->object[o].function[f].path[i].count;
	return sum;
}

enum wm_status wm_follow_find(struct wm_followers *followers, LLVMModuleRef module, const struct wm_profile *weights,
	bool (*wanted)(void *closure, LLVMValueRef ir), void *closure)
{
	size_t count = 1;
	double least = LEAST_SHARE * executions(weights);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		count++;
	*followers =
		(struct wm_followers){.least = least > 1 ? least : 1, .item = calloc(count, sizeof *followers->item)};
	if (!followers->item)
		return WM_NO_MEMORY;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && may_follow(f) && wanted(closure, f))
			followers->item[followers->count++].ir = f;
	qsort(followers->item, followers->count, sizeof *followers->item, compare);
	return WM_OK;
}

/* --- where control comes to the end of a path ---------------------------------------- */

/* A call that ends a path is behind its end. */
static bool leaves_before_end(const struct choosing *c, uint32_t block)
{
	LLVMValueRef i = c->anchors->leaves[block] ? LLVMGetFirstInstruction(c->anchors->block[block]) : NULL;
	for (; i && i != c->anchors->exit[block]; i = LLVMGetNextInstruction(i))
		if (wm_is_call(i) && wm_may_not_return(i))
			return true;
	return false;
}

/* Edges to pads that nothing unwinds to are not taken. */
static bool may_take(const struct choosing *c, uint32_t edge)
{
	LLVMValueRef terminator = c->anchors->terminator[c->plan->graph->edge_from[edge]];
	return !LLVMIsAInvokeInst(terminator) || c->anchors->edge_successor[edge] == 0 || wm_may_not_return(terminator);
}

static bool map_blocks(struct choosing *c)
{
	const struct wm_plan *plan = c->plan;
	const struct wm_graph *graph = plan->graph;
	c->ends = WM_NEW(&c->arena, bool, graph->block_count);
	c->node = WM_NEW(&c->arena, uint32_t, graph->block_count);
	bool *whole = WM_NEW(&c->arena, bool, graph->block_count);
	if (!c->ends || !c->node || !whole)
		return false;
	for (uint32_t i = 0; i < plan->dag.node_count; i++)
		if (plan->dag.node_block[i] != WM_NONE)
			c->node[plan->dag.node_block[i]] = i;
	for (uint32_t i = plan->dfs.reached; i-- > 0;) {
		uint32_t block = plan->dfs.reverse_postorder[i];
		c->ends[block] = true;
		for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
			c->ends[block] &= plan->dfs.back_edge[e] || whole[graph->edge_to[e]] || !may_take(c, e);
		whole[block] = c->ends[block] && !leaves_before_end(c, block);
	}
	return true;
}

/* --- what follows from a block ---------------------------------------------------------- */

/* Of a function as it was before it got probes. */
static LLVMBasicBlockRef first_block(const struct wm_follower *follower)
{
	return LLVMGetFirstBasicBlock(follower->twin ? follower->twin : follower->ir);
}

static bool add_inner(const struct wm_followers *followers, struct segment *segment, LLVMBasicBlockRef block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		struct wm_follower *inner = callee_of(followers, i);
		if (inner && segment->count == MOST_FOLLOWERS)
			return false;
		if (inner)
			segment->follower[segment->count++] = inner;
	}
	return true;
}

/* A function and what it calls; false, and nothing, if that is too much. */
static bool add_callee(const struct wm_followers *followers, struct segment *segment, struct wm_follower *callee)
{
	uint32_t before = segment->count;
	if (before == MOST_FOLLOWERS)
		return false;
	segment->follower[segment->count++] = callee;
	for (uint32_t at = before; at < segment->count; at++)
		for (LLVMBasicBlockRef b = first_block(segment->follower[at]); b; b = next_block(b))
			if (!add_inner(followers, segment, b)) {
				segment->count = before;
				return false;
			}
	return true;
}

static bool follow_cells(struct choosing *c, const struct segment *segment, uint64_t first, uint64_t count, bool site)
{
	for (uint32_t i = 0; i < segment->count; i++)
		if (!add_followed(c->followers, (struct wm_followed){segment->follower[i], NULL, first, count, site}))
			return false;
	return true;
}

static enum wm_status follow_paths(struct choosing *c, const struct segment *segment, uint32_t block)
{
	struct wm_id_run run[MOST_RUNS];
	uint32_t count;
	struct wm_arena scratch;
	c->steps += c->plan->dag.edge_count;
	if (c->steps > MOST_STEPS)
		return WM_TOO_MANY;
	wm_arena_init(&scratch);
	enum wm_status status = wm_dag_runs_through(
		&c->plan->dag, &c->plan->numbering, c->node[block], run, MOST_RUNS, &count, &scratch);
	for (uint32_t i = 0; status == WM_OK && i < count; i++)
		if (!follow_cells(c, segment, run[i].first, run[i].count, false))
			status = WM_NO_MEMORY;
	wm_arena_release(&scratch);
	return status;
}

/* One that counts for itself costs no more than a cell for it. */
static enum wm_status follow_site(struct choosing *c, const struct segment *segment)
{
	struct wm_followers *f = c->followers;
	if (segment->count < 2) {
		f->call_count = segment->first_call;
		return WM_OK;
	}
	bool good = follow_cells(c, segment, f->site_count, 1, true) && add_site(f, f->call[segment->first_call].call);
	return good ? WM_OK : WM_NO_MEMORY;
}

static enum wm_status close_segment(struct choosing *c, struct segment *segment, uint32_t block, bool last)
{
	enum wm_status status = WM_TOO_MANY;
	if (segment->count && last && c->ends[block] && c->counting->store == WM_COUNT_ARRAY &&
		c->plan->events_are_edges)
		status = follow_paths(c, segment, block);
	if (status == WM_TOO_MANY)
		status = segment->count ? follow_site(c, segment) : WM_OK;
	*segment = (struct segment){.first_call = c->followers->call_count};
	return status;
}

static enum wm_status choose_in(struct choosing *c, uint32_t block)
{
	struct segment segment = {.first_call = c->followers->call_count};
	LLVMValueRef end = c->anchors->exit[block];
	enum wm_status status = WM_OK;
	for (LLVMValueRef i = LLVMGetFirstInstruction(c->anchors->block[block]); i && i != end && status == WM_OK;
		i = LLVMGetNextInstruction(i)) {
		struct wm_follower *callee = callee_of(c->followers, i);
		if (callee && add_callee(c->followers, &segment, callee)) {
			if (!add_call(c->followers, (struct wm_follow_call){i, callee}))
				status = WM_NO_MEMORY;
		} else if (wm_is_call(i) && wm_may_not_return(i)) {
			status = close_segment(c, &segment, block, false);
		}
	}
	return status == WM_OK ? close_segment(c, &segment, block, true) : status;
}

enum wm_status wm_follow_choose(struct wm_followers *followers, LLVMValueRef ir, const struct wm_plan *plan,
	const struct wm_counting *counting, const struct wm_weights *weights, const struct wm_anchors *anchors)
{
	struct choosing c = {.followers = followers, .plan = plan, .counting = counting, .anchors = anchors};
	followers->followed_count = followers->followed_done;
	followers->call_count = followers->call_done;
	followers->site_count = 0;
	if (!followers->count || anchors->resume_count || wm_shim_has(ir, "optnone"))
		return WM_OK;
	wm_arena_init(&c.arena);
	enum wm_status status = map_blocks(&c) ? WM_OK : WM_NO_MEMORY;
	for (uint32_t i = 0; i < plan->dfs.reached && status == WM_OK; i++)
		if (weights->block[plan->dfs.reverse_postorder[i]] >= followers->least)
			status = choose_in(&c, plan->dfs.reverse_postorder[i]);
	wm_arena_release(&c.arena);
	return status;
}

/* --- twins, sites and records ------------------------------------------------------------ */

/* What it calls may count. */
static bool calls_others(LLVMValueRef ir)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(ir); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (wm_is_call(i) && !LLVMGetIntrinsicID(LLVMGetCalledValue(i)))
				return true;
	return false;
}

void wm_follow_twin(struct wm_followers *followers, LLVMValueRef ir, const struct wm_map_function *function)
{
	struct wm_follower *follower = find(followers, ir);
	if (!follower || follower->twin)
		return;
	follower->function = function;
	follower->twin = wm_shim_clone(ir, ".uncounted");
	LLVMSetLinkage(follower->twin, LLVMInternalLinkage);
	if (calls_others(follower->twin))
		wm_drop_memory_attributes(follower->twin);
	LLVMAddAttributeAtIndex(follower->twin, LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(LLVMGetTypeContext(LLVMTypeOf(ir)), TWIN, sizeof TWIN - 1, "", 0));
}

bool wm_is_twin(LLVMValueRef ir)
{
	return wm_shim_has(ir, TWIN);
}

void wm_follow_emit(struct wm_followers *followers, struct wm_emitter *emitter, const struct wm_emitted *emitted)
{
	LLVMValueRef sites = NULL;
	if (followers->site_count) {
		sites = wm_emit_cells(emitter, "__wm_sites", (uint32_t)followers->site_count);
		for (size_t i = 0; i < followers->site_count; i++)
			wm_emit_increment(emitter, emitted, sites, (uint32_t)i, followers->site[i]);
	}
	for (size_t i = followers->followed_done; i < followers->followed_count; i++) {
		struct wm_followed *followed = &followers->followed[i];
		followed->cells = followed->site ? sites : emitted->cells;
		followed->first += followed->site ? 0 : emitted->header_cells;
	}
	followers->followed_done = followers->followed_count;
	followers->call_done = followers->call_count;
}

static bool is_called(const struct wm_follower *follower)
{
	return follower->twin && LLVMGetFirstUse(follower->twin);
}

static void call_twin(LLVMValueRef call, struct wm_follower *callee)
{
	if (!callee->twin)
		return;
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, callee->twin);
}

static bool call_twins_in(struct wm_followers *followers, LLVMBasicBlockRef block)
{
	bool changed = false;
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
		struct wm_follower *callee = callee_of(followers, i);
		changed |= callee && callee->twin && !is_called(callee);
		if (callee)
			call_twin(i, callee);
	}
	return changed;
}

/* A twin may call others that were looked at before it. */
static void call_inner_twins(struct wm_followers *followers)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t f = 0; f < followers->count; f++)
			for (LLVMBasicBlockRef b = is_called(&followers->item[f]) ? first_block(&followers->item[f])
										  : NULL;
				b; b = next_block(b))
				changed |= call_twins_in(followers, b);
	}
}

static void drop_twins(struct wm_followers *followers)
{
	for (size_t f = 0; f < followers->count; f++)
		if (followers->item[f].twin && !is_called(&followers->item[f]))
			LLVMDeleteFunction(followers->item[f].twin);
}

static size_t fill_records(const struct wm_followers *followers, struct wm_record *record)
{
	size_t count = 0;
	for (size_t i = 0; i < followers->followed_done; i++) {
		const struct wm_followed *followed = &followers->followed[i];
		const struct wm_map_function *function = followed->follower->function;
		if (followed->follower->twin && function->status != WM_SKIPPED)
			record[count++] = (struct wm_record){.key = function->key,
				.graph_hash = function->graph_hash,
				.cells = followed->cells,
				.first = followed->first,
				.cell_count = (uint32_t)followed->count,
				.flags = function->update | WM_FUNC_FOLLOWS};
	}
	return count;
}

/* Without memory for records all count for themselves. */
LLVMValueRef wm_follow_finish(struct wm_followers *followers, struct wm_emitter *emitter)
{
	struct wm_record *record = calloc(followers->followed_done + 1, sizeof *record);
	size_t count = record ? fill_records(followers, record) : 0;
	LLVMValueRef records = count ? wm_emit_records(emitter, "__wm_follows", record, count) : NULL;
	for (size_t i = 0; records && i < followers->call_done; i++)
		call_twin(followers->call[i].call, followers->call[i].follower);
	call_inner_twins(followers);
	drop_twins(followers);
	free(record);
	return records;
}
