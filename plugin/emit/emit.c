/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/emit/emit.h"
#include "abi/thread.h"
#include "plugin/across/across.h"
#include "plugin/across/across_table.h"
#include "plugin/actions/iteration_actions.h"
#include "plugin/actions/probe_points.h"
#include "plugin/actions/stream_append.h"
#include "plugin/actions/this_thread.h"
#include "plugin/llvm/returns.h"
#include "plugin/sites/described_calls.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static struct wm_total register_plus(struct wm_emission *e, int64_t value)
{
	return (struct wm_total){wm_load(e, e->word, e->reg.path), value};
}

static struct wm_total local_plus(struct wm_emission *e, int64_t value)
{
	return (struct wm_total){wm_load(e, e->emitter->i64, e->reg.local), value};
}

static struct wm_total known(int64_t value)
{
	return (struct wm_total){NULL, value};
}

/* ---- Loops with one path --------------------------------------------------------- */

static bool is_local(const struct wm_emission *e, int64_t loop)
{
	return e->program->trip_loop[loop].region != WM_NONE;
}

static LLVMTypeRef trip_type(const struct wm_emission *e, int64_t loop)
{
	return is_local(e, loop) ? e->emitter->i64 : e->word;
}

static void begin_trips(struct wm_emission *e, int64_t loop)
{
	LLVMBuildStore(e->builder, wm_constant(e->emitter, 0), e->reg.trips[loop]);
	LLVMValueRef sum = is_local(e, loop) ? e->reg.local : e->reg.path;
	LLVMBuildStore(e->builder, wm_load(e, trip_type(e, loop), sum), e->reg.before[loop]);
}

static void count_trip(struct wm_emission *e, int64_t loop)
{
	LLVMValueRef trips = wm_load(e, e->emitter->i64, e->reg.trips[loop]);
	LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, trips, wm_constant(e->emitter, 1), ""), e->reg.trips[loop]);
}

/* The first trip ends the path that entered the loop. */
static void end_trips(struct wm_emission *e, int64_t loop, LLVMValueRef before)
{
	struct wm_emitter *emitter = e->emitter;
	const struct wm_trip_loop *facts = &e->program->trip_loop[loop];
	LLVMValueRef trips = wm_load(e, emitter->i64, e->reg.trips[loop]), then, otherwise;
	wm_shim_if_likely_else(LLVMBuildIsNotNull(e->builder, trips, ""), before, &then, &otherwise);
	LLVMPositionBuilderBefore(e->builder, then);
	LLVMValueRef entered = wm_load(e, trip_type(e, loop), e->reg.before[loop]);
	wm_emit_end(e, facts->first_end, (struct wm_total){entered, facts->first}, wm_constant(emitter, 1), then);
	LLVMValueRef rest = LLVMBuildSub(e->builder, trips, wm_constant(emitter, 1), "");
	wm_emit_end(e, facts->again_end, known(facts->again), rest, then);
	LLVMPositionBuilderBefore(e->builder, before);
}

/* ---- Events ----------------------------------------------------------------------- */

static void store_sum(struct wm_emission *e, struct wm_total total)
{
	LLVMBuildStore(e->builder, wm_total_sum(e, total), e->reg.path);
}

static void build_mark(struct wm_emission *e, int64_t missing)
{
	LLVMValueRef sum = LLVMBuildOr(
		e->builder, wm_total_sum(e, register_plus(e, missing)), wm_word(e, (int64_t)WM_MARK_BIT), "");
	LLVMBuildStore(e->builder, LLVMBuildSub(e->builder, sum, wm_word(e, missing), ""), e->reg.path);
}

static void leave_region(struct wm_emission *e, uint32_t region, struct wm_total index)
{
	store_sum(e, wm_emit_number(e, region, index, WM_CAME_IN | WM_INSIDE));
}

static void add_local(struct wm_emission *e, int64_t value)
{
	LLVMValueRef l = wm_load(e, e->emitter->i64, e->reg.local);
	LLVMBuildStore(
		e->builder, LLVMBuildAdd(e->builder, l, wm_constant(e->emitter, (uint64_t)value), ""), e->reg.local);
}

