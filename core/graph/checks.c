/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/graph/checks.h"
#include <string.h>

static bool is_left_out(const uint8_t *failure, uint8_t kinds, uint32_t edge)
{
	return failure && failure[edge] && !(failure[edge] & ~(kinds | WM_CHECK_NEVER));
}

/* Whether the function always fails. */
static bool fails_at_once(const struct wm_graph *graph, const uint8_t *failure, uint8_t kinds)
{
	uint32_t e = 0;
	while (e < graph->first_edge[1] && is_left_out(failure, kinds, e))
		e++;
	return e == graph->first_edge[1];
}

/* Fills in what control reaches; `stack` has room for every block. */
static void reach(struct wm_remainder *remainder, const struct wm_graph *graph, const uint8_t *failure, uint8_t kinds,
	uint32_t *stack)
{
	uint32_t depth = 1;
	stack[0] = 0;
	remainder->block[0] = true;
	while (depth) {
		uint32_t block = stack[--depth];
		for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++) {
			uint32_t to = graph->edge_to[e];
			remainder->edge[e] = !is_left_out(failure, kinds, e);
			remainder->left_out += !remainder->edge[e] && failure[e] != WM_CHECK_NEVER;
			if (!remainder->edge[e] || remainder->block[to])
				continue;
			remainder->block[to] = true;
			stack[depth++] = to;
		}
	}
}

enum wm_status wm_remainder_find(struct wm_remainder *remainder, const struct wm_graph *graph, const uint8_t *failure,
	uint8_t kinds, struct wm_arena *arena)
{
	struct wm_remainder found = {
		.block = WM_NEW(arena, bool, graph->block_count), .edge = WM_NEW(arena, bool, graph->edge_count)};
	uint32_t *stack = WM_NEW(arena, uint32_t, graph->block_count);
	if (!found.block || !found.edge || !stack)
		return WM_NO_MEMORY;
	if (graph->block_count)
		reach(&found, graph, fails_at_once(graph, failure, kinds) ? NULL : failure, kinds, stack);
	*remainder = found;
	return WM_OK;
}

bool wm_remainder_decides(const struct wm_remainder *remainder, const struct wm_graph *graph, uint32_t block)
{
	uint32_t count = 0;
	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1]; e++)
		count += remainder->edge[e];
	return count > 1 && !(remainder->operand && remainder->operand[block]);
}
