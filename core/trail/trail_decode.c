/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ids and trails.  For paths across calls, one walk serves both directions.  Wherever a path can go on in several ways,
 * decoding chooses the last one whose value is at most what is left of the id, and encoding the one that the trail has; both
 * then take the value into account and go on.
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
	bool decodes;
	struct wm_trail *trail;
	uint32_t capacity;
	uint32_t at; /* steps that were walked */
	uint32_t current; /* the step into the block in which the walk is */
	uint64_t number; /* decoding: what is left of the id; encoding: its value so far */
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

static void add_value(struct walk *w, uint64_t value)
{
	w->number += w->decodes ? -value : value;
}

/* The step that encoding takes next, or NULL. */
static const struct wm_trail_step *given_step(const struct walk *w)
{
	return w->at < w->trail->count ? &w->trail->step[w->at] : NULL;
}

/* `depth` is relative to the beginning of the path, until the number of lone returns is known. */
static bool push_step(struct walk *w, struct wm_trail_step step)
{
	struct wm_trail *trail = w->trail;
	struct wm_trail_step *grown = wm_arena_grow(w->arena, trail->step, &w->capacity, trail->count, sizeof *grown);
	if (!grown)
		return false;
	trail->step = grown;
	step.edge = WM_NONE;
	step.depth = w->depth - w->lone;
	trail->step[trail->count++] = step;
	return true;
}

static bool is_given(const struct walk *w, const struct wm_trail_step *step)
{
	const struct wm_trail_step *given = given_step(w);
	return given && wm_trail_same_step(given, step) && given->restart == step->restart && given->lone == step->lone;
}

/* The next step is this one. */
static enum wm_status take_step(struct walk *w, struct wm_trail_step step)
{
	step.function = w->plan->index;
	if (w->decodes ? !push_step(w, step) : !is_given(w, &step))
		return w->decodes ? WM_NO_MEMORY : WM_BAD_PATH;
	if (step.kind == WM_TRAIL_BLOCK || step.lone)
		w->current = w->at;
	w->at++;
	return WM_OK;
}

/* ---- Edges ---- */

static bool has_edge(const struct walk *w, uint32_t e)
{
	const struct wm_dag_edge *edge = &w->plan->dag.edge[e];
	const struct wm_trail_step *step = given_step(w);
	if (w->plan->pairs->unused[e])
		return false;
	if (edge->from != WM_DAG_START)
		return edge->cfg_edge == w->trail->step[w->current].edge;
	return step && step->restart == (edge->kind == WM_EDGE_RESTART) &&
	       step->block == w->plan->dag.node_block[edge->to];
}

/* Of the edges from `low` on, below `high`, the one that the path has; WM_NONE when it has none of them. */
static uint32_t choose_edge(const struct walk *w, uint32_t low, uint32_t high)
{
	while (!w->decodes && low < high && !has_edge(w, low))
		low++;
	if (low == high || !w->decodes)
		return low < high ? low : WM_NONE;
	uint32_t next;
	WM_LOWER_BOUND(next, low + 1, high, wm_pair_at(w->plan->pairs->value[next], w->x) <= w->number);
	return next - 1;
}

static void note_start(struct walk *w, enum wm_start start)
{
	if (w->decodes) {
		w->trail->start = (uint8_t)start;
		w->trail->fresh = w->at;
	}
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
	return take_step(
		w, (struct wm_trail_step){.kind = WM_TRAIL_BLOCK, .block = block, .site = behind, .restart = restart});
}

/* ---- The ends of functions ---- */

