/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Event counting (spanning.h) for paths: Ball and Larus 1996, figure 8.
 *
 * Departures:
 * - Where all ways from Start have the same sum, the sum is a constant and r is not needed.  r is set on the edges
 *   that lead out of this part of the DAG.  This generalises the paper's pushing down of the initialisation, which
 *   requires a single in-edge.  A path that ends inside this part counts at a constant index.
 * - The count is not moved up to the last update, because a frame that is left inside a call must not have counted
 *   its path.  Updates on edges to End are therefore free: they fold into the count.  So are updates on edges from
 *   Start, which only change the constant of a `set`.  A spanning tree that prefers real edges is thus usually
 *   cheaper than the paper's.  That tree, the paper's tree, and no tree are priced by the weights, and the cheapest
 *   is used.
 */
#include "core/probes/place.h"
#include "core/probes/spanning.h"
#include "core/scheme/kiter.h"
#include <string.h>

/* The one that usually wins is tried last, so that its results need not be computed again. */
enum policy { PLAIN_VALUES, BY_WEIGHT, REAL_EDGES_FIRST, POLICY_COUNT };
enum knowledge { UNSEEN, KNOWN, VARIES };

struct arrival { /* what is known of r on arrival */
	enum knowledge knowledge;
	uint64_t constant; /* if KNOWN */
};

struct placement {
	const struct wm_plan *plan;
	const struct wm_sums *sums;
	bool naive; /* r is never a constant, except where a path begins, and there are no marks */
	struct wm_probe_program *program;
	struct wm_spanning spanning;
	uint64_t *increment; /* per DAG edge */
	bool spanned; /* the increments are those of a spanning tree; else every edge has its own value */
	struct arrival *arrival; /* per node */
	uint32_t *slot; /* per second node of a loop head: where r is saved; else WM_NONE.  NULL: there are none */
};

/* ---- Marks ---------------------------------------------------------------- */

static bool is_marked(const struct placement *p, uint32_t e)
{
	return p->sums->sticky && p->sums->sticky[e] && !p->naive;
}

/* The difference between the sum of the values from Start to a node and r. */
static uint64_t missing_from_r(struct placement *p, uint32_t node)
{
	return p->spanned ? wm_spanning_potential(&p->spanning, node) : 0;
}

static uint64_t marked_constant(struct placement *p, uint32_t node, uint64_t constant)
{
	uint64_t missing = missing_from_r(p, node);
	return ((constant + missing) | WM_MARK_BIT) - missing;
}

/* ---- Where r is known --------------------------------------------------- */

/* The value of r after an edge, if r is a constant before it. */
static uint64_t constant_behind(struct placement *p, uint32_t e, uint64_t before)
{
	uint64_t constant = before + p->increment[e];
	return is_marked(p, e) ? marked_constant(p, p->plan->dag.edge[e].to, constant) : constant;
}

static void note_arrival(struct arrival *arrival, enum knowledge knowledge, uint64_t constant)
{
	if (arrival->knowledge == UNSEEN)
		*arrival = (struct arrival){knowledge, constant};
	else if (knowledge == VARIES || constant != arrival->constant)
		arrival->knowledge = VARIES;
}

static void propagate(struct placement *p)
{
	const struct wm_dag *dag = &p->plan->dag;
	memset(p->arrival, 0, dag->node_count * sizeof *p->arrival);
	note_arrival(&p->arrival[WM_DAG_START], KNOWN, 0);
	for (uint32_t i = 0; i < dag->node_count; i++) {
		uint32_t node = dag->order[i];
		struct arrival here = p->arrival[node];
		for (uint32_t e = dag->first_edge[node]; e < dag->first_edge[node + 1]; e++)
			note_arrival(&p->arrival[dag->edge[e].to],
				p->naive || dag->edge[e].kind == WM_EDGE_RESUME ? VARIES : here.knowledge,
				constant_behind(p, e, here.constant));
	}
}

static bool splits(const struct placement *p, uint32_t node)
{
	return p->slot && p->slot[node] != WM_NONE;
}

/* Whether r is needed after an edge.  After a node before a head comes the head, on
 * the same event. */
static bool needed(const struct placement *p, uint32_t node)
{
	return p->arrival[splits(p, node) ? node + 1 : node].knowledge != KNOWN;
}

/* Whether r changes on an edge that does not lead to End, and how. */
static bool update_action(struct placement *p, uint32_t e, struct wm_action *out)
{
	const struct wm_dag_edge *edge = &p->plan->dag.edge[e];
	if (!needed(p, edge->to) || edge->kind == WM_EDGE_ARRIVE)
		return false;
	const struct arrival *from = &p->arrival[edge->from];
	bool known = from->knowledge == KNOWN && edge->kind != WM_EDGE_RESUME;
	*out = known ? wm_action(WM_ACTION_SET, constant_behind(p, e, from->constant))
		     : wm_action(WM_ACTION_ADD, p->increment[e]);
	return known || p->increment[e] != 0;
}

static struct wm_action count_action(const struct placement *p, uint32_t e)
{
	const struct arrival *from = &p->arrival[p->plan->dag.edge[e].from];
	if (from->knowledge == KNOWN)
		return wm_action(WM_ACTION_COUNT_AT, from->constant + p->increment[e]);
	return wm_action(WM_ACTION_COUNT, p->increment[e]);
}

static bool adds_before_count(const struct placement *p, uint32_t e)
{
	return p->sums->adds && p->sums->adds[e] && p->increment[e] &&
	       p->arrival[p->plan->dag.edge[e].from].knowledge != KNOWN;
}