static void copy_register(struct wm_emission *e, LLVMTypeRef type, LLVMValueRef from, LLVMValueRef to)
{
	LLVMBuildStore(e->builder, wm_load(e, type, from), to);
}

/* Writes one action before an instruction.  Returns where control is if the first action of an end did not stop it, or
 * NULL. */
static LLVMValueRef build_action(struct wm_emission *e, const struct wm_action *action, LLVMValueRef before)
{
	LLVMValueRef one = wm_constant(e->emitter, 1);
	int64_t value = action->value;
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_SET:
		store_sum(e, known(value));
		break;
	case WM_ACTION_ADD:
		store_sum(e, register_plus(e, value));
		break;
	case WM_ACTION_MARK:
		build_mark(e, value);
		break;
	case WM_ACTION_COUNT:
		return wm_emit_end(e, action->end, register_plus(e, value), one, before);
	case WM_ACTION_COUNT_AT:
	case WM_ACTION_LOCAL_COUNT_AT:
		return wm_emit_end(e, action->end, known(value), one, before);
	case WM_ACTION_LOCAL_COUNT:
		return wm_emit_end(e, action->end, local_plus(e, value), one, before);
	case WM_ACTION_TRIP_BEGIN:
		begin_trips(e, value);
		break;
	case WM_ACTION_TRIP:
		count_trip(e, value);
		break;
	case WM_ACTION_TRIP_END:
		end_trips(e, value, before);
		break;
	case WM_ACTION_LOCAL_ENTER:
		copy_register(e, e->word, e->reg.path, e->reg.outer);
		break;
	case WM_ACTION_LOCAL_SET:
		LLVMBuildStore(e->builder, wm_constant(e->emitter, (uint64_t)value), e->reg.local);
		break;
	case WM_ACTION_LOCAL_ADD:
		add_local(e, value);
		break;
	case WM_ACTION_LOCAL_LEAVE:
		leave_region(e, action->region, local_plus(e, value));
		break;
	case WM_ACTION_LOCAL_LEAVE_AT:
		leave_region(e, action->region, known(value));
		break;
	case WM_ACTION_SAVE:
		copy_register(e, e->word, e->reg.path, e->reg.saved[value]);
		break;
	case WM_ACTION_RESTORE:
		copy_register(e, e->word, e->reg.saved[value], e->reg.path);
		break;
	case WM_ACTION_ENTER:
		wm_emit_enter(e, value);
		break;
	case WM_ACTION_PUSH:
		wm_emit_push(e, value, before);
		break;
	case WM_ACTION_LEAVE:
		wm_emit_leave(e, value, before);
		break;
	case WM_ACTION_PIECE:
		wm_push_piece(e, action->loop, register_plus(e, value));
		break;
	case WM_ACTION_PIECE_AT:
		wm_push_piece(e, action->loop, known(value));
		break;
	case WM_ACTION_FRAME:
	case WM_ACTION_LAND:
		wm_emit_identity(e, (enum wm_action_kind)action->kind, before);
		break;
		WM_END_ACTIONS(WM_CASE)
		assert(!"an action that only ends have");
		break;
		WM_UNIT_ACTIONS(WM_CASE)
		wm_across_action(e, action, before);
		break;
	}
	return NULL;
}

/* An action after WM_SPARES is written only where the first action of the end did not stop it. */
static void build_actions(struct wm_emission *e, const struct wm_probe *probe, LLVMValueRef before)
{
	LLVMValueRef missed = NULL;
	for (uint32_t i = 0; i < probe->count; i++) {
		bool spared = i && probe->action[i - 1].flags & WM_SPARES;
		LLVMValueRef at = spared && missed ? missed : before;
		LLVMPositionBuilderBefore(e->builder, at);
		missed = build_action(e, &probe->action[i], at);
	}
}

/* ---- The second register of unfinished paths ------------------------------------------ */

