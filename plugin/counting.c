/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/counting.h"
#include "core/linear.h"
#include "core/window.h"
#include "plugin/known.h"
#include "plugin/price.h"
#include <math.h>

struct choice {
	struct wm_counting *made;
	const struct wm_options *options;
	const struct wm_map_function *function;
	const struct wm_plan *plan;
	const struct wm_weights *weights;
	const bool *leaves;
	bool resumes, aside;
	enum wm_telling telling;
	uint32_t limit; /* of cells */
	struct wm_arena *arena;
};

static uint64_t low_bits(unsigned bits)
{
	return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

static bool has_loop(const struct wm_plan *plan)
{
	for (uint32_t edge = 0; edge < plan->graph->edge_count; edge++)
		if (plan->dfs.back_edge[edge])
			return true;
	return false;
}

static bool fits_array(const struct choice *c)
{
	uint32_t most = has_loop(c->plan) ? WM_LOOP_ARRAY_PATHS : WM_ARRAY_PATHS;
	return !c->plan->sequences &&
	       c->plan->numbering.path_count <= (c->options->array_limit ? c->options->array_limit : most);
}

static void by(struct choice *c, enum wm_counting_kind kind)
{
	c->made->kind = kind;
	c->made->value = c->plan->numbering.value;
	c->made->width = 64;
	c->made->id_mask = UINT64_MAX;
	c->made->size = c->made->table_size = 0;
}

static enum wm_status alloc_ids(struct choice *c)
{
	c->made->ids = WM_NEW(c->arena, uint64_t, c->made->size);
	for (uint32_t i = 0; c->made->ids && i < c->made->size; i++)
		c->made->ids[i] = UINT64_MAX;
	return c->made->ids ? WM_OK : WM_NO_MEMORY;
}

/* --- the two lookups ---------------------------------------------------------------- */

/* Leaves in `set` what has an index. */
static enum wm_status use_packed(struct choice *c, const struct wm_preferential *preferential, struct wm_path_set *set)
{
	struct wm_counting *made = c->made;
	uint32_t kept = 0;
	made->kind = WM_COUNT_PACKED;
	made->value = made->pack.value;
	made->first = NULL;
	made->width = made->pack.width;
	made->id_mask = low_bits(made->pack.acyclic_bits);
	made->size = made->table_size = made->pack.size;
	enum wm_status status = wm_pack_table(&made->pack, preferential, &made->table, c->arena);
	if (status == WM_OK)
		status = alloc_ids(c);
	for (uint32_t i = 0; i < set->count && status == WM_OK; i++)
		if (preferential->id[i] < made->size) {
			made->ids[preferential->id[i]] = set->id[i];
			set->id[kept++] = set->id[i];
		}
	set->count = kept;
	return status;
}

/* WM_TOO_MANY: both sums do not fit, or, when `whole`, not all ids would have an index. */
static enum wm_status try_packed(struct choice *c, struct wm_path_set *set, bool whole)
{
	struct wm_preferential preferential;
	enum wm_status status = wm_preferential_linear(&preferential, c->plan, set, c->arena);
	if (status == WM_OK && whole && preferential.span > c->limit)
		status = WM_TOO_MANY;
	if (status == WM_OK)
		status = wm_pack_make(&c->made->pack, c->plan, &preferential, c->limit, c->arena);
	return status == WM_OK ? use_packed(c, &preferential, set) : status;
}

/* Adds its own kind of table to whatever is added up already.  WM_TOO_MANY: over the limit. */
static enum wm_status try_perfect(struct choice *c, const struct wm_path_set *set, uint32_t limit)
{
	struct wm_counting *made = c->made;
	enum wm_status status = wm_perfect_make(&made->perfect, set, c->arena);
	if (status == WM_OK && made->perfect.size > limit)
		status = WM_TOO_MANY;
	if (status != WM_OK)
		return status;
	made->kind = WM_COUNT_PERFECT;
	made->size = made->table_size = made->perfect.size;
	made->table = made->perfect.table;
	status = alloc_ids(c);
	for (uint32_t i = 0; i < set->count && status == WM_OK; i++)
		made->ids[made->perfect.slot[i]] = set->id[i];
	return status;
}

static bool is_no_failure(enum wm_status status)
{
	return status == WM_TOO_MANY || status == WM_UNKNOWN;
}

/* --- interesting paths ------------------------------------------------------------------ */

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

/* Without the prefixes nothing is known of any end; nor where one event stands for
 * many edges of the DAG. */
static enum wm_status classify(struct choice *c)
{
	struct wm_counting *made = c->made;
	struct wm_prefixes prefixes;
	enum wm_status status =
		wm_plan_is_acyclic(c->plan) ? wm_prefixes_make(&prefixes, c->plan, &made->set, c->arena) : WM_TOO_MANY;
	if (status == WM_OK)
		return wm_membership_make(&made->membership, c->plan, &made->set, &prefixes, NULL, c->arena);
	return status == WM_TOO_MANY ? know_nothing(c) : status;
}

/*
 * Packed is the default: at the end of a path it shifts where the perfect hash loads a
 * 64-bit constant and multiplies.  doc/preferential.md has the instruction counts; they are
 * close.  In an array there is nothing to look up, but guesses pay if the optimiser still comes: it
 * knows on most edges whether they will be right.
 */
static enum wm_status choose_interesting(struct choice *c)
{
	struct wm_counting *made = c->made;
	if (made->kind == WM_COUNT_ARRAY)
		return made->set.count && c->options->stage == WM_CFG_SOURCE ? know_nothing(c) : WM_OK;
	by(c, made->set.count ? WM_COUNT_HASH : WM_COUNT_CALL);
	if (!made->set.count || c->options->interesting_store == WM_INTERESTING_HASH)
		return WM_OK;
	enum wm_status status = WM_TOO_MANY;
	if (c->options->interesting_store == WM_INTERESTING_PACKED && wm_plan_is_acyclic(c->plan))
		status = try_packed(c, &made->set, c->options->large_ids == WM_LARGE_IDS_HASH);
	if (is_no_failure(status))
		status = try_perfect(c, &made->set, c->limit);
	if (is_no_failure(status)) {
		by(c, WM_COUNT_HASH);
		return WM_OK;
	}
	return status == WM_OK ? classify(c) : status;
}

/* --- residual ------------------------------------------------------------------------------ */

/*
 * With marks, an end costs two instructions where the sign is enough and five where the
 * perfect hash is asked; packed sums cost four at either, and need no multiplication.
 */
static bool packed_is_cheaper(const struct choice *c, const struct wm_residual *marks)
{
	const struct wm_dag *dag = &c->plan->dag;
	double sign = 0, lookup = 0;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		if (!marks->membership.asked[e])
			continue;
		if (marks->membership.end[e] == WM_MEMBER_CLEAN)
			sign += wm_weights_of(c->weights, dag, &dag->edge[e]);
		else if (marks->membership.end[e] == WM_MEMBER_SOME)
			lookup += wm_weights_of(c->weights, dag, &dag->edge[e]);
	}
	return 4 * (sign + lookup) < 2 * sign + 5 * lookup;
}

