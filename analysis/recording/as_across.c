/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The profile of a scheme across calls, computed from a recording.  Which calls are crossed, and so what the numbers of
 * paths mean, was decided when the instrumented build was linked: --like names that build, and its units are read from
 * it.  A recorded function is the function of a unit with the same key and the same graph.
 *
 * The walk of each thread is rebuilt and executes the probes in the interpreter, which has one machine per unit.
 *
 * On the optimised graph, a recording ends an activation before a tail call, while an instrumented build makes the tail
 * call an ordinary call.  Such an activation stays open here (`tail`) until its callee has returned, or until its caller
 * goes on if the callee is not recorded.
 */
#include "analysis/recording/as.h"
#include "analysis/recording/convert.h"
#include "analysis/recording/idcounts.h"
#include "analysis/unit/unit.h"
#include "core/probes/unit_machine.h"
#include "profile/collect.h"
#include "support/tool.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What was counted in a function. */
struct sums {
	struct wm_id_counts ids;
	uint64_t entries, resumed;
};
enum { OWN, INHERITED, WHOSE }; /* by the process itself, or before it was forked */

struct unit {
	const struct wm_binary_unit *binary;
	struct wm_unit_code code;
	struct wm_unit_machine machine;
	struct sums (*sums)[WHOSE]; /* per function */
	const unsigned *whose;
};

/* The function of a unit that a recorded function is. */
struct member {
	struct unit *unit; /* NULL: the instrumented build does not count in it */
	uint32_t function;
};

/* The state at a call, in a function with calls that may return twice. */
struct checkpoint {
	uint32_t call;
	struct wm_unit_frame frame;
};
struct frame {
	struct unit *unit; /* NULL: nothing is counted in this activation */
	bool fresh; /* its first block has not come */
	bool tail; /* it has made a tail call, which has not returned */
	const char *callee; /* of the tail call; NULL: indirect */
	struct checkpoint *checkpoint;
	size_t checkpoint_count;
};

struct conversion {
	const struct wm_wpp_view *view;
	const struct wm_unit_scheme *scheme;
	struct wm_binaries binaries; /* of --like */
	struct wm_units *units; /* per binary */
	size_t unit_count;
	struct unit *unit; /* of this scheme */
	struct member *member; /* per recorded function */
	unsigned whose;
	struct frame *frame;
	size_t depth;
	uint64_t unknown; /* activations whose beginning, or whose state at setjmp, is not recorded */
	struct wm_arena arena;
};

static void *obtain(struct conversion *c, size_t count, size_t size)
{
	void *memory = wm_arena_alloc(&c->arena, count, size);
	if (!memory)
		wm_bug("out of memory");
	return memory;
}

/* ---- The units of the instrumented build ------------------------------------------------ */

static void count(void *closure, uint64_t id)
{
	struct unit *unit = closure;
	uint32_t function = unit->machine.frame[unit->machine.depth - 1].function;
	if (id >= unit->binary->plan.path_count)
		wm_bug("the probes counted path %" PRIu64 ", which does not exist", id);
	wm_id_counts_add(&unit->sums[function][*unit->whose].ids, id, 1);
}

static void open_unit(struct conversion *c, struct unit *unit, const struct wm_binary_unit *binary)
{
	*unit = (struct unit){.binary = binary, .whose = &c->whose};
	unit->sums = obtain(c, binary->unit.function_count, sizeof *unit->sums);
	if (wm_unit_code_make(&binary->plan, WM_PLACE_NAIVE, NULL, &unit->code, &c->arena) != WM_OK)
		wm_bug("out of memory");
	unit->machine = (struct wm_unit_machine){
		.unit = &binary->unit, .code = &unit->code, .arena = &c->arena, .closure = unit, .count = count};
}

