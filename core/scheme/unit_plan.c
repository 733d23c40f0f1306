/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/unit_plan.h"
#include <string.h>

#define MAX_PATHS ((uint64_t)1 << 63)

/* ---- Functions by themselves ---------------------------------------------- */

/* Landing pads have a restart whether their call is crossed or not, so that both have the same DAG. */
static enum wm_status add_pads(
	struct wm_function_plan *f, const struct wm_unit_function *in_unit, struct wm_arena *arena)
{
	bool *pad = NULL;
	for (uint32_t i = 0; i < in_unit->call_count; i++) {
		uint32_t block = in_unit->call[i].block, last = in_unit->graph->first_edge[block + 1];
		if (!in_unit->call[i].unwinds || last == in_unit->graph->first_edge[block] ||
			f->plan.dfs.position[block] == WM_NONE)
			continue;
		if (!pad && !(pad = WM_NEW(arena, bool, in_unit->graph->block_count)))
			return WM_NO_MEMORY;
		pad[in_unit->graph->edge_to[last - 1]] = true;
	}
	f->plan.also_starts = pad;
	return pad ? f->plan.scheme->build(&f->plan, arena) : WM_OK;
}

static enum wm_status alloc_function(
	struct wm_function_plan *f, const struct wm_unit_function *in_unit, struct wm_arena *arena)
{
	const struct wm_dag *dag = &f->plan.dag;
	f->node = WM_NEW(arena, struct wm_pair, dag->node_count);
	f->value = WM_NEW(arena, struct wm_pair, dag->edge_count);
	f->unused = WM_NEW(arena, bool, dag->edge_count);
	f->site = WM_NEW(arena, struct wm_site, in_unit->call_count);
	f->start_edge = WM_NEW(arena, uint32_t, in_unit->graph->block_count);
	f->first_call = WM_NEW(arena, uint32_t, in_unit->graph->block_count);
	if (!f->node || !f->value || !f->unused || !f->site || !f->start_edge || !f->first_call)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < in_unit->graph->block_count; b++)
		f->first_call[b] = in_unit->call_count;
	for (uint32_t i = in_unit->call_count; i-- > 0;)
		f->first_call[in_unit->call[i].block] = i;
	memset(f->start_edge, 0xff, in_unit->graph->block_count * sizeof *f->start_edge);
	for (uint32_t e = dag->first_edge[WM_DAG_START] + 1; e < dag->first_edge[WM_DAG_START + 1]; e++)
		f->start_edge[dag->node_block[dag->edge[e].to]] = e;
	return WM_OK;
}

/* Their DAGs, each with at most `share` acyclic paths. */
static enum wm_status plan_functions(struct wm_unit_plan *plan, uint64_t share, struct wm_arena *arena)
{
	enum wm_status status = WM_OK;
	for (uint32_t i = 0; i < plan->unit->function_count && status == WM_OK; i++) {
		struct wm_function_plan *f = &plan->function[i];
		const struct wm_unit_function *in_unit = &plan->unit->function[i];
		status = wm_plan_make(&f->plan, in_unit->graph, plan->scheme, share, arena);
		if (status == WM_OK)
			status = add_pads(f, in_unit, arena);
		if (status == WM_OK)
			status = alloc_function(f, in_unit, arena);
	}
	return status;
}

static enum wm_status run_callgraph(struct wm_unit_plan *plan, struct wm_arena *arena)
{
	struct wm_dfs *dfs = WM_NEW(arena, struct wm_dfs, plan->unit->function_count);
	if (!dfs)
		return WM_NO_MEMORY;
	for (uint32_t f = 0; f < plan->unit->function_count; f++)
		dfs[f] = plan->function[f].plan.dfs;
	return wm_callgraph_run(&plan->callgraph, plan->unit, dfs, arena);
}

static enum wm_status make_with_share(
	struct wm_unit_plan *plan, const struct wm_unit_request *request, uint64_t share, struct wm_arena *arena)
{
	uint32_t count = request->unit->function_count;
	*plan = (struct wm_unit_plan){.unit = request->unit,
		.scheme = request->scheme,
		.function = WM_NEW(arena, struct wm_function_plan, count),
		.start = WM_NEW(arena, struct wm_unit_start, 2 * (size_t)count)};
	if (!plan->function || !plan->start)
		return WM_NO_MEMORY;
	enum wm_status status = plan_functions(plan, share, arena);
	if (status == WM_OK)
		status = run_callgraph(plan, arena);
	return status == WM_OK ? wm_unit_choose(plan, request, arena) : status;
}

/* Where the paths of all functions are too many although none is crossed into, each is given a smaller share of the ids,
 * for which its graph is cut. */
enum wm_status wm_unit_plan_make(
	struct wm_unit_plan *plan, const struct wm_unit_request *request, struct wm_arena *arena)
{
	struct wm_unit_request wanted = *request;
	struct wm_unit_plan made;
	wanted.limit = request->limit == 0 || request->limit > MAX_PATHS ? MAX_PATHS : request->limit;
	enum wm_status status = WM_TOO_MANY;
	for (uint64_t share = request->share ? request->share : wanted.limit; share && status == WM_TOO_MANY;
		share = request->share ? 0 : share / 2)
		status = make_with_share(&made, &wanted, share, arena);
	if (status == WM_OK)
		*plan = made;
	return status;
}
