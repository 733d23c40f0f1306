/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/source/last_operand.h"

static const struct wm_map_value *told_by(const struct wm_map_function *function, uint32_t block)
{
	for (uint32_t v = 0; v < function->value_count; v++)
		if (function->value[v].use != WM_USE_OTHER && function->value[v].teller == block)
			return &function->value[v];
	return NULL;
}

static const struct wm_map_value *joined_in(const struct wm_map_function *function, uint32_t block)
{
	for (uint32_t v = 0; v < function->value_count; v++)
		if (function->value[v].join == block)
			return &function->value[v];
	return NULL;
}

bool wm_last_operand_find(struct wm_last_operand *operand, const struct wm_map_function *function, uint32_t block)
{
	const struct wm_map_value *value = told_by(function, block);
	*operand = (struct wm_last_operand){0};
	while (value && operand->join_count < WM_MOST_JOINS) {
		operand->join[operand->join_count++] = operand->value = value;
		if (value->kind != WM_VALUE_NESTED)
			return value->kind == WM_VALUE_OPERAND && value->place.line;
		value = joined_in(function, value->block);
	}
	return false;
}

uint32_t wm_last_operand_ordinal(
	const struct wm_last_operand *operand, const struct wm_map_function *function, uint32_t block, bool result)
{
	bool joined = result;
	for (uint32_t i = 0; i < operand->join_count; i++)
		joined ^= !operand->join[i]->truth;
	uint32_t true_edge = function->block[block].true_edge;
	return joined == (operand->join[0]->use == WM_USE_BRANCH) ? true_edge : !true_edge;
}

bool wm_last_operand_counts(const struct wm_last_operand *operand, const struct wm_map_function *function,
	uint32_t block, const uint64_t *edge_count, uint64_t count[2])
{
	const struct wm_graph *graph = &function->graph;
	uint32_t true_edge = function->block[block].true_edge ^ (operand->join[0]->use != WM_USE_BRANCH);
	count[true] = edge_count[graph->first_edge[block] + true_edge];
	count[false] = edge_count[graph->first_edge[block] + !true_edge];
	for (uint32_t i = 0; i < operand->join_count; i++) {
		const struct wm_map_value *value = operand->join[i];
		uint32_t edge = wm_graph_find_edge(graph, value->block, value->join);
		bool passed_on =
			!value->disjunction; /* with this result, the value can only be that of the last operand */
		if (edge == WM_NONE || edge_count[edge] < count[passed_on])
			return false;
		count[!passed_on] = edge_count[edge] - count[passed_on];
		if (!value->truth) {
			uint64_t swapped = count[0];
			count[0] = count[1];
			count[1] = swapped;
		}
	}
	return true;
}
