/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two searches.  The first finds the recursive sites.  The second leaves them out and visits starts and call
 * sites in reverse, so that functions are left in the reverse of the wanted order.
 */
#include "core/graph/callgraph.h"
#include <string.h>

enum state { UNSEEN, ACTIVE, LEFT };

struct search {
	const struct wm_unit *unit;
	const struct wm_dfs *dfs;
	struct wm_callgraph *callgraph;
	uint32_t *by_name; /* the starts, in order */
	uint8_t *state; /* enum state per function */
	uint32_t *stack, *cursor; /* functions that are active, and how many of their sites have been visited */
	uint32_t depth;
	bool reverse; /* the second search */
	uint32_t left; /* how many functions have been left */
};

static bool comes_before(const struct wm_unit *unit, uint32_t f, uint32_t g)
{
	const char *left = unit->function[f].name, *right = unit->function[g].name;
	bool left_main = strcmp(left, "main") == 0, right_main = strcmp(right, "main") == 0;
	if (left_main != right_main)
		return left_main;
	int order = strcmp(left, right);
	return order < 0 || (order == 0 && f < g);
}

/* Merge sort from the bottom: runs of `width` become runs of twice that. */
static void merge_runs(const struct wm_unit *unit, const uint32_t *from, uint32_t *to, uint32_t count, uint32_t width)
{
	for (uint32_t low = 0; low < count; low += 2 * width) {
		uint32_t middle = low + width < count ? low + width : count;
		uint32_t high = middle + width < count ? middle + width : count;
		for (uint32_t i = low, j = middle, k = low; k < high; k++) {
			bool left = i < middle && (j == high || comes_before(unit, from[i], from[j]));
			to[k] = from[left ? i++ : j++];
		}
	}
}

/* `other` is scratch memory; the result is in one of the two. */
static uint32_t *sort_by_name(const struct wm_unit *unit, uint32_t *function, uint32_t *other)
{
	for (uint32_t f = 0; f < unit->function_count; f++)
		function[f] = f;
	for (uint32_t width = 1; width < unit->function_count; width *= 2) {
		merge_runs(unit, function, other, unit->function_count, width);
		uint32_t *swap = function;
		function = other;
		other = swap;
	}
	return function;
}

static void enter_function(struct search *s, uint32_t function)
{
	s->state[function] = ACTIVE;
	s->cursor[s->depth] = 0;
	s->stack[s->depth++] = function;
}

static void leave_function(struct search *s)
{
	uint32_t function = s->stack[--s->depth];
	s->state[function] = LEFT;
	s->left++;
	if (s->reverse)
		s->callgraph->order[s->unit->function_count - s->left] = function;
}

static void visit_site(struct search *s, uint32_t caller, uint32_t site)
{
	const struct wm_call *call = &s->unit->function[caller].call[site];
	bool *recursive = &s->callgraph->recursive[caller][site];
	if (call->callee == WM_NONE || s->dfs[caller].position[call->block] == WM_NONE)
		return;
	if (!s->reverse)
		*recursive = s->state[call->callee] == ACTIVE;
	if (!*recursive && s->state[call->callee] == UNSEEN)
		enter_function(s, call->callee);
}

static void search_from(struct search *s, uint32_t start)
{
	if (s->state[start] == UNSEEN)
		enter_function(s, start);
	while (s->depth) {
		uint32_t function = s->stack[s->depth - 1], count = s->unit->function[function].call_count;
		uint32_t next = s->cursor[s->depth - 1]++;
		if (next < count)
			visit_site(s, function, s->reverse ? count - 1 - next : next);
		else
			leave_function(s);
	}
}

static void search_all(struct search *s, bool reverse)
{
	uint32_t count = s->unit->function_count;
	memset(s->state, UNSEEN, count);
	s->reverse = reverse;
	s->left = 0;
	for (uint32_t i = 0; i < count; i++)
		search_from(s, s->by_name[reverse ? count - 1 - i : i]);
}

static bool alloc_recursive(struct wm_callgraph *callgraph, const struct wm_unit *unit, struct wm_arena *arena)
{
	callgraph->recursive = WM_NEW(arena, bool *, unit->function_count);
	for (uint32_t f = 0; callgraph->recursive && f < unit->function_count; f++) {
		callgraph->recursive[f] = WM_NEW(arena, bool, unit->function[f].call_count);
		if (!callgraph->recursive[f])
			return false;
	}
	return callgraph->recursive;
}

enum wm_status wm_callgraph_run(
	struct wm_callgraph *callgraph, const struct wm_unit *unit, const struct wm_dfs *dfs, struct wm_arena *arena)
{
	uint32_t count = unit->function_count;
	struct wm_callgraph made = {
		.order = WM_NEW(arena, uint32_t, count), .position = WM_NEW(arena, uint32_t, count)};
	struct search s = {.unit = unit,
		.dfs = dfs,
		.callgraph = &made,
		.state = WM_NEW(arena, uint8_t, count),
		.stack = WM_NEW(arena, uint32_t, count),
		.cursor = WM_NEW(arena, uint32_t, count)};
	uint32_t *names = WM_NEW(arena, uint32_t, count), *other = WM_NEW(arena, uint32_t, count);
	if (!alloc_recursive(&made, unit, arena) || !made.order || !made.position || !s.state || !s.stack ||
		!s.cursor || !names || !other)
		return WM_NO_MEMORY;
	s.by_name = sort_by_name(unit, names, other);
	search_all(&s, false);
	search_all(&s, true);
	for (uint32_t i = 0; i < count; i++)
		made.position[made.order[i]] = i;
	*callgraph = made;
	return WM_OK;
}