static void open_units(struct conversion *c)
{
	size_t all = 0;
	c->units = obtain(c, c->binaries.count, sizeof *c->units);
	for (size_t i = 0; i < c->binaries.count; i++) {
		wm_units_read(&c->units[i], &c->binaries.object[i], &c->arena);
		all += c->units[i].count;
		if (*c->units[i].trouble)
			wm_fail("the paths of %s cannot be numbered: %s", c->binaries.object[i].path,
				c->units[i].trouble);
	}
	c->unit = obtain(c, all, sizeof *c->unit);
	for (size_t i = 0; i < c->binaries.count; i++)
		for (uint32_t u = 0; u < c->units[i].count; u++)
			if (c->units[i].unit[u]->scheme == c->scheme)
				open_unit(c, &c->unit[c->unit_count++], c->units[i].unit[u]);
	if (!c->unit_count)
		wm_fail("%s does not count paths of the scheme %s; compile it with -fwaymark-scheme=%s",
			c->binaries.object[0].path, c->scheme->name, c->scheme->name);
}

/* ---- Recorded functions and functions of units --------------------------------------------- */

static const struct wm_map_function *find_in_maps(const struct wm_binaries *binaries, uint64_t key)
{
	for (size_t i = 0; i < binaries->count; i++)
		for (uint32_t m = 0; m < binaries->object[i].map.module_count; m++) {
			const struct wm_map_module *module = &binaries->object[i].map.module[m];
			for (uint32_t f = 0; f < module->function_count; f++)
				if (module->function[f].key == key)
					return &module->function[f];
		}
	return NULL;
}

static bool has_same_calls(const struct wm_map_function *a, const struct wm_map_function *b)
{
	for (uint32_t i = 0; a->call_count == b->call_count && i < a->call_count; i++)
		if (a->call[i].block != b->call[i].block || a->call[i].unwinds != b->call[i].unwinds ||
			a->call[i].followed != b->call[i].followed)
			return false;
	return a->call_count == b->call_count;
}

/* Whether `like` is the other build of the object that has a recorded function: an inline function may be in a program
 * and in its shared objects.  If no binary has the name of the object, because the other build is called differently, every
 * binary is taken. */
static bool is_like(const struct conversion *c, const struct wm_object *like, uint32_t function)
{
	const char *name = c->view->wpp.table.object[c->view->wpp.table.function[function].object].program;
	for (size_t i = 0; i < c->binaries.count; i++)
		if (!strcmp(c->binaries.object[i].program, name))
			return !strcmp(like->program, name);
	return true;
}

static const struct wm_unit_index *find_index(const struct conversion *c, uint32_t function)
{
	const struct wm_map_function *recorded = c->view->told[function]->map;
	const struct wm_map_function wanted = {
		.key = recorded->key, .graph_hash = wm_map_graph_hash(&recorded->graph, c->scheme->name)};
	for (size_t i = 0; i < c->binaries.count; i++) {
		const struct wm_unit_index *found =
			is_like(c, &c->binaries.object[i], function) ? wm_units_of(&c->units[i], &wanted) : NULL;
		if (found && has_same_calls(recorded, found->map))
			return found;
	}
	return NULL;
}

/* Of a function that a library defines, the recorded build may have an inline body; for the other build it is outside. */
static bool is_outside(const struct wm_binaries *binaries, uint64_t key)
{
	for (size_t i = 0; i < binaries->count; i++)
		if (wm_map_find_outside(&binaries->object[i].map, key))
			return true;
	return false;
}

/* A function that ran must be in the other build with the same graph, unless that build left it out by a decision of
 * its own. */
static void refuse_stranger(const struct conversion *c, const struct wm_map_function *recorded)
{
	const struct wm_map_function *other = find_in_maps(&c->binaries, recorded->key);
	const char *path = c->binaries.object[0].path;
	if (!other && is_outside(&c->binaries, recorded->key))
		return;
	if (!other)
		wm_fail("the recording has the function %s, and %s does not; both must be builds of the same program",
			recorded->name, path);
	if (other->status != WM_SKIPPED)
		wm_fail("the graph of the function %s in %s is not the recorded one; compile both builds with the same "
			"options except -fwaymark-wpp and -fwaymark-scheme",
			recorded->name, path);
}

static struct unit *find_unit(const struct conversion *c, const struct wm_binary_unit *binary)
{
	size_t u = 0;
	while (c->unit[u].binary != binary)
		u++;
	return &c->unit[u];
}

