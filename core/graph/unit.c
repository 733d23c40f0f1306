/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/unit.h"
#include "core/base/search.h"

uint32_t wm_unit_first_call(const struct wm_unit_function *function, uint32_t block)
{
	uint32_t i;
	WM_LOWER_BOUND(i, 0, function->call_count, function->call[i].block < block);
	return i < function->call_count && function->call[i].block == block ? i : function->call_count;
}

uint32_t wm_unit_unwinding_call(const struct wm_unit_function *function, uint32_t edge)
{
	const struct wm_graph *graph = function->graph;
	uint32_t block = graph->edge_from[edge], call = wm_unit_first_call(function, block);
	if (edge + 1 != graph->first_edge[block + 1] || call == function->call_count)
		return WM_NONE;
	while (call + 1 < function->call_count && function->call[call + 1].block == block)
		call++;
	return function->call[call].unwinds ? call : WM_NONE;
}

bool wm_unit_is_landing_pad(const struct wm_unit_function *function, uint32_t block)
{
	const struct wm_graph *graph = function->graph;
	for (uint32_t i = 0; i < function->call_count; i++)
		if (function->call[i].unwinds &&
			graph->edge_to[graph->first_edge[function->call[i].block + 1] - 1] == block)
			return true;
	return false;
}

bool wm_unit_is_last_call(const struct wm_unit_function *function, uint32_t call)
{
	uint32_t block = function->call[call].block;
	bool last = call + 1 == function->call_count || function->call[call + 1].block != block;
	return last && (function->call[call].tail ||
			       (function->graph->end[block] == WM_END_NORETURN && !function->call[call].followed));
}

uint32_t wm_unit_find_call(const struct wm_unit_function *function, uint32_t block, uint32_t position, uint32_t callee)
{
	uint32_t i = wm_unit_first_call(function, block);
	for (; i < function->call_count && function->call[i].block == block; i++)
		if (function->call[i].position == position && function->call[i].callee == callee)
			return i;
	return WM_NONE;
}
