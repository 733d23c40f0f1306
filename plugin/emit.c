/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/emission.h"
#include "plugin/leaving.h"
#include <stdio.h>
#include <string.h>

/* A count in a hash is inline where the function is expected to spend its time: at this
 * share of its hottest count, or more.  Elsewhere it is a call: most such places
 * never run, and together they would double the code and take the registers of what does.
 * Shares, because how often a loop runs each time the function is entered is what static
 * estimates know least about; for the same reason the end of an iteration counts as if it
 * ran LOOP_ODDS times as often. */
#define INLINE_SHARE (1.0 / 8)
#define LOOP_ODDS 128

static unsigned attribute_kind(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static LLVMValueRef assembly(LLVMTypeRef type, const char *text, const char *constraints)
{
	return LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), false, false,
		LLVMInlineAsmDialectATT, false);
}

void wm_emitter_init(struct wm_emitter *emitter, LLVMModuleRef module, bool promote)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	*emitter = (struct wm_emitter){.module = module, .context = context, .promote = promote};
	emitter->builder = LLVMCreateBuilderInContext(context);
	emitter->i8 = LLVMInt8TypeInContext(context);
	emitter->i32 = LLVMInt32TypeInContext(context);
	emitter->i64 = LLVMInt64TypeInContext(context);
	emitter->ptr = LLVMPointerTypeInContext(context, 0);
	LLVMTypeRef none = LLVMVoidTypeInContext(context), parameters[] = {emitter->ptr, emitter->ptr};
	emitter->increment_type = LLVMFunctionType(none, parameters, 2, false);
	emitter->increment = assembly(emitter->increment_type, "incq $0", "=*m,*m,~{dirflag},~{fpsr},~{flags}");
	LLVMTypeRef add_parameters[] = {emitter->ptr, emitter->i64, emitter->ptr};
	emitter->add_type = LLVMFunctionType(none, add_parameters, 3, false);
	emitter->add = assembly(emitter->add_type, "addq $1, $0", "=*m,er,*m,~{dirflag},~{fpsr},~{flags}");
}

void wm_emitter_release(struct wm_emitter *emitter)
{
	LLVMDisposeBuilder(emitter->builder);
}

LLVMValueRef wm_constant(const struct wm_emitter *emitter, uint64_t value)
{
	return LLVMConstInt(emitter->i64, value, false);
}

/* Functions and variables of the runtime: of this object, so hidden. */
static LLVMValueRef runtime_function(struct wm_emitter *emitter, const char *name, LLVMTypeRef type)
{
	LLVMValueRef function = LLVMGetNamedFunction(emitter->module, name);
	if (function)
		return function;
	function = LLVMAddFunction(emitter->module, name, type);
	LLVMSetVisibility(function, LLVMHiddenVisibility);
	LLVMSetFunctionCallConv(function, LLVMPreserveMostCallConv);
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(emitter->context, attribute_kind("nounwind"), 0));
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(emitter->context, attribute_kind("cold"), 0));
	return function;
}

