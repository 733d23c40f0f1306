/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/core/trail_encode.h"

/* A call that is open. */
struct open {
	const struct wm_plan *plan; /* of the caller */
	uint32_t site;
	uint64_t x; /* in the caller */
	uint32_t current;
};

struct encoding {
	const struct wm_unit_plan *unit;
	const struct wm_trail *trail;
	uint32_t at; /* the next step */
	uint32_t current; /* the step into the block in which the path is */
	uint64_t id; /* the values so far */
	const struct wm_plan *plan; /* of the function */
	uint32_t site; /* the next call of the function; the block may have none */
	uint64_t x; /* completions after the exit of the function */
	bool piece; /* the path began at a restart and has no context */
	struct open *open;
	uint32_t depth;
	bool ended;
	enum wm_end end;
	uint32_t cut; /* wm_trail.cut */
};

/* The next step, or NULL. */
static const struct wm_trail_step *next_step(const struct encoding *e)
{
	return e->at < e->trail->count ? &e->trail->step[e->at] : NULL;
}

/* The next step must be this one. */
static enum wm_status take_step(struct encoding *e, struct wm_trail_step step)
{
	const struct wm_trail_step *next = next_step(e);
	step.function = e->plan->index;
	if (!next || !wm_trail_same_step(next, &step) || next->restart != step.restart || next->lone != step.lone)
		return WM_BAD_PATH;
	if (step.kind == WM_TRAIL_BLOCK || step.lone)
		e->current = e->at;
	e->at++;
	return WM_OK;
}

static void end_path(struct encoding *e, enum wm_end end, uint32_t cut)
{
	e->ended = true;
	e->end = end;
	e->cut = cut;
}

/* Enters a block before its calls, or after the call `behind`. */
static enum wm_status enter_block(struct encoding *e, uint32_t block, uint32_t behind, bool restart)
{
	e->site = behind == WM_NONE ? e->plan->pairs->first_call[block] : behind + 1;
	return take_step(
		e, (struct wm_trail_step){.kind = WM_TRAIL_BLOCK, .block = block, .site = behind, .restart = restart});
}

/* ---- Returns ---- */

static enum wm_status go_back(struct encoding *e, const struct wm_plan *plan, uint32_t site, bool lone)
{
	e->plan = plan;
	e->site = site + 1;
	return take_step(e,
		(struct wm_trail_step){
			.kind = WM_TRAIL_RETURN, .block = plan->in_unit->call[site].block, .site = site, .lone = lone});
}

/* A piece goes on in the caller that the next step names, or ends. */
static enum wm_status leave_piece(struct encoding *e)
{
	const struct wm_pairs *f = e->plan->pairs;
	const struct wm_trail_step *next = next_step(e);
	if (!next) {
		e->id += f->exit_value;
		end_path(e, WM_END_RETURN, WM_NONE);
		return f->root ? WM_OK : WM_BAD_PATH;
	}
	for (uint32_t i = 0; i < f->caller_count; i++) {
		const struct wm_plan *to = &e->unit->function[f->caller[i].function];
		if (f->caller[i].function != next->function || f->caller[i].site != next->site)
			continue;
		e->x = to->pairs->behind_exit;
		e->id += to->pairs->site[next->site].edge_value;
		return go_back(e, to, next->site, true);
	}
	return WM_BAD_PATH;
}

static enum wm_status leave_function(struct encoding *e)
{
	if (!e->depth && e->piece)
		return leave_piece(e);
	if (!e->depth) {
		end_path(e, WM_END_RETURN, WM_NONE);
		return WM_OK;
	}
	struct open open = e->open[--e->depth];
	e->x = open.x;
	e->current = open.current;
	return go_back(e, open.plan, open.site, false);
}

/* ---- Edges ---- */

static bool has_edge(const struct encoding *e, uint32_t edge)
{
	const struct wm_dag_edge *in_dag = &e->plan->dag.edge[edge];
	const struct wm_trail_step *next = next_step(e);
	if (e->plan->pairs->unused[edge])
		return false;
	if (in_dag->from != WM_DAG_START)
		return in_dag->cfg_edge == e->trail->step[e->current].edge;
	return next && next->restart == (in_dag->kind == WM_EDGE_RESTART) &&
	       next->block == e->plan->dag.node_block[in_dag->to];
}

/* The first edge from `low` on, below `high`, that the trail has. */
static enum wm_status take_edge(struct encoding *e, uint32_t low, uint32_t high)
{
	while (low < high && !has_edge(e, low))
		low++;
	if (low == high)
		return WM_BAD_PATH;
	const struct wm_dag_edge *edge = &e->plan->dag.edge[low];
	e->id += wm_pair_at(e->plan->pairs->value[low], e->x);
	if (edge->to != WM_DAG_END)
		return enter_block(e, e->plan->dag.node_block[edge->to], WM_NONE, edge->kind == WM_EDGE_RESTART);
	if (edge->kind == WM_EDGE_EXIT && edge->end == WM_END_RETURN)
		return leave_function(e);
	end_path(e, (enum wm_end)edge->end, WM_NONE);
	return WM_OK;
}

