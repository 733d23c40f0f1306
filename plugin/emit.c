/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/emit.h"
#include "core/kiter.h"
#include "core/sequence.h"
#include "plugin/window.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct emission {
	struct wm_emitter *emitter;
	LLVMBuilderRef builder;
	LLVMValueRef ir;
	const struct wm_plan *plan;
	const struct wm_probe_program *program;
	const struct wm_anchors *anchors;
	struct wm_map_function *function;
	LLVMValueRef path;   /* alloca: the path register */
	LLVMValueRef *trips, *before; /* allocas, per trip loop */
	struct wm_window_ir windows;
	LLVMValueRef pieces; /* alloca: struct wm_pieces; plans with sequences only */
	uint32_t block; /* where the edge comes from whose probe is being written */
	LLVMValueRef delta;  /* alloca: distance of this thread's cells; `thread` only */
	LLVMValueRef cells;  /* global */
	LLVMValueRef record; /* global */
	const struct wm_weights *weights;
	bool hot; /* whether a count in a hash is worth an inline probe here */
	uint32_t header_cells;
	bool hash;
};

/* Expected executions per activation from which on a count in a hash is inline.
 * Elsewhere it is a call: most such places never run, and together they would
 * double the code. */
#define INLINE_WEIGHT 1.5

/* A hash table with nothing in it, so that the inline probe needs no test for none. */
#define EMPTY_TABLE "__wm_empty_table"

static unsigned attribute_kind(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static LLVMValueRef assembly(LLVMTypeRef type, const char *text, const char *constraints)
{
	return LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), false, false,
		LLVMInlineAsmDialectATT, false);
}

void wm_emitter_init(struct wm_emitter *emitter, LLVMModuleRef module, enum wm_update update, bool promote)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	*emitter = (struct wm_emitter){.module = module, .context = context, .update = update, .promote = promote};
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

static LLVMValueRef constant(const struct wm_emitter *emitter, uint64_t value)
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

static LLVMValueRef call_runtime(
	struct emission *e, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count)
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

static LLVMValueRef empty_table(struct wm_emitter *emitter)
{
	LLVMValueRef table = LLVMGetNamedGlobal(emitter->module, EMPTY_TABLE);
	if (table)
		return table;
	enum { WORDS = (sizeof(struct wm_hash_table) + 2 * sizeof(struct wm_hash_slot)) / 8 };
	LLVMValueRef words[WORDS];
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = constant(emitter, i == 0 ? 63 : 0);
	table = LLVMAddGlobal(emitter->module, LLVMArrayType2(emitter->i64, WORDS), EMPTY_TABLE);
	LLVMSetInitializer(table, LLVMConstArray2(emitter->i64, words, WORDS));
	LLVMSetGlobalConstant(table, true);
	LLVMSetLinkage(table, LLVMLinkOnceODRLinkage);
	LLVMSetVisibility(table, LLVMHiddenVisibility);
	return table;
}

/* --- counting --------------------------------------------------------------- */

static void add_call_attribute(struct wm_emitter *emitter, LLVMValueRef call, const char *name, uint64_t value)
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
	add_call_attribute(emitter, call, "memory", ARGUMENT_MEMORY_READ_WRITE);
	add_call_attribute(emitter, call, "nounwind", 0);
	add_call_attribute(emitter, call, "willreturn", 0);
}

static void build_add(struct emission *e, LLVMValueRef cell, LLVMValueRef amount)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef increment[] = {cell, cell}, add[] = {cell, amount, cell};
	if (emitter->update == WM_UPDATE_ATOMIC)
		LLVMBuildAtomicRMW(e->builder, LLVMAtomicRMWBinOpAdd, cell, amount, LLVMAtomicOrderingMonotonic, false);
	else if (LLVMIsAConstantInt(amount) && LLVMConstIntGetZExtValue(amount) == 1)
		describe_assembly(emitter,
			LLVMBuildCall2(e->builder, emitter->increment_type, emitter->increment, increment, 2, ""), 2);
	else
		describe_assembly(emitter, LLVMBuildCall2(e->builder, emitter->add_type, emitter->add, add, 3, ""), 3);
}

static void build_increment(struct emission *e, LLVMValueRef cell)
{
	build_add(e, cell, constant(e->emitter, 1));
}

