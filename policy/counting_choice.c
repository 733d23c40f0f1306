/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/counting_choice.h"
#include "core/paths/residual_marks.h"
#include "core/preferential/linear.h"
#include "core/probes/price.h"
#include "core/scheme/shaped.h"
#include "policy/copies.h"
#include "policy/unfold.h"
#include <math.h>

struct choice {
	const struct wm_store_request *request;
	struct wm_probe_request probes;
	const struct wm_plan *plan;
	enum wm_check_method method;
	uint32_t limit; /* of packed tables */
	struct wm_counting *made;
	const uint64_t *left_core; /* per DAG edge, or NULL: see wm_residual_from_core */
	struct wm_arena *arena;
};

static bool has_loop(const struct wm_plan *plan)
{
	for (uint32_t edge = 0; edge < plan->graph->edge_count; edge++)
		if (plan->dfs.back_edge[edge])
			return true;
	return false;
}

static void use_plain(struct choice *c)
{
	uint32_t most = has_loop(c->plan) ? WM_LOOP_ARRAY_PATHS : WM_ARRAY_PATHS;
	wm_counting_plain(c->made, c->plan, c->request->test.array_limit ? c->request->test.array_limit : most);
}

/* Resets everything except the known paths. */
static void use_store(struct choice *c, enum wm_counting_store store)
{
	struct wm_path_set set = c->made->set;
	const uint64_t *weight = c->made->weight;
	wm_counting_plain(c->made, c->plan, 0);
	c->made->store = store;
	c->made->set = set;
	c->made->weight = weight;
}

static bool does_not_fit(enum wm_status status)
{
	return status == WM_TOO_MANY || status == WM_UNKNOWN;
}

static enum wm_status try_packed(struct choice *c, const struct wm_path_set *set)
{
	struct wm_preferential preferential;
	enum wm_status status = wm_preferential_linear(&preferential, c->plan, set, c->arena);
	return status == WM_OK ? wm_counting_use_packed(c->made, c->plan, &preferential, c->limit, c->arena) : status;
}

/* ---- Interesting paths ------------------------------------------------------------- */

/* Every edge has the class SOME, and paths are checked on their last edge. */
static enum wm_status know_nothing(struct choice *c)
{
	struct wm_membership *membership = &c->made->membership;
	membership->member = WM_NEW(c->arena, uint8_t, c->plan->dag.edge_count);
	membership->checked = WM_NEW(c->arena, bool, c->plan->dag.edge_count);
	if (!membership->member || !membership->checked)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < c->plan->dag.edge_count; e++) {
		membership->member[e] = WM_MEMBER_SOME;
		membership->checked[e] = c->plan->dag.edge[e].to == WM_DAG_END;
	}
	return WM_OK;
}

/* If the prefixes do not fit memory, or if an event stands for several DAG edges, nothing is known about any edge. */
static enum wm_status classify_edges(struct choice *c)
{
	struct wm_counting *made = c->made;
	struct wm_prefixes prefixes;
	enum wm_status status =
		c->plan->events_are_edges ? wm_prefixes_make(&prefixes, c->plan, &made->set, c->arena) : WM_TOO_MANY;
	if (status == WM_OK)
		return wm_membership_make(&made->membership, c->plan, &prefixes, NULL, c->arena);
	return status == WM_TOO_MANY ? know_nothing(c) : status;
}

/*
 * PACKED is the default: at the end of a path it shifts, while the perfect hash loads a 64-bit constant and multiplies.
 * doc/preferential.md has instruction counts.  An array needs no lookup, but guesses pay on the graph `source`, because
 * the optimiser finds out on most edges whether a guess is right.
 */
static enum wm_status choose_interesting(struct choice *c)
{
	struct wm_counting *made = c->made;
	if (made->store == WM_COUNT_ARRAY)
		return made->set.count && c->request->stage == WM_CFG_SOURCE ? know_nothing(c) : WM_OK;
	use_store(c, WM_COUNT_CALL);
	if (!made->set.count)
		return WM_OK;
	enum wm_status status = WM_TOO_MANY;
	if (c->plan->events_are_edges && !c->request->test.perfect)
		status = try_packed(c, &made->set);
	if (does_not_fit(status))
		status = wm_counting_use_perfect(made, &made->set, UINT32_MAX, c->arena);
	if (does_not_fit(status))
		return WM_OK; /* the runtime counts */
	return status == WM_OK ? classify_edges(c) : status;
}

