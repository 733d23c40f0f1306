/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/use/use_attach.h"
#include "policy/known_paths.h"
#include <string.h>

struct attachment {
	const struct wm_graph *graph;
	const struct wm_anchors *anchors;
	const struct wm_executions *ran;
	uint64_t *count; /* per successor of the branch at hand */
	uint32_t *weight;
};

static unsigned most_successors(const struct wm_graph *graph, const struct wm_anchors *anchors)
{
	unsigned most = 0;
	for (uint32_t b = 0; b < graph->block_count; b++) {
		unsigned count = anchors->terminator[b] ? LLVMGetNumSuccessors(anchors->terminator[b]) : 0;
		most = count > most ? count : most;
	}
	return most;
}

/* The successors of the edge, all of which lead to one block, share its count: how often each was taken is not known.  LLVM adds
 * them up wherever it asks for the block. */
static void share_count(struct attachment *a, uint32_t edge)
{
	LLVMValueRef terminator = a->anchors->terminator[a->graph->edge_from[edge]];
	unsigned first = a->anchors->edge_successor[edge], all = LLVMGetNumSuccessors(terminator), parallel = 0;
	LLVMBasicBlockRef to = LLVMGetSuccessor(terminator, first);
	for (unsigned i = first; i < all; i++)
		parallel += LLVMGetSuccessor(terminator, i) == to;
	uint64_t each = a->ran->edge[edge] / parallel, rest = a->ran->edge[edge] % parallel;
	for (unsigned i = first; i < all; i++)
		if (LLVMGetSuccessor(terminator, i) == to)
			a->count[i] = each + (rest ? rest--, 1 : 0);
}

static void weigh_branch(struct attachment *a, uint32_t block)
{
	LLVMValueRef terminator = a->anchors->terminator[block];
	unsigned all = LLVMGetNumSuccessors(terminator);
	uint64_t most = 0;
	memset(a->count, 0, all * sizeof *a->count);
	for (uint32_t e = a->graph->first_edge[block]; e < a->graph->first_edge[block + 1]; e++)
		share_count(a, e);
	for (unsigned i = 0; i < all; i++)
		most = a->count[i] > most ? a->count[i] : most;
	if (!most)
		return;
	for (unsigned i = 0; i < all; i++)
		a->weight[i] = (uint32_t)(a->count[i] / wm_use_scale(most));
	wm_shim_set_weights(terminator, a->weight, all);
}

/* LLVM cannot derive how often a target of indirectbr is executed from the weights of branches.  LLVM 19 divides by the sum of the
 * weights of the heads of an irreducible loop, so the sum must be neither 0 nor too large: the weights have 32 bits, too. */
static void weigh_indirect_targets(const struct attachment *a, uint32_t block)
{
	uint64_t most = 0;
	for (uint32_t b = 0; b < a->graph->block_count; b++)
		most = a->ran->block[b] > most ? a->ran->block[b] : most;
	for (uint32_t e = a->graph->first_edge[block]; e < a->graph->first_edge[block + 1]; e++) {
		uint32_t to = a->graph->edge_to[e];
		uint64_t weight = a->ran->block[to] / wm_use_scale(most);
		wm_shim_set_header_weight(a->anchors->terminator[to], weight ? weight : 1);
	}
}

static void add_attribute(LLVMValueRef ir, const char *name)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(ir));
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMAddAttributeAtIndex(ir, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, 0));
}

static uint64_t most_executions(const struct attachment *a)
{
	uint64_t most = 0;
	for (uint32_t b = 0; b < a->graph->block_count; b++)
		most = a->ran->block[b] > most ? a->ran->block[b] : most;
	return most;
}

/* A function that its programmer calls hot stays so. */
static void mark_function(const struct attachment *a, LLVMValueRef ir, struct wm_shim_analyses *analyses)
{
	LLVMModuleRef module = LLVMGetGlobalParent(ir);
	if (wm_shim_is_hot(analyses, module, a->ran->entries))
		add_attribute(ir, "inlinehint");
	else if (wm_shim_is_cold(analyses, module, most_executions(a)) && !wm_shim_has(ir, "hot"))
		add_attribute(ir, "cold");
}

enum wm_status wm_use_attach(LLVMValueRef ir, const struct wm_graph *graph, const struct wm_anchors *anchors,
	const struct wm_executions *ran, struct wm_shim_analyses *analyses, struct wm_arena *arena)
{
	unsigned most = most_successors(graph, anchors);
	struct attachment a = {graph, anchors, ran, WM_NEW(arena, uint64_t, most + (size_t)1),
		WM_NEW(arena, uint32_t, most + (size_t)1)};
	if (!a.count || !a.weight)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < graph->block_count; b++) {
		LLVMValueRef terminator = anchors->terminator[b];
		/* SimplifyCFG removes targets of indirectbr without their weights, and LLVM's verifier refuses the rest. */
		if (terminator && LLVMIsAIndirectBrInst(terminator))
			weigh_indirect_targets(&a, b);
		else if (terminator && LLVMGetNumSuccessors(terminator) > 1)
			weigh_branch(&a, b);
	}
	wm_shim_drop_expectations(ir);
	wm_shim_set_entry_count(ir, ran->entries);
	mark_function(&a, ir, analyses);
	return WM_OK;
}