static void match_function(struct conversion *c, uint32_t f)
{
	const struct wm_map_function *recorded = c->view->told[f]->map;
	const struct wm_unit_index *index = find_index(c, f);
	if (index)
		c->member[f] = (struct member){find_unit(c, index->unit), index->function};
	else if (c->view->function[f].plan)
		refuse_stranger(c, recorded);
}

static void match_functions(struct conversion *c)
{
	uint32_t count = c->view->wpp.table.function_count;
	c->member = obtain(c, count, sizeof *c->member);
	for (uint32_t f = 0; f < count; f++)
		if (c->view->told[f])
			match_function(c, f);
}

/* Functions that count in the instrumented build and are not recorded: what they did is not known. */
static void warn_of_unrecorded(const struct conversion *c)
{
	for (size_t u = 0; u < c->unit_count; u++)
		for (uint32_t f = 0; f < c->unit[u].binary->unit.function_count; f++) {
			const struct wm_map_function *map = c->unit[u].binary->member[f].map;
			const struct wm_map_function *recorded =
				map->status == WM_SKIPPED ? NULL : find_in_maps(&c->view->binaries, map->key);
			if (recorded && recorded->status == WM_SKIPPED)
				wm_warn("function %s is not recorded: %s; its paths and those that cross into it are "
					"missing",
					map->name, recorded->reason);
		}
}

/* ---- Activations -------------------------------------------------------------------------- */

static struct frame *top(struct conversion *c)
{
	return &c->frame[c->depth - 1];
}

static struct wm_unit_frame *machine_top(const struct unit *unit)
{
	return &unit->machine.frame[unit->machine.depth - 1];
}

static struct sums *top_sums(struct conversion *c)
{
	const struct unit *unit = top(c)->unit;
	return &unit->sums[machine_top(unit)->function][c->whose];
}

static void pop(struct conversion *c)
{
	free(top(c)->checkpoint);
	c->depth--;
}

static void push(struct conversion *c, struct unit *unit, uint32_t function)
{
	WM_XGROW(c->frame, c->depth);
	c->frame[c->depth++] = (struct frame){.unit = unit, .fresh = true};
	if (!unit)
		return;
	if (wm_unit_machine_enter(&unit->machine, function) != WM_OK)
		wm_bug("out of memory");
	top_sums(c)->entries += !machine_top(unit)->crossed;
}

static void leave(struct conversion *c)
{
	struct unit *unit = top(c)->unit;
	if (unit && wm_unit_machine_leave(&unit->machine) != WM_OK)
		wm_bug("the walk leaves a function in a block that is no exit");
	pop(c);
}

static void abandon(struct conversion *c)
{
	if (top(c)->unit)
		wm_unit_machine_unwind(&top(c)->unit->machine);
	pop(c);
}

/* ---- Tail calls --------------------------------------------------------------------------- */

static bool in_tail_call(struct conversion *c)
{
	return c->depth && top(c)->tail;
}

static void return_from_tail_calls(struct conversion *c)
{
	while (in_tail_call(c)) {
		wm_unit_machine_go_on(&top(c)->unit->machine);
		leave(c);
	}
}

static void abandon_tail_calls(struct conversion *c)
{
	while (in_tail_call(c))
		abandon(c);
}

/* Whether the call of the current block that is still to come is a tail call of the recorded build only. */
static bool makes_tail_call(const struct unit *unit)
{
	uint32_t call = wm_unit_machine_next_call(&unit->machine);
	return call != WM_NONE &&
	       !wm_unit_is_last_call(&unit->binary->unit.function[machine_top(unit)->function], call);
}

static void make_tail_call(struct conversion *c, const struct wm_story_function *recorded)
{
	struct wm_unit_machine *machine = &top(c)->unit->machine;
	uint32_t call = wm_unit_machine_next_call(machine);
	top(c)->tail = true;
	top(c)->callee = wm_map_callee(recorded->module, &recorded->map->call[call]);
	wm_unit_machine_call(machine);
}

/* A tail call of a function that is known not to be recorded has returned when another function is entered, or has
 * called that function; the counts are the same. */
static void return_from_unrecorded(struct conversion *c)
{
	while (in_tail_call(c) && top(c)->callee) {
		const struct unit *unit = top(c)->unit;
		uint32_t call = wm_unit_machine_next_call(&unit->machine);
		if (unit->binary->unit.function[machine_top(unit)->function].call[call].callee != WM_NONE)
			return;
		wm_unit_machine_go_on(&top(c)->unit->machine);
		leave(c);
	}
}

