/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "core/walk/walk.h"
#include "abi/stream.h"
#include "core/base/grow.h"
#include <stdlib.h>
#include <string.h>

/* How far down the stack a second candidate is searched for; farther down, one is assumed. */
#define SEARCHED 4096

#define MAX_IDS ((uint64_t)1 << 32)

enum wm_status wm_subpath_plan(
	struct wm_plan *plan, struct wm_parts *parts, const struct wm_unit_function *function, struct wm_arena *arena)
{
	struct wm_parts *made = WM_NEW(arena, struct wm_parts, 1);
	enum wm_status status = made ? wm_parts_make(made, function, arena) : WM_NO_MEMORY;
	if (status == WM_OK)
		status = wm_plan_make(plan, &made->graph, &wm_scheme_subpath, MAX_IDS, arena);
	if (status == WM_OK)
		*parts = *made;
	return status;
}

enum wm_status wm_walk_init(struct wm_walk *walk, const struct wm_walk_function *function, uint32_t count,
	const struct wm_sink *sink, struct wm_arena *arena)
{
	struct wm_walk made = {.function = function, .function_count = count, .sink = *sink};
	uint32_t longest = 0;
	for (uint32_t f = 0; f < count; f++)
		if (function[f].plan && function[f].plan->dag.node_count > longest)
			longest = function[f].plan->dag.node_count;
	made.edge = WM_NEW(arena, uint32_t, longest);
	if (!made.edge)
		return WM_NO_MEMORY;
	*walk = made;
	return WM_OK;
}

void wm_walk_begin(struct wm_walk *walk)
{
	walk->depth = 0;
	walk->entries = walk->ambiguous = walk->abandoned = walk->adopted = walk->holes = 0;
	wm_sink_give(&walk->sink, WM_WALK_BEGIN);
}

void wm_walk_release(struct wm_walk *walk)
{
	free(walk->frame);
	walk->frame = NULL;
	walk->depth = 0;
}

/* ---- Events ------------------------------------------------------------------ */

static void tell_event(const struct wm_walk *walk, struct wm_walk_event event)
{
	event.depth = walk->depth ? walk->depth - 1 : 0;
	walk->sink.take(walk->sink.closure, &event);
}

static void tell_kind(const struct wm_walk *walk, enum wm_walk_kind kind, enum wm_end end)
{
	tell_event(walk, (struct wm_walk_event){.kind = kind,
				 .function = walk->frame[walk->depth - 1].function,
				 .block = WM_NONE,
				 .call = WM_NONE,
				 .end = end});
}

static void tell_place(const struct wm_walk *walk, enum wm_walk_kind kind, uint32_t block, uint32_t call)
{
	tell_event(walk,
		(struct wm_walk_event){
			.kind = kind, .function = walk->frame[walk->depth - 1].function, .block = block, .call = call});
}

static void tell_entry(const struct wm_walk *walk, enum wm_walk_kind kind, uint64_t entry)
{
	tell_event(walk, (struct wm_walk_event){
				 .kind = kind, .function = WM_NONE, .block = WM_NONE, .call = WM_NONE, .entry = entry});
}

/* ---- The stack ----------------------------------------------------------------- */

static enum wm_status push_frame(struct wm_walk *walk, struct wm_walk_frame frame)
{
	if (walk->depth == WM_NONE || !WM_GROW(walk->frame, walk->depth))
		return WM_NO_MEMORY;
	walk->frame[walk->depth++] = frame;
	return WM_OK;
}

static void abandon_above(struct wm_walk *walk, uint32_t depth)
{
	for (; walk->depth > depth; walk->depth--) {
		if (walk->frame[walk->depth - 1].function == WM_NONE)
			continue;
		walk->abandoned++;
		tell_kind(walk, WM_WALK_ABANDON, WM_END_NONE);
	}
}

static bool waits(const struct wm_walk_frame *frame, uint32_t function, uint32_t part)
{
	return frame->function == function && frame->waits == part;
}

/* The number of activations up to and including the innermost one that waits there; 0: none. */
static uint32_t find_waiting(const struct wm_walk *walk, uint32_t function, uint32_t part)
{
	uint32_t depth = walk->depth;
	while (depth && !waits(&walk->frame[depth - 1], function, part))
		depth--;
	return depth;
}

static bool has_rival(const struct wm_walk *walk, uint32_t depth)
{
	struct wm_walk_frame wanted = walk->frame[depth - 1];
	uint32_t searched = 0;
	while (--depth && searched++ < SEARCHED)
		if (waits(&walk->frame[depth - 1], wanted.function, wanted.waits))
			return true;
	return depth > 0;
}

static enum wm_status adopt(struct wm_walk *walk, uint32_t function)
{
	abandon_above(walk, 0);
	enum wm_status status = push_frame(walk, (struct wm_walk_frame){.function = function, .waits = WM_NONE});
	if (status != WM_OK)
		return status;
	walk->adopted++;
	tell_kind(walk, WM_WALK_ADOPT, WM_END_NONE);
	return WM_OK;
}

/* Brings the activation that goes on to the top.  *again: setjmp has returned for the second time. */
static enum wm_status bring_up(struct wm_walk *walk, uint32_t function, uint32_t part, bool *again)
{
	const struct wm_walk_frame *top = walk->depth ? &walk->frame[walk->depth - 1] : NULL;
	*again = top && top->landed && top->function == function && top->waits != part;
	if (*again || (top && waits(top, function, part)))
		return WM_OK;
	uint32_t depth = find_waiting(walk, function, part);
	if (!depth)
		return adopt(walk, function);
	walk->ambiguous += has_rival(walk, depth);
	abandon_above(walk, depth);
	return WM_OK;
}