static LLVMValueRef cell_address(struct emission *e, LLVMValueRef index)
{
	LLVMValueRef address = LLVMBuildGEP2(e->builder, e->emitter->i64, e->cells, &index, 1, "");
	if (!e->delta)
		return address;
	LLVMValueRef delta = LLVMBuildLoad2(e->builder, e->emitter->i64, e->delta, "");
	return LLVMBuildGEP2(e->builder, e->emitter->i8, address, &delta, 1, "");
}

static LLVMValueRef table_address(struct emission *e, LLVMValueRef head)
{
	LLVMValueRef table = LLVMBuildLoad2(e->builder, e->emitter->ptr, head, "");
	if (e->emitter->update == WM_UPDATE_ATOMIC)
		LLVMSetOrdering(table, LLVMAtomicOrderingAcquire);
	LLVMValueRef none = LLVMBuildIsNull(e->builder, table, "");
	return LLVMBuildSelect(e->builder, none, empty_table(e->emitter), table, "");
}

static LLVMValueRef slot_address(struct emission *e, LLVMValueRef table, LLVMValueRef id)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef shift = LLVMBuildLoad2(e->builder, emitter->i64, table, "");
	LLVMValueRef mixed = LLVMBuildMul(e->builder, id, constant(emitter, WM_HASH_FACTOR), "");
	LLVMValueRef index = LLVMBuildLShr(e->builder, mixed, shift, "");
	LLVMValueRef scaled = LLVMBuildMul(e->builder, index, constant(emitter, sizeof(struct wm_hash_slot)), "");
	LLVMValueRef offset = LLVMBuildAdd(e->builder, scaled, constant(emitter, sizeof(struct wm_hash_table)), "");
	return LLVMBuildGEP2(e->builder, emitter->i8, table, &offset, 1, "");
}

static void call_hash_add(struct emission *e, LLVMValueRef head, LLVMValueRef id, LLVMValueRef amount)
{
	LLVMValueRef arguments[] = {e->record, head, id, amount};
	call_runtime(e, "__wm_hash_add", LLVMVoidTypeInContext(e->emitter->context), arguments, 4);
}

/* One inline probe of the newest table; everything else is the runtime's. */
static void add_in_hash(struct emission *e, LLVMValueRef id, LLVMValueRef amount, LLVMValueRef before)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef head = cell_address(e, constant(emitter, e->header_cells));
	if (!e->hot) {
		call_hash_add(e, head, id, amount);
		return;
	}
	LLVMValueRef slot = slot_address(e, table_address(e, head), id);
	LLVMValueRef key = LLVMBuildLoad2(e->builder, emitter->i64, slot, "");
	if (emitter->update == WM_UPDATE_ATOMIC)
		LLVMSetOrdering(key, LLVMAtomicOrderingMonotonic);
	LLVMValueRef expected = LLVMBuildAdd(e->builder, id, constant(emitter, 1), "");
	LLVMValueRef hit = LLVMBuildICmp(e->builder, LLVMIntEQ, key, expected, "");
	LLVMValueRef then, otherwise;
	wm_shim_if_likely_else(hit, before, &then, &otherwise);
	LLVMPositionBuilderBefore(e->builder, then);
	LLVMValueRef count_offset = constant(emitter, offsetof(struct wm_hash_slot, count));
	build_add(e, LLVMBuildGEP2(e->builder, emitter->i8, slot, &count_offset, 1, ""), amount);
	LLVMPositionBuilderBefore(e->builder, otherwise);
	call_hash_add(e, head, id, amount);
	LLVMPositionBuilderBefore(e->builder, before);
}

/* --- paths named by their pieces -------------------------------------------------- */

static LLVMTypeRef pieces_type(const struct emission *e)
{
	uint64_t words = sizeof(struct wm_pieces) / sizeof(uint64_t) + wm_sequence_room(e->plan);
	return LLVMArrayType2(e->emitter->i64, words);
}

static void begin_pieces(struct emission *e)
{
	const uint64_t fields[] = {0, WM_NO_LOOP, 0};
	_Static_assert(offsetof(struct wm_pieces, loop) == 8 && offsetof(struct wm_pieces, iterations) == 16, "order");
	for (unsigned i = 0; i < 3; i++) {
		LLVMValueRef index = constant(e->emitter, i);
		LLVMBuildStore(e->builder, constant(e->emitter, fields[i]),
			LLVMBuildGEP2(e->builder, e->emitter->i64, e->pieces, &index, 1, ""));
	}
}

