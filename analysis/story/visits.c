/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "analysis/story/visits.h"

struct listing {
	const struct wm_unit_plan *plan;
	struct wm_visits *visits;
	uint32_t *current; /* per open frame: the visit of its block */
	uint32_t depth;
};

static const struct wm_dag_edge *edge_of(const struct wm_unit_plan *plan, const struct wm_step *step)
{
	return &plan->function[step->function].plan.dag.edge[step->index];
}

static struct wm_visit *push(struct listing *l, enum wm_visit_kind kind, const struct wm_step *step)
{
	struct wm_visit *visit = &l->visits->visit[l->visits->count++];
	*visit = (struct wm_visit){
		.kind = kind, .function = step->function, .site = WM_NONE, .edge = WM_NONE, .depth = l->depth};
	return visit;
}

static void enter_block(struct listing *l, const struct wm_step *step, uint32_t block, bool restart)
{
	l->current[l->depth] = l->visits->count;
	struct wm_visit *visit = push(l, WM_VISIT_BLOCK, step);
	visit->block = block;
	visit->restart = restart;
}

static void take_edge(struct listing *l, const struct wm_step *step)
{
	const struct wm_dag_edge *edge = edge_of(l->plan, step);
	uint32_t block = l->plan->function[step->function].plan.dag.node_block[edge->to];
	if (edge->cfg_edge != WM_NONE)
		l->visits->visit[l->current[l->depth]].edge = edge->cfg_edge;
	if (block != WM_NONE)
		enter_block(l, step, block, edge->kind == WM_EDGE_RESTART);
}

static void cross(struct listing *l, const struct wm_step *step)
{
	struct wm_visit *visit = push(l, WM_VISIT_CALL, step);
	visit->site = step->index;
	visit->block = l->plan->unit->function[step->function].call[step->index].block;
	l->depth++;
}

/* After a return without its call the block of the caller is not on the path: what follows leaves it. */
static void go_back(struct listing *l, const struct wm_step *step, bool lone)
{
	l->depth--;
	if (lone)
		l->current[l->depth] = l->visits->count;
	struct wm_visit *visit = push(l, WM_VISIT_RETURN, step);
	visit->site = step->index;
	visit->block = l->plan->unit->function[step->function].call[step->index].block;
	visit->lone = lone;
}

static void take_step(struct listing *l, const struct wm_step *step, uint32_t *open)
{
	switch (step->kind) {
	case WM_STEP_EDGE:
		take_edge(l, step);
		break;
	case WM_STEP_CALL:
		cross(l, step);
		++*open;
		break;
	case WM_STEP_RETURN:
		go_back(l, step, *open == 0);
		*open -= *open != 0;
		break;
	case WM_STEP_CUT:
	case WM_STEP_PENDING:
		break;
	case WM_STEP_BEHIND:
		enter_block(l, step, l->plan->unit->function[step->function].call[step->index].block, true);
		l->visits->visit[l->visits->count - 1].site = step->index;
		break;
	}
}

/* How many calls return that are not on the path, and the most calls that are open at once. */
static void measure(const struct wm_unit_path *path, uint32_t *lone, uint32_t *deepest)
{
	uint32_t open = 0;
	*lone = *deepest = 0;
	for (uint32_t i = 0; i < path->length; i++) {
		enum wm_step_kind kind = path->step[i].kind;
		*lone += kind == WM_STEP_RETURN && open == 0;
		open = kind == WM_STEP_CALL ? open + 1 : open - (kind == WM_STEP_RETURN && open);
		*deepest = open > *deepest ? open : *deepest;
	}
}

static void find_ends(const struct wm_unit_plan *plan, const struct wm_unit_path *path, struct wm_visits *visits)
{
	const struct wm_step *last = &path->step[path->length - 1];
	bool cut = last->kind == WM_STEP_CUT, pending = last->kind == WM_STEP_PENDING;
	visits->end = (uint8_t)(cut ? WM_END_CUT : pending ? WM_END_CALL : edge_of(plan, last)->end);
	visits->last_function = last->function;
	visits->cut = cut || pending ? last->index : WM_NONE;
	visits->start = WM_START_ENTRY;
	for (uint32_t i = 0; i < path->length; i++) {
		const struct wm_step *step = &path->step[i];
		if (step->kind == WM_STEP_BEHIND)
			visits->start = WM_START_CUT;
		else if (step->kind == WM_STEP_EDGE && edge_of(plan, step)->kind == WM_EDGE_RESTART)
			visits->start = (uint8_t)edge_of(plan, step)->start;
	}
	visits->fresh = 0;
	for (uint32_t i = 0; i < visits->count; i++)
		if (visits->visit[i].restart)
			visits->fresh = i;
}

enum wm_status wm_visits_decode(
	const struct wm_unit_plan *plan, uint64_t id, struct wm_visits *visits, struct wm_arena *arena)
{
	struct wm_unit_path path = {0};
	uint32_t lone, deepest, open = 0;
	enum wm_status status = wm_unit_path_decode(plan, id, &path, arena);
	if (status != WM_OK)
		return status;
	measure(&path, &lone, &deepest);
	struct listing l = {
		.plan = plan, .visits = visits, .current = WM_NEW(arena, uint32_t, lone + deepest + 1), .depth = lone};
	*visits = (struct wm_visits){.visit = WM_NEW(arena, struct wm_visit, path.length + 1)};
	if (!l.current || !visits->visit)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < path.length; i++)
		take_step(&l, &path.step[i], &open);
	visits->last = l.current[l.depth];
	find_ends(plan, &path, visits);
	return WM_OK;
}