static void create_second(struct wm_emission *e)
{
	e->reg.second = wm_new_alloca(e, e->emitter->i64, "waymark.second");
	for (uint32_t i = 0; i < e->second->saved_count; i++)
		e->reg.second_saved[i] = wm_new_alloca(e, e->emitter->i64, "waymark.second.context");
}

/* It has the same actions as r. */
static void build_second(struct wm_emission *e, const struct wm_probe *probe, LLVMValueRef before)
{
	struct wm_registers reg = e->reg;
	LLVMTypeRef word = e->word;
	e->reg.path = reg.second;
	e->reg.saved = reg.second_saved;
	e->word = e->emitter->i64;
	build_actions(e, probe, before);
	e->word = word;
	e->reg.path = reg.path;
	e->reg.saved = reg.saved;
}

/* The probe of a call edge is written before the call, except LAND, which is written after it. */
static void build_edge_actions(struct wm_emission *e, uint32_t edge, LLVMValueRef before)
{
	struct wm_probe probe = e->program->edge[edge];
	const bool *call_edge = e->plan->graph->call_edge;
	bool lands = call_edge && call_edge[edge] && probe.action[probe.count - 1].kind == WM_ACTION_LAND;
	probe.count -= lands;
	build_actions(e, &probe, before);
	if (lands)
		wm_emit_identity(e, WM_ACTION_LAND, LLVMGetNextInstruction(before));
}

static void build_edge(struct wm_emission *e, uint32_t edge, LLVMValueRef before)
{
	build_edge_actions(e, edge, before);
	if (e->second)
		build_second(e, &e->second->edge[edge], before);
}

/* ---- Function entry ------------------------------------------------------------- */

/* With update `delta`: the offset of the cells of this thread from the global ones. */
static void find_thread_cells(struct wm_emission *e, LLVMValueRef at)
{
	struct wm_emitter *emitter = e->emitter;
	e->reg.delta = wm_new_alloca(e, emitter->i64, "waymark.delta");
	LLVMPositionBuilderBefore(e->builder, at);
	LLVMValueRef variable = wm_thread_field(e, offsetof(struct wm_thread, delta));
	LLVMValueRef delta = LLVMBuildLoad2(e->builder, emitter->i64, variable, "");
	LLVMBuildStore(e->builder, delta, e->reg.delta);
	LLVMValueRef unknown = LLVMBuildIsNull(e->builder, delta, "");
	LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(unknown, at));
	LLVMBuildStore(e->builder, wm_call_runtime(e, "__wm_thread_attach", emitter->i64, NULL, 0), e->reg.delta);
}

/* With update `gs`: in an executable, threads have their cells before they run (runtime/notify/spawn.c).  Code that may become part of
 * a shared object, whose threads may be created by other code, has to check on function entry.  Local functions need not check if all their callers are known and check. */
static bool is_thread_entry(const struct wm_emission *e)
{
	return wm_may_be_shared(e->emitter->module) &&
	       (e->anchors->some_block_may_not_return || !e->function->local || e->emitter->unchecked ||
		       wm_shim_has_address_taken(e->ir));
}

static void create_registers(struct wm_emission *e)
{
	const struct wm_probe_program *program = e->program;
	LLVMTypeRef i64 = e->emitter->i64;
	if (e->across)
		return;
	e->reg.path = wm_new_alloca(e, e->word, "waymark.path");
	if (program->entry.count && program->entry.action[0].kind == WM_ACTION_FRAME)
		e->reg.frame = wm_new_alloca(e, e->emitter->i8, "waymark.frame");
	for (uint32_t i = 0; i < program->trip_loop_count; i++) {
		e->reg.trips[i] = wm_new_alloca(e, i64, "waymark.trips");
		e->reg.before[i] = wm_new_alloca(e, trip_type(e, i), "waymark.before");
	}
	if (wm_plan_has_pieces(e->plan))
		e->reg.pieces = wm_new_alloca(e, wm_pieces_type(e), "waymark.pieces");
	if (program->window_count) {
		e->reg.sum = wm_new_alloca(e, i64, "waymark.sum");
		e->reg.window = wm_new_alloca(e, i64, "waymark.window");
		e->reg.done = wm_new_alloca(e, i64, "waymark.done");
	}
	for (uint32_t i = 0; i < program->saved_count; i++)
		e->reg.saved[i] = wm_new_alloca(e, e->word, "waymark.context");
	if (program->region_count) {
		e->reg.local = wm_new_alloca(e, i64, "waymark.local");
		e->reg.outer = wm_new_alloca(e, e->word, "waymark.outer");
	}
}

