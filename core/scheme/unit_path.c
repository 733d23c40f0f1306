/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One walk serves both directions.  Wherever a path can go on in several ways, decoding chooses the last one
 * whose value is at most what is left of the id, and encoding the one that the next step names; both then
 * take the value into account and go on.
 */
#include "core/scheme/unit_path.h"

/* A call that is open. */
struct open {
	uint32_t function, site;
	uint64_t x; /* in the caller */
};

struct walk {
	const struct wm_unit_plan *plan;
	struct wm_arena *arena;
	bool decodes;
	struct wm_unit_path *path;
	uint32_t at; /* steps that were walked */
	uint64_t number; /* decoding: what is left of the id; encoding: its value so far */
	uint32_t function;
	uint64_t x; /* completions after the exit of the function */
	bool piece; /* the path began at a restart and has no context */
	struct open *open;
	uint32_t depth;
};

static bool has_room(struct walk *w)
{
	struct wm_unit_path *path = w->path;
	struct wm_step *grown = wm_arena_grow(w->arena, path->step, &path->capacity, path->length, sizeof *grown);
	path->step = grown ? grown : path->step;
	return grown;
}

/* The next step is this one, and adds a value. */
static enum wm_status take(struct walk *w, struct wm_step step, uint64_t value)
{
	const struct wm_step *given = w->decodes ? NULL : &w->path->step[w->at];
	if (w->decodes && !has_room(w))
		return WM_NO_MEMORY;
	if (given && (w->at == w->path->length || given->kind != step.kind || given->function != step.function ||
			     given->index != step.index))
		return WM_BAD_PATH;
	if (w->decodes)
		w->path->step[w->path->length++] = step;
	w->at++;
	w->number += w->decodes ? -value : value;
	return WM_OK;
}

static const struct wm_function_plan *here(const struct walk *w)
{
	return &w->plan->function[w->function];
}

/* Of the edges from `low` on, below `high`, the one that the path has; WM_NONE when it has none of them. */
static uint32_t choose_edge(const struct walk *w, uint32_t low, uint32_t high)
{
	const struct wm_function_plan *f = here(w);
	if (!w->decodes) {
		const struct wm_step *step = &w->path->step[w->at];
		bool named = w->at < w->path->length && step->kind == WM_STEP_EDGE && step->index >= low &&
			     step->index < high && !f->unused[step->index];
		return named ? step->index : WM_NONE;
	}
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		*(wm_pair_at(f->value[middle], w->x) <= w->number ? &low : &high) = middle;
	}
	return low;
}

static enum wm_status take_edge(struct walk *w, uint32_t low, uint32_t high, uint32_t *edge)
{
	*edge = choose_edge(w, low, high);
	if (*edge == WM_NONE)
		return WM_BAD_PATH;
	return take(w, (struct wm_step){WM_STEP_EDGE, w->function, *edge}, wm_pair_at(here(w)->value[*edge], w->x));
}

/* The call that cuts paths and after which the path begins, or goes on in a callee; WM_NONE for an edge from Start. */
static uint32_t choose_cut(const struct walk *w)
{
	uint32_t count = w->plan->unit->function[w->function].call_count, found = WM_NONE;
	const struct wm_step *step = w->decodes ? NULL : &w->path->step[w->at];
	if (step && (w->at == w->path->length || step->kind != WM_STEP_BEHIND))
		return WM_NONE;
	for (uint32_t i = 0; i < count; i++)
		if (wm_unit_cuts(w->plan, w->function, i) &&
			(step ? step->index == i : wm_pair_at(here(w)->site[i].start, w->x) <= w->number))
			found = i;
	return found;
}

static enum wm_status leave_block(struct walk *w, uint32_t block, uint32_t site, uint32_t *edge);