/* ---- Residual ------------------------------------------------------------------------ */

/*
 * With marks, an end costs two instructions if the sign is enough, and five if the perfect hash is needed.  A packed
 * total costs four in both cases, and needs no multiplication.
 */
static bool packed_is_cheaper(const struct choice *c, const struct wm_residual *marks)
{
	const struct wm_dag *dag = &c->plan->dag;
	double sign = 0, lookup = 0;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		double weight = wm_weights_of(c->probes.weights, dag, &dag->edge[e]);
		if (!marks->membership.checked[e])
			continue;
		sign += marks->membership.member[e] == WM_MEMBER_CLEAN ? weight : 0;
		lookup += marks->membership.member[e] == WM_MEMBER_SOME ? weight : 0;
	}
	return 4 * (sign + lookup) < 2 * sign + 5 * lookup;
}

static void use_marks(struct choice *c, const struct wm_residual *marks)
{
	struct wm_counting *made = c->made;
	made->store = WM_COUNT_SIGN;
	made->sums = (struct wm_sums){.value = marks->value,
		.first = marks->tested,
		.sticky = marks->marks == WM_MARKS_STICKY ? marks->marked : NULL};
	made->id_mask = marks->shift < 64 ? ((uint64_t)1 << marks->shift) - 1 : UINT64_MAX;
	made->membership = marks->membership;
}

static enum wm_status choose_lookup(struct choice *c, const struct wm_residual *marks)
{
	enum wm_status status = WM_TOO_MANY;
	if (marks->marks != WM_MARKS_STICKY && packed_is_cheaper(c, marks))
		status = try_packed(c, &marks->unmarked);
	return does_not_fit(status) ? wm_counting_use_perfect(c->made, &marks->unclear, UINT32_MAX, c->arena) : status;
}

/* Not with setjmp: a second return may continue before a check that has already been made. */
static bool may_check_earlier(const struct choice *c)
{
	return !c->probes.resumes && c->probes.placement == WM_PLACE_OPTIMAL;
}

/* If many of the tested paths that are checked on an edge left the core, testing the sign first does not pay. */
static void look_up_at_once(const struct choice *c, struct wm_residual *core)
{
	const struct wm_dag *dag = &c->plan->dag;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (core->membership.member[e] == WM_MEMBER_CORE &&
			4 * (double)core->left_core[e] > wm_weights_of(c->probes.weights, dag, &dag->edge[e]))
			core->membership.member[e] = WM_MEMBER_SOME;
}

/* WM_TOO_MANY: the core cannot be computed. */
static enum wm_status mark_core(struct choice *c, const struct wm_checking *checking, struct wm_residual *marks)
{
	const struct wm_path_set *set = &c->made->set;
	struct wm_core core;
	enum wm_status status = wm_core_make(&core, c->plan, set, c->made->weight, c->arena);
	if (status == WM_OK)
		status = wm_residual_from_core(marks, c->plan, &core, checking, c->arena);
	if (status != WM_OK)
		return status;
	c->left_core = marks->left_core;
	look_up_at_once(c, marks);
	return WM_OK;
}

static enum wm_status mark_edges(struct choice *c, struct wm_residual *marks)
{
	struct wm_checking checking = {may_check_earlier(c) ? c->probes.weights : NULL, c->probes.may_not_return,
		c->method != WM_CHECK_WITH_REGIONS};
	c->left_core = NULL;
	return c->method == WM_CHECK_BY_CORE ? mark_core(c, &checking, marks)
					     : wm_residual_make(marks, c->plan, &c->made->set, &checking, c->arena);
}

static enum wm_status choose_residual(struct choice *c)
{
	struct wm_residual marks;
	if (c->made->set.count)
		use_store(c, WM_COUNT_SIGN);
	c->made->residual = true;
	if (!c->made->set.count)
		return WM_OK;
	enum wm_status status = c->plan->events_are_edges ? mark_edges(c, &marks) : WM_TOO_MANY;
	if (status == WM_TOO_MANY && c->method == WM_CHECK_WITH_REGIONS) {
		status = classify_edges(c);
		return status == WM_OK ? wm_counting_use_perfect(c->made, &c->made->set, UINT32_MAX, c->arena) : status;
	}
	if (status != WM_OK)
		return status;
	use_marks(c, &marks);
	return marks.unclear.count ? choose_lookup(c, &marks) : WM_OK;
}

/* ---- One way of counting ------------------------------------------------------------ */