LLVMValueRef wm_call_runtime(
	struct wm_emission *e, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count)
{
	LLVMTypeRef types[5];
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(arguments[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	LLVMValueRef call =
		LLVMBuildCall2(e->builder, type, runtime_function(e->emitter, name, type), arguments, count, "");
	LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
	return call;
}

static LLVMValueRef runtime_tls(struct wm_emitter *emitter, const char *name, LLVMTypeRef type)
{
	LLVMValueRef variable = LLVMGetNamedGlobal(emitter->module, name);
	if (variable)
		return variable;
	variable = LLVMAddGlobal(emitter->module, type, name);
	LLVMSetVisibility(variable, LLVMHiddenVisibility);
	LLVMSetThreadLocalMode(variable, LLVMInitialExecTLSModel);
	return variable;
}

/* --- counting --------------------------------------------------------------- */

void wm_call_attribute(struct wm_emitter *emitter, LLVMValueRef call, const char *name, uint64_t value)
{
	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(emitter->context, attribute_kind(name), value));
}

/* Tells LLVM that the assembly touches nothing but the cell. */
static void describe_assembly(struct wm_emitter *emitter, LLVMValueRef call, unsigned last_pointer)
{
	enum { ARGUMENT_MEMORY_READ_WRITE = 3 };
	LLVMAttributeRef element =
		LLVMCreateTypeAttribute(emitter->context, attribute_kind("elementtype"), emitter->i64);
	LLVMAddCallSiteAttribute(call, 1, element);
	LLVMAddCallSiteAttribute(call, last_pointer, element);
	wm_call_attribute(emitter, call, "memory", ARGUMENT_MEMORY_READ_WRITE);
	wm_call_attribute(emitter, call, "nounwind", 0);
	wm_call_attribute(emitter, call, "willreturn", 0);
}

void wm_build_add(struct wm_emission *e, LLVMValueRef cell, LLVMValueRef amount)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef increment[] = {cell, cell}, add[] = {cell, amount, cell};
	if (e->update == WM_UPDATE_ATOMIC)
		LLVMBuildAtomicRMW(e->builder, LLVMAtomicRMWBinOpAdd, cell, amount, LLVMAtomicOrderingMonotonic, false);
	else if (LLVMIsAConstantInt(amount) && LLVMConstIntGetZExtValue(amount) == 1)
		describe_assembly(emitter,
			LLVMBuildCall2(e->builder, emitter->increment_type, emitter->increment, increment, 2, ""), 2);
	else
		describe_assembly(emitter, LLVMBuildCall2(e->builder, emitter->add_type, emitter->add, add, 3, ""), 3);
}

static void build_increment(struct wm_emission *e, LLVMValueRef cell)
{
	wm_build_add(e, cell, wm_constant(e->emitter, 1));
}

LLVMValueRef wm_cell_address(struct wm_emission *e, LLVMValueRef index)
{
	LLVMValueRef address = LLVMBuildGEP2(e->builder, e->emitter->i64, e->cells, &index, 1, "");
	if (!e->delta)
		return address;
	LLVMValueRef delta = LLVMBuildLoad2(e->builder, e->emitter->i64, e->delta, "");
	return LLVMBuildGEP2(e->builder, e->emitter->i8, address, &delta, 1, "");
}

static LLVMValueRef word(const struct wm_emission *e, int64_t value)
{
	return LLVMConstInt(e->word, (uint64_t)value, true);
}

static LLVMValueRef path_plus(struct wm_emission *e, int64_t value)
{
	LLVMValueRef path = LLVMBuildLoad2(e->builder, e->word, e->path, "");
	return value ? LLVMBuildAdd(e->builder, path, word(e, value), "") : path;
}

/* --- loops with one path --------------------------------------------------------- */

static LLVMTypeRef trip_type(const struct wm_emission *e, uint64_t loop)
{
	return e->program->trip_loop[loop].region == WM_NONE ? e->word : e->emitter->i64;
}

static void begin_trips(struct wm_emission *e, uint64_t loop)
{
	LLVMBuildStore(e->builder, wm_constant(e->emitter, 0), e->trips[loop]);
	LLVMValueRef sum = e->program->trip_loop[loop].region == WM_NONE ? e->path : e->local;
	LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, trip_type(e, loop), sum, ""), e->before[loop]);
}

static void count_trip(struct wm_emission *e, uint64_t loop)
{
	LLVMValueRef trips = LLVMBuildLoad2(e->builder, e->emitter->i64, e->trips[loop], "");
	LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, trips, wm_constant(e->emitter, 1), ""), e->trips[loop]);
}

static void count_trips(struct wm_emission *e, const struct wm_trip_loop *facts, struct wm_total total,
	LLVMValueRef amount, LLVMValueRef before)
{
	e->end = e->edge_end[facts->back_edge];
	if (facts->region == WM_NONE)
		wm_count_path(e, total, amount, before);
	else
		wm_count_local(e, facts->region, total, amount, before);
}

