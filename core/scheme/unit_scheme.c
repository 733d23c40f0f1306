/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/unit_scheme.h"
#include "core/scheme/kiter.h"
#include <string.h>

const struct wm_scheme wm_scheme_context = {
	.name = "context",
	.number = 6,
	.summary = "paths across calls, with their calling context (TR 1382, section 5)",
	.crosses = true,
	.build = wm_unroll,
};
const struct wm_scheme wm_scheme_piecewise = {
	.name = "piecewise",
	.number = 9,
	.summary = "paths across calls, without context behind loops (TR 1382, section 6)",
	.crosses = true,
	.pieces = true,
	.build = wm_unroll,
};
const struct wm_scheme wm_scheme_context_cut = {
	.name = "context=cut",
	.number = 7,
	.summary = "the same; a call that is not crossed ends the path",
	.crosses = true,
	.cuts = true,
	.build = wm_unroll,
};
const struct wm_scheme wm_scheme_context_pending = {
	.name = "context=pending",
	.number = 8,
	.summary = "the same; a path may end in a call that is not crossed and does not return",
	.crosses = true,
	.pending = true,
	.build = wm_unroll,
};
const struct wm_scheme wm_scheme_piecewise_cut = {
	.name = "piecewise=cut",
	.number = 10,
	.summary = "the same; a call that is not crossed ends the path",
	.crosses = true,
	.pieces = true,
	.cuts = true,
	.build = wm_unroll,
};
const struct wm_scheme wm_scheme_piecewise_pending = {
	.name = "piecewise=pending",
	.number = 11,
	.summary = "the same; a path may end in a call that is not crossed and does not return",
	.crosses = true,
	.pieces = true,
	.pending = true,
	.build = wm_unroll,
};
const char *wm_crossing_text(enum wm_crossing crossing)
{
	switch (crossing) {
	case WM_CROSSED:
		return "it is crossed";
	case WM_OVER_UNKNOWN:
		return "the callee is not in the unit";
	case WM_OVER_OPAQUE:
		return "the call cannot be crossed";
	case WM_OVER_RECURSIVE:
		return "the call is recursive";
	case WM_OVER_LAST:
		return "the path ends before the call";
	case WM_OVER_CHOSEN:
		return "it was chosen";
	case WM_OVER_MANY:
		return "ids would be too large";
	case WM_OVER_LONG:
		return "paths would be too long";
	case WM_OVER_UNREACHED:
		return "the entry does not reach the block";
	}
	return "";
}

uint32_t wm_plan_node(const struct wm_plan *plan, uint32_t block)
{
	return plan->dfs.position[block] + 2;
}

bool wm_plan_may_cross(const struct wm_plan *plan, uint32_t site)
{
	const struct wm_call *call = &plan->in_unit->call[site];
	return !call->opaque && !call->tail && plan->dfs.position[call->block] != WM_NONE;
}

bool wm_plan_crosses(const struct wm_plan *plan, uint32_t site)
{
	return plan->pairs->site[site].crossing == WM_CROSSED;
}

/* Whether the call is stepped over and the path goes on after it. */
static bool steps_over(const struct wm_plan *plan, uint32_t site)
{
	enum wm_crossing crossing = plan->pairs->site[site].crossing;
	return crossing != WM_CROSSED && crossing != WM_OVER_UNREACHED && !wm_unit_is_last_call(plan->in_unit, site);
}

bool wm_plan_cuts(const struct wm_plan *plan, uint32_t site)
{
	return plan->scheme->cuts && steps_over(plan, site);
}

bool wm_plan_waits(const struct wm_plan *plan, uint32_t site)
{
	return plan->scheme->pending && steps_over(plan, site);
}

bool wm_plan_unwinds(const struct wm_plan *plan, uint32_t cfg_edge)
{
	uint32_t site = wm_unit_unwinding_call(plan->in_unit, cfg_edge);
	return site != WM_NONE &&
	       (wm_plan_crosses(plan, site) || wm_plan_cuts(plan, site) || wm_plan_waits(plan, site));
}

/* ---- Numbering one function ------------------------------------------------ */

static void mark_unused(const struct wm_plan *plan)
{
	const struct wm_dag *dag = &plan->dag;
	bool *unused = plan->pairs->unused;
	if (!plan->also_starts)
		return; /* without landing pads, all edges are used */
	for (uint32_t e = 0; e < dag->edge_count; e++)
		unused[e] = dag->edge[e].kind == WM_EDGE_RESTART;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		const struct wm_dag_edge *edge = &dag->edge[e];
		if (edge->cfg_edge == WM_NONE)
			continue;
		unused[e] = wm_plan_unwinds(plan, edge->cfg_edge);
		if (unused[e])
			unused[plan->pairs->start_edge[plan->graph->edge_to[edge->cfg_edge]]] = false;
		else if (edge->kind == WM_EDGE_STOP)
			unused[edge->restart] = false;
	}
}

