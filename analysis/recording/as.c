/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The profile of a scheme, computed from a recording: the walk of each thread is rebuilt and the interpreter executes the
 * probes of the scheme along it.  What the instrumented build counts, and what it does not count because an activation
 * was abandoned, is the same.
 */
#include "analysis/recording/as.h"
#include "analysis/recording/convert.h"
#include "analysis/recording/tally.h"
#include "analysis/story/rescheme.h"
#include "core/probes/sequence.h"
#include "profile/collect.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The state at a call that may return twice. */
struct checkpoint {
	uint32_t call;
	struct wm_machine machine; /* with a copy of what it points to */
};
struct frame {
	struct wm_machine machine;
	uint32_t function;
	bool fresh; /* its first block has not come */
	bool unknown; /* it was adopted: it is not known how its path began */
	struct checkpoint *checkpoint;
	size_t checkpoint_count;
};

struct conversion {
	const struct wm_wpp_view *view;
	const char *scheme;
	struct wm_arena *arena;
	struct wm_tally *tally; /* per function; without a name: not used yet */
	struct wm_tally *counted, *muted; /* `tally` is one of these: what a child's parent did is not counted */
	uint64_t *inherited; /* per function: activations that a child continues */
	struct frame *frame;
	size_t depth;
	uint64_t unknown; /* activations whose beginning is not recorded */
};

/* ---- Plans ---------------------------------------------------------------------------- */

static void plan_function(struct conversion *c, uint32_t function)
{
	const struct wm_map_function *map = c->view->told[function]->map;
	struct wm_tally *tally = &c->tally[function];
	free(wm_scheme_of_build(map, c->scheme, &tally->plan, c->arena));
	tally->name = map->name;
	wm_tally_place(tally, WM_PLACE_NAIVE, c->arena);
}

/* ---- The walk ------------------------------------------------------------------------- */

static struct frame *top(struct conversion *c)
{
	return &c->frame[c->depth - 1];
}

static struct wm_tally *top_tally(struct conversion *c)
{
	return &c->tally[top(c)->function];
}

static void push(struct conversion *c, uint32_t function, bool unknown)
{
	WM_XGROW(c->frame, c->depth);
	if (!c->tally[function].name)
		plan_function(c, function);
	struct frame *frame = &c->frame[c->depth++];
	*frame = (struct frame){.function = function, .fresh = true, .unknown = unknown};
	wm_tally_start(&c->tally[function], &frame->machine);
}

static void *copy(const void *data, size_t size)
{
	void *made = data ? wm_xmalloc(size) : NULL;
	if (made)
		memcpy(made, data, size);
	return made;
}

/* The copy owns what it points to. */
static struct wm_machine copy_machine(const struct wm_machine *machine, const struct wm_tally *tally)
{
	struct wm_machine made = *machine;
	made.saved = copy(machine->saved, tally->probes.program.saved_count * sizeof(uint64_t));
	made.sequence = copy(machine->sequence, sizeof *machine->sequence);
	if (made.sequence)
		made.sequence->pieces = copy(machine->sequence->pieces,
			sizeof(struct wm_pieces) + wm_sequence_room(&tally->plan) * sizeof(uint64_t));
	return made;
}

static void pop(struct conversion *c)
{
	struct frame *frame = &c->frame[--c->depth];
	for (size_t i = 0; i < frame->checkpoint_count; i++)
		wm_tally_drop(&frame->checkpoint[i].machine);
	free(frame->checkpoint);
	wm_tally_drop(&frame->machine);
}

static struct checkpoint *find_checkpoint(struct frame *frame, uint32_t call)
{
	for (size_t i = 0; i < frame->checkpoint_count; i++)
		if (frame->checkpoint[i].call == call)
			return &frame->checkpoint[i];
	return NULL;
}

static void keep_state(struct conversion *c, uint32_t call)
{
	struct frame *frame = top(c);
	struct checkpoint *checkpoint = find_checkpoint(frame, call);
	if (checkpoint) {
		wm_tally_drop(&checkpoint->machine);
	} else {
		WM_XGROW(frame->checkpoint, frame->checkpoint_count);
		checkpoint = &frame->checkpoint[frame->checkpoint_count++];
	}
	*checkpoint = (struct checkpoint){call, copy_machine(&frame->machine, top_tally(c))};
}