static void build_entry(struct wm_emission *e)
{
	LLVMValueRef at = wm_after_allocas(e->ir);
	create_registers(e);
	if (e->update == WM_UPDATE_DELTA)
		find_thread_cells(e, at);
	else if (e->update == WM_UPDATE_GS && is_thread_entry(e))
		wm_thread_check(e, at);
	LLVMPositionBuilderBefore(e->builder, at);
	if (e->second)
		create_second(e);
	if (e->function->has_entries && !e->across)
		wm_increment_cell(e, wm_constant(e->emitter, 0));
	if (e->reg.pieces)
		wm_begin_pieces(e);
	build_actions(e, &e->program->entry, at);
	if (e->second)
		build_second(e, &e->second->entry, at);
}

/* ---- Calls that return twice ------------------------------------------------------ */

/* The value of a register at the call is kept in a volatile variable per call site, which longjmp does not change. */
static void keep_register(struct wm_emission *e, LLVMValueRef call, LLVMValueRef variable, LLVMTypeRef type)
{
	LLVMValueRef saved = wm_new_alloca(e, type, "waymark.saved");
	LLVMPositionBuilderBefore(e->builder, call);
	LLVMSetVolatile(LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, type, variable, ""), saved), true);
	LLVMPositionBuilderBefore(e->builder, LLVMGetNextInstruction(call));
	LLVMValueRef value = LLVMBuildLoad2(e->builder, type, saved, "");
	LLVMSetVolatile(value, true);
	LLVMBuildStore(e->builder, value, variable);
}

/* Another volatile variable distinguishes the second return from the first. */
static void count_second_return(struct wm_emission *e, LLVMValueRef call, LLVMValueRef after)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef returned = wm_new_alloca(e, emitter->i8, "waymark.returned");
	LLVMPositionBuilderBefore(e->builder, call);
	LLVMSetVolatile(LLVMBuildStore(e->builder, LLVMConstInt(emitter->i8, 0, false), returned), true);
	LLVMPositionBuilderBefore(e->builder, after);
	LLVMValueRef before = LLVMBuildLoad2(e->builder, emitter->i8, returned, "");
	LLVMSetVolatile(before, true);
	LLVMSetVolatile(LLVMBuildStore(e->builder, LLVMConstInt(emitter->i8, 1, false), returned), true);
	LLVMValueRef second = LLVMBuildIsNotNull(e->builder, before, "");
	LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(second, after));
	wm_increment_cell(e, wm_constant(emitter, e->function->has_entries));
}

/* All registers that a probe after the call may read.  Functions whose paths do not cross calls have no regions, trips
 * and pieces around such calls. */
static void build_resume(struct wm_emission *e, LLVMValueRef call)
{
	LLVMValueRef after = LLVMGetNextInstruction(call), windows[] = {e->reg.sum, e->reg.window, e->reg.done};
	if (e->across)
		wm_across_return_again(e, call, keep_register);
	else
		keep_register(e, call, e->reg.path, e->word);
	for (uint32_t i = 0; i < 3 && e->program->window_count; i++)
		keep_register(e, call, windows[i], e->emitter->i64);
	for (uint32_t i = 0; i < e->program->saved_count; i++)
		keep_register(e, call, e->reg.saved[i], e->word);
	for (uint32_t i = 0; e->second && i < e->second->saved_count; i++)
		keep_register(e, call, e->reg.second_saved[i], e->emitter->i64);
	if (e->second)
		keep_register(e, call, e->reg.second, e->emitter->i64);
	if (e->function->has_resumed && e->counting->store != WM_COUNT_STREAM)
		count_second_return(e, call, after);
}