/* The first trip ended the path that had entered the loop. */
static void end_trips(struct wm_emission *e, uint64_t loop, LLVMValueRef before)
{
	struct wm_emitter *emitter = e->emitter;
	const struct wm_trip_loop *facts = &e->program->trip_loop[loop];
	LLVMValueRef trips = LLVMBuildLoad2(e->builder, emitter->i64, e->trips[loop], ""), then, otherwise;
	wm_shim_if_likely_else(LLVMBuildIsNotNull(e->builder, trips, ""), before, &then, &otherwise);
	LLVMPositionBuilderBefore(e->builder, then);
	LLVMValueRef entered = LLVMBuildLoad2(e->builder, trip_type(e, loop), e->before[loop], "");
	count_trips(e, facts, (struct wm_total){entered, facts->first}, wm_constant(emitter, 1), then);
	LLVMValueRef rest = LLVMBuildSub(e->builder, trips, wm_constant(emitter, 1), "");
	count_trips(e, facts, (struct wm_total){NULL, facts->again}, rest, then);
	e->wrong = e->unsettled = NULL; /* the guess was of `entered`, not of the register */
	LLVMPositionBuilderBefore(e->builder, before);
}

/* --- more than one iteration, or what was before it ------------------------------- */

/* A constant must be known as one: it may be counted no times at all (see count.c). */
static void count_for_window(void *closure, LLVMValueRef id, LLVMValueRef amount, LLVMValueRef before)
{
	struct wm_total total = {id, 0};
	if (LLVMIsAConstantInt(id))
		total = (struct wm_total){NULL, (int64_t)LLVMConstIntGetZExtValue(id)};
	wm_count_path(closure, total, amount, before);
}

static void prepare_windows(struct wm_emission *e)
{
	e->windows.module = e->emitter->module;
	e->windows.builder = e->builder;
	e->windows.i64 = e->emitter->i64;
	e->windows.program = e->program;
	e->windows.path = e->path;
	e->windows.count = count_for_window;
	e->windows.closure = e;
}

/* The likely path often ends with what the next one begins with: nothing crossed a chord. */
static void build_set(struct wm_emission *e, int64_t value)
{
	LLVMValueRef constant = word(e, value);
	if (e->wrong && LLVMConstIntGetZExtValue(constant) == e->guess)
		LLVMPositionBuilderBefore(e->builder, e->wrong);
	LLVMBuildStore(e->builder, constant, e->path);
}

static void build_mark(struct wm_emission *e, int64_t missing)
{
	LLVMValueRef sum = LLVMBuildOr(e->builder, path_plus(e, missing), word(e, (int64_t)WM_MARK_BIT), "");
	LLVMBuildStore(e->builder, LLVMBuildSub(e->builder, sum, word(e, missing), ""), e->path);
}

static void build_action(struct wm_emission *e, struct wm_action action, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(e->builder, before);
	LLVMValueRef one = wm_constant(e->emitter, 1);
	switch (action.kind) {
	case WM_ACTION_SET:
		build_set(e, action.value);
		break;
	case WM_ACTION_ADD:
		LLVMBuildStore(e->builder, path_plus(e, action.value), e->path);
		break;
	case WM_ACTION_MARK:
		build_mark(e, action.value);
		break;
	case WM_ACTION_COUNT:
		wm_count_path(e, (struct wm_total){path_plus(e, 0), action.value}, one, before);
		break;
	case WM_ACTION_COUNT_AT:
		wm_count_path(e, (struct wm_total){NULL, action.value}, one, before);
		break;
	case WM_ACTION_TRIP_BEGIN:
		begin_trips(e, (uint64_t)action.value);
		break;
	case WM_ACTION_TRIP:
		count_trip(e, (uint64_t)action.value);
		break;
	case WM_ACTION_TRIP_END:
		end_trips(e, (uint64_t)action.value, before);
		break;
	case WM_ACTION_PIECE:
		wm_push_piece(e, (struct wm_total){path_plus(e, 0), action.value});
		break;
	case WM_ACTION_PIECE_AT:
		wm_push_piece(e, (struct wm_total){NULL, action.value});
		break;
	default:
		if (action.kind >= WM_ACTION_SAVE)
			wm_window_ir_action(&e->windows, action, before);
		else
			wm_build_local(e, action, before);
		break;
	}
}

static void mark_aside(struct wm_emission *e, bool leaves, uint32_t back_to, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(e->builder, before);
	wm_aside_mark(&e->aside, e->emitter->module, e->builder, leaves, back_to);
}