static void push_piece(struct emission *e, LLVMValueRef id)
{
	const struct wm_iterations *iterations = e->plan->iterations;
	uint32_t loop = iterations->of[e->block];
	LLVMValueRef head = cell_address(e, constant(e->emitter, e->header_cells));
	LLVMValueRef loop_and_k = constant(e->emitter, (uint64_t)iterations->iterated[loop].k << 32 | loop);
	LLVMValueRef arguments[] = {e->record, head, e->pieces, loop_and_k, id};
	call_runtime(e, "__wm_sequence_push", LLVMVoidTypeInContext(e->emitter->context), arguments, 5);
}

static void end_pieces(struct emission *e, LLVMValueRef id)
{
	LLVMValueRef head = cell_address(e, constant(e->emitter, e->header_cells));
	LLVMValueRef arguments[] = {e->record, head, e->pieces, id};
	call_runtime(e, "__wm_sequence_end", LLVMVoidTypeInContext(e->emitter->context), arguments, 4);
}

static void add_to_path(struct emission *e, LLVMValueRef id, LLVMValueRef amount, LLVMValueRef before)
{
	if (e->plan->sequences) {
		end_pieces(e, id);
		return;
	}
	if (e->hash) {
		add_in_hash(e, id, amount, before);
		return;
	}
	LLVMValueRef index = LLVMBuildAdd(e->builder, id, constant(e->emitter, e->header_cells), "");
	build_add(e, cell_address(e, index), amount);
}

static void count_path(struct emission *e, LLVMValueRef id, LLVMValueRef before)
{
	add_to_path(e, id, constant(e->emitter, 1), before);
}

static LLVMValueRef path_plus(struct emission *e, int64_t value)
{
	LLVMValueRef path = LLVMBuildLoad2(e->builder, e->emitter->i64, e->path, "");
	return value ? LLVMBuildAdd(e->builder, path, constant(e->emitter, (uint64_t)value), "") : path;
}

/* --- loops with one path --------------------------------------------------------- */

static void begin_trips(struct emission *e, uint64_t loop)
{
	LLVMBuildStore(e->builder, constant(e->emitter, 0), e->trips[loop]);
	LLVMBuildStore(e->builder, path_plus(e, 0), e->before[loop]);
}

static void count_trip(struct emission *e, uint64_t loop)
{
	LLVMValueRef trips = LLVMBuildLoad2(e->builder, e->emitter->i64, e->trips[loop], "");
	LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, trips, constant(e->emitter, 1), ""), e->trips[loop]);
}

static void end_trips(struct emission *e, uint64_t loop, LLVMValueRef before)
{
	struct wm_emitter *emitter = e->emitter;
	const struct wm_trip_loop *facts = &e->program->trip_loop[loop];
	LLVMValueRef trips = LLVMBuildLoad2(e->builder, emitter->i64, e->trips[loop], ""), then, otherwise;
	wm_shim_if_likely_else(LLVMBuildIsNotNull(e->builder, trips, ""), before, &then, &otherwise);
	LLVMPositionBuilderBefore(e->builder, then);
	LLVMValueRef entered = LLVMBuildLoad2(e->builder, emitter->i64, e->before[loop], "");
	LLVMValueRef first = LLVMBuildAdd(e->builder, entered, constant(emitter, (uint64_t)facts->first), "");
	count_path(e, first, then);
	LLVMValueRef rest = LLVMBuildSub(e->builder, trips, constant(emitter, 1), "");
	add_to_path(e, constant(emitter, (uint64_t)facts->again), rest, then);
	LLVMPositionBuilderBefore(e->builder, before);
}

/* --- more than one iteration, or what was before it ------------------------------- */

static void count_for_window(void *closure, LLVMValueRef id, LLVMValueRef amount, LLVMValueRef before)
{
	add_to_path(closure, id, amount, before);
}

static void prepare_windows(struct emission *e)
{
	e->windows.module = e->emitter->module;
	e->windows.builder = e->builder;
	e->windows.i64 = e->emitter->i64;
	e->windows.program = e->program;
	e->windows.path = e->path;
	e->windows.count = count_for_window;
	e->windows.closure = e;
}

static void build_action(struct emission *e, struct wm_action action, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(e->builder, before);
	LLVMValueRef value = constant(e->emitter, (uint64_t)action.value);
	switch (action.kind) {
	case WM_ACTION_SET:
		LLVMBuildStore(e->builder, value, e->path);
		break;
	case WM_ACTION_ADD:
		LLVMBuildStore(e->builder, path_plus(e, action.value), e->path);
		break;
	case WM_ACTION_COUNT:
		count_path(e, path_plus(e, action.value), before);
		break;
	case WM_ACTION_COUNT_AT:
		count_path(e, value, before);
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
		push_piece(e, path_plus(e, action.value));
		break;
	case WM_ACTION_PIECE_AT:
		push_piece(e, value);
		break;
	default:
		wm_window_ir_action(&e->windows, action, before);
	}
}