static void use_marks(struct choice *c, const struct wm_residual *marks)
{
	struct wm_counting *made = c->made;
	made->kind = WM_COUNT_SIGN;
	made->marked = marks->marks == WM_MARKS_STICKY ? marks->marked : NULL;
	made->value = marks->value;
	made->first = marks->tested;
	made->id_mask = low_bits(marks->shift);
	made->membership = marks->membership;
}

static enum wm_status choose_lookup(struct choice *c, struct wm_residual *marks)
{
	enum wm_status status = WM_TOO_MANY;
	if (marks->marks != WM_MARKS_STICKY && packed_is_cheaper(c, marks))
		status = try_packed(c, &marks->unmarked, true);
	return is_no_failure(status) ? try_perfect(c, &marks->unclear, UINT32_MAX) : status;
}

/* A block that is returned to is behind some counts and before others. */
static bool may_ask_earlier(const struct choice *c)
{
	return !c->resumes && c->options->placement == WM_PLACE_OPTIMAL;
}

/* Where many tested paths come from outside the core, the sign is not worth asking first. */
static void look_up_at_once(struct choice *c, struct wm_residual *core)
{
	const struct wm_dag *dag = &c->plan->dag;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		if (core->membership.end[e] == WM_MEMBER_CORE &&
			4 * (double)core->outside[e] > wm_weights_of(c->weights, dag, &dag->edge[e]))
			core->membership.end[e] = WM_MEMBER_SOME;
}

