/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/store.h"
#include "core/paths/linear.h"
#include "core/paths/residual.h"
#include "core/probes/price.h"
#include <math.h>

struct choice {
	const struct wm_store_request *request;
	struct wm_probe_request probes;
	const struct wm_plan *plan;
	enum wm_telling telling;
	uint32_t limit; /* of packed tables */
	struct wm_counting *made;
	const uint64_t *outside; /* per DAG edge, or NULL: see wm_residual_close */
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

/* The paths that the profile knows stay known. */
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

/* Any path may end at any end. */
static enum wm_status know_nothing(struct choice *c)
{
	struct wm_membership *membership = &c->made->membership;
	membership->end = WM_NEW(c->arena, uint8_t, c->plan->dag.edge_count);
	membership->asked = WM_NEW(c->arena, bool, c->plan->dag.edge_count);
	if (!membership->end || !membership->asked)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < c->plan->dag.edge_count; e++) {
		membership->end[e] = WM_MEMBER_SOME;
		membership->asked[e] = c->plan->dag.edge[e].to == WM_DAG_END;
	}
	return WM_OK;
}

/* Without the prefixes nothing is known of any end; nor where one event stands for many edges of the DAG. */
static enum wm_status classify(struct choice *c)
{
	struct wm_counting *made = c->made;
	struct wm_prefixes prefixes;
	enum wm_status status =
		c->plan->events_are_edges ? wm_prefixes_make(&prefixes, c->plan, &made->set, c->arena) : WM_TOO_MANY;
	if (status == WM_OK)
		return wm_membership_make(&made->membership, c->plan, &made->set, &prefixes, NULL, c->arena);
	return status == WM_TOO_MANY ? know_nothing(c) : status;
}

/*
 * Packed is the default: at the end of a path it shifts where the perfect hash loads a 64-bit constant
 * and multiplies.  doc/preferential.md has the instruction counts.  In an array there is nothing to look
 * up, but guesses pay on the graph `source`, because the optimiser knows on most edges whether they will
 * be right.
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
	return status == WM_OK ? classify(c) : status;
}

/* ---- Residual ------------------------------------------------------------------------ */

/*
 * With marks, an end costs two instructions where the sign is enough and five where the perfect hash is
 * asked; packed sums cost four at either, and need no multiplication.
 */
static bool packed_is_cheaper(const struct choice *c, const struct wm_residual *marks)
{
	const struct wm_dag *dag = &c->plan->dag;
	double sign = 0, lookup = 0;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		double weight = wm_weights_of(c->probes.weights, dag, &dag->edge[e]);
		if (!marks->membership.asked[e])
			continue;
		sign += marks->membership.end[e] == WM_MEMBER_CLEAN ? weight : 0;
		lookup += marks->membership.end[e] == WM_MEMBER_SOME ? weight : 0;
	}
	return 4 * (sign + lookup) < 2 * sign + 5 * lookup;
}