static struct wm_pair ways_along(const struct wm_pairs *pairs, const struct wm_dag_edge *edge)
{
	if (edge->to != WM_DAG_END)
		return pairs->node[edge->to];
	return edge->kind == WM_EDGE_EXIT && edge->end == WM_END_RETURN ? (struct wm_pair){1, 0}
									: (struct wm_pair){0, 1};
}

/* Numbers the out-edges from `low` on, below `high`: false when there are too many ways. */
static bool number_edges(const struct wm_plan *plan, uint32_t low, uint32_t high, struct wm_pair *sum)
{
	for (uint32_t e = low; e < high; e++) {
		plan->pairs->value[e] = *sum;
		if (!plan->pairs->unused[e] && !wm_pair_add(*sum, ways_along(plan->pairs, &plan->dag.edge[e]), sum))
			return false;
	}
	return true;
}

/* The calls of a block, from the last. */
static bool number_calls(const struct wm_plan *plan, uint32_t block, struct wm_pair *ways)
{
	const struct wm_unit_function *in_unit = plan->in_unit;
	const struct wm_plan *unit = plan->pairs->unit->function;
	uint32_t first = plan->pairs->first_call[block], last = first;
	while (last < in_unit->call_count && in_unit->call[last].block == block)
		last++;
	while (last-- > first) {
		plan->pairs->site[last].behind = *ways;
		if (wm_plan_crosses(plan, last) &&
			!wm_pair_compose(unit[in_unit->call[last].callee].pairs->entry, *ways, ways))
			return false;
		if (wm_plan_cuts(plan, last))
			*ways = (struct wm_pair){0, 1};
		if (wm_plan_waits(plan, last) && !wm_pair_add(*ways, (struct wm_pair){0, 1}, ways))
			return false;
	}
	return true;
}

/* Paths that begin after a call. */
static bool number_cuts(const struct wm_plan *plan, struct wm_pair *sum)
{
	struct wm_site *site = plan->pairs->site;
	for (uint32_t i = 0; plan->scheme->cuts && i < plan->in_unit->call_count; i++) {
		site[i].start = *sum;
		if (wm_plan_cuts(plan, i) && !wm_pair_add(*sum, site[i].behind, sum))
			return false;
	}
	return true;
}

static bool number_starts(const struct wm_plan *plan)
{
	struct wm_pairs *pairs = plan->pairs;
	struct wm_pair *again = plan->scheme->pieces ? &pairs->pieces : &pairs->entry;
	uint32_t first = plan->dag.first_edge[WM_DAG_START], last = plan->dag.first_edge[WM_DAG_START + 1];
	pairs->entry = pairs->pieces = (struct wm_pair){0, 0};
	return number_edges(plan, first, first + 1, &pairs->entry) && number_edges(plan, first + 1, last, again) &&
	       number_cuts(plan, again);
}

bool wm_plan_number_again(const struct wm_plan *plan, uint32_t count, uint64_t most)
{
	const struct wm_dag *dag = &plan->dag;
	mark_unused(plan);
	for (uint32_t i = count < dag->node_count ? count : dag->node_count - 1; i-- > 1;) {
		uint32_t node = dag->order[i];
		struct wm_pair ways = {0, 0};
		if (!number_edges(plan, dag->first_edge[node], dag->first_edge[node + 1], &ways) ||
			!number_calls(plan, dag->node_block[node], &ways) || ways.a + ways.b > most)
			return false;
		plan->pairs->node[node] = ways;
	}
	return number_starts(plan);
}

bool wm_plan_number(const struct wm_plan *plan)
{
	return wm_plan_number_again(plan, WM_NONE, UINT64_MAX);
}

/* ---- Ids ------------------------------------------------------------------- */