static bool is_marked(const struct wm_emission *e, uint32_t dag_edge)
{
	return e->counting->aside && e->counting->marked[dag_edge];
}

static bool leaves_core(const struct wm_emission *e, uint32_t edge)
{
	return is_marked(e, e->edge_end[edge]);
}

static bool starts_aside(const struct wm_emission *e, uint32_t edge)
{
	return e->counting->aside && wm_plan_stops(e->plan, edge);
}

/* The part whose next round begins behind the edge. */
static uint32_t back_to(const struct wm_emission *e, uint32_t edge)
{
	const struct wm_asides *asides = &e->counting->asides;
	const struct wm_graph *graph = e->plan->graph;
	uint32_t part = asides->of[graph->edge_from[edge]];
	bool own = part != WM_NONE && e->plan->dfs.back_edge[edge] &&
		   (asides->head[part] == graph->edge_to[edge] || asides->head[part] == WM_NONE);
	return own ? part : WM_NONE;
}

/* `end`: the DAG edge to End that a count of these actions stands for. */
static void build_actions(struct wm_emission *e, const struct wm_action *action, uint8_t count, uint32_t end, bool hot,
	LLVMValueRef before)
{
	e->hot = hot;
	e->wrong = e->unsettled = NULL;
	for (uint8_t i = 0; i < count; i++) {
		e->end = end;
		build_action(e, action[i], before);
	}
}

/* How many actions of a probe come before its count. */
static uint8_t actions_before_count(const struct wm_probe *probe)
{
	uint8_t i = 0;
	while (i < probe->count && probe->action[i].kind != WM_ACTION_COUNT &&
		probe->action[i].kind != WM_ACTION_COUNT_AT)
		i++;
	return i;
}

/* A path that leaves the core is outside it before it is counted. */
static void build_edge_probe(struct wm_emission *e, uint32_t edge, bool hot, LLVMValueRef before)
{
	const struct wm_probe *probe = &e->program->edge[edge];
	uint32_t end = e->edge_end[edge];
	uint8_t first = leaves_core(e, edge) ? actions_before_count(probe) : 0;
	build_actions(e, probe->action, first, end, hot, before);
	if (leaves_core(e, edge))
		mark_aside(e, true, WM_NONE, before);
	build_actions(e, probe->action + first, (uint8_t)(probe->count - first), end, hot, before);
	if (starts_aside(e, edge))
		mark_aside(e, is_marked(e, e->plan->dag.edge[end].restart), back_to(e, edge), before);
}

/* --- function entry ---------------------------------------------------------- */

/* The first place behind the static allocas; stray ones are moved up, because the
 * entry block may be split here and they must stay in it. */
static LLVMValueRef after_allocas(LLVMValueRef ir)
{
	LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(ir));
	while (wm_shim_is_static_alloca(at))
		at = LLVMGetNextInstruction(at);
	for (LLVMValueRef i = at, next; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (wm_shim_is_static_alloca(i))
			wm_shim_move_before(i, at);
	}
	return at;
}

static LLVMValueRef new_alloca(struct wm_emission *e, LLVMTypeRef type, const char *name)
{
	LLVMPositionBuilderBefore(e->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(e->ir)));
	return LLVMBuildAlloca(e->builder, type, name);
}

/* Where threads have their own cells: how far they are from the named ones. */
static void find_thread_cells(struct wm_emission *e, LLVMValueRef at)
{
	struct wm_emitter *emitter = e->emitter;
	e->delta = new_alloca(e, emitter->i64, "waymark.delta");
	LLVMPositionBuilderBefore(e->builder, at);
	LLVMValueRef variable = runtime_tls(emitter, "__wm_thread_delta", emitter->i64);
	LLVMValueRef delta = LLVMBuildLoad2(e->builder, emitter->i64, variable, "");
	LLVMBuildStore(e->builder, delta, e->delta);
	LLVMValueRef unknown = LLVMBuildIsNull(e->builder, delta, "");
	LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(unknown, at));
	LLVMBuildStore(e->builder, wm_call_runtime(e, "__wm_thread_attach", emitter->i64, NULL, 0), e->delta);
}