static double price(struct placement *p)
{
	const struct wm_dag *dag = &p->plan->dag;
	double sum = 0;
	for (uint32_t e = 0; e < dag->edge_count; e++) {
		struct wm_action unused;
		bool last = dag->edge[e].to == WM_DAG_END;
		if (last ? adds_before_count(p, e) : update_action(p, e, &unused))
			sum += p->spanning.weight[e];
	}
	return sum;
}

static void follow_policy(struct placement *p, enum policy policy)
{
	p->spanned = policy != PLAIN_VALUES;
	if (policy == PLAIN_VALUES) {
		memcpy(p->increment, p->sums->value, p->plan->dag.edge_count * sizeof *p->increment);
	} else {
		wm_spanning_make(&p->spanning, p->sums->value, policy == REAL_EDGES_FIRST);
		wm_spanning_increments(&p->spanning, p->sums->value, p->increment);
	}
	propagate(p);
}

static void choose_policy(struct placement *p)
{
	enum policy best = 0, last = 0;
	double best_price = 0;
	for (enum policy policy = 0; policy < POLICY_COUNT; policy++) {
		follow_policy(p, last = policy);
		double this_price = price(p);
		if (policy > 0 && this_price > best_price)
			continue;
		best = policy;
		best_price = this_price;
	}
	if (best != last)
		follow_policy(p, best);
}

/* ---- Programs ----------------------------------------------------------- */

/* After an edge from a node before a head, whose r may be in a register; after one
 * to such a node, whose r may be needed there. */
static void emit_update(struct placement *p, struct wm_probe *probe, uint32_t e)
{
	const struct wm_dag_edge *edge = &p->plan->dag.edge[e];
	struct wm_action what;
	if (splits(p, edge->from) && p->arrival[edge->from].knowledge != KNOWN && needed(p, edge->to))
		wm_probe_append(p->program, probe, wm_action(WM_ACTION_RESTORE, p->slot[edge->from]));
	if (update_action(p, e, &what))
		wm_probe_append(p->program, probe, what);
	if (is_marked(p, e) && needed(p, edge->to) && p->arrival[edge->from].knowledge != KNOWN)
		wm_probe_append(p->program, probe, wm_action(WM_ACTION_MARK, missing_from_r(p, edge->to)));
	if (splits(p, edge->to) && p->arrival[edge->to].knowledge != KNOWN)
		wm_probe_append(p->program, probe, wm_action(WM_ACTION_SAVE, p->slot[edge->to]));
}

static void emit_count(struct placement *p, struct wm_probe *probe, uint32_t e)
{
	struct wm_action count = count_action(p, e);
	if (p->naive && count.value)
		wm_probe_append(p->program, probe, wm_action(WM_ACTION_ADD, (uint64_t)count.value));
	count.value = p->naive ? 0 : count.value;
	wm_probe_append(p->program, probe, count);
}

static void emit_edge(struct placement *p, uint32_t e)
{
	const struct wm_dag_edge *edge = &p->plan->dag.edge[e];
	struct wm_probe *probe = wm_probe_of(p->program, &p->plan->dag, edge);
	if (probe && edge->to == WM_DAG_END)
		emit_count(p, probe, e);
	else if (probe)
		emit_update(p, probe, e);
	if (edge->kind == WM_EDGE_STOP)
		emit_update(p, probe, edge->restart);
}

static enum wm_status place(struct placement *p, const struct wm_weights *weights, struct wm_arena *arena)
{
	const struct wm_dag *dag = &p->plan->dag;
	p->increment = WM_NEW(arena, uint64_t, dag->edge_count);
	p->arrival = WM_NEW(arena, struct arrival, dag->node_count);
	if (!p->increment || !p->arrival || wm_spanning_init(&p->spanning, dag, arena) != WM_OK)
		return WM_NO_MEMORY;
	p->spanning.first = p->sums->first;
	p->spanning.adds = p->sums->adds;
	if (p->naive)
		follow_policy(p, PLAIN_VALUES);
	else if (wm_spanning_sort(&p->spanning, weights, p->sums->value, arena) == WM_OK)
		choose_policy(p);
	else
		return WM_NO_MEMORY;
	for (uint32_t e = 0; e < dag->edge_count; e++)
		emit_edge(p, e);
	return WM_OK;
}

/* Placement needs one DAG edge per event. */
static bool one_edge_per_event(const struct wm_plan *plan)
{
	return !plan->iterations || plan->iterations->count == 0 || wm_plan_has_pieces(plan);
}

/* Gives each second node of a loop head, which has no block, a register. */
static bool assign_slots(struct placement *p, uint32_t *count, struct wm_arena *arena)
{
	const struct wm_dag *dag = &p->plan->dag;
	if (!p->plan->scheme->contexts)
		return true;
	p->slot = WM_NEW(arena, uint32_t, dag->node_count);
	for (uint32_t node = 0; p->slot && node < dag->node_count; node++) {
		bool before_head = node > WM_DAG_END && dag->node_block[node] == WM_NONE;
		p->slot[node] = before_head ? (*count)++ : WM_NONE;
	}
	return p->slot;
}

enum wm_status wm_place_sums(const struct wm_plan *plan, const struct wm_sums *sums, enum wm_placement placement,
	const struct wm_weights *weights, struct wm_probe_program *program, struct wm_arena *arena)
{
	if (!one_edge_per_event(plan))
		return WM_BAD_GRAPH;
	struct wm_probe_program made;
	if (wm_probe_program_init(&made, plan->graph, arena) != WM_OK)
		return WM_NO_MEMORY;
	struct placement p = {.plan = plan, .sums = sums, .naive = placement == WM_PLACE_NAIVE, .program = &made};
	if (!assign_slots(&p, &made.saved_count, arena) || place(&p, weights, arena) != WM_OK || made.failed)
		return WM_NO_MEMORY;
	made.probe_count = wm_probe_program_count(&made, plan->graph);
	*program = made;
	return WM_OK;
}