/* Chooses which values are summed, and what is done with the totals. */
static enum wm_status choose_sums(struct choice *c)
{
	use_plain(c);
	if (c->request->purpose == WM_PURPOSE_ALL || wm_plan_has_pieces(c->plan))
		return WM_OK;
	c->made->set = c->request->known;
	c->made->weight = c->request->known_count;
	return c->request->purpose == WM_PURPOSE_RESIDUAL ? choose_residual(c) : choose_interesting(c);
}

static enum wm_status place_probes(struct choice *c, struct wm_probe_program *program)
{
	c->probes.regions = c->method == WM_CHECK_WITH_REGIONS;
	return wm_passes_run(&c->probes, c->made, NULL, program, c->arena);
}

/* ---- Copies ----------------------------------------------------------------------------- */

static void add_path(struct wm_weights *weights, const struct wm_plan *plan, const struct wm_path *path, double count)
{
	const struct wm_dag *dag = &plan->dag;
	for (uint32_t i = 0; i < path->length; i++) {
		const struct wm_dag_edge *edge = &dag->edge[path->edge[i]];
		if (edge->cfg_edge != WM_NONE)
			weights->edge[edge->cfg_edge] += count;
		if (dag->node_block[edge->to] != WM_NONE)
			weights->block[dag->node_block[edge->to]] += count;
		weights->entry += edge->kind == WM_EDGE_ENTRY ? count : 0;
	}
}

/* The weights of the edges of a shape, from the known paths alone. */
static enum wm_status weigh_known(const struct choice *c, const struct wm_plan *plan, struct wm_weights *weights)
{
	struct wm_path path = {.edge = WM_NEW(c->arena, uint32_t, plan->dag.node_count)};
	*weights = (struct wm_weights){.edge = WM_NEW(c->arena, double, plan->graph->edge_count),
		.block = WM_NEW(c->arena, double, plan->graph->block_count)};
	if (!path.edge || !weights->edge || !weights->block)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < c->request->known.count; i++) {
		enum wm_status status =
			wm_dag_decode(&plan->dag, &plan->numbering, c->request->known.id[i], &path, c->arena);
		if (status != WM_OK)
			return status;
		add_path(weights, plan, &path, (double)c->request->known_count[i]);
	}
	return WM_OK;
}

/* A function with copied blocks. */
struct copied {
	struct wm_shape shape;
	struct wm_plan plan;
	struct wm_weights weights;
	bool *may_not_return;
};

static enum wm_status lift_may_not_return(const struct choice *c, struct copied *copied)
{
	copied->may_not_return = WM_NEW(c->arena, bool, copied->shape.graph.block_count);
	for (uint32_t b = 0; copied->may_not_return && b < copied->shape.graph.block_count; b++)
		copied->may_not_return[b] =
			c->probes.may_not_return && c->probes.may_not_return[copied->shape.origin[b]];
	return copied->may_not_return ? WM_OK : WM_NO_MEMORY;
}

/* WM_TOO_MANY: no copy pays, or the core cannot be computed. */
static enum wm_status copy_outside_core(const struct choice *c, struct wm_shape *shape)
{
	struct wm_core core;
	uint32_t small = c->request->test.copy_limit ? c->request->test.copy_limit : WM_COPY_SMALL;
	enum wm_status status = wm_core_make(&core, c->plan, &c->request->known, c->request->known_count, c->arena);
	return status == WM_OK ? wm_copies_shape(shape, c->plan, c->probes.weights, core.edge, small, c->arena)
			       : status;
}

static enum wm_status copy_blocks(const struct choice *c, struct copied *copied)
{
	const struct wm_store_request *request = c->request;
	struct wm_unfold_paths paths = {&request->known, request->known_count, request->executions / WM_UNFOLD_PROGRAM};
	enum wm_status status = c->method == WM_CHECK_BY_PLACE
					? copy_outside_core(c, &copied->shape)
					: wm_unfold_shape(&copied->shape, c->plan, &paths, c->arena);
	if (status == WM_OK)
		status = wm_plan_shape(&copied->plan, c->plan, &copied->shape, c->arena);
	if (status == WM_OK)
		status = weigh_known(c, &copied->plan, &copied->weights);
	return status == WM_OK ? lift_may_not_return(c, copied) : status;
}

