/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ids and trails.  Wherever a path across calls can go on in several ways, it goes on in the last one whose value is at most
 * what is left of the id.  test/core/trail_encode.c has the inverse.
 */
#include "core/base/search.h"
#include "core/trail/trail.h"

/* ---- Paths of one function -------------------------------------------------------- */

/* A path with the context of a loop begins where the context does. */
static bool begins_at_restart(const struct wm_block_path *path)
{
	return path->start != WM_START_ENTRY && !(path->again && path->again[path->fresh]);
}

enum wm_status wm_trail_of_path(
	const struct wm_plan *plan, const struct wm_block_path *path, struct wm_trail *trail, struct wm_arena *arena)
{
	struct wm_trail_step *step = WM_NEW(arena, struct wm_trail_step, path->length);
	if (!step)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < path->length; i++) {
		bool last = i + 1 == path->length;
		step[i] = (struct wm_trail_step){.kind = WM_TRAIL_BLOCK,
			.function = plan->index,
			.block = path->block[i],
			.site = WM_NONE,
			.edge = last ? path->last_edge
				     : wm_graph_find_edge(plan->graph, path->block[i], path->block[i + 1]),
			.again = path->again && path->again[i]};
		if (i && plan->iterations)
			step[i].again = plan->dfs.back_edge[step[i - 1].edge];
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

static enum wm_status decode_inside(
	const struct wm_plan *plan, uint64_t id, struct wm_trail *trail, struct wm_arena *arena)
{
	bool contexts = plan->scheme->contexts;
	struct wm_block_path path = {.again = contexts ? WM_NEW(arena, bool, plan->dag.node_count) : NULL};
	enum wm_status status = contexts && !path.again ? WM_NO_MEMORY : wm_plan_decode(plan, id, &path, arena);
	return status == WM_OK ? wm_trail_of_path(plan, &path, trail, arena) : status;
}

enum wm_status wm_trail_decode_pieces(const struct wm_plan *plan, const uint64_t *piece, uint32_t length,
	struct wm_trail *trail, struct wm_arena *arena)
{
	struct wm_block_path path = {0};
	enum wm_status status = wm_sequence_decode(plan, piece, length, &path, arena);
	return status == WM_OK ? wm_trail_of_path(plan, &path, trail, arena) : status;
}

/* ---- Paths across calls ----------------------------------------------------------- */

/* A call that is open. */
struct open {
	const struct wm_plan *plan; /* of the caller */
	uint32_t site;
	uint64_t x; /* in the caller */
	uint32_t current;
};

struct walk {
	const struct wm_unit_plan *unit;
	struct wm_arena *arena;
	struct wm_trail *trail;
	uint32_t capacity;
	uint32_t current; /* the step into the block in which the walk is */
	uint64_t number; /* what is left of the id */
	const struct wm_plan *plan; /* of the function */
	uint32_t site; /* the next call of the function; the block may have none */
	uint64_t x; /* completions after the exit of the function */
	bool piece; /* the path began at a restart and has no context */
	struct open *open;
	uint32_t depth;
	uint32_t lone; /* returns whose calls the path does not have */
	bool ended;
	enum wm_end end;
	uint32_t cut; /* wm_trail.cut */
};

/* `depth` is relative to the beginning of the path, until the number of lone returns is known. */
static enum wm_status push_step(struct walk *w, struct wm_trail_step step)
{
	struct wm_trail *trail = w->trail;
	struct wm_trail_step *grown = wm_arena_grow(w->arena, trail->step, &w->capacity, trail->count, sizeof *grown);
	if (!grown)
		return WM_NO_MEMORY;
	trail->step = grown;
	step.function = w->plan->index;
	step.edge = WM_NONE;
	step.depth = w->depth - w->lone;
	if (step.kind == WM_TRAIL_BLOCK || step.lone)
		w->current = trail->count;
	trail->step[trail->count++] = step;
	return WM_OK;
}

/* ---- Edges ---- */

/* Of the edges from `low` on, below `high`, the one that the path has; WM_NONE: there are no edges. */
static uint32_t choose_edge(const struct walk *w, uint32_t low, uint32_t high)
{
	uint32_t next;
	if (low == high)
		return WM_NONE;
	WM_LOWER_BOUND(next, low + 1, high, wm_pair_at(w->plan->pairs->value[next], w->x) <= w->number);
	return next - 1;
}

static void note_start(struct walk *w, enum wm_start start)
{
	w->trail->start = (uint8_t)start;
	w->trail->fresh = w->trail->count;
}

static void end_path(struct walk *w, enum wm_end end, uint32_t cut)
{
	w->ended = true;
	w->end = end;
	w->cut = cut;
}

/* Enters a block before its calls, or after the call `behind`. */
static enum wm_status enter_block(struct walk *w, uint32_t block, uint32_t behind, bool restart)
{
	w->site = behind == WM_NONE ? w->plan->pairs->first_call[block] : behind + 1;
	return push_step(
		w, (struct wm_trail_step){.kind = WM_TRAIL_BLOCK, .block = block, .site = behind, .restart = restart});
}

/* ---- The ends of functions ---- */

static enum wm_status go_back(struct walk *w, const struct wm_plan *plan, uint32_t site, bool lone)
{
	w->plan = plan;
	w->site = site + 1;
	return push_step(w,
		(struct wm_trail_step){
			.kind = WM_TRAIL_RETURN, .block = plan->in_unit->call[site].block, .site = site, .lone = lone});
}

static uint64_t caller_value(const struct walk *w, const struct wm_caller *caller)
{
	return w->unit->function[caller->function].pairs->site[caller->site].edge_value;
}

/* The index of the caller that a path without an open call returns to; caller_count: it ends. */
static uint32_t choose_caller(const struct walk *w)
{
	const struct wm_pairs *f = w->plan->pairs;
	uint32_t next;
	if (f->caller_count == 0 || (f->root && w->number >= f->exit_value))
		return f->caller_count;
	WM_LOWER_BOUND(next, 1, f->caller_count, caller_value(w, &f->caller[next]) <= w->number);
	return next - 1;
}

/* A piece goes on in any caller, or ends. */
static enum wm_status leave_piece(struct walk *w)
{
	const struct wm_pairs *f = w->plan->pairs;
	uint32_t index = choose_caller(w);
	if (index == f->caller_count) {
		w->number -= f->exit_value;
		end_path(w, WM_END_RETURN, WM_NONE);
		return f->root ? WM_OK : WM_BAD_PATH;
	}
	const struct wm_caller *caller = &f->caller[index];
	const struct wm_plan *to = &w->unit->function[caller->function];
	w->x = to->pairs->behind_exit;
	w->lone++;
	w->number -= to->pairs->site[caller->site].edge_value;
	return go_back(w, to, caller->site, true);
}

static enum wm_status leave_function(struct walk *w)
{
	if (!w->depth && w->piece)
		return leave_piece(w);
	if (!w->depth) {
		end_path(w, WM_END_RETURN, WM_NONE);
		return WM_OK;
	}
	struct open open = w->open[--w->depth];
	w->x = open.x;
	w->current = open.current;
	return go_back(w, open.plan, open.site, false);
}

/* ---- Starts ---- */

static enum wm_status take_edge(struct walk *w, uint32_t low, uint32_t high)
{
	uint32_t e = choose_edge(w, low, high);
	if (e == WM_NONE)
		return WM_BAD_PATH;
	const struct wm_dag_edge *edge = &w->plan->dag.edge[e];
	bool restart = edge->kind == WM_EDGE_RESTART;
	w->number -= wm_pair_at(w->plan->pairs->value[e], w->x);
	if (edge->cfg_edge != WM_NONE)
		w->trail->step[w->current].edge = edge->cfg_edge;
	if (restart)
		note_start(w, (enum wm_start)edge->start);
	if (edge->to != WM_DAG_END)
		return enter_block(w, w->plan->dag.node_block[edge->to], WM_NONE, restart);
	if (edge->kind == WM_EDGE_EXIT && edge->end == WM_END_RETURN)
		return leave_function(w);
	end_path(w, (enum wm_end)edge->end, WM_NONE);
	return WM_OK;
}

/* The call that cuts paths and after which the path begins, or goes on in a callee; WM_NONE for an edge from Start. */
static uint32_t choose_cut(const struct walk *w)
{
	uint32_t found = WM_NONE;
	for (uint32_t i = 0; i < w->plan->in_unit->call_count; i++)
		if (wm_plan_cuts(w->plan, i) && wm_pair_at(w->plan->pairs->site[i].start, w->x) <= w->number)
			found = i;
	return found;
}

/* The start of a path, or of what it does in a callee. */
static enum wm_status take_start(struct walk *w, bool piece)
{
	const struct wm_dag *dag = &w->plan->dag;
	bool again = piece || !w->plan->scheme->pieces;
	uint32_t first = dag->first_edge[WM_DAG_START], last = dag->first_edge[WM_DAG_START + 1];
	uint32_t cut = again && w->plan->scheme->cuts ? choose_cut(w) : WM_NONE;
	if (cut == WM_NONE)
		return take_edge(w, piece ? first + 1 : first, again ? last : first + 1);
	w->number -= wm_pair_at(w->plan->pairs->site[cut].start, w->x);
	note_start(w, WM_START_CUT);
	return enter_block(w, w->plan->in_unit->call[cut].block, cut, true);
}

/* ---- Calls ---- */

/* Whether the path ends in this call. */
static bool is_pending(const struct walk *w, uint32_t site)
{
	return wm_plan_waits(w->plan, site) && w->number >= wm_pair_at(w->plan->pairs->site[site].behind, w->x);
}

static enum wm_status call(struct walk *w, uint32_t site)
{
	const struct wm_call *called = &w->plan->in_unit->call[site];
	w->open[w->depth++] = (struct open){w->plan, site, w->x, w->current};
	enum wm_status status =
		push_step(w, (struct wm_trail_step){.kind = WM_TRAIL_CALL, .block = called->block, .site = site});
	w->x = wm_pair_at(w->plan->pairs->site[site].behind, w->x);
	w->plan = &w->unit->function[called->callee];
	return status == WM_OK ? take_start(w, false) : status;
}

/* Steps over the next call, crosses it or ends there; after the last call of the block, leaves the block. */
static enum wm_status go_on(struct walk *w)
{
	const struct wm_plan *plan = w->plan;
	uint32_t site = w->site, block = w->trail->step[w->current].block;
	if (site == plan->in_unit->call_count || plan->in_unit->call[site].block != block) {
		uint32_t node = wm_plan_node(plan, block);
		return take_edge(w, plan->dag.first_edge[node], plan->dag.first_edge[node + 1]);
	}
	if (wm_plan_crosses(plan, site))
		return call(w, site);
	w->site++;
	if (wm_plan_cuts(plan, site)) {
		end_path(w, WM_END_CUT, site);
	} else if (is_pending(w, site)) {
		w->number -= wm_pair_at(plan->pairs->site[site].behind, w->x);
		end_path(w, WM_END_CALL, site);
	}
	return WM_OK;
}

static enum wm_status walk_path(struct walk *w, const struct wm_unit_start *start)
{
	w->plan = &w->unit->function[start->function];
	w->piece = start->piece;
	w->x = start->piece ? w->plan->pairs->behind_exit : 1;
	w->number -= start->first;
	/* Crossed calls are not recursive. */
	w->open = WM_NEW(w->arena, struct open, w->unit->unit->function_count);
	enum wm_status status = w->open ? take_start(w, w->piece) : WM_NO_MEMORY;
	while (status == WM_OK && !w->ended)
		status = go_on(w);
	return status;
}

static enum wm_status decode_across(
	const struct wm_unit_plan *unit, uint64_t id, struct wm_trail *trail, struct wm_arena *arena)
{
	struct wm_trail made = {.start = WM_START_ENTRY};
	struct walk w = {.unit = unit, .arena = arena, .trail = &made, .number = id};
	uint32_t next;
	if (id >= unit->path_count)
		return WM_BAD_PATH;
	WM_LOWER_BOUND(next, 1, unit->start_count, unit->start[next].first <= id);
	enum wm_status status = walk_path(&w, &unit->start[next - 1]);
	if (status != WM_OK)
		return status;
	for (uint32_t i = 0; i < made.count; i++)
		made.step[i].depth += w.lone;
	made.end = (uint8_t)w.end;
	made.cut = w.cut;
	made.last = w.current;
	*trail = made;
	return WM_OK;
}

enum wm_status wm_trail_decode(const struct wm_plan *plan, uint64_t id, struct wm_trail *trail, struct wm_arena *arena)
{
	return wm_plan_crosses_calls(plan) ? decode_across(plan->pairs->unit, id, trail, arena)
					   : decode_inside(plan, id, trail, arena);
}

enum wm_status wm_trail_find(const struct wm_plan *plan, uint64_t id, wm_name_lookup *lookup, const void *closure,
	struct wm_trail *trail, struct wm_arena *arena)
{
	struct wm_block_path path = {0};
	if (!wm_plan_has_pieces(plan))
		return wm_trail_decode(plan, id, trail, arena);
	enum wm_status status = wm_sequence_find(plan, id, lookup, closure, &path, arena);
	return status == WM_OK ? wm_trail_of_path(plan, &path, trail, arena) : status;
}