static uint32_t count_callers(struct wm_unit_plan *plan, const bool *entry)
{
	uint32_t crossed = 0;
	for (uint32_t f = 0; f < plan->unit->function_count; f++) {
		plan->function[f].pairs->caller_count = 0;
		plan->function[f].pairs->root = entry && entry[f];
	}
	for (uint32_t f = 0; f < plan->unit->function_count; f++) {
		const struct wm_unit_function *in_unit = &plan->unit->function[f];
		for (uint32_t i = 0; i < in_unit->call_count; i++) {
			enum wm_crossing crossing = plan->function[f].pairs->site[i].crossing;
			if (crossing == WM_CROSSED)
				plan->function[in_unit->call[i].callee].pairs->caller_count++;
			else if (crossing != WM_OVER_UNREACHED && in_unit->call[i].callee != WM_NONE)
				plan->function[in_unit->call[i].callee].pairs->root = true;
			crossed += crossing == WM_CROSSED;
		}
	}
	return crossed;
}

static enum wm_status list_callers(struct wm_unit_plan *plan, const bool *entry, struct wm_arena *arena)
{
	plan->crossed = count_callers(plan, entry);
	struct wm_caller *room = WM_NEW(arena, struct wm_caller, plan->crossed);
	if (!room)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < plan->unit->function_count; i++) {
		struct wm_pairs *f = plan->function[plan->callgraph.order[i]].pairs;
		f->root |= f->caller_count == 0;
		f->caller = room;
		room += f->caller_count;
		f->caller_count = 0;
	}
	for (uint32_t i = 0; i < plan->unit->function_count; i++) {
		uint32_t function = plan->callgraph.order[i];
		const struct wm_unit_function *in_unit = &plan->unit->function[function];
		for (uint32_t s = 0; s < in_unit->call_count; s++) {
			if (!wm_plan_crosses(&plan->function[function], s))
				continue;
			struct wm_pairs *callee = plan->function[in_unit->call[s].callee].pairs;
			callee->caller[callee->caller_count++] = (struct wm_caller){function, s};
		}
	}
	return WM_OK;
}

/* What lies after the exit of a function whose callers are done. */
static bool number_returns(const struct wm_unit_plan *plan, struct wm_pairs *f)
{
	struct wm_pair sum = {0, 0};
	for (uint32_t i = 0; i < f->caller_count; i++) {
		const struct wm_pairs *caller = plan->function[f->caller[i].function].pairs;
		struct wm_site *site = &caller->site[f->caller[i].site];
		struct wm_pair ways = {0, 0};
		site->edge_value = sum.b;
		if (!wm_pair_evaluate(site->behind, caller->behind_exit, &ways.b) || !wm_pair_add(sum, ways, &sum))
			return false;
	}
	f->exit_value = sum.b;
	f->behind_exit = sum.b + f->root;
	return f->behind_exit <= INT64_MAX;
}

static bool add_start(struct wm_unit_plan *plan, struct wm_unit_start start, struct wm_pair ways, uint64_t x)
{
	uint64_t count;
	if (!wm_pair_evaluate(ways, x, &count))
		return false;
	if (count)
		plan->start[plan->start_count++] = start;
	plan->path_count += count;
	return plan->path_count <= INT64_MAX;
}

static bool number_ids(struct wm_unit_plan *plan)
{
	plan->start_count = 0;
	plan->path_count = 0;
	for (uint32_t i = 0; i < plan->unit->function_count; i++) {
		uint32_t function = plan->callgraph.order[i];
		struct wm_pairs *f = plan->function[function].pairs;
		if (plan->scheme->pieces && !number_returns(plan, f))
			return false;
		f->first = plan->path_count;
		if (f->root && !add_start(plan, (struct wm_unit_start){f->first, function, false}, f->entry, 1))
			return false;
		f->first_piece = plan->path_count;
		if (!add_start(plan, (struct wm_unit_start){f->first_piece, function, true}, f->pieces, f->behind_exit))
			return false;
	}
	return true;
}

enum wm_status wm_unit_number(struct wm_unit_plan *plan, const bool *entry, struct wm_arena *arena)
{
	enum wm_status status = list_callers(plan, entry, arena);
	return status == WM_OK && !number_ids(plan) ? WM_TOO_MANY : status;
}

uint64_t wm_plan_paths(const struct wm_plan *plan, uint64_t *first)
{
	const struct wm_pairs *pairs = plan->pairs;
	*first = !pairs ? 0 : pairs->root ? pairs->first : pairs->first_piece;
	if (!pairs)
		return plan->numbering.path_count;
	return (pairs->root ? wm_pair_at(pairs->entry, 1) : 0) + wm_pair_at(pairs->pieces, pairs->behind_exit);
}

uint64_t wm_plan_ids(const struct wm_plan *plan)
{
	return plan->pairs ? plan->pairs->unit->path_count : plan->numbering.path_count;
}