/* Whether the event of a DAG edge is in a part that is copied. */
static bool is_aside(const struct choice *c, const struct wm_dag_edge *edge)
{
	const struct wm_asides *asides = &c->made->asides;
	if (edge->kind == WM_EDGE_EXIT)
		return asides->of[c->plan->dag.node_block[edge->from]] != WM_NONE;
	return (edge->kind == WM_EDGE_REAL || edge->kind == WM_EDGE_STOP) &&
	       wm_asides_within(asides, c->plan->graph, edge->cfg_edge);
}

/* Per node: at most one way over core edges leads there, and what would be added up on it is a constant. */
static const bool *find_single(const struct choice *c, const bool *core)
{
	const struct wm_dag *dag = &c->plan->dag;
	uint8_t *ways = WM_NEW(c->arena, uint8_t, dag->node_count);
	bool *single = WM_NEW(c->arena, bool, dag->node_count);
	if (!ways || !single)
		return NULL;
	ways[WM_DAG_START] = 1;
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i];
		single[node] = ways[node] < 2;
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++) {
			uint8_t *to = &ways[dag->edge[e].to];
			*to = (uint8_t)(*to + (core[e] ? ways[node] : 0));
			*to = *to > 2 ? 2 : *to;
		}
	}
	return single;
}

/* WM_TOO_MANY: nothing is worth a copy. */
static enum wm_status choose_asides(struct choice *c, const struct wm_residual *core)
{
	const struct wm_dag *dag = &c->plan->dag;
	struct wm_loops loops;
	bool *aside = WM_NEW(c->arena, bool, dag->edge_count);
	if (!aside)
		return WM_NO_MEMORY;
	enum wm_status status = wm_loops_run(&loops, c->plan->graph, &c->plan->dfs, c->arena);
	if (status == WM_OK)
		status = wm_asides_choose(&c->made->asides, c->plan, &loops, c->weights,
			c->options->aside_limit ? c->options->aside_limit : WM_ASIDE_SMALL, c->arena);
	c->made->single = status == WM_OK ? find_single(c, core->tested) : NULL;
	if (status == WM_OK && !c->made->single)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count && status == WM_OK; e++)
		aside[e] = (core->membership.end[e] == WM_MEMBER_CLEAN || core->membership.end[e] == WM_MEMBER_CORE) &&
			   is_aside(c, &dag->edge[e]);
	c->made->aside = aside;
	return status == WM_OK && !c->made->asides.count ? WM_TOO_MANY : status;
}

/* WM_TOO_MANY: the core would take too long to find. */
static enum wm_status mark_core(struct choice *c, const struct wm_asking *asking, struct wm_residual *marks)
{
	const struct wm_path_set *set = &c->made->set;
	struct wm_closed core;
	uint64_t *count = WM_NEW(c->arena, uint64_t, set->count);
	if (!count)
		return WM_NO_MEMORY;
	wm_known_counts(count, set, &c->options->paths, c->function);
	enum wm_status status = wm_closed_make(&core, c->plan, set, count, c->arena);
	if (status != WM_OK)
		return status;
	status = wm_residual_close(marks, c->plan, set, &core, count, asking, c->arena);
	if (status != WM_OK)
		return status;
	c->made->outside = marks->outside;
	if (c->telling == WM_TELL_ASIDE)
		status = choose_asides(c, marks);
	look_up_at_once(c, marks);
	return status;
}

static enum wm_status mark(struct choice *c, struct wm_residual *marks)
{
	struct wm_asking asking = {
		may_ask_earlier(c) ? c->weights : NULL, c->leaves, c->telling != WM_TELL_WITH_REGIONS};
	return c->telling >= WM_TELL_BY_CORE ? mark_core(c, &asking, marks)
					     : wm_residual_make(marks, c->plan, &c->made->set, &asking, c->arena);
}