/* The start of a path, or of what it does in a callee. */
static enum wm_status take_start(struct walk *w, bool piece, uint32_t *edge)
{
	const struct wm_dag *dag = &here(w)->plan.dag;
	bool again = piece || !w->plan->scheme->pieces;
	uint32_t first = dag->first_edge[WM_DAG_START], last = dag->first_edge[WM_DAG_START + 1];
	uint32_t cut = again && w->plan->scheme->cuts ? choose_cut(w) : WM_NONE;
	if (cut == WM_NONE)
		return take_edge(w, piece ? first + 1 : first, again ? last : first + 1, edge);
	struct wm_step step = {WM_STEP_BEHIND, w->function, cut};
	enum wm_status status = take(w, step, wm_pair_at(here(w)->site[cut].start, w->x));
	uint32_t block = w->plan->unit->function[w->function].call[cut].block;
	return status == WM_OK ? leave_block(w, block, cut + 1, edge) : status;
}

/* Whether the path ends in this call. */
static bool is_pending(const struct walk *w, uint32_t site)
{
	if (!wm_unit_waits(w->plan, w->function, site))
		return false;
	if (w->decodes)
		return w->number >= wm_pair_at(here(w)->site[site].behind, w->x);
	const struct wm_step *step = &w->path->step[w->at];
	return w->at < w->path->length && step->kind == WM_STEP_PENDING && step->index == site;
}

/* The first site from `site` on that the block crosses, that cuts the path or in which it ends, or WM_NONE. */
static uint32_t next_site(const struct walk *w, uint32_t block, uint32_t site)
{
	const struct wm_unit_function *in_unit = &w->plan->unit->function[w->function];
	for (; site < in_unit->call_count && in_unit->call[site].block == block; site++)
		if (here(w)->site[site].crossing == WM_CROSSED || wm_unit_cuts(w->plan, w->function, site) ||
			is_pending(w, site))
			return site;
	return WM_NONE;
}

static enum wm_status call(struct walk *w, uint32_t site, uint32_t *edge)
{
	enum wm_status status = take(w, (struct wm_step){WM_STEP_CALL, w->function, site}, 0);
	if (status != WM_OK)
		return status;
	w->open[w->depth++] = (struct open){w->function, site, w->x};
	w->x = wm_pair_at(here(w)->site[site].behind, w->x);
	w->function = w->plan->unit->function[w->function].call[site].callee;
	return take_start(w, false, edge);
}

/* In a block, before the call site `site` or any above: crosses the next call, or leaves the block.  *edge is WM_NONE
 * where the path ends. */
static enum wm_status leave_block(struct walk *w, uint32_t block, uint32_t site, uint32_t *edge)
{
	const struct wm_dag *dag = &here(w)->plan.dag;
	uint32_t next = next_site(w, block, site), node = wm_function_node(here(w), block);
	if (next == WM_NONE)
		return take_edge(w, dag->first_edge[node], dag->first_edge[node + 1], edge);
	const struct wm_site *site_here = &here(w)->site[next];
	if (site_here->crossing == WM_CROSSED)
		return call(w, next, edge);
	*edge = WM_NONE;
	if (wm_unit_cuts(w->plan, w->function, next))
		return take(w, (struct wm_step){WM_STEP_CUT, w->function, next}, 0);
	return take(w, (struct wm_step){WM_STEP_PENDING, w->function, next}, wm_pair_at(site_here->behind, w->x));
}

static enum wm_status go_on_behind(struct walk *w, uint32_t function, uint32_t site, uint64_t value, uint32_t *edge)
{
	enum wm_status status = take(w, (struct wm_step){WM_STEP_RETURN, function, site}, value);
	if (status != WM_OK)
		return status;
	w->function = function;
	return leave_block(w, w->plan->unit->function[function].call[site].block, site + 1, edge);
}

/* The index of the caller that a path without an open call returns to; caller_count: it ends. */
static uint32_t choose_caller(const struct walk *w)
{
	const struct wm_function_plan *f = here(w);
	uint32_t low = 0, high = f->caller_count;
	if (!w->decodes) {
		const struct wm_step *step = &w->path->step[w->at];
		while (w->at < w->path->length && low < high &&
			(f->caller[low].function != step->function || f->caller[low].site != step->index))
			low++;
		return w->at < w->path->length ? low : high;
	}
	if (high == 0 || (f->root && w->number >= f->exit_value))
		return high;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		const struct wm_caller *caller = &f->caller[middle];
		uint64_t value = w->plan->function[caller->function].site[caller->site].edge_value;
		*(value <= w->number ? &low : &high) = middle;
	}
	return low;
}

