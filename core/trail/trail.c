/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/trail/trail.h"

bool wm_trail_calls_next(const struct wm_trail *trail, uint32_t step)
{
	return step + 1 < trail->count && trail->step[step + 1].kind == WM_TRAIL_CALL;
}

bool wm_trail_is_entry(const struct wm_trail *trail, uint32_t step)
{
	const struct wm_trail_step *entered = &trail->step[step];
	return entered->kind == WM_TRAIL_BLOCK && entered->block == 0 && !entered->restart &&
	       (step == 0 || entered[-1].kind == WM_TRAIL_CALL);
}

static bool same_step(const struct wm_trail_step *a, const struct wm_trail_step *b)
{
	return a->kind == b->kind && a->function == b->function && a->block == b->block && a->site == b->site;
}

uint32_t wm_trail_common(const struct wm_trail *a, const struct wm_trail *b)
{
	uint32_t common = 0;
	while (common < a->count && common < b->count && same_step(&a->step[common], &b->step[common]))
		common++;
	return common;
}

/* ---- Paths of one function -------------------------------------------------------- */

/* A path with the context of a loop begins where the context does. */
static bool begins_at_restart(const struct wm_block_path *path)
{
	return path->start != WM_START_ENTRY && !(path->again && path->again[path->fresh]);
}

enum wm_status wm_trail_of_path(const struct wm_trail_owner *owner, const struct wm_block_path *path,
	struct wm_trail *trail, struct wm_arena *arena)
{
	struct wm_trail_step *step = WM_NEW(arena, struct wm_trail_step, path->length);
	if (!step)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < path->length; i++) {
		bool last = i + 1 == path->length;
		step[i] = (struct wm_trail_step){.kind = WM_TRAIL_BLOCK,
			.function = owner->function,
			.block = path->block[i],
			.site = WM_NONE,
			.edge = last ? path->last_edge
				     : wm_graph_find_edge(owner->graph, path->block[i], path->block[i + 1]),
			.again = path->again && path->again[i]};
		if (i && owner->plan->iterations)
			step[i].again = owner->plan->dfs.back_edge[step[i - 1].edge];
	}
	step[0].restart = begins_at_restart(path);
	*trail = (struct wm_trail){.count = path->length,
		.step = step,
		.fresh = path->fresh,
		.start = (uint8_t)path->start,
		.end = (uint8_t)path->end,
		.last = path->length - 1,
		.cut = WM_NONE};
	return WM_OK;
}

/* ---- Paths across calls ----------------------------------------------------------- */

struct listing {
	const struct wm_unit_plan *plan;
	struct wm_trail *trail;
	uint32_t *current; /* per open frame: the step into its block */
	uint32_t depth;
};

static const struct wm_dag_edge *edge_of(const struct wm_unit_plan *plan, const struct wm_step *step)
{
	return &plan->function[step->function].plan.dag.edge[step->index];
}

static struct wm_trail_step *push_step(struct listing *l, enum wm_trail_kind kind, const struct wm_step *step)
{
	struct wm_trail_step *made = &l->trail->step[l->trail->count++];
	*made = (struct wm_trail_step){
		.kind = kind, .function = step->function, .site = WM_NONE, .edge = WM_NONE, .depth = l->depth};
	return made;
}

static void enter_block(struct listing *l, const struct wm_step *step, uint32_t block, bool restart)
{
	l->current[l->depth] = l->trail->count;
	struct wm_trail_step *made = push_step(l, WM_TRAIL_BLOCK, step);
	made->block = block;
	made->restart = restart;
}

static void take_edge(struct listing *l, const struct wm_step *step)
{
	const struct wm_dag_edge *edge = edge_of(l->plan, step);
	uint32_t block = l->plan->function[step->function].plan.dag.node_block[edge->to];
	if (edge->cfg_edge != WM_NONE)
		l->trail->step[l->current[l->depth]].edge = edge->cfg_edge;
	if (block != WM_NONE)
		enter_block(l, step, block, edge->kind == WM_EDGE_RESTART);
}

static struct wm_trail_step *push_call(struct listing *l, enum wm_trail_kind kind, const struct wm_step *step)
{
	struct wm_trail_step *made = push_step(l, kind, step);
	made->site = step->index;
	made->block = l->plan->unit->function[step->function].call[step->index].block;
	return made;
}

/* After a return without its call the block of the caller is not on the path: what follows leaves it. */
static void go_back(struct listing *l, const struct wm_step *step, bool lone)
{
	l->depth--;
	if (lone)
		l->current[l->depth] = l->trail->count;
	push_call(l, WM_TRAIL_RETURN, step)->lone = lone;
}

static void take_step(struct listing *l, const struct wm_step *step, uint32_t *open)
{
	switch (step->kind) {
	case WM_STEP_EDGE:
		take_edge(l, step);
		break;
	case WM_STEP_CALL:
		l->depth++;
		push_call(l, WM_TRAIL_CALL, step);
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
		l->trail->step[l->trail->count - 1].site = step->index;
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

static void find_ends(const struct wm_unit_plan *plan, const struct wm_unit_path *path, struct wm_trail *trail)
{
	const struct wm_step *last = &path->step[path->length - 1];
	bool cut = last->kind == WM_STEP_CUT, pending = last->kind == WM_STEP_PENDING;
	trail->end = (uint8_t)(cut ? WM_END_CUT : pending ? WM_END_CALL : edge_of(plan, last)->end);
	trail->cut = cut || pending ? last->index : WM_NONE;
	trail->start = WM_START_ENTRY;
	for (uint32_t i = 0; i < path->length; i++) {
		const struct wm_step *step = &path->step[i];
		if (step->kind == WM_STEP_BEHIND)
			trail->start = WM_START_CUT;
		else if (step->kind == WM_STEP_EDGE && edge_of(plan, step)->kind == WM_EDGE_RESTART)
			trail->start = (uint8_t)edge_of(plan, step)->start;
	}
	trail->fresh = 0;
	for (uint32_t i = 0; i < trail->count; i++)
		if (trail->step[i].restart)
			trail->fresh = i;
}

enum wm_status wm_trail_decode(
	const struct wm_unit_plan *plan, uint64_t id, struct wm_trail *trail, struct wm_arena *arena)
{
	struct wm_unit_path path = {0};
	uint32_t lone, deepest, open = 0;
	enum wm_status status = wm_unit_path_decode(plan, id, &path, arena);
	if (status != WM_OK)
		return status;
	measure(&path, &lone, &deepest);
	struct listing l = {
		.plan = plan, .trail = trail, .current = WM_NEW(arena, uint32_t, lone + deepest + 1), .depth = lone};
	*trail = (struct wm_trail){.step = WM_NEW(arena, struct wm_trail_step, path.length + 1)};
	if (!l.current || !trail->step)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < path.length; i++)
		take_step(&l, &path.step[i], &open);
	trail->last = l.current[l.depth];
	find_ends(plan, &path, trail);
	return WM_OK;
}