static void build_probe(struct emission *e, const struct wm_probe *probe, bool hot, LLVMValueRef before)
{
	e->hot = hot;
	for (uint8_t i = 0; i < probe->count; i++)
		build_action(e, probe->action[i], before);
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

static LLVMValueRef new_alloca(struct emission *e, LLVMTypeRef type, const char *name)
{
	LLVMPositionBuilderBefore(e->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(e->ir)));
	return LLVMBuildAlloca(e->builder, type, name);
}

/* Where threads have their own cells: how far they are from the named ones. */
static void find_thread_cells(struct emission *e, LLVMValueRef at)
{
	struct wm_emitter *emitter = e->emitter;
	e->delta = new_alloca(e, emitter->i64, "waymark.delta");
	LLVMPositionBuilderBefore(e->builder, at);
	LLVMValueRef variable = runtime_tls(emitter, "__wm_thread_delta", emitter->i64);
	LLVMValueRef delta = LLVMBuildLoad2(e->builder, emitter->i64, variable, "");
	LLVMBuildStore(e->builder, delta, e->delta);
	LLVMValueRef unknown = LLVMBuildIsNull(e->builder, delta, "");
	LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(unknown, at));
	LLVMBuildStore(e->builder, call_runtime(e, "__wm_thread_attach", emitter->i64, NULL, 0), e->delta);
}

static bool has_flag(LLVMModuleRef module, const char *name)
{
	return LLVMGetModuleFlag(module, name, strlen(name)) != NULL;
}

/* An executable learns of threads when they are created (runtime/spawn.c); code
 * that may become part of a shared object has to look.  Local functions whose
 * callers are all known and all look need not. */
static bool is_thread_entry(const struct emission *e)
{
	bool shared = has_flag(e->emitter->module, "PIC Level") && !has_flag(e->emitter->module, "PIE Level");
	return shared && (e->anchors->may_leave || !e->function->local || e->emitter->unchecked ||
				 wm_shim_has_address_taken(e->ir));
}

static void check_thread(struct emission *e, LLVMValueRef at)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMPositionBuilderBefore(e->builder, at);
	LLVMValueRef known =
		LLVMBuildLoad2(e->builder, emitter->i8, runtime_tls(emitter, "__wm_thread_known", emitter->i8), "");
	LLVMValueRef unknown = LLVMBuildIsNull(e->builder, known, "");
	LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(unknown, at));
	call_runtime(e, "__wm_new_thread", LLVMVoidTypeInContext(emitter->context), NULL, 0);
}

static void build_entry(struct emission *e)
{
	LLVMValueRef at = after_allocas(e->ir);
	e->path = new_alloca(e, e->emitter->i64, "waymark.path");
	for (uint32_t i = 0; i < e->program->trip_loop_count; i++) {
		e->trips[i] = new_alloca(e, e->emitter->i64, "waymark.trips");
		e->before[i] = new_alloca(e, e->emitter->i64, "waymark.before");
	}
	if (e->plan->sequences)
		e->pieces = new_alloca(e, pieces_type(e), "waymark.pieces");
	prepare_windows(e);
	for (uint32_t i = 0; i < wm_window_ir_registers(e->program); i++)
		*wm_window_ir_register(&e->windows, i) = new_alloca(e, e->emitter->i64, "waymark.window");
	if (e->emitter->update == WM_UPDATE_THREAD)
		find_thread_cells(e, at);
	else if (e->emitter->update == WM_UPDATE_SINGLE && is_thread_entry(e))
		check_thread(e, at);
	LLVMPositionBuilderBefore(e->builder, at);
	if (e->function->has_entries)
		build_increment(e, cell_address(e, constant(e->emitter, 0)));
	if (e->pieces)
		begin_pieces(e);
	build_probe(e, &e->program->entry, false, at);
}

/* --- calls that return twice -------------------------------------------------- */

/* A register as it stood at the call is kept where longjmp does not reach: in a
 * volatile variable per call site. */