/* An executable learns of threads when they are created (runtime/spawn.c); code
 * that may become part of a shared object has to look.  Local functions whose
 * callers are all known and all look need not. */
static bool is_thread_entry(const struct wm_emission *e)
{
	return wm_may_be_shared(e->emitter->module) &&
	       (e->anchors->may_leave || !e->function->local || e->emitter->unchecked ||
		       wm_shim_has_address_taken(e->ir));
}

static void check_thread(struct wm_emission *e, LLVMValueRef at)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMPositionBuilderBefore(e->builder, at);
	LLVMValueRef known =
		LLVMBuildLoad2(e->builder, emitter->i8, runtime_tls(emitter, "__wm_thread_known", emitter->i8), "");
	LLVMValueRef unknown = LLVMBuildIsNull(e->builder, known, "");
	LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(unknown, at));
	wm_call_runtime(e, "__wm_new_thread", LLVMVoidTypeInContext(emitter->context), NULL, 0);
}

static void build_entry(struct wm_emission *e)
{
	LLVMValueRef at = after_allocas(e->ir);
	e->path = new_alloca(e, e->word, "waymark.path");
	if (e->aside.part_count && e->aside.head[0])
		e->aside.outside = new_alloca(e, LLVMInt1TypeInContext(e->emitter->context), "waymark.outside");
	for (uint32_t i = 0; i < e->program->trip_loop_count; i++) {
		e->trips[i] = new_alloca(e, e->emitter->i64, "waymark.trips");
		e->before[i] = new_alloca(e, trip_type(e, i), "waymark.before");
	}
	if (e->plan->sequences)
		e->pieces = new_alloca(e, wm_pieces_type(e), "waymark.pieces");
	prepare_windows(e);
	for (uint32_t i = 0; i < wm_window_ir_registers(e->program); i++)
		*wm_window_ir_register(&e->windows, i) = new_alloca(e, e->emitter->i64, "waymark.window");
	if (e->program->region_count) {
		e->local = new_alloca(e, e->emitter->i64, "waymark.local");
		e->outer = new_alloca(e, e->word, "waymark.outer");
	}
	if (e->update == WM_UPDATE_THREAD)
		find_thread_cells(e, at);
	else if (e->update == WM_UPDATE_SINGLE && is_thread_entry(e))
		check_thread(e, at);
	LLVMPositionBuilderBefore(e->builder, at);
	if (e->function->has_entries)
		build_increment(e, wm_cell_address(e, wm_constant(e->emitter, 0)));
	if (e->pieces)
		wm_begin_pieces(e);
	build_actions(e, e->program->entry.action, e->program->entry.count, WM_NONE, false, at);
	if (e->counting->aside)
		mark_aside(e, is_marked(e, e->entry_edge), WM_NONE, at);
}

/* --- calls that return twice -------------------------------------------------- */

/* A register as it stood at the call is kept where longjmp does not reach: in a
 * volatile variable per call site. */
static void keep_register(struct wm_emission *e, LLVMValueRef call, LLVMValueRef variable, LLVMTypeRef type)
{
	LLVMValueRef saved = new_alloca(e, type, "waymark.saved");
	LLVMPositionBuilderBefore(e->builder, call);
	LLVMSetVolatile(LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, type, variable, ""), saved), true);
	LLVMPositionBuilderBefore(e->builder, LLVMGetNextInstruction(call));
	LLVMValueRef value = LLVMBuildLoad2(e->builder, type, saved, "");
	LLVMSetVolatile(value, true);
	LLVMBuildStore(e->builder, value, variable);
}

/* Another volatile variable tells the second return. */
static void count_second_return(struct wm_emission *e, LLVMValueRef call, LLVMValueRef after)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef returned = new_alloca(e, emitter->i8, "waymark.returned");
	LLVMPositionBuilderBefore(e->builder, call);
	LLVMSetVolatile(LLVMBuildStore(e->builder, LLVMConstInt(emitter->i8, 0, false), returned), true);
	LLVMPositionBuilderBefore(e->builder, after);
	LLVMValueRef before = LLVMBuildLoad2(e->builder, emitter->i8, returned, "");
	LLVMSetVolatile(before, true);
	LLVMSetVolatile(LLVMBuildStore(e->builder, LLVMConstInt(emitter->i8, 1, false), returned), true);
	LLVMValueRef second = LLVMBuildIsNotNull(e->builder, before, "");
	LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(second, after));
	build_increment(e, wm_cell_address(e, wm_constant(emitter, e->function->has_entries)));
}