/* The start of a path, or of what it does in a callee. */
static enum wm_status take_start(struct encoding *e, bool piece)
{
	const struct wm_dag *dag = &e->plan->dag;
	const struct wm_trail_step *next = next_step(e);
	bool again = piece || !e->plan->scheme->pieces;
	uint32_t first = dag->first_edge[WM_DAG_START], last = dag->first_edge[WM_DAG_START + 1];
	for (uint32_t i = 0; again && e->plan->scheme->cuts && next && i < e->plan->in_unit->call_count; i++) {
		if (!wm_plan_cuts(e->plan, i) || next->site != i)
			continue;
		e->id += wm_pair_at(e->plan->pairs->site[i].start, e->x);
		return enter_block(e, e->plan->in_unit->call[i].block, i, true);
	}
	return take_edge(e, piece ? first + 1 : first, again ? last : first + 1);
}

/* ---- Calls ---- */

/* Whether the path ends in this call. */
static bool is_pending(const struct encoding *e, uint32_t site)
{
	return wm_plan_waits(e->plan, site) && !next_step(e) && e->trail->end == WM_END_CALL && e->trail->cut == site &&
	       e->trail->last == e->current;
}

static enum wm_status call(struct encoding *e, uint32_t site)
{
	const struct wm_call *called = &e->plan->in_unit->call[site];
	e->open[e->depth++] = (struct open){e->plan, site, e->x, e->current};
	enum wm_status status =
		take_step(e, (struct wm_trail_step){.kind = WM_TRAIL_CALL, .block = called->block, .site = site});
	e->x = wm_pair_at(e->plan->pairs->site[site].behind, e->x);
	e->plan = &e->unit->function[called->callee];
	return status == WM_OK ? take_start(e, false) : status;
}

/* Steps over the next call, crosses it or ends there; after the last call of the block, leaves the block. */
static enum wm_status go_on(struct encoding *e)
{
	const struct wm_plan *plan = e->plan;
	uint32_t site = e->site, block = e->trail->step[e->current].block;
	if (site == plan->in_unit->call_count || plan->in_unit->call[site].block != block) {
		uint32_t node = wm_plan_node(plan, block);
		return take_edge(e, plan->dag.first_edge[node], plan->dag.first_edge[node + 1]);
	}
	if (wm_plan_crosses(plan, site))
		return call(e, site);
	e->site++;
	if (wm_plan_cuts(plan, site)) {
		end_path(e, WM_END_CUT, site);
	} else if (is_pending(e, site)) {
		e->id += wm_pair_at(plan->pairs->site[site].behind, e->x);
		end_path(e, WM_END_CALL, site);
	}
	return WM_OK;
}

/* The start of a path with this first step, or NULL. */
static const struct wm_unit_start *find_start(const struct wm_unit_plan *unit, const struct wm_trail_step *step)
{
	bool piece = unit->scheme->pieces && step->restart;
	for (uint32_t i = 0; i < unit->start_count; i++)
		if (unit->start[i].function == step->function && unit->start[i].piece == piece)
			return &unit->start[i];
	return NULL;
}

static enum wm_status follow(struct encoding *e, const struct wm_unit_start *start)
{
	e->plan = &e->unit->function[start->function];
	e->piece = start->piece;
	e->x = start->piece ? e->plan->pairs->behind_exit : 1;
	e->id = start->first;
	enum wm_status status = take_start(e, e->piece);
	while (status == WM_OK && !e->ended)
		status = go_on(e);
	return status;
}

enum wm_status trail_encode(
	const struct wm_unit_plan *unit, const struct wm_trail *trail, uint64_t *id, struct wm_arena *arena)
{
	struct encoding e = {.unit = unit, .trail = trail};
	const struct wm_unit_start *start = trail->count ? find_start(unit, &trail->step[0]) : NULL;
	/* Crossed calls are not recursive. */
	e.open = WM_NEW(arena, struct open, unit->unit->function_count);
	if (!e.open)
		return WM_NO_MEMORY;
	enum wm_status status = start ? follow(&e, start) : WM_BAD_PATH;
	if (status != WM_OK || e.at != trail->count || e.current != trail->last || e.end != (enum wm_end)trail->end ||
		e.cut != trail->cut)
		return WM_BAD_PATH;
	*id = e.id;
	return WM_OK;
}