/* If the activation is unknown, all others are above it. */
static enum wm_status land(struct wm_walk *walk, uint64_t identity)
{
	uint32_t depth = walk->depth;
	while (depth && walk->frame[depth - 1].identity != identity)
		depth--;
	abandon_above(walk, depth);
	if (depth)
		walk->frame[depth - 1].landed = true;
	return WM_OK;
}

static enum wm_status enter_function(struct wm_walk *walk, uint32_t function)
{
	struct wm_walk_frame *top = walk->depth ? &walk->frame[walk->depth - 1] : NULL;
	if (top && top->function == WM_NONE && walk->function[function].frames) {
		top->function = function;
	} else {
		enum wm_status status =
			push_frame(walk, (struct wm_walk_frame){.function = function, .waits = WM_NONE});
		if (status != WM_OK)
			return status;
	}
	tell_kind(walk, WM_WALK_ENTER, WM_END_NONE);
	return WM_OK;
}

/* ---- Subpaths -------------------------------------------------------------------- */

static enum wm_status begin_subpath(struct wm_walk *walk, uint32_t function, const struct wm_path *path)
{
	const struct wm_plan *plan = walk->function[function].plan;
	const struct wm_parts *parts = walk->function[function].parts;
	const struct wm_dag_edge *first = &plan->dag.edge[path->edge[0]], *next = &plan->dag.edge[path->edge[1]];
	uint32_t part = plan->dag.node_block[first->to], call = parts->behind[part];
	bool again = false;
	enum wm_status status =
		first->kind == WM_EDGE_ENTRY ? enter_function(walk, function) : bring_up(walk, function, part, &again);
	if (status != WM_OK)
		return status;
	bool caught = next->cfg_edge != WM_NONE && wm_parts_unwinds(parts, next->cfg_edge);
	if (call == WM_NONE)
		tell_place(walk, WM_WALK_BLOCK, parts->block[part], WM_NONE);
	else
		tell_place(walk,
			again	 ? WM_WALK_AGAIN
			: caught ? WM_WALK_CAUGHT
				 : WM_WALK_BEHIND,
			parts->block[part], call);
	return WM_OK;
}

/* The call before which an exit that does not return ends the path. */
static uint32_t last_call(const struct wm_parts *parts, uint32_t block)
{
	const struct wm_unit_function *function = parts->function;
	uint32_t call = wm_unit_first_call(function, block), last = WM_NONE;
	for (; call < function->call_count && function->call[call].block == block; call++)
		last = wm_unit_is_last_call(function, call) ? call : last;
	return last;
}

/* The last edge says how the subpath ends: before a call or at a back edge, after which the activation goes on in the part `waits`;
 * in a call that does not return; or with the end of the activation. */
static void end_subpath(struct wm_walk *walk, const struct wm_walk_function *f, const struct wm_dag_edge *last)
{
	uint32_t part = f->plan->dag.node_block[last->from], block = f->parts->block[part];
	struct wm_walk_frame *top = &walk->frame[walk->depth - 1];
	top->landed = false;
	if (last->kind == WM_EDGE_STOP) {
		top->waits = f->plan->graph->edge_to[last->cfg_edge];
		if (last->end == WM_END_CALL)
			tell_place(walk, WM_WALK_CALL, block, f->parts->before[part]);
	} else if (last->end == WM_END_NORETURN) {
		top->waits = WM_NONE;
		tell_place(walk, WM_WALK_STUCK, block, last_call(f->parts, block));
	} else {
		tell_kind(walk, WM_WALK_LEAVE, (enum wm_end)last->end);
		walk->depth--;
	}
}

static enum wm_status take_subpath(struct wm_walk *walk, uint64_t entry)
{
	uint32_t function = wm_stream_function(entry);
	const struct wm_walk_function *f = function < walk->function_count ? &walk->function[function] : NULL;
	struct wm_path path = {.edge = walk->edge};
	if (!f || !f->plan)
		return WM_BAD_PATH;
	const struct wm_dag *dag = &f->plan->dag;
	enum wm_status status = wm_dag_decode(dag, &f->plan->numbering, wm_stream_id(entry), &path, NULL);
	if (status == WM_OK)
		status = begin_subpath(walk, function, &path);
	if (status != WM_OK)
		return status;
	for (uint32_t i = 1; i + 1 < path.length; i++)
		tell_place(walk, WM_WALK_BLOCK, f->parts->block[dag->node_block[dag->edge[path.edge[i]].to]], WM_NONE);
	end_subpath(walk, f, &dag->edge[path.edge[path.length - 1]]);
	tell_entry(walk, WM_WALK_SUBPATH, entry);
	return WM_OK;
}

static enum wm_status take_special(struct wm_walk *walk, uint64_t entry)
{
	uint64_t value = wm_stream_value(entry);
	unsigned kind = wm_stream_kind(entry);
	if (kind >= WM_STREAM_KINDS)
		return WM_BAD_PATH;
	if (kind == WM_STREAM_FRAME)
		return push_frame(
			walk, (struct wm_walk_frame){.function = WM_NONE, .waits = WM_NONE, .identity = value});
	if (kind == WM_STREAM_LAND)
		return land(walk, value);
	tell_entry(walk, WM_WALK_SPECIAL, entry);
	return WM_OK;
}

enum wm_status wm_walk_take(struct wm_walk *walk, uint64_t entry)
{
	enum wm_status status = WM_OK;
	walk->entries++;
	if (wm_stream_is_special(entry))
		return take_special(walk, entry);
	if (entry)
		status = take_subpath(walk, entry);
	walk->holes += !entry;
	return status;
}