/* At the exit of a function: the path goes on in a caller, or ends with *edge WM_NONE. */
static enum wm_status leave_function(struct walk *w, uint32_t *edge)
{
	*edge = WM_NONE;
	if (w->depth) {
		struct open open = w->open[--w->depth];
		w->x = open.x;
		return go_on_behind(w, open.function, open.site, 0, edge);
	}
	if (!w->piece)
		return WM_OK;
	const struct wm_function_plan *f = here(w);
	uint32_t index = choose_caller(w);
	if (index == f->caller_count) {
		w->number += w->decodes ? -f->exit_value : f->exit_value;
		return f->root ? WM_OK : WM_BAD_PATH;
	}
	const struct wm_caller *caller = &f->caller[index];
	const struct wm_function_plan *to = &w->plan->function[caller->function];
	w->x = to->behind_exit;
	return go_on_behind(w, caller->function, caller->site, to->site[caller->site].edge_value, edge);
}

static enum wm_status walk_path(struct walk *w)
{
	uint32_t edge;
	enum wm_status status = take_start(w, w->piece, &edge);
	while (status == WM_OK && edge != WM_NONE) {
		const struct wm_dag *dag = &here(w)->plan.dag;
		const struct wm_dag_edge *taken = &dag->edge[edge];
		if (taken->to != WM_DAG_END) {
			uint32_t block = dag->node_block[taken->to];
			status = leave_block(
				w, block, wm_unit_first_call(&w->plan->unit->function[w->function], block), &edge);
		} else if (taken->kind == WM_EDGE_EXIT && taken->end == WM_END_RETURN) {
			status = leave_function(w, &edge);
		} else {
			edge = WM_NONE;
		}
	}
	return status;
}

static enum wm_status begin(struct walk *w, const struct wm_unit_start *start)
{
	const struct wm_function_plan *f = &w->plan->function[start->function];
	w->function = start->function;
	w->piece = start->piece;
	w->x = start->piece ? f->behind_exit : 1;
	w->number += w->decodes ? -start->first : start->first;
	/* Crossed calls are not recursive. */
	w->open = WM_NEW(w->arena, struct open, w->plan->unit->function_count);
	return w->open ? walk_path(w) : WM_NO_MEMORY;
}

enum wm_status wm_unit_path_decode(
	const struct wm_unit_plan *plan, uint64_t id, struct wm_unit_path *path, struct wm_arena *arena)
{
	struct walk w = {.plan = plan, .arena = arena, .decodes = true, .path = path, .number = id};
	uint32_t low = 0, high = plan->start_count;
	if (id >= plan->path_count)
		return WM_BAD_PATH;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		*(plan->start[middle].first <= id ? &low : &high) = middle;
	}
	path->length = 0;
	return begin(&w, &plan->start[low]);
}

/* The start of a path with this first step, or NULL. */
static const struct wm_unit_start *find_start(const struct wm_unit_plan *plan, const struct wm_step *step)
{
	if ((step->kind != WM_STEP_EDGE && step->kind != WM_STEP_BEHIND) ||
		step->function >= plan->unit->function_count)
		return NULL;
	const struct wm_dag *dag = &plan->function[step->function].plan.dag;
	bool entry = step->kind == WM_STEP_EDGE && step->index == dag->first_edge[WM_DAG_START];
	bool piece = plan->scheme->pieces && !entry;
	for (uint32_t i = 0; i < plan->start_count; i++)
		if (plan->start[i].function == step->function && plan->start[i].piece == piece)
			return &plan->start[i];
	return NULL;
}

enum wm_status wm_unit_path_encode(
	const struct wm_unit_plan *plan, const struct wm_unit_path *path, uint64_t *id, struct wm_arena *arena)
{
	struct wm_unit_path given = *path;
	struct walk w = {.plan = plan, .arena = arena, .path = &given};
	const struct wm_unit_start *start = path->length ? find_start(plan, &path->step[0]) : NULL;
	enum wm_status status = start ? begin(&w, start) : WM_BAD_PATH;
	if (status != WM_OK || w.at != path->length)
		return status == WM_NO_MEMORY ? status : WM_BAD_PATH;
	*id = w.number;
	return WM_OK;
}