static void use_marks(struct choice *c, const struct wm_residual *marks)
{
	struct wm_counting *made = c->made;
	made->store = WM_COUNT_SIGN;
	made->sums = (struct wm_sums){.value = marks->value,
		.first = marks->tested,
		.marked = marks->marks == WM_MARKS_STICKY ? marks->marked : NULL};
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

/* A block that is returned to is behind some counts and before others. */
static bool may_ask_earlier(const struct choice *c)
{
	return !c->probes.resumes && c->probes.placement == WM_PLACE_OPTIMAL;
}

/* Where many tested paths come from outside the core, the sign is not worth asking first. */
static void look_up_at_once(const struct choice *c, struct wm_residual *core)
{
	const struct wm_dag *dag = &c->plan->dag;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (core->membership.end[e] == WM_MEMBER_CORE &&
			4 * (double)core->outside[e] > wm_weights_of(c->probes.weights, dag, &dag->edge[e]))
			core->membership.end[e] = WM_MEMBER_SOME;
}

/* WM_TOO_MANY: the core would take too long to find. */
static enum wm_status mark_core(struct choice *c, const struct wm_asking *asking, struct wm_residual *marks)
{
	const struct wm_path_set *set = &c->made->set;
	struct wm_closed core;
	enum wm_status status = wm_closed_make(&core, c->plan, set, c->made->weight, c->arena);
	if (status == WM_OK)
		status = wm_residual_close(marks, c->plan, set, &core, c->made->weight, asking, c->arena);
	if (status != WM_OK)
		return status;
	c->outside = marks->outside;
	look_up_at_once(c, marks);
	return WM_OK;
}

static enum wm_status mark(struct choice *c, struct wm_residual *marks)
{
	struct wm_asking asking = {
		may_ask_earlier(c) ? c->probes.weights : NULL, c->probes.leaves, c->telling != WM_TELL_WITH_REGIONS};
	c->outside = NULL;
	return c->telling == WM_TELL_BY_CORE ? mark_core(c, &asking, marks)
					     : wm_residual_make(marks, c->plan, &c->made->set, &asking, c->arena);
}

static enum wm_status choose_residual(struct choice *c)
{
	struct wm_residual marks;
	use_store(c, c->made->set.count ? WM_COUNT_SIGN : WM_COUNT_CALL);
	c->made->residual = true;
	if (!c->made->set.count)
		return WM_OK;
	enum wm_status status = c->plan->events_are_edges ? mark(c, &marks) : WM_TOO_MANY;
	if (status == WM_TOO_MANY && c->telling == WM_TELL_WITH_REGIONS) {
		status = classify(c);
		return status == WM_OK ? wm_counting_use_perfect(c->made, &c->made->set, UINT32_MAX, c->arena) : status;
	}
	if (status != WM_OK)
		return status;
	use_marks(c, &marks);
	return marks.unclear.count ? choose_lookup(c, &marks) : WM_OK;
}

/* ---- One way of counting ------------------------------------------------------------ */

/* Which values are added up, and what is done with the sums. */
static enum wm_status choose(struct choice *c)
{
	use_plain(c);
	if (c->request->purpose == WM_PURPOSE_ALL || c->plan->sequences)
		return WM_OK;
	c->made->set = c->request->known;
	c->made->weight = c->request->known_count;
	return c->request->purpose == WM_PURPOSE_RESIDUAL ? choose_residual(c) : choose_interesting(c);
}

static enum wm_status place(struct choice *c, struct wm_probe_program *program)
{
	c->probes.regions = c->telling == WM_TELL_WITH_REGIONS;
	return wm_passes_run(&c->probes, c->made, NULL, program, c->arena);
}

/* ---- The cheapest way ---------------------------------------------------------------- */

struct candidate {
	struct wm_counting counting;
	struct wm_probe_program program;
	double price;
};

/* Where nothing is left to do on a tested path there is nothing to improve. */
static enum wm_status choose_telling(struct choice *c, struct candidate *best)
{
	enum wm_telling wanted = c->request->test.telling;
	for (c->telling = WM_TELL_WITH_REGIONS; c->telling <= WM_TELL_BY_CORE && best->price > 0; c->telling++) {
		struct candidate other = {.price = INFINITY};
		if (wanted != WM_TELL_CHEAPLY && wanted != c->telling)
			continue;
		c->made = &other.counting;
		enum wm_status status = choose(c);
		if (status == WM_OK)
			status = place(c, &other.program);
		if (status == WM_OK)
			other.price = wm_price(&other.counting, c->plan, c->probes.weights, c->outside, &other.program);
		else if (!does_not_fit(status))
			return status;
		if (other.price < best->price)
			*best = other;
	}
	return WM_OK;
}

/* With nothing to choose between, or where all that was tried did not fit, paths are told at their ends. */
enum wm_status wm_store_choose(const struct wm_store_request *request, struct wm_counting *counting,
	struct wm_probe_program *program, struct wm_arena *arena)
{
	struct choice c = {.request = request,
		.probes = request->probes,
		.plan = request->probes.plan,
		.telling = WM_TELL_WITH_REGIONS,
		.limit = WM_LOOP_ARRAY_PATHS,
		.made = counting,
		.arena = arena};
	c.probes.placement = request->test.placement;
	c.probes.region_limits = (struct wm_region_limits){
		WM_REGION_PATHS, WM_ALL_REGION_PATHS, request->test.all_regions ? 0 : WM_REGION_ENDS};
	enum wm_status status = choose(&c);
	struct choice first = c;
	bool tells = counting->residual && counting->set.count && c.plan->events_are_edges && may_ask_earlier(&c);
	if (status != WM_OK || !tells)
		return status == WM_OK ? place(&c, program) : status;
	struct candidate best = {.price = INFINITY};
	status = choose_telling(&c, &best);
	if (status != WM_OK || best.price == INFINITY)
		return status == WM_OK ? place(&first, program) : status;
	*counting = best.counting;
	*program = best.program;
	return WM_OK;
}
