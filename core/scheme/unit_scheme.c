/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/unit_scheme.h"
#include "core/scheme/kiter.h"
#include <string.h>

const struct wm_scheme wm_scheme_context = {
	.name = "context",
	.summary = "paths across calls, with their calling context (TR 1382, section 5)",
	.crosses = true,
	.build = wm_unroll,
};
const struct wm_scheme wm_scheme_piecewise = {
	.name = "piecewise",
	.summary = "paths across calls, without context behind loops (TR 1382, section 6)",
	.crosses = true,
	.pieces = true,
	.build = wm_unroll,
};
const struct wm_scheme wm_scheme_context_cut = {
	.name = "context=cut",
	.summary = "the same; a call that is not crossed ends the path",
	.crosses = true,
	.cuts = true,
	.build = wm_unroll,
};
const struct wm_scheme wm_scheme_context_pending = {
	.name = "context=pending",
	.summary = "the same; a path may end in a call that is not crossed and does not return",
	.crosses = true,
	.pending = true,
	.build = wm_unroll,
};
const struct wm_scheme wm_scheme_piecewise_cut = {
	.name = "piecewise=cut",
	.summary = "the same; a call that is not crossed ends the path",
	.crosses = true,
	.pieces = true,
	.cuts = true,
	.build = wm_unroll,
};
const struct wm_scheme wm_scheme_piecewise_pending = {
	.name = "piecewise=pending",
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

uint32_t wm_function_node(const struct wm_function_plan *function, uint32_t block)
{
	return function->plan.dfs.position[block] + 2;
}

bool wm_unit_may_cross(const struct wm_unit_function *in_unit, const struct wm_function_plan *function, uint32_t site)
{
	const struct wm_call *call = &in_unit->call[site];
	return !call->opaque && !call->tail && function->plan.dfs.position[call->block] != WM_NONE;
}

/* Whether the call is stepped over and the path goes on after it. */
static bool steps_over(const struct wm_unit_plan *plan, uint32_t function, uint32_t site)
{
	enum wm_crossing crossing = plan->function[function].site[site].crossing;
	return crossing != WM_CROSSED && crossing != WM_OVER_UNREACHED &&
	       !wm_unit_is_last_call(&plan->unit->function[function], site);
}

bool wm_unit_cuts(const struct wm_unit_plan *plan, uint32_t function, uint32_t site)
{
	return plan->scheme->cuts && steps_over(plan, function, site);
}

bool wm_unit_waits(const struct wm_unit_plan *plan, uint32_t function, uint32_t site)
{
	return plan->scheme->pending && steps_over(plan, function, site);
}

bool wm_unit_unwinds(const struct wm_unit_plan *plan, uint32_t function, uint32_t cfg_edge)
{
	uint32_t site = wm_unit_unwinding_call(&plan->unit->function[function], cfg_edge);
	return site != WM_NONE && (plan->function[function].site[site].crossing == WM_CROSSED ||
					  wm_unit_cuts(plan, function, site) || wm_unit_waits(plan, function, site));
}

/* ---- Numbering one function ------------------------------------------------ */

static void mark_unused(const struct wm_unit_plan *plan, uint32_t function)
{
	struct wm_function_plan *f = &plan->function[function];
	const struct wm_dag *dag = &f->plan.dag;
	if (!f->plan.also_starts)
		return; /* without landing pads, all edges are used */
	for (uint32_t e = 0; e < dag->edge_count; e++)
		f->unused[e] = dag->edge[e].kind == WM_EDGE_RESTART;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		const struct wm_dag_edge *edge = &dag->edge[e];
		if (edge->cfg_edge == WM_NONE)
			continue;
		f->unused[e] = wm_unit_unwinds(plan, function, edge->cfg_edge);
		if (f->unused[e])
			f->unused[f->start_edge[f->plan.graph->edge_to[edge->cfg_edge]]] = false;
		else if (edge->kind == WM_EDGE_STOP)
			f->unused[edge->restart] = false;
	}
}

static struct wm_pair ways_along(const struct wm_function_plan *f, const struct wm_dag_edge *edge)
{
	if (edge->to != WM_DAG_END)
		return f->node[edge->to];
	return edge->kind == WM_EDGE_EXIT && edge->end == WM_END_RETURN ? (struct wm_pair){1, 0}
									: (struct wm_pair){0, 1};
}

/* Numbers the out-edges from `low` on, below `high`: false when there are too many ways. */
static bool number_edges(struct wm_function_plan *f, uint32_t low, uint32_t high, struct wm_pair *sum)
{
	for (uint32_t e = low; e < high; e++) {
		f->value[e] = *sum;
		if (!f->unused[e] && !wm_pair_add(*sum, ways_along(f, &f->plan.dag.edge[e]), sum))
			return false;
	}
	return true;
}