/* ---- setjmp ------------------------------------------------------------------------------- */

static struct checkpoint *find_checkpoint(struct frame *frame, uint32_t call)
{
	for (size_t i = 0; i < frame->checkpoint_count; i++)
		if (frame->checkpoint[i].call == call)
			return &frame->checkpoint[i];
	return NULL;
}

static void keep_state(struct frame *frame, uint32_t call)
{
	struct checkpoint *checkpoint = find_checkpoint(frame, call);
	if (!checkpoint) {
		WM_XGROW(frame->checkpoint, frame->checkpoint_count);
		checkpoint = &frame->checkpoint[frame->checkpoint_count++];
	}
	*checkpoint = (struct checkpoint){call, *machine_top(frame->unit)};
}

static void return_again(struct conversion *c, uint32_t call)
{
	struct unit *unit = top(c)->unit;
	const struct checkpoint *checkpoint = unit ? find_checkpoint(top(c), call) : NULL;
	if (!unit)
		return;
	top_sums(c)->resumed++;
	if (checkpoint) {
		wm_unit_machine_return_again(&unit->machine, &checkpoint->frame);
		wm_unit_machine_go_on(&unit->machine);
		return;
	}
	c->unknown++;
	wm_unit_machine_unwind(&unit->machine);
	top(c)->unit = NULL;
}

/* ---- The walk ----------------------------------------------------------------------------- */

static void step(struct conversion *c, uint32_t block)
{
	struct unit *unit = top(c)->unit;
	if (unit && !top(c)->fresh) {
		uint64_t resumed = unit->machine.resumed;
		if (wm_unit_machine_step(&unit->machine, block) != WM_OK)
			wm_bug("the walk takes an edge to block %u that does not exist", block);
		top_sums(c)->resumed += unit->machine.resumed - resumed;
	}
	top(c)->fresh = false;
}

/* The map of the recording does not tell which calls may return twice, only that the function has such calls. */
static void make_call(struct conversion *c, uint32_t function, uint32_t call)
{
	struct unit *unit = top(c)->unit;
	if (!unit)
		return;
	if (wm_unit_machine_next_call(&unit->machine) != call)
		wm_bug("the walk makes call %u out of order", call);
	wm_unit_machine_call(&unit->machine);
	if (c->view->told[function]->map->has_resumed)
		keep_state(top(c), call);
}

static void enter(struct conversion *c, uint32_t function)
{
	return_from_unrecorded(c);
	push(c, c->member[function].unit, c->member[function].function);
}

static void end_activation(struct conversion *c, uint32_t function)
{
	if (top(c)->unit && makes_tail_call(top(c)->unit)) {
		make_tail_call(c, c->view->told[function]);
		return;
	}
	leave(c);
	return_from_tail_calls(c);
}

/* What becomes of tail calls above the activation that an event is about. */
static void settle_tail_calls(struct conversion *c, enum wm_walk_kind kind)
{
	if (kind == WM_WALK_CAUGHT || kind == WM_WALK_AGAIN || kind == WM_WALK_ABANDON)
		abandon_tail_calls(c);
	else if (kind != WM_WALK_ENTER && kind != WM_WALK_SPECIAL)
		return_from_tail_calls(c);
}

static void take_event(void *closure, const struct wm_walk_event *event)
{
	struct conversion *c = closure;
	settle_tail_calls(c, event->kind);
	switch (event->kind) {
	case WM_WALK_ENTER:
		enter(c, event->function);
		break;
	case WM_WALK_ADOPT:
		push(c, NULL, 0);
		c->unknown++;
		break;
	case WM_WALK_BLOCK:
		step(c, event->block);
		break;
	case WM_WALK_CALL:
		make_call(c, event->function, event->call);
		break;
	case WM_WALK_BEHIND:
		if (top(c)->unit)
			wm_unit_machine_go_on(&top(c)->unit->machine);
		break;
	case WM_WALK_AGAIN:
		return_again(c, event->call);
		break;
	case WM_WALK_LEAVE:
		end_activation(c, event->function);
		break;
	case WM_WALK_STUCK:
		if (top(c)->unit && wm_unit_machine_stick(&top(c)->unit->machine) != WM_OK)
			wm_bug("the walk ends in a block that is no exit");
		break;
	case WM_WALK_ABANDON:
		abandon(c);
		abandon_tail_calls(c);
		break;
	case WM_WALK_CAUGHT:
	case WM_WALK_SPECIAL:
		break;
	}
}

