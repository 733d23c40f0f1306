/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/unit_plan.h"
#include <string.h>

/* ---- Functions by themselves ---------------------------------------------- */

/* Landing pads have a restart whether their call is crossed or not, so that both have the same DAG. */
static enum wm_status add_pads(struct wm_plan *plan, struct wm_arena *arena)
{
	const struct wm_unit_function *in_unit = plan->in_unit;
	bool *pad = NULL;
	for (uint32_t i = 0; i < in_unit->call_count; i++) {
		uint32_t block = in_unit->call[i].block, last = plan->graph->first_edge[block + 1];
		if (!in_unit->call[i].unwinds || last == plan->graph->first_edge[block] ||
			plan->dfs.position[block] == WM_NONE)
			continue;
		if (!pad && !(pad = WM_NEW(arena, bool, plan->graph->block_count)))
			return WM_NO_MEMORY;
		pad[plan->graph->edge_to[last - 1]] = true;
	}
	plan->also_starts = pad;
	return pad ? plan->scheme->build(plan, arena) : WM_OK;
}

static enum wm_status alloc_pairs(struct wm_plan *plan, struct wm_arena *arena)
{
	const struct wm_unit_function *in_unit = plan->in_unit;
	const struct wm_dag *dag = &plan->dag;
	struct wm_pairs *pairs = plan->pairs = WM_NEW(arena, struct wm_pairs, 1);
	if (!pairs)
		return WM_NO_MEMORY;
	pairs->node = WM_NEW(arena, struct wm_pair, dag->node_count);
	pairs->value = WM_NEW(arena, struct wm_pair, dag->edge_count);
	pairs->unused = WM_NEW(arena, bool, dag->edge_count);
	pairs->site = WM_NEW(arena, struct wm_site, in_unit->call_count);
	pairs->start_edge = WM_NEW(arena, uint32_t, plan->graph->block_count);
	pairs->first_call = WM_NEW(arena, uint32_t, plan->graph->block_count);
	if (!pairs->node || !pairs->value || !pairs->unused || !pairs->site || !pairs->start_edge || !pairs->first_call)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < plan->graph->block_count; b++)
		pairs->first_call[b] = in_unit->call_count;
	for (uint32_t i = in_unit->call_count; i-- > 0;)
		pairs->first_call[in_unit->call[i].block] = i;
	memset(pairs->start_edge, 0xff, plan->graph->block_count * sizeof *pairs->start_edge);
	for (uint32_t e = dag->first_edge[WM_DAG_START] + 1; e < dag->first_edge[WM_DAG_START + 1]; e++)
		pairs->start_edge[dag->node_block[dag->edge[e].to]] = e;
	return WM_OK;
}

/* Their DAGs, each with at most `share` acyclic paths. */
static enum wm_status plan_functions(struct wm_unit_plan *unit, uint64_t share, struct wm_arena *arena)
{
	enum wm_status status = WM_OK;
	for (uint32_t i = 0; i < unit->unit->function_count && status == WM_OK; i++) {
		struct wm_plan *plan = &unit->function[i];
		const struct wm_unit_function *in_unit = &unit->unit->function[i];
		status = wm_plan_make(plan, in_unit->graph, unit->scheme, share, arena);
		plan->in_unit = in_unit;
		plan->index = i;
		if (status == WM_OK)
			status = add_pads(plan, arena);
		if (status == WM_OK)
			status = alloc_pairs(plan, arena);
	}
	return status;
}

static void refer_to(const struct wm_unit_plan *unit)
{
	for (uint32_t i = 0; i < unit->unit->function_count; i++)
		unit->function[i].pairs->unit = unit;
}

static enum wm_status run_callgraph(struct wm_unit_plan *plan, struct wm_arena *arena)
{
	struct wm_dfs *dfs = WM_NEW(arena, struct wm_dfs, plan->unit->function_count);
	if (!dfs)
		return WM_NO_MEMORY;
	for (uint32_t f = 0; f < plan->unit->function_count; f++)
		dfs[f] = plan->function[f].dfs;
	return wm_callgraph_run(&plan->callgraph, plan->unit, dfs, arena);
}

static enum wm_status make_with_share(
	struct wm_unit_plan *plan, const struct wm_unit_request *request, uint64_t share, struct wm_arena *arena)
{
	uint32_t count = request->unit->function_count;
	*plan = (struct wm_unit_plan){.unit = request->unit,
		.scheme = request->scheme,
		.function = WM_NEW(arena, struct wm_plan, count),
		.start = WM_NEW(arena, struct wm_unit_start, 2 * (size_t)count)};
	if (!plan->function || !plan->start)
		return WM_NO_MEMORY;
	enum wm_status status = plan_functions(plan, share, arena);
	if (status == WM_OK)
		status = run_callgraph(plan, arena);
	if (status != WM_OK)
		return status;
	refer_to(plan);
	return wm_unit_choose(plan, request, arena);
}

/* Where the paths of all functions are too many although none is crossed into, each is given a smaller share of the ids,
 * for which its graph is cut. */
enum wm_status wm_unit_plan_make(
	struct wm_unit_plan *plan, const struct wm_unit_request *request, struct wm_arena *arena)
{
	struct wm_unit_request wanted = *request;
	struct wm_unit_plan made;
	wanted.limit = request->limit == 0 || request->limit > WM_MAX_PATHS ? WM_MAX_PATHS : request->limit;
	enum wm_status status = WM_TOO_MANY;
	for (uint64_t share = request->share ? request->share : wanted.limit; share && status == WM_TOO_MANY;
		share = request->share ? 0 : share / 2)
		status = make_with_share(&made, &wanted, share, arena);
	if (status == WM_OK) {
		*plan = made;
		refer_to(plan);
	}
	return status;
}