/* The calls of a block, from the last. */
static bool number_calls(const struct wm_unit_plan *plan, uint32_t function, uint32_t block, struct wm_pair *ways)
{
	const struct wm_unit_function *in_unit = &plan->unit->function[function];
	struct wm_site *site = plan->function[function].site;
	uint32_t first = plan->function[function].first_call[block], last = first;
	while (last < in_unit->call_count && in_unit->call[last].block == block)
		last++;
	while (last-- > first) {
		site[last].behind = *ways;
		if (site[last].crossing == WM_CROSSED &&
			!wm_pair_compose(plan->function[in_unit->call[last].callee].entry, *ways, ways))
			return false;
		if (wm_unit_cuts(plan, function, last))
			*ways = (struct wm_pair){0, 1};
		if (wm_unit_waits(plan, function, last) && !wm_pair_add(*ways, (struct wm_pair){0, 1}, ways))
			return false;
	}
	return true;
}

/* Paths that begin after a call. */
static bool number_cuts(const struct wm_unit_plan *plan, uint32_t function, struct wm_pair *sum)
{
	struct wm_site *site = plan->function[function].site;
	for (uint32_t i = 0; plan->scheme->cuts && i < plan->unit->function[function].call_count; i++) {
		site[i].start = *sum;
		if (wm_unit_cuts(plan, function, i) && !wm_pair_add(*sum, site[i].behind, sum))
			return false;
	}
	return true;
}

static bool number_starts(const struct wm_unit_plan *plan, uint32_t function)
{
	struct wm_function_plan *f = &plan->function[function];
	const struct wm_dag *dag = &f->plan.dag;
	struct wm_pair *again = plan->scheme->pieces ? &f->pieces : &f->entry;
	uint32_t first = dag->first_edge[WM_DAG_START], last = dag->first_edge[WM_DAG_START + 1];
	f->entry = f->pieces = (struct wm_pair){0, 0};
	return number_edges(f, first, first + 1, &f->entry) && number_edges(f, first + 1, last, again) &&
	       number_cuts(plan, function, again);
}

bool wm_function_number_again(const struct wm_unit_plan *plan, uint32_t function, uint32_t count, uint64_t most)
{
	struct wm_function_plan *f = &plan->function[function];
	const struct wm_dag *dag = &f->plan.dag;
	mark_unused(plan, function);
	for (uint32_t i = count < dag->node_count ? count : dag->node_count - 1; i-- > 1;) {
		uint32_t node = dag->order[i];
		struct wm_pair ways = {0, 0};
		if (!number_edges(f, dag->first_edge[node], dag->first_edge[node + 1], &ways) ||
			!number_calls(plan, function, dag->node_block[node], &ways) || ways.a + ways.b > most)
			return false;
		f->node[node] = ways;
	}
	return number_starts(plan, function);
}

bool wm_function_number(const struct wm_unit_plan *plan, uint32_t function)
{
	return wm_function_number_again(plan, function, WM_NONE, UINT64_MAX);
}

/* ---- Ids ------------------------------------------------------------------- */

static uint32_t count_callers(struct wm_unit_plan *plan, const bool *entry)
{
	uint32_t crossed = 0;
	for (uint32_t f = 0; f < plan->unit->function_count; f++) {
		plan->function[f].caller_count = 0;
		plan->function[f].root = entry && entry[f];
	}
	for (uint32_t f = 0; f < plan->unit->function_count; f++) {
		const struct wm_unit_function *in_unit = &plan->unit->function[f];
		for (uint32_t i = 0; i < in_unit->call_count; i++) {
			enum wm_crossing crossing = plan->function[f].site[i].crossing;
			if (crossing == WM_CROSSED)
				plan->function[in_unit->call[i].callee].caller_count++;
			else if (crossing != WM_OVER_UNREACHED && in_unit->call[i].callee != WM_NONE)
				plan->function[in_unit->call[i].callee].root = true;
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
		struct wm_function_plan *f = &plan->function[plan->callgraph.order[i]];
		f->root |= f->caller_count == 0;
		f->caller = room;
		room += f->caller_count;
		f->caller_count = 0;
	}
	for (uint32_t i = 0; i < plan->unit->function_count; i++) {
		uint32_t function = plan->callgraph.order[i];
		const struct wm_unit_function *in_unit = &plan->unit->function[function];
		for (uint32_t s = 0; s < in_unit->call_count; s++) {
			if (plan->function[function].site[s].crossing != WM_CROSSED)
				continue;
			struct wm_function_plan *callee = &plan->function[in_unit->call[s].callee];
			callee->caller[callee->caller_count++] = (struct wm_caller){function, s};
		}
	}
	return WM_OK;
}

/* What lies after the exit of a function whose callers are done. */
static bool number_returns(const struct wm_unit_plan *plan, struct wm_function_plan *f)
{
	struct wm_pair sum = {0, 0};
	for (uint32_t i = 0; i < f->caller_count; i++) {
		const struct wm_function_plan *caller = &plan->function[f->caller[i].function];
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
		struct wm_function_plan *f = &plan->function[function];
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