static void build_resume(struct wm_emission *e, LLVMValueRef call)
{
	LLVMValueRef after = LLVMGetNextInstruction(call);
	keep_register(e, call, e->path, e->word);
	for (uint32_t i = 0; i < wm_window_ir_registers(e->program); i++)
		keep_register(e, call, *wm_window_ir_register(&e->windows, i), e->emitter->i64);
	if (e->function->has_resumed)
		count_second_return(e, call, after);
}

/* --- what may be hot ------------------------------------------------------------ */

bool wm_is_hot(const struct wm_emission *e, double weight)
{
	return weight > 0 && weight >= INLINE_SHARE * e->hottest;
}

static bool is_hot_edge(const struct wm_emission *e, uint32_t edge)
{
	return wm_is_hot(e, e->weights->edge[edge] * (wm_plan_stops(e->plan, edge) ? LOOP_ODDS : 1));
}

static double hottest_count(const struct wm_emission *e)
{
	const struct wm_dag *dag = &e->plan->dag;
	double most = 0;
	for (uint32_t d = 0; d < dag->edge_count; d++) {
		const struct wm_dag_edge *edge = &dag->edge[d];
		if (edge->to != WM_DAG_END)
			continue;
		double weight = wm_weights_of(e->weights, dag, edge);
		most = weight > most ? weight : most;
	}
	return most;
}

/* --- the function -------------------------------------------------------------- */

static enum wm_status map_ends(struct wm_emission *e)
{
	const struct wm_dag *dag = &e->plan->dag;
	bool acyclic = wm_plan_is_acyclic(e->plan);
	e->edge_end = WM_NEW(e->arena, uint32_t, e->plan->graph->edge_count);
	e->block_end = WM_NEW(e->arena, uint32_t, e->plan->graph->block_count);
	if (!e->edge_end || !e->block_end)
		return WM_NO_MEMORY;
	for (uint32_t d = 0; d < dag->edge_count; d++) {
		if (dag->edge[d].kind == WM_EDGE_STOP || (acyclic && dag->edge[d].kind == WM_EDGE_REAL))
			e->edge_end[dag->edge[d].cfg_edge] = d;
		else if (dag->edge[d].kind == WM_EDGE_ENTRY)
			e->entry_edge = d;
		else if (dag->edge[d].kind == WM_EDGE_EXIT)
			e->block_end[dag->node_block[dag->edge[d].from]] = d;
	}
	return WM_OK;
}

static LLVMValueRef edge_point(const struct wm_emission *e, uint32_t edge)
{
	const struct wm_graph *graph = e->plan->graph;
	uint32_t from = graph->edge_from[edge];
	LLVMValueRef terminator = e->anchors->terminator[from];
	bool only_edge = graph->first_edge[from + 1] - graph->first_edge[from] == 1;
	if (only_edge && !LLVMIsAInvokeInst(terminator) && LLVMGetInstructionOpcode(terminator) != LLVMCallBr)
		return terminator;
	LLVMBasicBlockRef block = wm_shim_edge_block(terminator, e->anchors->edge_successor[edge]);
	return block ? wm_shim_first_insertion(block) : NULL;
}

/* All edges are split before the first probe is written: points[] is then final. */
static bool find_edge_points(const struct wm_emission *e, LLVMValueRef *points)
{
	const struct wm_graph *graph = e->plan->graph;
	for (uint32_t edge = 0; edge < graph->edge_count; edge++) {
		bool event = e->program->edge[edge].count || leaves_core(e, edge) || starts_aside(e, edge);
		if (!event || e->plan->dfs.position[graph->edge_from[edge]] == WM_NONE)
			continue;
		points[edge] = edge_point(e, edge);
		if (!points[edge])
			return false;
	}
	return true;
}