static void keep_register(struct emission *e, LLVMValueRef call, LLVMValueRef variable)
{
	LLVMTypeRef i64 = e->emitter->i64;
	LLVMValueRef saved = new_alloca(e, i64, "waymark.saved");
	LLVMPositionBuilderBefore(e->builder, call);
	LLVMSetVolatile(LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, i64, variable, ""), saved), true);
	LLVMPositionBuilderBefore(e->builder, LLVMGetNextInstruction(call));
	LLVMValueRef value = LLVMBuildLoad2(e->builder, i64, saved, "");
	LLVMSetVolatile(value, true);
	LLVMBuildStore(e->builder, value, variable);
}

/* Another volatile variable tells the second return. */
static void build_resume(struct emission *e, LLVMValueRef call)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef returned = new_alloca(e, emitter->i8, "waymark.returned");
	LLVMPositionBuilderBefore(e->builder, call);
	LLVMSetVolatile(LLVMBuildStore(e->builder, LLVMConstInt(emitter->i8, 0, false), returned), true);
	LLVMValueRef after = LLVMGetNextInstruction(call);
	keep_register(e, call, e->path);
	for (uint32_t i = 0; i < wm_window_ir_registers(e->program); i++)
		keep_register(e, call, *wm_window_ir_register(&e->windows, i));
	LLVMPositionBuilderBefore(e->builder, after);
	LLVMValueRef before = LLVMBuildLoad2(e->builder, emitter->i8, returned, "");
	LLVMSetVolatile(before, true);
	LLVMSetVolatile(LLVMBuildStore(e->builder, LLVMConstInt(emitter->i8, 1, false), returned), true);
	LLVMValueRef second = LLVMBuildIsNotNull(e->builder, before, "");
	LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(second, after));
	build_increment(e, cell_address(e, constant(emitter, e->function->has_entries)));
}

/* --- what may be hot ------------------------------------------------------------ */

static bool is_hot(const struct emission *e, double weight)
{
	return weight > 0 && weight >= INLINE_WEIGHT * e->weights->entry;
}

/* Back edges and cuts always: how often a loop runs each time the function is entered
 * is what static estimates know least about. */
static bool is_hot_edge(const struct emission *e, uint32_t edge)
{
	bool stops = e->plan->dfs.back_edge[edge] || (e->plan->cut && e->plan->cut[edge]);
	return stops || is_hot(e, e->weights->edge[edge]);
}

static bool has_loop(const struct emission *e)
{
	for (uint32_t edge = 0; edge < e->plan->graph->edge_count; edge++)
		if (e->plan->dfs.back_edge[edge])
			return true;
	return false;
}

/* --- the function -------------------------------------------------------------- */

static LLVMValueRef named_global(struct emission *e, const char *prefix, LLVMTypeRef type)
{
	size_t size;
	const char *name = LLVMGetValueName2(e->ir, &size);
	char *full = malloc(strlen(prefix) + size + 1);
	if (!full)
		return NULL;
	memcpy(full, prefix, strlen(prefix));
	memcpy(full + strlen(prefix), name, size);
	full[strlen(prefix) + size] = 0;
	LLVMValueRef global = LLVMAddGlobal(e->emitter->module, type, full);
	free(full);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetAlignment(global, 8);
	return global;
}

static uint32_t record_flags(const struct emission *e)
{
	return (uint32_t)e->emitter->update | (e->hash ? WM_FUNC_HASH : 0) |
	       (e->function->has_entries ? WM_FUNC_ENTRIES : 0) | (e->function->has_resumed ? WM_FUNC_RESUMED : 0);
}

static enum wm_status create_globals(struct emission *e)
{
	struct wm_emitter *emitter = e->emitter;
	uint64_t most = has_loop(e) ? WM_LOOP_ARRAY_PATHS : WM_ARRAY_PATHS;
	e->hash = e->plan->sequences || e->plan->numbering.path_count > most;
	e->header_cells = e->function->has_entries + e->function->has_resumed;
	uint32_t cells = e->header_cells + (e->hash ? 1 : (uint32_t)e->plan->numbering.path_count);
	LLVMTypeRef types[] = {emitter->i64, emitter->i64, emitter->i64, emitter->i32, emitter->i32};
	LLVMTypeRef record_type = LLVMStructTypeInContext(emitter->context, types, 5, false);
	e->cells = named_global(e, "__wm_cells.", LLVMArrayType2(emitter->i64, cells));
	e->record = named_global(e, "__wm_func.", record_type);
	if (!e->cells || !e->record)
		return WM_NO_MEMORY;
	LLVMSetInitializer(e->cells, LLVMConstNull(LLVMArrayType2(emitter->i64, cells)));
	LLVMSetSection(e->cells, WM_CELLS_SECTION);
	LLVMValueRef distance =
		LLVMConstSub(LLVMConstPtrToInt(e->cells, emitter->i64), LLVMConstPtrToInt(e->record, emitter->i64));
	LLVMValueRef fields[] = {constant(emitter, e->function->key), constant(emitter, e->function->graph_hash),
		distance, LLVMConstInt(emitter->i32, cells, false), LLVMConstInt(emitter->i32, record_flags(e), false)};
	LLVMSetInitializer(e->record, LLVMConstStructInContext(emitter->context, fields, 5, false));
	LLVMSetSection(e->record, WM_FUNCS_SECTION);
	return WM_OK;
}

