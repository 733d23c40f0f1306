/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/scheme/unit_choice.h"
#include <math.h>

/* For one budget, each function may be numbered MOST_TRIALS times; besides, functions may be numbered again as long as the
 * edges that are visited for it stay below MOST_WORK and twice those of the unit. */
#define MOST_TRIALS 24
#define MOST_WORK (1u << 22)
/* What an estimated execution is worth beside a counted one: sites that did not run in the profile come last. */
#define ESTIMATED 0.03125
/* Long chains of calls stay finite. */
#define MOST_CALLS 1e100

struct candidates {
	uint32_t count;
	uint32_t *site; /* the hottest first */
	const bool *first; /* per call site of the function: the request wants it crossed; NULL: none */
	double *inside; /* per call site of the function: executions per activation */
	double activations; /* how often the function runs */
	double outside; /* how often the candidates of the unit call it, per activation */
	/* piecewise: paths that begin at restarts here or in crossed callees; x is the number of completions after the exit of the function.
	 * A path that ends in a crossed callee is counted there. */
	struct wm_pair below;
	bool numbered; /* `bare` is known */
	double bare; /* the bits that a call of the function uses if no candidate is crossed */
	uint32_t stale; /* how many nodes of dag->order have numbers of other crossings */
};
struct choice {
	struct wm_unit_plan *plan;
	const struct wm_unit_request *request;
	struct candidates *function;
	double budget; /* bits */
	uint64_t edges; /* of all DAGs */
	uint64_t work; /* edges that may still be visited in trials beyond MOST_TRIALS */
	uint32_t *length; /* scratch memory, per DAG node: the longest path to End */
};

/* ---- Candidates --------------------------------------------------------------- */

static enum wm_crossing judge(const struct choice *c, uint32_t function, uint32_t site)
{
	const struct wm_unit_function *in_unit = &c->plan->unit->function[function];
	const struct wm_call *call = &in_unit->call[site];
	if (c->plan->function[function].dfs.position[call->block] == WM_NONE)
		return WM_OVER_UNREACHED;
	if (call->tail)
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

static bool is_hotter(const struct candidates *f, uint32_t left, uint32_t right)
{
	if (f->first && f->first[left] != f->first[right])
		return f->first[left];
	double difference = f->inside[left] - f->inside[right];
	return difference > 0 || (difference == 0 && left < right);
}

/* A heap whose top is the coldest, emptied from the end. */
static void sift_down(const struct candidates *f, uint32_t at, uint32_t count)
{
	uint32_t *site = f->site;
	for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && is_hotter(f, site[child], site[child + 1]))
			child++;
		if (is_hotter(f, site[child], site[at]))
			return;
		uint32_t swap = site[at];
		site[at] = site[child];
		site[child] = swap;
	}
}

static void sort_candidates(const struct candidates *f)
{
	for (uint32_t i = f->count / 2; i-- > 0;)
		sift_down(f, i, f->count);
	for (uint32_t i = f->count; i-- > 1;) {
		uint32_t coldest = f->site[0];
		f->site[0] = f->site[i];
		f->site[i] = coldest;
		sift_down(f, 0, i);
	}
}

/* By the profile if the function ran in it, else estimated. */
static enum wm_status set_inside(struct choice *c, uint32_t function, struct wm_arena *arena)
{
	const struct wm_unit_function *in_unit = &c->plan->unit->function[function];
	const struct wm_plan *plan = &c->plan->function[function];
	struct candidates *f = &c->function[function];
	const struct wm_weights *counted = c->request->weights ? &c->request->weights[function] : NULL;
	struct wm_weights estimated;
	enum wm_status status = wm_weights_static(&estimated, plan->graph, &plan->dfs, arena);
	f->activations = counted ? counted->entry : 0;
	for (uint32_t i = 0; i < in_unit->call_count && status == WM_OK; i++) {
		uint32_t block = in_unit->call[i].block;
		f->inside[i] = estimated.block[block] / estimated.entry;
		if (f->activations > 0)
			f->inside[i] = ESTIMATED * f->inside[i] + counted->block[block] / f->activations;
	}
	return status;
}