static void return_again(struct conversion *c, uint32_t call)
{
	struct frame *frame = top(c);
	const struct checkpoint *checkpoint = find_checkpoint(frame, call);
	top_tally(c)->resumed++;
	if (!checkpoint) {
		c->unknown += !frame->unknown;
		frame->unknown = true;
		return;
	}
	wm_tally_drop(&frame->machine);
	frame->machine = copy_machine(&checkpoint->machine, top_tally(c));
}

static void step(struct conversion *c, uint32_t block)
{
	struct frame *frame = top(c);
	if (frame->unknown)
		return;
	if (frame->fresh)
		wm_machine_enter(&frame->machine);
	else if (wm_machine_step(&frame->machine, block) != WM_OK)
		wm_bug("the walk of %s takes an edge to block %u that does not exist", top_tally(c)->name, block);
	frame->fresh = false;
}

static void leave(struct conversion *c)
{
	if (!top(c)->unknown && wm_machine_exit(&top(c)->machine) != WM_OK)
		wm_bug("the walk leaves %s in a block that is no exit", top_tally(c)->name);
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct conversion *c = closure;
	switch (event->kind) {
	case WM_WALK_ENTER:
		push(c, event->function, false);
		top_tally(c)->entries++;
		break;
	case WM_WALK_ADOPT:
		push(c, event->function, true);
		c->unknown++;
		break;
	case WM_WALK_BLOCK:
		step(c, event->block);
		break;
	case WM_WALK_CALL:
		if (c->view->told[event->function]->map->has_resumed)
			keep_state(c, event->call);
		break;
	case WM_WALK_AGAIN:
		return_again(c, event->call);
		break;
	case WM_WALK_LEAVE:
		leave(c);
		pop(c);
		break;
	case WM_WALK_STUCK:
		leave(c);
		break;
	case WM_WALK_ABANDON:
		top_tally(c)->abandoned++;
		pop(c);
		break;
	case WM_WALK_BEHIND:
	case WM_WALK_CAUGHT:
	case WM_WALK_SPECIAL:
		break;
	}
}

/* ---- Streams -------------------------------------------------------------------------- */

static void retarget(struct conversion *c, struct wm_machine *machine, uint32_t function)
{
	struct wm_tally *tally = &c->counted[function];
	machine->plan = &tally->plan;
	machine->program = &tally->probes.program;
	machine->counting = &tally->probes.counting;
	machine->counters.closure = tally;
	if (machine->sequence)
		machine->sequence->closure = tally;
}

/* From here on, what the activations do is counted. */
static void inherit(void *closure)
{
	struct conversion *c = closure;
	c->tally = c->counted;
	for (size_t i = 0; i < c->depth; i++) {
		struct frame *frame = &c->frame[i];
		if (!c->tally[frame->function].name)
			plan_function(c, frame->function);
		c->inherited[frame->function] += !frame->unknown;
		retarget(c, &frame->machine, frame->function);
		for (size_t j = 0; j < frame->checkpoint_count; j++)
			retarget(c, &frame->checkpoint[j].machine, frame->function);
	}
}

static void take_stream(struct conversion *c, uint32_t stream)
{
	const struct wm_wpp_visitor visitor = {c, take_event, inherit};
	c->tally = c->muted;
	wm_wpp_convert_stream(c->view, stream, &visitor, c->arena);
	while (c->depth)
		pop(c);
}

/* ---- The profile ---------------------------------------------------------------------- */

static bool append_name(struct wm_profile_function *function, const struct wm_sequence_name *name, uint64_t count)
{
	struct wm_pieces *pieces = wm_xmalloc(sizeof *pieces + name->length * sizeof *pieces->piece);
	bool alone = name->length == 1 && name->piece[0] < WM_ALONE_BIT;
	pieces->length = name->length;
	memcpy(pieces->piece, name->piece, name->length * sizeof *name->piece);
	uint64_t id = alone ? WM_ALONE_BIT + name->piece[0] : wm_name_hash(pieces);
	bool done = wm_function_append(function, id, count, 0);
	for (uint32_t i = 0; !alone && done && i <= name->length; i++)
		done = wm_function_append(function, wm_name_key(id, i), (i ? name->piece[i - 1] : name->length) + 1, 0);
	free(pieces);
	return done;
}