static LLVMValueRef edge_point(const struct emission *e, uint32_t edge)
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
static bool find_edge_points(const struct emission *e, LLVMValueRef *points)
{
	const struct wm_graph *graph = e->plan->graph;
	for (uint32_t edge = 0; edge < graph->edge_count; edge++) {
		if (!e->program->edge[edge].count || e->plan->dfs.position[graph->edge_from[edge]] == WM_NONE)
			continue;
		points[edge] = edge_point(e, edge);
		if (!points[edge])
			return false;
	}
	return true;
}

static bool has_indirect_branch(const struct emission *e)
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
static void build_probes(struct emission *e, LLVMValueRef *points)
{
	const struct wm_graph *graph = e->plan->graph;
	build_entry(e);
	for (uint32_t i = 0; i < e->plan->dfs.reached; i++) {
		uint32_t block = e->block = e->plan->dfs.reverse_postorder[i];
		for (uint32_t edge = graph->first_edge[block]; edge < graph->first_edge[block + 1]; edge++)
			if (e->program->edge[edge].count)
				build_probe(e, &e->program->edge[edge], is_hot_edge(e, edge), points[edge]);
	}
	for (uint32_t i = 0; i < e->anchors->resume_count; i++)
		build_resume(e, e->anchors->resume_call[i]);
	for (uint32_t block = 0; block < graph->block_count; block++)
		if (e->program->exit[block].count)
			build_probe(e, &e->program->exit[block], is_hot(e, e->weights->block[block]),
				e->anchors->exit[block]);
}

static enum wm_status promote(struct emission *e, struct wm_arena *arena)
{
	uint32_t loops = e->program->trip_loop_count, windows = wm_window_ir_registers(e->program), count = 0;
	LLVMValueRef *allocas = WM_NEW(arena, LLVMValueRef, 2 + windows + 2 * (size_t)loops);
	if (!allocas)
		return WM_NO_MEMORY;
	allocas[count++] = e->path;
	if (e->delta)
		allocas[count++] = e->delta;
	for (uint32_t i = 0; i < loops; i++) {
		allocas[count++] = e->trips[i];
		allocas[count++] = e->before[i];
	}
	for (uint32_t i = 0; i < windows; i++)
		allocas[count++] = *wm_window_ir_register(&e->windows, i);
	wm_shim_promote(e->ir, allocas, count);
	return WM_OK;
}

enum wm_status wm_emit(struct wm_emitter *emitter, LLVMValueRef ir, const struct wm_plan *plan,
	const struct wm_probe_program *program, const struct wm_weights *weights, const struct wm_anchors *anchors,
	struct wm_map_function *function, LLVMValueRef *record, struct wm_arena *arena)
{
	struct emission e = {.emitter = emitter,
		.builder = emitter->builder,
		.ir = ir,
		.plan = plan,
		.program = program,
		.weights = weights,
		.anchors = anchors,
		.function = function};
	LLVMValueRef *points = WM_NEW(arena, LLVMValueRef, plan->graph->edge_count);
	e.trips = WM_NEW(arena, LLVMValueRef, program->trip_loop_count);
	e.before = WM_NEW(arena, LLVMValueRef, program->trip_loop_count);
	e.windows.saved = WM_NEW(arena, LLVMValueRef, program->saved_count);
	if (!points || !e.trips || !e.before || !e.windows.saved)
		return WM_NO_MEMORY;
	if (has_indirect_branch(&e))
		wm_shim_split_indirect_edges(ir);
	if (!find_edge_points(&e, points)) {
		function->reason = "has an edge that cannot be split";
		return WM_BAD_GRAPH;
	}
	enum wm_status status = create_globals(&e);
	if (status != WM_OK)
		return status;
	build_probes(&e, points);
	if (emitter->promote)
		status = promote(&e, arena);
	*record = e.record;
	return status;
}