static bool is_rare(const struct wm_emission *e, uint32_t block, LLVMBasicBlockRef successor)
{
	const struct wm_graph *graph = e->plan->graph;
	for (uint32_t edge = graph->first_edge[block]; edge < graph->first_edge[block + 1]; edge++)
		if (leaves_core(e, edge) &&
			LLVMGetSuccessor(e->anchors->terminator[block], e->anchors->edge_successor[edge]) == successor)
			return true;
	return false;
}

/* Or the copy would stand between the blocks of the original. */
static void foretell(const struct wm_emission *e, uint32_t block)
{
	enum { LIKELY = 2000, UNLIKELY = 1 };
	LLVMContextRef context = e->emitter->context;
	LLVMValueRef terminator = e->anchors->terminator[block];
	LLVMOpcode code = LLVMGetInstructionOpcode(terminator);
	unsigned count = LLVMGetNumSuccessors(terminator), kind = LLVMGetMDKindIDInContext(context, "prof", 4);
	LLVMMetadataRef *weight = WM_NEW(e->arena, LLVMMetadataRef, (size_t)count + 1);
	if (!weight || count < 2 || (code != LLVMBr && code != LLVMSwitch) || LLVMGetMetadata(terminator, kind))
		return;
	unsigned rare = 0;
	weight[0] = LLVMMDStringInContext2(context, "branch_weights", 14);
	for (unsigned i = 0; i < count; i++) {
		bool unlikely = is_rare(e, block, LLVMGetSuccessor(terminator, i));
		weight[i + 1] = LLVMValueAsMetadata(LLVMConstInt(e->emitter->i32, unlikely ? UNLIKELY : LIKELY, false));
		rare += unlikely;
	}
	if (rare == 0 || rare == count)
		return;
	LLVMMetadataRef node = LLVMMDNodeInContext2(context, weight, (size_t)count + 1);
	LLVMSetMetadata(terminator, kind, LLVMMetadataAsValue(context, node));
}

static bool has_indirect_branch(const struct wm_emission *e)
{
	for (uint32_t b = 0; b < e->plan->graph->block_count; b++)
		if (LLVMGetInstructionOpcode(e->anchors->terminator[b]) == LLVMIndirectBr)
			return true;
	return false;
}

/*
 * Order matters where several events share a place in a block: entry, then edges
 * in reverse postorder of their sources (an empty block's in-edge before its
 * out-edge), then second returns, then exits.
 */
static void build_probes(struct wm_emission *e, LLVMValueRef *points)
{
	const struct wm_graph *graph = e->plan->graph;
	for (uint32_t i = 0; i < e->plan->dfs.reached && e->counting->aside; i++)
		foretell(e, e->plan->dfs.reverse_postorder[i]);
	build_entry(e);
	for (uint32_t i = 0; i < e->plan->dfs.reached; i++) {
		uint32_t block = e->block = e->plan->dfs.reverse_postorder[i];
		for (uint32_t edge = graph->first_edge[block]; edge < graph->first_edge[block + 1]; edge++)
			if (points[edge])
				build_edge_probe(e, edge, is_hot_edge(e, edge), points[edge]);
	}
	for (uint32_t i = 0; i < e->anchors->resume_count; i++)
		build_resume(e, e->anchors->resume_call[i]);
	for (uint32_t block = 0; block < graph->block_count; block++)
		if (e->program->exit[block].count)
			build_actions(e, e->program->exit[block].action, e->program->exit[block].count,
				e->block_end[block], wm_is_hot(e, e->weights->block[block]), e->anchors->exit[block]);
}

static enum wm_status promote(struct wm_emission *e, struct wm_arena *arena)
{
	uint32_t loops = e->program->trip_loop_count, windows = wm_window_ir_registers(e->program), count = 0;
	LLVMValueRef *allocas = WM_NEW(arena, LLVMValueRef, 4 + windows + 2 * (size_t)loops);
	if (!allocas)
		return WM_NO_MEMORY;
	allocas[count++] = e->path;
	if (e->delta)
		allocas[count++] = e->delta;
	if (e->local) {
		allocas[count++] = e->local;
		allocas[count++] = e->outer;
	}
	for (uint32_t i = 0; i < loops; i++) {
		allocas[count++] = e->trips[i];
		allocas[count++] = e->before[i];
	}
	for (uint32_t i = 0; i < windows; i++)
		allocas[count++] = *wm_window_ir_register(&e->windows, i);
	if (e->counting->aside)
		wm_aside_split(e->ir, &e->aside, allocas, count);
	else
		wm_shim_promote(e->ir, allocas, count);
	return WM_OK;
}