static void inherit(void *closure)
{
	struct conversion *c = closure;
	c->whose = OWN;
}

static void take_stream(struct conversion *c, uint32_t stream)
{
	const struct wm_wpp_visitor visitor = {c, take_event, inherit};
	c->whose = INHERITED;
	wm_wpp_convert_stream(c->view, stream, &visitor, &c->arena);
	return_from_tail_calls(c);
	while (c->depth)
		abandon(c);
	for (size_t u = 0; u < c->unit_count; u++)
		c->unit[u].machine.mailbox = (struct wm_mailbox){0};
}

/* ---- The profile -------------------------------------------------------------------------- */

static void append_paths(struct wm_profile_function *function, struct wm_id_counts *ids, bool inherited)
{
	wm_id_counts_sort(ids, wm_by_id);
	for (size_t i = 0; i < ids->used; i++) {
		const struct wm_id_count *slot = &ids->slot[i];
		if (!wm_function_append(function, slot->id, inherited ? 0 : slot->count, inherited ? slot->count : 0))
			wm_bug("out of memory");
	}
	wm_id_counts_release(ids);
}

static struct wm_profile_function make_record(const struct unit *unit, uint32_t f)
{
	const struct wm_map_function *map = unit->binary->member[f].map;
	struct sums *own = &unit->sums[f][OWN], *inherited = &unit->sums[f][INHERITED];
	struct wm_profile_function function = {.key = map->key,
		.graph_hash = unit->binary->hash,
		.source = unit->binary->source,
		.flags = (map->has_entries ? WM_FUNC_ENTRIES : 0) | (map->has_resumed ? WM_FUNC_RESUMED : 0),
		.entries = own->entries,
		.resumed = own->resumed,
		.base_entries = inherited->entries,
		.base_resumed = inherited->resumed};
	append_paths(&function, &own->ids, false);
	append_paths(&function, &inherited->ids, true);
	return function;
}

static void add_object(const struct conversion *c, struct wm_profile *profile, const struct wm_object *from)
{
	struct wm_profile_object object = {
		.build_id_size = from->build_id_size, .runs = c->view->wpp.table.process_count};
	memcpy(object.build_id, from->build_id, sizeof object.build_id);
	memcpy(object.program, from->program, sizeof object.program);
	for (size_t u = 0; u < c->unit_count; u++)
		for (uint32_t f = 0; c->unit[u].binary->object == from && f < c->unit[u].binary->unit.function_count;
			f++) {
			WM_XGROW(object.function, object.function_count);
			object.function[object.function_count++] = make_record(&c->unit[u], f);
		}
	object.function_capacity = object.function_count;
	wm_wpp_convert_object(profile, &object);
}

void wm_wpp_across(const struct wm_wpp_view *view, const struct wm_wpp_as *as, const struct wm_unit_scheme *scheme)
{
	struct conversion c = {.view = view, .scheme = scheme};
	struct wm_profile profile;
	wm_arena_init(&c.arena);
	wm_binaries_open(&c.binaries, as->like, as->debug_dir);
	open_units(&c);
	match_functions(&c);
	warn_of_unrecorded(&c);
	for (uint32_t s = 0; s < view->wpp.table.stream_count; s++)
		take_stream(&c, s);
	if (c.unknown)
		wm_warn("%" PRIu64 " activations began before the recording did; their paths are not counted, and "
			"calls from them begin paths",
			c.unknown);
	wm_profile_init(&profile);
	for (size_t i = 0; i < c.binaries.count; i++)
		add_object(&c, &profile, &c.binaries.object[i]);
	wm_wpp_convert_write(&profile, view->wpp.table.process_count, as->output);
	free(c.frame);
	wm_binaries_release(&c.binaries);
	wm_arena_release(&c.arena);
}
