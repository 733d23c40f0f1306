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
		status = wm_plan_make(&f->plan, in_unit->graph, &wm_scheme_acyclic, share, arena);
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

/* ---- What to cross ---------------------------------------------------------- */

/* Sites that could be crossed, function by function; of each function the hottest first. */
struct choice {
	struct wm_unit_plan *plan;
	const struct wm_unit_request *request;
	const struct wm_weights *weights; /* per function */
	uint32_t **candidate; /* per function: sites */
	uint32_t *count; /* per function */
	uint32_t *length; /* scratch memory, per DAG node: the longest path to End */
};

static enum wm_crossing judge(const struct choice *c, uint32_t function, uint32_t site)
{
	const struct wm_unit_function *in_unit = &c->plan->unit->function[function];
	const struct wm_call *call = &in_unit->call[site];
	if (c->plan->function[function].plan.dfs.position[call->block] == WM_NONE)
		return WM_OVER_UNREACHED;
	if (wm_unit_is_last_call(in_unit, site))
		return WM_OVER_LAST;
	if (call->callee == WM_NONE)
		return WM_OVER_UNKNOWN;
	if (call->opaque)
		return WM_OVER_OPAQUE;
	if (c->plan->callgraph.recursive[function][site])
		return WM_OVER_RECURSIVE;
	bool handler = c->request->handler && c->request->handler[call->callee];
	return handler || (c->request->over && c->request->over[function][site]) ? WM_OVER_CHOSEN : WM_CROSSED;
}

static bool is_hotter(const struct choice *c, uint32_t function, uint32_t left, uint32_t right)
{
	const struct wm_call *call = c->plan->unit->function[function].call;
	const bool *first = c->request->first ? c->request->first[function] : NULL;
	if (first && first[left] != first[right])
		return first[left];
	const double *weight = c->weights[function].block;
	double difference = weight[call[left].block] - weight[call[right].block];
	return difference > 0 || (difference == 0 && left < right);
}

/* A heap whose top is the coldest, emptied from the end. */
static void sift_down(const struct choice *c, uint32_t function, uint32_t at, uint32_t count)
{
	uint32_t *site = c->candidate[function];
	for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && is_hotter(c, function, site[child], site[child + 1]))
			child++;
		if (is_hotter(c, function, site[child], site[at]))
			return;
		uint32_t swap = site[at];
		site[at] = site[child];
		site[child] = swap;
	}
}

static void sort_candidates(const struct choice *c, uint32_t function)
{
	uint32_t *site = c->candidate[function], count = c->count[function];
	for (uint32_t i = count / 2; i-- > 0;)
		sift_down(c, function, i, count);
	for (uint32_t i = count; i-- > 1;) {
		uint32_t coldest = site[0];
		site[0] = site[i];
		site[i] = coldest;
		sift_down(c, function, 0, i);
	}
}

static bool list_candidates(struct choice *c, uint32_t function, struct wm_arena *arena)
{
	uint32_t calls = c->plan->unit->function[function].call_count;
	struct wm_site *site = c->plan->function[function].site;
	c->candidate[function] = WM_NEW(arena, uint32_t, calls);
	if (!c->candidate[function])
		return false;
	for (uint32_t i = 0; i < calls; i++) {
		site[i].crossing = judge(c, function, i);
		c->plan->site_count += site[i].crossing != WM_OVER_UNREACHED;
		if (site[i].crossing == WM_CROSSED)
			c->candidate[function][c->count[function]++] = i;
	}
	sort_candidates(c, function);
	return true;
}

static enum wm_status estimate_weights(struct choice *c, struct wm_arena *arena)
{
	uint32_t count = c->plan->unit->function_count;
	struct wm_weights *weights = WM_NEW(arena, struct wm_weights, count);
	enum wm_status status = weights ? WM_OK : WM_NO_MEMORY;
	for (uint32_t f = 0; f < count && status == WM_OK; f++) {
		const struct wm_plan *plan = &c->plan->function[f].plan;
		status = wm_weights_static(&weights[f], plan->graph, &plan->dfs, arena);
	}
	c->weights = weights;
	return status;
}

static enum wm_status init_choice(struct choice *c, struct wm_arena *arena)
{
	uint32_t functions = c->plan->unit->function_count, nodes = 0;
	c->candidate = WM_NEW(arena, uint32_t *, functions);
	c->count = WM_NEW(arena, uint32_t, functions);
	if (!c->candidate || !c->count || (!c->weights && estimate_weights(c, arena) != WM_OK))
		return WM_NO_MEMORY;
	for (uint32_t f = 0; f < functions; f++) {
		uint32_t count = c->plan->function[f].plan.dag.node_count;
		nodes = count > nodes ? count : nodes;
		if (!list_candidates(c, f, arena))
			return WM_NO_MEMORY;
	}
	c->length = WM_NEW(arena, uint32_t, nodes);
	return c->length ? WM_OK : WM_NO_MEMORY;
}

static uint32_t add_lengths(uint32_t left, uint32_t right)
{
	return left + right < WM_MAX_STEPS ? left + right : WM_MAX_STEPS;
}