static bool prepare_aside(struct wm_emission *e)
{
	const struct wm_graph *graph = e->plan->graph;
	const struct wm_asides *asides = &e->counting->asides;
	e->aside.part_count = asides->count;
	e->aside.head = WM_NEW(e->arena, LLVMBasicBlockRef, asides->count);
	e->aside.mark = WM_NEW(e->arena, struct wm_aside_mark, 2 * (size_t)graph->edge_count + 1);
	e->aside.question = WM_NEW(e->arena, LLVMValueRef, (size_t)graph->edge_count + graph->block_count);
	for (uint32_t i = 0; i < asides->count && e->aside.head; i++)
		e->aside.head[i] = asides->head[i] == WM_NONE ? NULL : e->anchors->block[asides->head[i]];
	return e->aside.head && e->aside.mark && e->aside.question;
}

/* Splits the edges that need it, and then changes nothing that can still fail. */
static enum wm_status emit(struct wm_emission *e)
{
	const struct wm_probe_program *program = e->program;
	LLVMValueRef *points = WM_NEW(e->arena, LLVMValueRef, e->plan->graph->edge_count);
	e->trips = WM_NEW(e->arena, LLVMValueRef, program->trip_loop_count);
	e->before = WM_NEW(e->arena, LLVMValueRef, program->trip_loop_count);
	e->windows.saved = WM_NEW(e->arena, LLVMValueRef, program->saved_count);
	if (!points || !e->trips || !e->before || !e->windows.saved || map_ends(e) != WM_OK || !prepare_aside(e))
		return WM_NO_MEMORY;
	if (has_indirect_branch(e))
		wm_shim_split_indirect_edges(e->ir);
	if (!find_edge_points(e, points)) {
		e->function->reason = "has an edge that cannot be split";
		return WM_BAD_GRAPH;
	}
	enum wm_status status = wm_create_globals(e);
	if (status == WM_OK && program->region_count)
		status = wm_local_tables(e);
	if (status != WM_OK)
		return status;
	build_probes(e, points);
	wm_drop_unused_local_tables(e);
	return e->emitter->promote ? promote(e, e->arena) : WM_OK;
}

enum wm_status wm_emit(struct wm_emitter *emitter, LLVMValueRef ir, const struct wm_plan *plan,
	const struct wm_counting *counting, const struct wm_probe_program *program, const struct wm_weights *weights,
	const struct wm_anchors *anchors, struct wm_map_function *function, struct wm_emitted *emitted,
	struct wm_arena *arena)
{
	struct wm_emission e = {.emitter = emitter,
		.builder = emitter->builder,
		.ir = ir,
		.plan = plan,
		.counting = counting,
		.program = program,
		.weights = weights,
		.anchors = anchors,
		.function = function,
		.update = (enum wm_update)function->update,
		.word = counting->width == 32 ? emitter->i32 : emitter->i64,
		.arena = arena};
	e.hottest = hottest_count(&e);
	/* Where every path is tested there is nothing to watch. */
	enum wm_status status = counting->residual && !program->probe_count ? wm_create_globals(&e) : emit(&e);
	*emitted = (struct wm_emitted){e.record, e.cells, e.header_cells, e.delta, e.update};
	return status;
}

void wm_emit_increment(struct wm_emitter *emitter, const struct wm_emitted *emitted, LLVMValueRef cells, uint32_t index,
	LLVMValueRef before)
{
	struct wm_emission e = {.emitter = emitter,
		.builder = emitter->builder,
		.update = emitted->update,
		.cells = cells,
		.delta = emitted->delta};
	LLVMPositionBuilderBefore(e.builder, before);
	build_increment(&e, wm_cell_address(&e, wm_constant(emitter, index)));
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