static enum wm_status choose_residual(struct choice *c)
{
	struct wm_residual marks;
	by(c, c->made->set.count ? WM_COUNT_SIGN : WM_COUNT_CALL);
	c->made->residual = true;
	if (!c->made->set.count)
		return WM_OK;
	enum wm_status status = wm_plan_is_acyclic(c->plan) ? mark(c, &marks) : WM_TOO_MANY;
	if (status == WM_TOO_MANY && c->telling == WM_TELL_WITH_REGIONS) {
		status = classify(c);
		return status == WM_OK ? try_perfect(c, &c->made->set, UINT32_MAX) : status;
	}
	if (status != WM_OK)
		return status;
	use_marks(c, &marks);
	return marks.unclear.count ? choose_lookup(c, &marks) : WM_OK;
}

/* --- guesses -------------------------------------------------------------------------- */

/* What the register holds at the end of the path with this acyclic id. */
static enum wm_status total_of(struct choice *c, uint64_t id, uint64_t *total)
{
	struct wm_path path = {0};
	uint64_t sum = 0;
	enum wm_status status = wm_dag_decode(&c->plan->dag, &c->plan->numbering, id, &path, c->arena);
	if (status != WM_OK)
		return status;
	for (uint32_t i = 0; i < path.length; i++)
		sum += (uint64_t)c->made->value[path.edge[i]];
	for (uint32_t i = 0; i < path.length && c->made->marked; i++)
		sum |= c->made->marked[path.edge[i]] ? WM_MARK_BIT : 0;
	*total = sum & low_bits(c->made->width);
	return WM_OK;
}

/* Whether the end of a path has to look it up in a table. */
static bool looks_up(const struct wm_counting *made, enum wm_member member)
{
	bool marked = made->residual && made->kind != WM_COUNT_PACKED;
	return member == WM_MEMBER_SOME || (member == WM_MEMBER_CLEAN && !marked);
}

/* The only path of the set that ends here, or one that makes up more than half of them. */
static enum wm_status choose_guesses(struct choice *c)
{
	struct wm_counting *made = c->made;
	uint32_t edges = c->plan->dag.edge_count;
	uint64_t *favourite = WM_NEW(c->arena, uint64_t, edges);
	made->guesses = WM_NEW(c->arena, bool, edges);
	made->guess = WM_NEW(c->arena, uint64_t, edges);
	if (!favourite || !made->guesses || !made->guess)
		return WM_NO_MEMORY;
	enum wm_status status = wm_known_favourites(
		favourite, UINT64_MAX, made->membership.asked, &c->options->paths, c->function, c->plan, c->arena);
	for (uint32_t e = 0; e < edges && status == WM_OK; e++) {
		enum wm_member member = (enum wm_member)made->membership.end[e];
		bool one = member == WM_MEMBER_ONE;
		uint64_t id = one ? made->membership.only[e] : favourite[e];
		if (!made->membership.asked[e] || !(one || looks_up(made, member)) ||
			wm_path_set_find(&made->set, id) == WM_NONE)
			continue;
		made->guesses[e] = true;
		status = total_of(c, id, &made->guess[e]);
	}
	return status;
}

/* Which values are added up, and what is done with the sums. */
static enum wm_status choose(struct choice *c)
{
	struct wm_counting *made = c->made;
	const struct wm_options *options = c->options;
	by(c, fits_array(c) ? WM_COUNT_ARRAY : WM_COUNT_HASH);
	if (options->purpose == WM_PURPOSE_ALL || c->plan->sequences)
		return WM_OK;
	enum wm_status status = wm_known_paths(&made->set, &options->paths, c->function, c->plan, c->arena);
	if (status == WM_OK)
		status = options->purpose == WM_PURPOSE_RESIDUAL ? choose_residual(c) : choose_interesting(c);
	return status == WM_OK && made->membership.end && wm_plan_is_acyclic(c->plan) ? choose_guesses(c) : status;
}

/* --- local paths of regions ------------------------------------------------------------ */

/* Not where all the compiled code does is a comparison with zero or with a constant. */
static bool wants_regions(const struct wm_counting *counting, const struct wm_plan *plan)
{
	bool looks = counting->kind == WM_COUNT_HASH || counting->kind == WM_COUNT_PACKED ||
		     counting->kind == WM_COUNT_PERFECT;
	return looks && wm_plan_is_acyclic(plan);
}

static bool is_settled(const struct wm_counting *made, const struct wm_region *region, uint32_t index)
{
	return index >= region->entered && region->end[index] != WM_NONE &&
	       (!made->residual || wm_path_set_find(&made->set, region->sum[index] & made->id_mask) != WM_NONE);
}