/* ---- The function ----------------------------------------------------------------- */

/* The call sites of a block, of functions whose paths cross calls. */
static uint32_t first_site(const struct wm_emission *e, uint32_t block)
{
	return e->across ? wm_unit_first_call(e->plan->in_unit, block) : 0;
}

static bool is_site_of(const struct wm_emission *e, uint32_t site, uint32_t block)
{
	return e->across && site < e->plan->in_unit->call_count && e->plan->in_unit->call[site].block == block;
}

/* Whether an invoke whose return has actions returns along this edge. */
static bool is_return_edge(const struct wm_emission *e, uint32_t edge)
{
	uint32_t block = e->plan->graph->edge_from[edge];
	for (uint32_t site = first_site(e, block); is_site_of(e, site, block); site++)
		if (wm_across_return_edge(e, site) == edge)
			return true;
	return false;
}

static bool find_edge_points(const struct wm_emission *e, LLVMValueRef *points)
{
	uint32_t count = e->plan->graph->edge_count;
	bool *needed = WM_NEW(e->arena, bool, count);
	for (uint32_t edge = 0; needed && edge < count; edge++)
		needed[edge] = e->program->edge[edge].count || is_return_edge(e, edge) ||
			       (e->second && e->second->edge[edge].count);
	return needed && wm_edge_points(e->plan, needed, e->ir, e->anchors, points);
}

/* An invoke returns on an edge.  The actions after the call run before those of the edge. */
static void build_calls(struct wm_emission *e, uint32_t block, LLVMValueRef *points)
{
	for (uint32_t site = first_site(e, block); is_site_of(e, site, block); site++) {
		LLVMValueRef call = e->across->call[site];
		uint32_t edge = wm_across_return_edge(e, site);
		const struct wm_call_probes *probes = &e->across->program->call[site];
		build_actions(e, &probes->before, call);
		if (probes->after.count)
			build_actions(e, &probes->after, edge == WM_NONE ? LLVMGetNextInstruction(call) : points[edge]);
	}
}

/*
 * The order matters where several events share a position in a block: first the entry, then calls and edges in reverse
 * postorder of their blocks (the in-edge of a block before its calls, and these before its out-edges), then second
 * returns, then exits.
 */
static void build_probes(struct wm_emission *e, LLVMValueRef *points)
{
	const struct wm_graph *graph = e->plan->graph;
	build_entry(e);
	for (uint32_t i = 0; i < e->plan->dfs.reached; i++) {
		uint32_t block = e->plan->dfs.reverse_postorder[i];
		build_calls(e, block, points);
		for (uint32_t edge = graph->first_edge[block]; edge < graph->first_edge[block + 1]; edge++)
			if (points[edge])
				build_edge(e, edge, points[edge]);
	}
	for (uint32_t i = 0; i < e->anchors->resume_count; i++)
		build_resume(e, e->anchors->resume_call[i]);
	for (uint32_t block = 0; block < graph->block_count; block++)
		if (e->program->exit[block].count)
			build_actions(e, &e->program->exit[block], e->anchors->exit[block]);
}

static enum wm_status promote(struct wm_emission *e)
{
	const struct wm_probe_program *program = e->program;
	size_t count = 0, loops = program->trip_loop_count, saved = program->saved_count;
	size_t second_saved = e->second ? e->second->saved_count : 0;
	LLVMValueRef single[] = {e->reg.path, e->reg.delta, e->reg.local, e->reg.outer, e->reg.sum, e->reg.window,
		e->reg.done, e->reg.second};
	enum { SINGLE = sizeof single / sizeof *single };
	LLVMValueRef *allocas =
		WM_NEW(e->arena, LLVMValueRef, SINGLE + saved + second_saved + 2 * loops + WM_ACROSS_REGISTERS);
	if (!allocas)
		return WM_NO_MEMORY;
	for (size_t i = 0; i < SINGLE; i++)
		if (single[i])
			allocas[count++] = single[i];
	for (size_t i = 0; i < loops; i++) {
		allocas[count++] = e->reg.trips[i];
		allocas[count++] = e->reg.before[i];
	}
	for (size_t i = 0; i < saved; i++)
		allocas[count++] = e->reg.saved[i];
	for (size_t i = 0; i < second_saved; i++)
		allocas[count++] = e->reg.second_saved[i];
	if (e->across)
		count += wm_across_registers(e, allocas + count);
	wm_shim_promote(e->ir, allocas, count);
	return WM_OK;
}