/* The calls of a block with their callees and returns. */
static uint32_t calls_length(const struct choice *c, uint32_t function, uint32_t block)
{
	const struct wm_unit_function *in_unit = &c->plan->unit->function[function];
	uint32_t sum = 0;
	for (uint32_t i = c->plan->function[function].first_call[block]; i < in_unit->call_count; i++) {
		if (in_unit->call[i].block != block)
			break;
		if (c->plan->function[function].site[i].crossing == WM_CROSSED)
			sum = add_lengths(sum, add_lengths(2, c->plan->function[in_unit->call[i].callee].longest));
	}
	return sum;
}

/* At most WM_MAX_STEPS. */
static uint32_t longest_path(const struct choice *c, uint32_t function)
{
	const struct wm_dag *dag = &c->plan->function[function].plan.dag;
	for (uint32_t i = dag->node_count; i-- > 0;) {
		uint32_t node = dag->order[i], longest = 0;
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			uint32_t length = add_lengths(1, c->length[dag->edge[e].to]);
			longest = length > longest ? length : longest;
		}
		bool block = node != WM_DAG_START && node != WM_DAG_END;
		c->length[node] =
			block ? add_lengths(longest, calls_length(c, function, dag->node_block[node])) : longest;
	}
	return c->length[WM_DAG_START];
}

/* Crosses the hottest sites and steps over the others, for this reason. */
static void cross(const struct choice *c, uint32_t function, uint32_t crossed, enum wm_crossing reason)
{
	for (uint32_t i = 0; i < c->count[function]; i++)
		c->plan->function[function].site[c->candidate[function][i]].crossing =
			i < crossed ? WM_CROSSED : reason;
}

/* WM_CROSSED when the function can be numbered like this below the threshold, else why not. */
static enum wm_crossing try_crossing(const struct choice *c, uint32_t function, uint32_t crossed, uint64_t threshold)
{
	struct wm_function_plan *f = &c->plan->function[function];
	struct wm_pair ways;
	uint64_t count;
	cross(c, function, crossed, WM_OVER_MANY);
	f->longest = longest_path(c, function);
	if (!wm_function_number(c->plan, function) || !wm_pair_add(f->entry, f->pieces, &ways) ||
		!wm_pair_evaluate(ways, 1, &count) || count > threshold)
		return WM_OVER_MANY;
	return f->longest < WM_MAX_STEPS ? WM_CROSSED : WM_OVER_LONG;
}

/* A call that never returns may also lower the count; so what bisection finds is good, not always the best. */
static enum wm_status choose_sites(const struct choice *c, uint32_t function, uint64_t threshold)
{
	uint32_t low = 0, high = c->count[function] + 1;
	enum wm_crossing reason = WM_CROSSED;
	if (try_crossing(c, function, high - 1, threshold) == WM_CROSSED)
		return WM_OK;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		enum wm_crossing result = try_crossing(c, function, middle, threshold);
		reason = result == WM_CROSSED ? reason : result;
		*(result == WM_CROSSED ? &low : &high) = middle;
	}
	try_crossing(c, function, low, threshold);
	cross(c, function, low, reason);
	return wm_function_number(c->plan, function) ? WM_OK : WM_TOO_MANY;
}

static enum wm_status try_threshold(const struct choice *c, uint64_t threshold, struct wm_arena *arena)
{
	enum wm_status status = WM_OK;
	for (uint32_t i = c->plan->unit->function_count; i-- > 0 && status == WM_OK;)
		status = choose_sites(c, c->plan->callgraph.order[i], threshold);
	if (status == WM_OK)
		status = wm_unit_number(c->plan, c->request->entry, arena);
	return status == WM_OK && c->plan->path_count > c->request->limit ? WM_TOO_MANY : status;
}

/* Without a threshold, then the largest exponent that fits, then without crossing anything. */
static enum wm_status choose_threshold(const struct choice *c, struct wm_arena *arena)
{
	unsigned low = 0, high = 63;
	enum wm_status status = try_threshold(c, INT64_MAX, arena);
	if (status != WM_TOO_MANY)
		return status;
	while (high - low > 1) {
		unsigned middle = (low + high) / 2;
		status = try_threshold(c, (uint64_t)1 << middle, arena);
		if (status == WM_NO_MEMORY)
			return status;
		*(status == WM_OK ? &low : &high) = middle;
	}
	status = low ? try_threshold(c, (uint64_t)1 << low, arena) : WM_TOO_MANY;
	return status == WM_TOO_MANY ? try_threshold(c, 0, arena) : status;
}

static enum wm_status make_with_share(
	struct wm_unit_plan *plan, const struct wm_unit_request *request, uint64_t share, struct wm_arena *arena)
{
	uint32_t count = request->unit->function_count;
	*plan = (struct wm_unit_plan){.unit = request->unit,
		.scheme = request->scheme,
		.function = WM_NEW(arena, struct wm_function_plan, count),
		.start = WM_NEW(arena, struct wm_unit_start, 2 * (size_t)count)};
	struct choice choice = {.plan = plan, .request = request, .weights = request->weights};
	if (!plan->function || !plan->start)
		return WM_NO_MEMORY;
	enum wm_status status = plan_functions(plan, share, arena);
	if (status == WM_OK)
		status = run_callgraph(plan, arena);
	if (status == WM_OK)
		status = init_choice(&choice, arena);
	return status == WM_OK ? choose_threshold(&choice, arena) : status;
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