static enum wm_status settle(struct choice *c, const struct wm_probe_program *program)
{
	struct wm_counting *made = c->made;
	made->region_index = WM_NEW(c->arena, uint32_t, program->region_count);
	if (!made->region_index)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < program->region_count; i++) {
		made->region_index[i] = made->local_paths;
		made->local_paths += program->region[i].paths;
	}
	made->settled = WM_NEW(c->arena, bool, made->local_paths);
	for (uint32_t i = 0; i < program->region_count && made->settled; i++)
		for (uint32_t k = 0; k < program->region[i].paths; k++)
			made->settled[made->region_index[i] + k] = is_settled(made, &program->region[i], k);
	return made->settled ? WM_OK : WM_NO_MEMORY;
}

/* --- paths of a hash that the compiler knows ---------------------------------------------- */

static void add_constants(const struct wm_probe *probe, uint64_t *ids, size_t *count)
{
	for (uint8_t i = 0; i < probe->count; i++)
		if (probe->action[i].kind == WM_ACTION_COUNT_AT)
			ids[(*count)++] = (uint64_t)probe->action[i].value;
}

/* An event counts at most one path of its own. */
static enum wm_status find_constants(struct choice *c, const struct wm_probe_program *program)
{
	const struct wm_graph *graph = c->plan->graph;
	size_t loops = (size_t)program->trip_loop_count + program->window_count;
	size_t count = 0, most = (size_t)graph->edge_count + graph->block_count + loops;
	uint64_t *ids = WM_NEW(c->arena, uint64_t, most);
	if (!ids)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < graph->edge_count; e++)
		add_constants(&program->edge[e], ids, &count);
	for (uint32_t b = 0; b < graph->block_count; b++)
		add_constants(&program->exit[b], ids, &count);
	for (uint32_t i = 0; i < program->trip_loop_count; i++)
		if (program->trip_loop[i].region == WM_NONE)
			ids[count++] = (uint64_t)program->trip_loop[i].again;
	for (uint32_t i = 0; i < program->window_count; i++)
		if (program->window[i].trips)
			ids[count++] = program->window[i].base + program->window[i].only_last;
	return wm_path_set_make(&c->made->constants, c->plan, ids, count, c->arena);
}

/* --- cells -------------------------------------------------------------------------------- */

/* All sums of a region stand among the ids, because the compiled code of a hash looks them
 * up there; only those of settled paths are ids, and only their cells count. */
static enum wm_status give_cells(struct choice *c, const struct wm_probe_program *program)
{
	struct wm_counting *made = c->made;
	const uint64_t *first = made->ids;
	uint32_t used = 0;
	made->size = made->table_size + made->local_paths + made->constants.count;
	enum wm_status status = alloc_ids(c);
	if (status != WM_OK)
		return status;
	while (used < made->table_size) {
		made->ids[used] = first[used];
		used++;
	}
	for (uint32_t i = 0; i < program->region_count; i++)
		for (uint32_t k = 0; k < program->region[i].paths; k++)
			made->ids[used++] = program->region[i].sum[k] & made->id_mask;
	for (uint32_t i = 0; i < made->constants.count; i++)
		made->ids[used++] = made->constants.id[i];
	return WM_OK;
}

/* --- placement ------------------------------------------------------------------------------ */

/* Whether the end of a path does no more than compare what was added up with a constant, which takes in what is
 * still to be added. */
static bool only_compares(const struct wm_counting *made, uint32_t e)
{
	return made->membership.end[e] <= WM_MEMBER_ONE || made->guesses[e] || (made->aside && made->aside[e]);
}