/* Whatever can fail because of the function itself is done before the first probe is written. */
static enum wm_status emit_probes(struct wm_emission *e, const struct wm_emit_request *request)
{
	const struct wm_probe_program *program = e->program;
	struct wm_sites sites = {0};
	enum wm_status status =
		request->unfinished ? wm_sites_find(&sites, e, request->origin, request->weights) : WM_OK;
	if (status != WM_OK)
		return status;
	e->second = sites.sums.second;
	e->reg.second_saved = WM_NEW(e->arena, LLVMValueRef, e->second ? e->second->saved_count : 0);
	LLVMValueRef *points = WM_NEW(e->arena, LLVMValueRef, e->plan->graph->edge_count);
	e->reg.trips = WM_NEW(e->arena, LLVMValueRef, program->trip_loop_count);
	e->reg.before = WM_NEW(e->arena, LLVMValueRef, program->trip_loop_count);
	e->reg.saved = WM_NEW(e->arena, LLVMValueRef, program->saved_count);
	if (!points || !e->reg.trips || !e->reg.before || !e->reg.saved || !e->reg.second_saved)
		return WM_NO_MEMORY;
	if (!find_edge_points(e, points)) {
		e->function->reason = "has an edge that cannot be split";
		return WM_BAD_GRAPH;
	}
	status = e->across ? wm_table_create(e) : WM_OK;
	if (status == WM_OK)
		status = wm_create_globals(e);
	if (status == WM_OK && e->across)
		status = wm_across_create(e);
	if (status != WM_OK)
		return status;
	build_probes(e, points);
	wm_sites_attach(e, &sites, e->reg.second);
	wm_drop_unused_tables(e);
	return e->emitter->promote ? promote(e) : WM_OK;
}

enum wm_status wm_emit(struct wm_emitter *emitter, LLVMValueRef ir, const struct wm_emit_request *request,
	struct wm_emitted *emitted, struct wm_arena *arena)
{
	struct wm_emission e = {.emitter = emitter,
		.builder = emitter->builder,
		.ir = ir,
		.plan = request->plan,
		.counting = request->counting,
		.program = request->program,
		.anchors = request->anchors,
		.function = request->function,
		.across = request->across,
		.update = (enum wm_update)request->function->update,
		.word = request->counting->width == 32 ? emitter->i32 : emitter->i64,
		.arena = arena};
	/* A function without probes need not check its thread. */
	bool silent = request->counting->residual && !request->program->probe_count;
	enum wm_status status = silent ? wm_create_globals(&e) : emit_probes(&e, request);
	if (silent && status == WM_OK)
		wm_drop_unused_tables(&e);
	*emitted = (struct wm_emitted){e.global.record, {e.unit.link[0], e.unit.link[1]}};
	return status;
}

void wm_drop_memory_attributes(LLVMValueRef ir)
{
	static const char *const names[] = {"memory", "speculatable"};
	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(names[n], strlen(names[n]));
		LLVMRemoveEnumAttributeAtIndex(ir, LLVMAttributeFunctionIndex, kind);
		for (LLVMUseRef use = LLVMGetFirstUse(ir); use; use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);
			if (LLVMIsAInstruction(user) && wm_is_call(user) && LLVMGetCalledValue(user) == ir)
				LLVMRemoveCallSiteEnumAttribute(user, LLVMAttributeFunctionIndex, kind);
		}
	}
}