/* Trips are not used, because loops cannot be found in a shape. */
static enum wm_status use_copies(struct choice *c, struct wm_store_choice *made)
{
	struct copied *copied = WM_NEW(c->arena, struct copied, 1);
	enum wm_status status = copied ? copy_blocks(c, copied) : WM_NO_MEMORY;
	if (status != WM_OK)
		return status;
	c->plan = c->probes.plan = made->plan = &copied->plan;
	c->probes.weights = &copied->weights;
	c->probes.may_not_return = copied->may_not_return;
	c->probes.trips = false;
	made->shape = &copied->shape;
	return WM_OK;
}

/* ---- The cheapest way ---------------------------------------------------------------- */

/* What the size of the copies is worth, in instructions. */
static double price_of_copies(const struct choice *c, const struct wm_shape *shape)
{
	uint32_t copies = c->method == WM_CHECK_UNFOLDED ? shape->graph.block_count - shape->origin_count : 0;
	return copies * c->request->executions / WM_UNFOLD_GAIN;
}

/* Tries one way.  The price is INFINITY if it cannot be used. */
static enum wm_status try_method(
	struct choice c, enum wm_check_method method, struct wm_store_choice *made, double *price)
{
	enum wm_status status = WM_OK;
	*made = (struct wm_store_choice){.plan = c.plan};
	*price = INFINITY;
	c.method = method;
	c.made = &made->counting;
	if (method == WM_CHECK_BY_PLACE || method == WM_CHECK_UNFOLDED)
		status = use_copies(&c, made);
	if (status == WM_OK)
		status = choose_sums(&c);
	if (status == WM_OK)
		status = place_probes(&c, &made->program);
	if (status == WM_OK)
		*price = wm_price(&made->counting, c.plan, c.probes.weights, c.left_core, &made->program) +
			 price_of_copies(&c, made->shape);
	return does_not_fit(status) ? WM_OK : status;
}

/* Whether a way can be used. */
static bool is_possible(const struct choice *c, enum wm_check_method method)
{
	bool residual = c->request->purpose == WM_PURPOSE_RESIDUAL, may_copy = c->request->may_copy;
	switch (method) {
	case WM_CHECK_CHEAPLY:
		return false;
	case WM_CHECK_WITH_REGIONS:
		return true;
	case WM_CHECK_EARLY:
	case WM_CHECK_BY_CORE:
		return residual;
	case WM_CHECK_BY_PLACE:
		return residual && may_copy;
	case WM_CHECK_UNFOLDED:
		return may_copy;
	}
	return false;
}

/* Tries all ways, until one costs nothing on tested paths. */
static enum wm_status choose_method(const struct choice *c, struct wm_store_choice *best, double *best_price)
{
	enum wm_check_method wanted = c->request->test.check_method;
	*best_price = INFINITY;
	for (enum wm_check_method method = WM_CHECK_WITH_REGIONS; method <= WM_CHECK_UNFOLDED && *best_price > 0;
		method++) {
		struct wm_store_choice other;
		double price;
		if (!is_possible(c, method) || (wanted != WM_CHECK_CHEAPLY && wanted != method))
			continue;
		enum wm_status status = try_method(*c, method, &other, &price);
		if (status != WM_OK)
			return status;
		if (price < *best_price) {
			*best = other;
			*best_price = price;
		}
	}
	return WM_OK;
}

/* If there is nothing to choose, or if no way could be used, paths are checked at their ends. */
enum wm_status wm_store_choose(
	const struct wm_store_request *request, struct wm_store_choice *choice, struct wm_arena *arena)
{
	struct choice c = {.request = request,
		.probes = request->probes,
		.plan = request->probes.plan,
		.method = WM_CHECK_WITH_REGIONS,
		.limit = WM_LOOP_ARRAY_PATHS,
		.arena = arena};
	double price = INFINITY;
	c.probes.placement = request->test.placement;
	c.probes.trips = true;
	c.probes.region_limits = (struct wm_region_limits){
		WM_REGION_PATHS, WM_ALL_REGION_PATHS, request->test.all_regions ? 0 : WM_REGION_ENDS};
	bool chooses = request->purpose != WM_PURPOSE_ALL && request->known.count && c.plan->events_are_edges &&
		       may_check_earlier(&c);
	enum wm_status status = chooses ? choose_method(&c, choice, &price) : WM_OK;
	if (status != WM_OK || price < INFINITY)
		return status;
	*choice = (struct wm_store_choice){.plan = c.plan};
	c.made = &choice->counting;
	status = choose_sums(&c);
	return status == WM_OK ? place_probes(&c, &choice->program) : status;
}