/* Behind an edge where paths are asked nothing is added; on it, what is added folds into a comparison. */
static enum wm_status weigh_updates(const struct choice *c, struct wm_weights *weights, bool *adds)
{
	const struct wm_dag *dag = &c->plan->dag;
	bool *behind = WM_NEW(c->arena, bool, dag->node_count);
	weights->edge = WM_NEW(c->arena, double, c->plan->graph->edge_count);
	if (!weights->edge || !behind)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < c->plan->graph->edge_count; e++)
		weights->edge[e] = c->weights->edge[e];
	for (uint32_t i = 0; i < dag->node_count; i++)
		for (uint32_t e = dag->first_edge[dag->order[i]]; e < dag->first_edge[dag->order[i] + 1]; e++) {
			bool asked = c->made->membership.asked[e], free = only_compares(c->made, e);
			adds[e] = asked && !free;
			if (dag->edge[e].kind != WM_EDGE_REAL)
				continue;
			if (behind[dag->order[i]] || (asked && free))
				weights->edge[dag->edge[e].cfg_edge] = 0;
			behind[dag->edge[e].to] |= asked || behind[dag->order[i]];
		}
	return WM_OK;
}

static enum wm_status place_values(struct choice *c, struct wm_probe_program *program)
{
	const struct wm_counting *made = c->made;
	enum wm_placement placement = c->options->placement;
	struct wm_weights weights = *c->weights;
	bool *adds = WM_NEW(c->arena, bool, c->plan->dag.edge_count),
	     tells = made->residual && made->kind != WM_COUNT_CALL;
	if (!wm_plan_is_acyclic(c->plan))
		return wm_place(c->plan, placement, &weights, program, c->arena);
	if (!adds || (tells && weigh_updates(c, &weights, adds) != WM_OK))
		return WM_NO_MEMORY;
	struct wm_sums sums = {made->value, made->first, made->marked, adds};
	return wm_place_sums(c->plan, &sums, placement, &weights, program, c->arena);
}

static enum wm_status place_regions(struct choice *c, const struct wm_loops *loops, struct wm_probe_program *program)
{
	if (c->resumes || c->telling != WM_TELL_WITH_REGIONS || !wants_regions(c->made, c->plan))
		return WM_OK;
	struct wm_region_limits limits = {
		WM_REGION_PATHS, WM_ALL_REGION_PATHS, c->options->all_regions ? 0 : WM_REGION_ENDS};
	return wm_place_regions(c->plan, loops, c->weights, c->leaves, limits, program, c->arena);
}

/* Paths are counted where they are asked; what is known to be tested costs nothing. */
static enum wm_status silence(struct choice *c, struct wm_probe_program *program)
{
	const struct wm_membership *membership = &c->made->membership;
	uint32_t edges = c->plan->dag.edge_count;
	if (!wm_plan_is_acyclic(c->plan) || !c->made->residual || c->made->kind == WM_COUNT_CALL)
		return WM_OK;
	bool *silent = WM_NEW(c->arena, bool, edges);
	if (!silent)
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < edges; e++)
		silent[e] = membership->asked[e] && membership->end[e] == WM_MEMBER_ALL;
	enum wm_status status = wm_place_early(c->plan, membership->asked, program, c->arena);
	return status == WM_OK ? wm_place_silence(c->plan, silent, program, c->arena) : status;
}

/* Instructions of a count that reads the register. */
static double count_price(enum wm_counting_kind kind)
{
	return kind == WM_COUNT_ARRAY ? 2 : kind == WM_COUNT_PACKED ? 5 : 10;
}

/*
 * Only by a profile's weights: estimates do not tell the edges where it pays, and a program that dies between a count
 * and the end of its path would not have that path open.  What is known of a path is known where it is counted.
 */
static enum wm_status count_early(struct choice *c, struct wm_probe_program *program)
{
	struct wm_counting *made = c->made;
	if (!wm_options_weights(c->options) || made->residual || made->kind == WM_COUNT_CALL || program->region_count ||
		!wm_plan_is_acyclic(c->plan) || !may_ask_earlier(c))
		return WM_OK;
	bool *counted = WM_NEW(c->arena, bool, c->plan->dag.edge_count);
	if (!counted)
		return WM_NO_MEMORY;
	enum wm_status status =
		wm_early_edges(c->plan, c->weights, c->leaves, count_price(made->kind), program, counted, c->arena);
	if (status == WM_OK)
		status = wm_place_early(c->plan, counted, program, c->arena);
	if (status != WM_OK || !made->membership.end)
		return status;
	made->membership.asked = counted;
	return choose_guesses(c);
}