static enum wm_status list_candidates(struct choice *c, uint32_t function, struct wm_arena *arena)
{
	uint32_t calls = c->plan->unit->function[function].call_count;
	struct wm_site *site = c->plan->function[function].pairs->site;
	struct candidates *f = &c->function[function];
	f->first = c->request->first ? c->request->first[function] : NULL;
	f->site = WM_NEW(arena, uint32_t, calls);
	f->inside = WM_NEW(arena, double, calls);
	if (!f->site || !f->inside)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < calls; i++) {
		site[i].crossing = judge(c, function, i);
		c->plan->site_count += site[i].crossing != WM_OVER_UNREACHED;
		if (site[i].crossing == WM_CROSSED)
			f->site[f->count++] = i;
	}
	enum wm_status status = set_inside(c, function, arena);
	sort_candidates(f);
	return status;
}

/* Callers first: `outside` is at first not per activation. */
static void spread_activations(struct choice *c)
{
	for (uint32_t i = 0; i < c->plan->unit->function_count; i++) {
		uint32_t function = c->plan->callgraph.order[i];
		struct candidates *f = &c->function[function];
		f->outside = f->outside < MOST_CALLS ? f->outside : MOST_CALLS;
		if (!c->request->weights)
			f->activations = f->outside > 0 ? f->outside : 1;
		for (uint32_t k = 0; k < f->count; k++) {
			uint32_t callee = c->plan->unit->function[function].call[f->site[k]].callee;
			c->function[callee].outside += f->activations * f->inside[f->site[k]];
		}
		f->outside = f->activations > 0 ? f->outside / f->activations : 1;
	}
}

static enum wm_status init_choice(struct choice *c, struct wm_arena *arena)
{
	uint32_t functions = c->plan->unit->function_count, nodes = 0;
	enum wm_status status = WM_OK;
	c->function = WM_NEW(arena, struct candidates, functions);
	if (!c->function)
		return WM_NO_MEMORY;
	for (uint32_t f = 0; f < functions && status == WM_OK; f++) {
		uint32_t count = c->plan->function[f].dag.node_count;
		nodes = count > nodes ? count : nodes;
		c->edges += c->plan->function[f].dag.edge_count;
		status = list_candidates(c, f, arena);
	}
	spread_activations(c);
	c->length = WM_NEW(arena, uint32_t, nodes);
	return c->length ? status : WM_NO_MEMORY;
}

/* ---- Lengths ------------------------------------------------------------------- */

static uint32_t add_lengths(uint32_t left, uint32_t right)
{
	return left + right < WM_MAX_STEPS ? left + right : WM_MAX_STEPS;
}

/* The calls of a block with their callees and returns. */
static uint32_t calls_length(const struct choice *c, uint32_t function, uint32_t block)
{
	const struct wm_unit_function *in_unit = &c->plan->unit->function[function];
	uint32_t sum = 0;
	for (uint32_t i = c->plan->function[function].pairs->first_call[block]; i < in_unit->call_count; i++) {
		if (in_unit->call[i].block != block)
			break;
		if (wm_plan_crosses(&c->plan->function[function], i))
			sum = add_lengths(
				sum, add_lengths(2, c->plan->function[in_unit->call[i].callee].pairs->longest));
	}
	return sum;
}

