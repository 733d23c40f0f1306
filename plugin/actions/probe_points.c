/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/actions/probe_points.h"
#include "abi/thread.h"
#include <string.h>

static bool asks_for_thread(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	size_t size;
	return callee && LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName2(callee, &size), WM_THREAD_FUNCTION);
}

LLVMValueRef wm_thread_call(LLVMValueRef ir)
{
	LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(ir));
	while (wm_shim_is_static_alloca(at))
		at = LLVMGetNextInstruction(at);
	return asks_for_thread(at) ? at : NULL;
}

LLVMValueRef wm_after_allocas(LLVMValueRef ir)
{
	LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(ir));
	while (wm_shim_is_static_alloca(at) || asks_for_thread(at))
		at = LLVMGetNextInstruction(at);
	for (LLVMValueRef i = at, next; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (wm_shim_is_static_alloca(i))
			wm_shim_move_before(i, at);
	}
	return at;
}

static LLVMValueRef edge_point(const struct wm_graph *graph, const struct wm_anchors *anchors, uint32_t edge)
{
	uint32_t from = graph->edge_from[edge];
	LLVMValueRef terminator = anchors->terminator[from];
	if (graph->call_edge && graph->call_edge[edge])
		return terminator;
	bool only_edge = graph->first_edge[from + 1] - graph->first_edge[from] == 1;
	if (only_edge && !LLVMIsAInvokeInst(terminator) && LLVMGetInstructionOpcode(terminator) != LLVMCallBr)
		return terminator;
	LLVMBasicBlockRef block = wm_shim_edge_block(terminator, anchors->edge_successor[edge]);
	return block ? wm_shim_first_insertion(block) : NULL;
}

static bool has_indirect_branch(const struct wm_graph *graph, const struct wm_anchors *anchors)
{
	for (uint32_t b = 0; b < graph->block_count; b++)
		if (anchors->terminator[b] && LLVMGetInstructionOpcode(anchors->terminator[b]) == LLVMIndirectBr)
			return true;
	return false;
}

bool wm_edge_points(const struct wm_plan *plan, const bool *needed, LLVMValueRef ir, const struct wm_anchors *anchors,
	LLVMValueRef *points)
{
	const struct wm_graph *graph = plan->graph;
	if (has_indirect_branch(graph, anchors))
		wm_shim_split_indirect_edges(ir);
	for (uint32_t edge = 0; edge < graph->edge_count; edge++) {
		if (!needed[edge] || plan->dfs.position[graph->edge_from[edge]] == WM_NONE)
			continue;
		points[edge] = edge_point(graph, anchors, edge);
		if (!points[edge])
			return false;
	}
	return true;
}