static void fill_function(struct conversion *c, uint32_t f, struct wm_profile_function *function)
{
	struct wm_tally *tally = &c->tally[f];
	const struct wm_map_function *map = c->view->told[f]->map;
	char *scheme = wm_xprintf("%s%s", c->scheme, tally->plan.sequences ? WM_SEQUENCES : "");
	*function = (struct wm_profile_function){.key = map->key,
		.graph_hash = wm_map_graph_hash(&map->graph, scheme),
		.source = map->source,
		.flags = WM_FUNC_ENTRIES | (map->has_resumed ? WM_FUNC_RESUMED : 0),
		.entries = tally->entries,
		.base_entries = c->inherited[f],
		.resumed = tally->resumed};
	wm_id_counts_sort(&tally->counts, wm_by_id);
	for (size_t i = 0; i < tally->counts.used; i++) {
		const struct wm_id_count *slot = &tally->counts.slot[i];
		bool done = tally->plan.sequences ? append_name(function, &tally->names.name[slot->id], slot->count)
						  : wm_function_append(function, slot->id, slot->count, 0);
		if (!done)
			wm_bug("out of memory");
	}
	free(scheme);
}

static void fill_object(struct conversion *c, struct wm_profile *profile, uint32_t index)
{
	const struct wm_wpp_table *table = &c->view->wpp.table;
	const struct wm_wpp_object *from = &table->object[index];
	struct wm_profile_object object = {.build_id_size = from->build_id_size, .runs = table->process_count};
	memcpy(object.build_id, from->build_id, sizeof object.build_id);
	memcpy(object.program, from->program, sizeof object.program);
	object.function = wm_xmalloc((table->function_count + 1) * sizeof *object.function);
	object.function_capacity = table->function_count + 1;
	for (uint32_t f = 0; f < table->function_count; f++)
		if (table->function[f].object == index && c->tally[f].name)
			fill_function(c, f, &object.function[object.function_count++]);
	wm_wpp_convert_object(profile, &object);
}

static void write_profile(struct conversion *c, const char *path)
{
	const struct wm_wpp_table *table = &c->view->wpp.table;
	struct wm_profile profile;
	wm_profile_init(&profile);
	for (uint32_t i = 0; i < table->object_count; i++)
		fill_object(c, &profile, i);
	wm_wpp_convert_write(&profile, table->process_count, path);
}

/* Counts the paths of all streams; c->scheme says which. */
static void count_paths(struct conversion *c)
{
	uint32_t functions = c->view->wpp.table.function_count;
	c->counted = WM_NEW(c->arena, struct wm_tally, functions);
	c->muted = WM_NEW(c->arena, struct wm_tally, functions);
	c->inherited = WM_NEW(c->arena, uint64_t, functions);
	if (!c->counted || !c->muted || !c->inherited)
		wm_bug("out of memory");
	for (uint32_t s = 0; s < c->view->wpp.table.stream_count; s++)
		take_stream(c, s);
	if (c->unknown)
		wm_warn("%" PRIu64 " activations began before the recording did; their paths are not counted",
			c->unknown);
}

static void release(struct conversion *c)
{
	for (uint32_t f = 0; f < c->view->wpp.table.function_count; f++) {
		wm_tally_release(&c->counted[f]);
		wm_tally_release(&c->muted[f]);
	}
	free(c->frame);
}

void wm_wpp_as(const struct wm_wpp_view *view, const struct wm_wpp_as *as)
{
	struct wm_arena arena;
	struct conversion c = {.view = view, .scheme = as->scheme, .arena = &arena};
	struct wm_scheme_choice choice;
	const struct wm_unit_scheme *unit;
	wm_scheme_option(as->scheme, &choice, &unit);
	if (!unit != !as->like->binary_count)
		wm_fail("--like belongs to --as context and --as piecewise, which need it: it names a build with "
			"-fwaymark-scheme=context or piecewise, whose link decided which calls are crossed");
	if (unit) {
		wm_wpp_across(view, as, unit);
		return;
	}
	wm_arena_init(&arena);
	count_paths(&c);
	write_profile(&c, as->output);
	release(&c);
	wm_arena_release(&arena);
}

void wm_wpp_acyclic(const struct wm_wpp_view *view, void *closure, wm_wpp_path *found)
{
	struct wm_arena arena;
	struct conversion c = {.view = view, .scheme = "acyclic", .arena = &arena};
	wm_arena_init(&arena);
	count_paths(&c);
	for (uint32_t f = 0; f < view->wpp.table.function_count; f++) {
		wm_id_counts_sort(&c.counted[f].counts, wm_by_id);
		for (size_t i = 0; i < c.counted[f].counts.used; i++)
			found(closure, f, &c.counted[f].counts.slot[i]);
	}
	release(&c);
	wm_arena_release(&arena);
}