static enum wm_status go_back(struct walk *w, const struct wm_plan *plan, uint32_t site, bool lone)
{
	w->plan = plan;
	w->site = site + 1;
	return take_step(w,
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
	uint32_t low = 0, high = f->caller_count;
	const struct wm_trail_step *given = w->decodes ? NULL : given_step(w);
	while (given && low < high &&
		(f->caller[low].function != given->function || f->caller[low].site != given->site))
		low++;
	if (!w->decodes)
		return given ? low : high;
	if (high == 0 || (f->root && w->number >= f->exit_value))
		return high;
	WM_LOWER_BOUND(low, 1, high, caller_value(w, &f->caller[low]) <= w->number);
	return low - 1;
}

/* A piece goes on in any caller, or ends. */
static enum wm_status leave_piece(struct walk *w)
{
	const struct wm_pairs *f = w->plan->pairs;
	uint32_t index = choose_caller(w);
	if (index == f->caller_count) {
		add_value(w, f->exit_value);
		end_path(w, WM_END_RETURN, WM_NONE);
		return f->root ? WM_OK : WM_BAD_PATH;
	}
	const struct wm_caller *caller = &f->caller[index];
	const struct wm_plan *to = &w->unit->function[caller->function];
	w->x = to->pairs->behind_exit;
	w->lone++;
	add_value(w, to->pairs->site[caller->site].edge_value);
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
	add_value(w, wm_pair_at(w->plan->pairs->value[e], w->x));
	if (w->decodes && edge->cfg_edge != WM_NONE)
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
	const struct wm_trail_step *given = given_step(w);
	uint32_t found = WM_NONE;
	for (uint32_t i = 0; i < w->plan->in_unit->call_count; i++)
		if (wm_plan_cuts(w->plan, i) &&
			(w->decodes ? wm_pair_at(w->plan->pairs->site[i].start, w->x) <= w->number
				    : given && given->site == i))
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
	add_value(w, wm_pair_at(w->plan->pairs->site[cut].start, w->x));
	note_start(w, WM_START_CUT);
	return enter_block(w, w->plan->in_unit->call[cut].block, cut, true);
}

/* ---- Calls ---- */

/* Whether the path ends in this call. */
static bool is_pending(const struct walk *w, uint32_t site)
{
	if (!wm_plan_waits(w->plan, site))
		return false;
	if (w->decodes)
		return w->number >= wm_pair_at(w->plan->pairs->site[site].behind, w->x);
	return !given_step(w) && w->trail->end == WM_END_CALL && w->trail->cut == site && w->trail->last == w->current;
}

static enum wm_status call(struct walk *w, uint32_t site)
{
	const struct wm_call *called = &w->plan->in_unit->call[site];
	w->open[w->depth++] = (struct open){w->plan, site, w->x, w->current};
	enum wm_status status =
		take_step(w, (struct wm_trail_step){.kind = WM_TRAIL_CALL, .block = called->block, .site = site});
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
		add_value(w, wm_pair_at(plan->pairs->site[site].behind, w->x));
		end_path(w, WM_END_CALL, site);
	}
	return WM_OK;
}

static enum wm_status walk_path(struct walk *w, const struct wm_unit_start *start)
{
	w->plan = &w->unit->function[start->function];
	w->piece = start->piece;
	w->x = start->piece ? w->plan->pairs->behind_exit : 1;
	add_value(w, start->first);
	/* Crossed calls are not recursive. */
	w->open = WM_NEW(w->arena, struct open, w->unit->unit->function_count);
	enum wm_status status = w->open ? take_start(w, w->piece) : WM_NO_MEMORY;
	while (status == WM_OK && !w->ended)
		status = go_on(w);
	return status;
}

/* ---- Both directions ---- */

static enum wm_status decode_across(
	const struct wm_unit_plan *unit, uint64_t id, struct wm_trail *trail, struct wm_arena *arena)
{
	struct wm_trail made = {.start = WM_START_ENTRY};
	struct walk w = {.unit = unit, .arena = arena, .decodes = true, .trail = &made, .number = id};
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
	return plan->pairs ? decode_across(plan->pairs->unit, id, trail, arena) : decode_inside(plan, id, trail, arena);
}

enum wm_status wm_trail_find(const struct wm_plan *plan, uint64_t id, wm_name_lookup *lookup, const void *closure,
	struct wm_trail *trail, struct wm_arena *arena)
{
	struct wm_block_path path = {0};
	if (!plan->sequences)
		return wm_trail_decode(plan, id, trail, arena);
	enum wm_status status = wm_sequence_find(plan, id, lookup, closure, &path, arena);
	return status == WM_OK ? wm_trail_of_path(plan, &path, trail, arena) : status;
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

enum wm_status wm_trail_encode(
	const struct wm_unit_plan *unit, const struct wm_trail *trail, uint64_t *id, struct wm_arena *arena)
{
	struct wm_trail given = *trail;
	struct walk w = {.unit = unit, .arena = arena, .trail = &given};
	const struct wm_unit_start *start = trail->count ? find_start(unit, &trail->step[0]) : NULL;
	enum wm_status status = start ? walk_path(&w, start) : WM_BAD_PATH;
	if (status == WM_NO_MEMORY)
		return status;
	if (status != WM_OK || w.at != trail->count || w.current != trail->last || w.end != (enum wm_end)trail->end ||
		w.cut != trail->cut)
		return WM_BAD_PATH;
	*id = w.number;
	return WM_OK;
}