/* At most WM_MAX_STEPS. */
static uint32_t longest_path(const struct choice *c, uint32_t function)
{
	const struct wm_dag *dag = &c->plan->function[function].dag;
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

/* ---- One budget ----------------------------------------------------------------- */

static void cross(const struct choice *c, uint32_t function, uint32_t first, uint32_t count, enum wm_crossing crossing)
{
	const struct wm_plan *plan = &c->plan->function[function];
	struct candidates *f = &c->function[function];
	for (uint32_t k = first; k < first + count; k++) {
		uint32_t node = wm_plan_node(plan, plan->in_unit->call[f->site[k]].block);
		plan->pairs->site[f->site[k]].crossing = crossing;
		f->stale = node > f->stale ? node : f->stale; /* dag->order[node - 1] is the node */
	}
}

/* Of the count of these ways; 64 when there are too many. */
static double bits_of(struct wm_pair ways)
{
	uint64_t count;
	return wm_pair_evaluate(ways, 1, &count) ? log2((double)count) : 64;
}

/* Callees are done: false when there are too many paths. */
static bool count_below(const struct choice *c, uint32_t function)
{
	const struct wm_unit_function *in_unit = &c->plan->unit->function[function];
	const struct wm_pairs *f = c->plan->function[function].pairs;
	struct wm_pair *below = &c->function[function].below;
	*below = f->pieces;
	for (uint32_t i = 0; c->plan->scheme->pieces && i < in_unit->call_count; i++) {
		if (f->site[i].crossing != WM_CROSSED)
			continue;
		struct wm_pair ways = {c->function[in_unit->call[i].callee].below.a, 0};
		if (!wm_pair_compose(ways, f->site[i].behind, &ways) || !wm_pair_add(*below, ways, below))
			return false;
	}
	return true;
}

/* The bits that a call of the function uses. */
static double bits_used(const struct choice *c, uint32_t function)
{
	struct wm_pair ways = {c->function[function].below.a, 0};
	return wm_pair_add(ways, c->plan->function[function].pairs->entry, &ways) ? bits_of(ways) : 64;
}

/* Numbers what is stale.  False: the function has more than `most` paths, or 2^63 or more. */
static bool renumber(const struct choice *c, uint32_t function, uint64_t most)
{
	struct candidates *f = &c->function[function];
	if (!wm_plan_number_again(&c->plan->function[function], f->stale, most))
		return false;
	f->stale = 0;
	return count_below(c, function);
}

/* At least the length of the longest path: it has each node and each call at most once. */
static uint32_t most_length(const struct choice *c, uint32_t function)
{
	const struct wm_unit_function *in_unit = &c->plan->unit->function[function];
	uint32_t sum = add_lengths(c->plan->function[function].dag.node_count, 0);
	for (uint32_t i = 0; i < in_unit->call_count; i++)
		if (wm_plan_crosses(&c->plan->function[function], i))
			sum = add_lengths(
				sum, add_lengths(2, c->plan->function[in_unit->call[i].callee].pairs->longest));
	return sum;
}

/* Whether every node is reached from a beginning of paths, so that the function has at least the completions of each node.
 * What comes after a crossed call that does not return is not reached. */
static bool all_returns(const struct choice *c, uint32_t function)
{
	const struct wm_unit_function *in_unit = &c->plan->unit->function[function];
	for (uint32_t i = 0; i < in_unit->call_count; i++)
		if (wm_plan_crosses(&c->plan->function[function], i) &&
			!c->plan->function[in_unit->call[i].callee].pairs->entry.a)
			return false;
	return true;
}

/* Numbers the function as it stands: WM_CROSSED when it stays within the budget, else why not. */
static enum wm_crossing number(const struct choice *c, uint32_t function)
{
	bool bounded = c->budget < 62 && all_returns(c, function);
	uint64_t most = bounded ? (uint64_t)2 << (uint32_t)c->budget : UINT64_MAX;
	struct wm_pair ways;
	if (!renumber(c, function, most) ||
		!wm_pair_add(c->plan->function[function].pairs->entry, c->function[function].below, &ways) ||
		bits_of(ways) > c->budget)
		return WM_OVER_MANY;
	bool fits = most_length(c, function) < WM_MAX_STEPS || longest_path(c, function) < WM_MAX_STEPS;
	return fits ? WM_CROSSED : WM_OVER_LONG;
}

/* Whether these candidates are worth what they cost.  The coldest stands for all, or a hot one would pay for it. */
static bool pays(const struct choice *c, uint32_t function, uint32_t last, uint32_t run, double bits)
{
	const struct candidates *f = &c->function[function];
	return (f->first && f->first[f->site[last]]) || run * f->inside[f->site[last]] * c->budget >= bits * f->outside;
}

/* Numbering would show the same: a path through the call has at least the bits of the callee. */
static bool is_hopeless(const struct choice *c, uint32_t function, uint32_t k, double bits)
{
	uint32_t site = c->function[function].site[k];
	double least = bits_used(c, c->plan->unit->function[function].call[site].callee);
	return least > c->budget || !pays(c, function, k, 1, least - bits);
}

/* Tries candidates from `at` on; *bits are those that calls of the function use. */
static enum wm_crossing try_run(const struct choice *c, uint32_t function, uint32_t at, uint32_t run, double *bits)
{
	cross(c, function, at, run, WM_CROSSED);
	enum wm_crossing result = number(c, function);
	double used = bits_used(c, function);
	if (result == WM_CROSSED && !pays(c, function, at + run - 1, run, used - *bits))
		result = WM_OVER_MANY;
	if (result == WM_CROSSED)
		*bits = used;
	else
		cross(c, function, at, run, run == 1 ? result : WM_OVER_MANY);
	return result;
}

static bool may_try(struct choice *c, uint32_t function, uint32_t trial)
{
	uint32_t edges = c->plan->function[function].dag.edge_count;
	if (trial >= MOST_TRIALS && c->work < edges)
		return false;
	c->work -= trial >= MOST_TRIALS ? edges : 0;
	return true;
}

/* The bits that a call uses if no candidate is crossed, which no budget changes. */
static double bare_bits(const struct choice *c, uint32_t function)
{
	struct candidates *f = &c->function[function];
	if (f->numbered)
		return f->bare;
	renumber(c, function, UINT64_MAX);
	f->numbered = true;
	return f->bare = bits_used(c, function);
}

/*
 * Crosses the candidates that fit, in runs: a run that fits is followed by one of twice its length, one that does not
 * fit is halved, and a single candidate that does not fit is left out.  False: ids are too large without any.
 */
static bool choose_sites(struct choice *c, uint32_t function)
{
	struct candidates *f = &c->function[function];
	if (f->numbered && !f->count)
		return true;
	cross(c, function, 0, f->count, WM_OVER_MANY);
	f->stale = WM_NONE; /* its callees may have changed */
	double bits = bare_bits(c, function);
	for (uint32_t at = 0, run = f->count, trial = 0; at < f->count;) {
		run = run < f->count - at ? run : f->count - at;
		if (run == 1 && is_hopeless(c, function, at, bits)) {
			at++;
			continue;
		}
		if (!may_try(c, function, trial++))
			break;
		bool crossed = try_run(c, function, at, run, &bits) == WM_CROSSED;
		at += crossed || run == 1 ? run : 0;
		run = crossed ? 2 * run : run / 2 + (run == 1);
	}
	bool fits = renumber(c, function, UINT64_MAX);
	c->plan->function[function].pairs->longest = longest_path(c, function);
	return fits;
}

/* ---- All budgets ------------------------------------------------------------------ */

static enum wm_status number_unit(struct choice *c, struct wm_arena *arena)
{
	enum wm_status status = wm_unit_number(c->plan, c->request->entry, arena);
	return status == WM_OK && c->plan->path_count > c->request->limit ? WM_TOO_MANY : status;
}

static enum wm_status try_budget(struct choice *c, double budget, struct wm_arena *arena)
{
	c->budget = budget;
	c->work = MOST_WORK + 2 * c->edges;
	for (uint32_t i = c->plan->unit->function_count; i-- > 0;)
		if (!choose_sites(c, c->plan->callgraph.order[i]))
			return WM_TOO_MANY;
	return number_unit(c, arena);
}

/* Crosses every candidate. */
static enum wm_status try_all(struct choice *c, struct wm_arena *arena)
{
	for (uint32_t i = c->plan->unit->function_count; i-- > 0;) {
		uint32_t function = c->plan->callgraph.order[i];
		struct wm_pairs *f = c->plan->function[function].pairs;
		cross(c, function, 0, c->function[function].count, WM_CROSSED);
		f->longest = longest_path(c, function);
		if (f->longest >= WM_MAX_STEPS || !wm_plan_number(&c->plan->function[function]))
			return WM_TOO_MANY;
	}
	return number_unit(c, arena);
}

/* Bisection for the largest budget with which all ids fit.  If no function has more than `safe` bits, their sum fits. */
static enum wm_status choose_budget(struct choice *c, struct wm_arena *arena)
{
	double most = floor(log2((double)c->request->limit)), low = 0, high = most + 1;
	double safe = floor(most - log2((double)c->plan->unit->function_count));
	enum wm_status status = WM_OK;
	for (double next = most; high - low > 1;
		next = low == 0 && safe > 0 && safe < high ? safe : floor((low + high) / 2)) {
		status = try_budget(c, next, arena);
		if (status == WM_NO_MEMORY || (status == WM_OK && next == most))
			return status;
		*(status == WM_OK ? &low : &high) = next;
	}
	return try_budget(c, low, arena);
}

enum wm_status wm_unit_choose(struct wm_unit_plan *plan, const struct wm_unit_request *request, struct wm_arena *arena)
{
	struct choice c = {.plan = plan, .request = request};
	enum wm_status status = init_choice(&c, arena);
	if (status == WM_OK)
		status = try_all(&c, arena);
	if (status != WM_TOO_MANY)
		return status;
	status = try_budget(&c, 0, arena);
	return status == WM_OK ? choose_budget(&c, arena) : status;
}