static enum wm_status place_trips(struct choice *c, const struct wm_loops *loops, struct wm_probe_program *program)
{
	if (c->made->aside)
		return WM_OK;
	if (wm_plan_is_acyclic(c->plan))
		return wm_place_trips(c->plan, loops, c->weights, c->leaves, program, c->arena);
	return c->plan->iterations && !c->plan->sequences
		       ? wm_window_count_trips(c->plan, c->weights, c->leaves, program, c->arena)
		       : WM_OK;
}

/* Cells that are not those of a table. */
static enum wm_status place_cells(struct choice *c, const struct wm_probe_program *program)
{
	enum wm_status status = settle(c, program);
	if (status == WM_OK && c->made->kind == WM_COUNT_HASH)
		status = find_constants(c, program);
	return status == WM_OK && !c->made->residual ? give_cells(c, program) : status;
}

/* Regions read off the program what all paths count, so they come before what takes counts away. */
static enum wm_status place(struct choice *c, struct wm_probe_program *program)
{
	struct wm_counting *made = c->made;
	struct wm_loops loops;
	bool optimal = c->options->placement == WM_PLACE_OPTIMAL,
	     cells = made->kind != WM_COUNT_ARRAY && made->kind != WM_COUNT_CALL && !c->plan->sequences;
	enum wm_status status = place_values(c, program);
	if (status == WM_OK)
		status = wm_loops_run(&loops, c->plan->graph, &c->plan->dfs, c->arena);
	if (status == WM_OK && optimal)
		status = place_regions(c, &loops, program);
	if (status == WM_OK)
		status = silence(c, program);
	if (status == WM_OK)
		status = count_early(c, program);
	if (status == WM_OK && optimal)
		status = place_trips(c, &loops, program);
	if (status == WM_OK && made->kind == WM_COUNT_PACKED)
		wm_pack_program(&made->pack, c->plan->graph, program);
	return status == WM_OK && optimal && cells ? place_cells(c, program) : status;
}

/* --- the cheapest way ------------------------------------------------------------------------- */

struct candidate {
	struct wm_counting counting;
	struct wm_probe_program program;
	double price;
};

/* Where nothing is left to do on a tested path there is nothing to improve. */
static enum wm_status choose_telling(struct choice *c, struct candidate *best)
{
	enum wm_telling wanted = c->options->telling;
	for (c->telling = WM_TELL_WITH_REGIONS; c->telling < WM_TELLING_COUNT && best->price > 0; c->telling++) {
		struct candidate other = {.price = INFINITY};
		if ((wanted != WM_TELL_CHEAPLY && wanted != c->telling) || (c->telling == WM_TELL_ASIDE && !c->aside))
			continue;
		c->made = &other.counting;
		enum wm_status status = choose(c);
		if (status == WM_OK)
			status = place(c, &other.program);
		if (status == WM_OK)
			other.price = wm_price(&other.counting, c->plan, c->weights, &other.program);
		else if (!is_no_failure(status))
			return status;
		if (other.price < best->price)
			*best = other;
	}
	return WM_OK;
}

/* With nothing to choose between, or where all that was tried did not fit, paths are told at their ends. */
enum wm_status wm_counting_make(struct wm_counting *counting, struct wm_probe_program *program,
	const struct wm_options *options, const struct wm_map_function *function, const struct wm_plan *plan,
	const struct wm_weights *weights, const bool *leaves, bool resumes, bool aside, struct wm_arena *arena)
{
	struct choice c = {.made = counting,
		.options = options,
		.function = function,
		.plan = plan,
		.weights = weights,
		.leaves = leaves,
		.resumes = resumes,
		.aside = aside,
		.telling = WM_TELL_WITH_REGIONS,
		.limit = options->large_id_limit ? options->large_id_limit : WM_LOOP_ARRAY_PATHS,
		.arena = arena};
	*counting = (struct wm_counting){0};
	enum wm_status status = choose(&c);
	struct choice first = c;
	bool tells = counting->residual && counting->set.count && wm_plan_is_acyclic(plan) && may_ask_earlier(&c);
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

/* --- paths known to the compiler --------------------------------------------------------------- */

uint32_t wm_counting_index(const struct wm_counting *counting, uint64_t total)
{
	return counting->kind == WM_COUNT_PACKED ? (uint32_t)wm_pack_index(&counting->pack, total)
						 : wm_perfect_slot(&counting->perfect, total);
}
