/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/actions/path_ends.h"
#include "abi/abi.h"
#include "abi/sequence.h"
#include "abi/unit_tables.h"
#include "core/scheme/kiter.h"
#include "core/scheme/pieces.h"
#include "plugin/actions/inline_cost.h"
#include "plugin/actions/stream_append.h"
#include <assert.h>
#include <string.h>

/* An empty hash table, so that the inline probe need not test whether there is a table. */
#define EMPTY_TABLE "__wm_empty_table"

/* The end of a path under emission. */
struct ending {
	struct wm_total total;
	struct wm_total index; /* regions: 64 bits */
	LLVMValueRef amount;
	LLVMValueRef at; /* the next action is written before this instruction */
};

LLVMValueRef wm_total_sum(struct wm_emission *e, struct wm_total total)
{
	LLVMValueRef addend = wm_word(e, total.addend);
	if (!total.base)
		return addend;
	return total.addend ? LLVMBuildAdd(e->builder, total.base, addend, "") : total.base;
}

/* Writes a branch.  Returns the position in its first arm; the builder continues in the second, which is unlikely. */
static LLVMValueRef branch(struct wm_emission *e, struct ending *ending, LLVMValueRef stops)
{
	LLVMValueRef then, otherwise;
	wm_shim_if_likely_else(stops, ending->at, &then, &otherwise);
	LLVMPositionBuilderBefore(e->builder, then);
	ending->at = otherwise;
	return then;
}

/* Continues only where `stops` is false. */
static void stop_if(struct wm_emission *e, struct ending *ending, LLVMValueRef stops)
{
	ending->at = wm_shim_if_unlikely(LLVMBuildNot(e->builder, stops, ""), ending->at);
}

static void count_in_cell(struct wm_emission *e, LLVMValueRef index, LLVMValueRef amount)
{
	LLVMValueRef cell = LLVMBuildAdd(e->builder, index, wm_constant(e->emitter, e->header_cells), "");
	wm_add_to_cell(e, cell, amount);
}

/* If `stops`: adds to the cell, if there is one. */
static void count_if(
	struct wm_emission *e, struct ending *ending, LLVMValueRef stops, uint32_t first, LLVMValueRef index)
{
	if (first == WM_NONE) {
		stop_if(e, ending, stops);
		return;
	}
	branch(e, ending, stops);
	count_in_cell(e, index, ending->amount);
}

/* ---- Lookups ----------------------------------------------------------------------- */

static LLVMValueRef multiply_shift(struct wm_emission *e, LLVMValueRef total, uint64_t multiplier, unsigned shift)
{
	LLVMValueRef mixed = LLVMBuildMul(e->builder, total, wm_constant(e->emitter, multiplier), "");
	return LLVMBuildLShr(e->builder, mixed, wm_constant(e->emitter, shift), "");
}

static LLVMValueRef perfect_slot(struct wm_emission *e, LLVMValueRef key)
{
	const struct wm_perfect *perfect = &e->counting->perfect;
	LLVMTypeRef i32 = e->emitter->i32;
	LLVMValueRef slot = multiply_shift(e, key, perfect->multiplier, perfect->shift);
	if (!perfect->bucket_count)
		return slot;
	LLVMValueRef bucket = multiply_shift(e, key, perfect->bucket_multiplier, perfect->bucket_shift);
	LLVMValueRef address = LLVMBuildGEP2(e->builder, i32, e->global.displacement, &bucket, 1, "");
	LLVMValueRef by = LLVMBuildLoad2(e->builder, i32, address, "");
	return LLVMBuildXor(e->builder, slot, LLVMBuildZExt(e->builder, by, e->emitter->i64, ""), "");
}

/* wm_counting_slot(), in 64 bits. */
static LLVMValueRef slot_of(struct wm_emission *e, LLVMValueRef key)
{
	const struct wm_pack *pack = &e->counting->pack;
	if (e->counting->store == WM_COUNT_PERFECT)
		return perfect_slot(e, key);
	if (pack->shift == pack->width)
		return wm_constant(e->emitter, 0);
	LLVMValueRef slot = LLVMBuildLShr(e->builder, key, LLVMConstInt(e->word, pack->shift, false), "");
	return LLVMBuildZExt(e->builder, slot, e->emitter->i64, "");
}

/* wm_counting_id(), in 64 bits. */
static LLVMValueRef id_of(struct wm_emission *e, struct wm_total total)
{
	uint64_t mask = e->counting->id_mask;
	LLVMValueRef wide = LLVMBuildZExt(e->builder, wm_total_sum(e, total), e->emitter->i64, "");
	return mask == UINT64_MAX ? wide : LLVMBuildAnd(e->builder, wide, wm_constant(e->emitter, mask), "");
}

static LLVMValueRef key_of(struct wm_emission *e, struct wm_total total)
{
	return e->counting->sums.sticky ? id_of(e, total) : wm_total_sum(e, total);
}

static void look_up(struct wm_emission *e, struct ending *ending, const struct wm_action *action)
{
	LLVMValueRef key = key_of(e, ending->total), slot = slot_of(e, key);
	LLVMValueRef address = LLVMBuildGEP2(e->builder, e->word, e->global.table, &slot, 1, "");
	LLVMValueRef expected = LLVMBuildLoad2(e->builder, e->word, address, "");
	count_if(e, ending, LLVMBuildICmp(e->builder, LLVMIntEQ, expected, key, ""), action->cell, slot);
}

/* Compares base with value - addend, without writing the addition. */
static void guess(struct wm_emission *e, struct ending *ending, const struct wm_action *action)
{
	uint64_t held = wm_counting_total(e->counting, (uint64_t)action->value - (uint64_t)ending->total.addend);
	LLVMValueRef base = ending->total.base ? ending->total.base : LLVMConstNull(e->word);
	LLVMValueRef hit = LLVMBuildICmp(e->builder, LLVMIntEQ, base, LLVMConstInt(e->word, held, false), "");
	count_if(e, ending, hit, action->cell, wm_constant(e->emitter, action->cell));
}

static void test_sign(struct wm_emission *e, struct ending *ending)
{
	LLVMValueRef whole = wm_total_sum(e, ending->total);
	stop_if(e, ending, LLVMBuildICmp(e->builder, LLVMIntSGE, whole, LLVMConstNull(e->word), ""));
}

/* ---- Paths that were seen before ------------------------------------------------------------ */

/* An address of which this thread's copy can be loaded; one relative to GS needs an address space of its own. */
static LLVMValueRef readable(struct wm_emission *e, LLVMValueRef address)
{
	enum { RELATIVE_TO_GS = 256 };
	if (e->update != WM_UPDATE_GS)
		return wm_own_address(e, address);
	LLVMValueRef number = LLVMBuildPtrToInt(e->builder, address, e->emitter->i64, "");
	return LLVMBuildIntToPtr(e->builder, number, LLVMPointerTypeInContext(e->emitter->context, RELATIVE_TO_GS), "");
}

/* Whether a counter is not 0.  LLVM must not take it from a loop: the counter changes where LLVM may not see it. */
static LLVMValueRef is_counted(struct wm_emission *e, LLVMValueRef address)
{
	LLVMValueRef count = LLVMBuildLoad2(e->builder, e->emitter->i64, address, "");
	LLVMSetVolatile(count, true);
	if (e->update == WM_UPDATE_ATOMIC)
		LLVMSetOrdering(count, LLVMAtomicOrderingMonotonic);
	return LLVMBuildIsNotNull(e->builder, count, "");
}

/* The runtime counts a path in its cell only after the first time. */
static void count_seen(struct wm_emission *e, struct ending *ending)
{
	LLVMValueRef index = id_of(e, ending->total);
	LLVMValueRef cell = LLVMBuildAdd(e->builder, index, wm_constant(e->emitter, e->header_cells), "");
	LLVMValueRef address = LLVMBuildGEP2(e->builder, e->emitter->i64, e->global.cells, &cell, 1, "");
	branch(e, ending, is_counted(e, readable(e, address)));
	count_in_cell(e, index, ending->amount);
}

/* ---- The hash table and the runtime ------------------------------------------------------ */

static LLVMValueRef empty_table(struct wm_emitter *emitter)
{
	LLVMValueRef table = LLVMGetNamedGlobal(emitter->module, EMPTY_TABLE);
	if (table)
		return table;
	LLVMTypeRef type = LLVMArrayType2(emitter->i64, 2 * sizeof(struct wm_hash_slot) / 8);
	table = LLVMAddGlobal(emitter->module, type, EMPTY_TABLE);
	LLVMSetInitializer(table, LLVMConstNull(type));
	LLVMSetGlobalConstant(table, true);
	LLVMSetAlignment(table, WM_PROBE_SHIFT + 1);
	LLVMSetLinkage(table, LLVMLinkOnceODRLinkage);
	LLVMSetVisibility(table, LLVMHiddenVisibility);
	return table;
}

LLVMValueRef wm_head_address(struct wm_emission *e)
{
	return wm_own_address(e, e->global.head);
}

/* The runtime itself adds the distance to the address of a head that it is given. */
static LLVMValueRef readable_head(struct wm_emission *e)
{
	return readable(e, e->global.head);
}

/* wm_hash_head.probe; if there is no table, that of the empty table. */
static LLVMValueRef load_probe(struct wm_emission *e)
{
	LLVMTypeRef i64 = e->emitter->i64;
	LLVMValueRef shift = wm_constant(e->emitter, WM_PROBE_SHIFT);
	LLVMValueRef empty = LLVMConstAdd(LLVMConstPtrToInt(empty_table(e->emitter), i64), shift);
	LLVMValueRef probe = LLVMBuildLoad2(e->builder, i64, readable_head(e), "");
	if (e->update == WM_UPDATE_ATOMIC)
		LLVMSetOrdering(probe, LLVMAtomicOrderingAcquire);
	LLVMValueRef none = LLVMBuildIsNull(e->builder, probe, "");
	return LLVMBuildSelect(e->builder, none, empty, probe, "");
}

/* wm_hash_key() */
static LLVMValueRef hash_key(struct wm_emission *e, LLVMValueRef id)
{
	LLVMValueRef next = LLVMBuildAdd(e->builder, id, wm_constant(e->emitter, 1), "");
	return LLVMBuildMul(e->builder, next, wm_constant(e->emitter, WM_HASH_FACTOR), "");
}

/* The shift instruction uses only the low six bits of the probe, so no mask is needed. */
static LLVMValueRef slot_address(struct wm_emission *e, LLVMValueRef probe, LLVMValueRef key)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef shift = LLVMBuildAnd(e->builder, probe, wm_constant(emitter, WM_PROBE_SHIFT), "");
	LLVMValueRef slots = LLVMBuildAnd(e->builder, probe, wm_constant(emitter, ~(uint64_t)WM_PROBE_SHIFT), "");
	LLVMValueRef index = LLVMBuildLShr(e->builder, key, shift, "");
	LLVMValueRef offset = LLVMBuildMul(e->builder, index, wm_constant(emitter, sizeof(struct wm_hash_slot)), "");
	LLVMValueRef base = LLVMBuildIntToPtr(e->builder, slots, emitter->ptr, "");
	return LLVMBuildGEP2(e->builder, emitter->i8, base, &offset, 1, "");
}

/* One probe of the newest table. */
static void probe_hash(struct wm_emission *e, struct ending *ending)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef key = hash_key(e, id_of(e, ending->total));
	LLVMValueRef slot = slot_address(e, load_probe(e), key);
	LLVMValueRef found = LLVMBuildLoad2(e->builder, emitter->i64, slot, "");
	if (e->update == WM_UPDATE_ATOMIC)
		LLVMSetOrdering(found, LLVMAtomicOrderingMonotonic);
	LLVMValueRef offset = wm_constant(emitter, offsetof(struct wm_hash_slot, count));
	LLVMValueRef count = LLVMBuildGEP2(e->builder, emitter->i8, slot, &offset, 1, "");
	LLVMValueRef hit = LLVMBuildICmp(e->builder, LLVMIntEQ, found, key, "");
	if (e->counting->residual)
		hit = LLVMBuildAnd(e->builder, hit, is_counted(e, count), "");
	branch(e, ending, hit);
	wm_add_to_word(e, count, ending->amount);
}

/* The words of the set are constant; its number of slots is known only after the link. */
static LLVMValueRef tested_word(struct wm_emission *e, LLVMValueRef index)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef set = LLVMGetNamedGlobal(emitter->module, WM_TESTED_SYMBOL);
	if (!set) {
		set = LLVMAddGlobal(emitter->module, LLVMArrayType2(emitter->i64, 0), WM_TESTED_SYMBOL);
		LLVMSetVisibility(set, LLVMHiddenVisibility);
		LLVMSetGlobalConstant(set, true);
		LLVMSetAlignment(set, sizeof(uint64_t));
	}
	LLVMValueRef address = LLVMBuildGEP2(e->builder, emitter->i64, set, &index, 1, "");
	return LLVMBuildLoad2(e->builder, emitter->i64, address, "");
}

/* One probe; the runtime searches the rest of the set. */
static void probe_tested(struct wm_emission *e, struct ending *ending)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef key = hash_key(e, wm_total_sum(e, ending->total));
	LLVMValueRef mask = wm_constant(emitter, WM_PROBE_SHIFT);
	LLVMValueRef shift = LLVMBuildAnd(e->builder, tested_word(e, wm_constant(emitter, WM_TESTED_SHIFT)), mask, "");
	LLVMValueRef home = LLVMBuildLShr(e->builder, key, shift, "");
	LLVMValueRef found = tested_word(e, LLVMBuildAdd(e->builder, home, wm_constant(emitter, WM_TESTED_SLOTS), ""));
	stop_if(e, ending, LLVMBuildICmp(e->builder, LLVMIntEQ, found, key, ""));
}

/*
 * The runtime accesses only its own memory and its arguments.  In a residual build it may also call the program's
 * callback, which may read anything; the program must read what the callback writes as it would read what a signal
 * handler writes (runtime/waymark.h).  Without these attributes every loop would reload its data because of a call that
 * is hardly ever made.
 */
static void describe_call(struct wm_emission *e, LLVMValueRef call)
{
	enum { ARGUMENTS_READ_WRITE = 3, INACCESSIBLE_READ_WRITE = 3 << 2, OTHER_READ = 1 << 4 };
	unsigned effects = ARGUMENTS_READ_WRITE | INACCESSIBLE_READ_WRITE | (e->counting->residual ? OTHER_READ : 0);
	wm_call_attribute(e->emitter, call, "memory", effects);
	wm_call_attribute(e->emitter, call, "nounwind", 0);
	wm_call_attribute(e->emitter, call, "willreturn", 0);
}

/* For LLVM's inliner, where paths cross calls: makes up for most of the inline probe before the call, which is hardly ever
 * executed in functions that are inlined. */
#define PROBE_INLINE_COST (-9 * WM_INLINE_COST)

static void call_runtime(struct wm_emission *e, struct ending *ending)
{
	const char *name = e->counting->residual ? "__wm_residual_add" : "__wm_hash_add";
	LLVMValueRef arguments[] = {e->global.record, wm_head_address(e), id_of(e, ending->total), ending->amount};
	LLVMValueRef call = wm_call_runtime(e, name, LLVMVoidTypeInContext(e->emitter->context), arguments, 4);
	describe_call(e, call);
	if (e->across)
		wm_set_inline_cost(e->emitter, call, PROBE_INLINE_COST);
}

/* ---- Cold code -------------------------------------------------------------------------- */

static void emit_action(struct wm_emission *e, const struct wm_action *action, struct ending *ending);

static void fill_cold(struct wm_emission *e, LLVMValueRef function)
{
	LLVMContextRef context = e->emitter->context;
	LLVMBuilderRef kept = e->builder;
	struct ending ending = {.total = {LLVMGetParam(function, 0), 0}, .amount = wm_constant(e->emitter, 1)};
	e->builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(context, function, ""));
	ending.at = LLVMBuildRetVoid(e->builder);
	for (uint32_t i = 0; i < e->program->cold.count; i++)
		emit_action(e, &e->program->cold.action[i], &ending);
	LLVMDisposeBuilder(e->builder);
	e->builder = kept;
}

/*
 * Each function has one cold function, whose only argument is the total.  With more arguments, the compiler would keep
 * addresses in registers throughout the hot code, for a call that is hardly ever made.  It has unwind tables, for
 * callbacks that inspect the stack.
 */
static void make_cold(struct wm_emission *e, LLVMTypeRef type)
{
	static const struct {
		const char *name;
		uint64_t value;
	} attributes[] = {{"noinline", 0}, {"cold", 0}, {"nounwind", 0}, {"uwtable", 2}};
	LLVMValueRef cold = LLVMAddFunction(e->emitter->module, "__wm_cold", type);
	LLVMSetLinkage(cold, LLVMPrivateLinkage);
	wm_named(e, "__wm_cold.", cold); /* if memory is exhausted it keeps its name */
	LLVMSetFunctionCallConv(cold, LLVMPreserveMostCallConv);
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i].name, strlen(attributes[i].name));
		LLVMAddAttributeAtIndex(cold, LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(e->emitter->context, kind, attributes[i].value));
	}
	e->global.cold = cold;
	fill_cold(e, cold);
}

static void call_cold(struct wm_emission *e, struct ending *ending)
{
	LLVMTypeRef none = LLVMVoidTypeInContext(e->emitter->context),
		    type = LLVMFunctionType(none, &e->word, 1, false);
	if (!e->global.cold)
		make_cold(e, type);
	LLVMPositionBuilderBefore(e->builder, ending->at);
	LLVMValueRef sum = wm_total_sum(e, ending->total),
		     call = LLVMBuildCall2(e->builder, type, e->global.cold, &sum, 1, "");
	LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
	describe_call(e, call);
}

/* With update `delta`, or with a number of trips, which may be 0, the cold function would need more arguments. */
static void run_cold(struct wm_emission *e, struct ending *ending)
{
	if (wm_is_one(ending->amount) && !e->reg.delta) {
		call_cold(e, ending);
		return;
	}
	if (!LLVMIsAConstantInt(ending->amount)) {
		LLVMValueRef any = LLVMBuildIsNotNull(e->builder, ending->amount, "");
		ending->at = wm_shim_if_unlikely(any, ending->at);
	}
	for (uint32_t i = 0; i < e->program->cold.count; i++)
		if (e->program->cold.action[i].kind != WM_ACTION_HASH) /* the runtime searches the table itself */
			emit_action(e, &e->program->cold.action[i], ending);
}

/* ---- Regions ------------------------------------------------------------------------------ */

static LLVMValueRef index_plus(struct wm_emission *e, struct wm_total index, uint64_t value)
{
	LLVMValueRef addend = wm_constant(e->emitter, (uint64_t)index.addend + value);
	return index.base ? LLVMBuildAdd(e->builder, index.base, addend, "") : addend;
}

static LLVMValueRef at_index(
	struct wm_emission *e, LLVMValueRef table, LLVMTypeRef type, uint32_t region, struct wm_total index)
{
	LLVMValueRef at = index_plus(e, index, e->program->cells.region_index[region]);
	return LLVMBuildLoad2(e->builder, type, LLVMBuildGEP2(e->builder, type, table, &at, 1, ""), "");
}

struct wm_total wm_emit_number(struct wm_emission *e, uint32_t region, struct wm_total index, uint8_t began)
{
	const struct wm_region *facts = &e->program->region[region];
	if (!index.base) {
		bool came_in = (uint64_t)index.addend < facts->entered;
		return (struct wm_total){
			came_in ? wm_load(e, e->word, e->reg.outer) : NULL, (int64_t)facts->sum[index.addend]};
	}
	LLVMValueRef sum = at_index(e, e->global.sums, e->word, region, index);
	if (!(began & WM_CAME_IN))
		return (struct wm_total){sum, 0};
	LLVMValueRef outer = wm_load(e, e->word, e->reg.outer);
	if (began & WM_INSIDE) {
		/* Local indices and their partial sums are small, so signed comparisons are correct. */
		LLVMValueRef most = wm_constant(e->emitter, facts->entered - (uint64_t)index.addend);
		LLVMValueRef came_in = LLVMBuildICmp(e->builder, LLVMIntSLT, index.base, most, "");
		outer = LLVMBuildSelect(e->builder, came_in, outer, LLVMConstNull(e->word), "");
	}
	return (struct wm_total){LLVMBuildAdd(e->builder, outer, sum, ""), 0};
}

static LLVMValueRef compare_index(
	struct wm_emission *e, LLVMIntPredicate predicate, struct wm_total index, uint32_t with)
{
	LLVMValueRef constant = wm_constant(e->emitter, with - (uint64_t)index.addend);
	LLVMValueRef base = index.base ? index.base : wm_constant(e->emitter, 0);
	return LLVMBuildICmp(e->builder, predicate, base, constant, "");
}

static LLVMValueRef is_settled(struct wm_emission *e, const struct wm_action *action, struct wm_total index)
{
	uint32_t low = wm_range_low(action), high = wm_range_high(action);
	if (action->flags & WM_BETWEEN)
		return LLVMBuildIsNotNull(
			e->builder, at_index(e, e->global.settled, e->emitter->i8, action->region, index), "");
	if (!(action->flags & WM_ABOVE))
		return compare_index(e, LLVMIntSGE, index, low);
	if (!(action->flags & WM_BELOW))
		return compare_index(e, LLVMIntSLE, index, high);
	LLVMValueRef above = index_plus(e, index, 0 - (uint64_t)low);
	return LLVMBuildICmp(e->builder, LLVMIntULE, above, wm_constant(e->emitter, high - low), "");
}

static void count_settled(struct wm_emission *e, struct ending *ending, const struct wm_action *action)
{
	uint8_t others = action->flags & (WM_BELOW | WM_ABOVE | WM_BETWEEN);
	if (others && action->cell == WM_NONE) {
		stop_if(e, ending, is_settled(e, action, ending->index));
		return;
	}
	if (others)
		branch(e, ending, is_settled(e, action, ending->index));
	count_in_cell(e, index_plus(e, ending->index, action->cell), ending->amount);
}

/* ---- Pieces --------------------------------------------------------------------------------- */

LLVMTypeRef wm_pieces_type(const struct wm_emission *e)
{
	uint64_t words = sizeof(struct wm_pieces) / sizeof(uint64_t) + wm_sequence_room(e->plan);
	return LLVMArrayType2(e->emitter->i64, words);
}

void wm_begin_pieces(struct wm_emission *e)
{
	const uint64_t fields[] = {0, WM_NO_LOOP, 0};
	_Static_assert(offsetof(struct wm_pieces, loop) == 8 && offsetof(struct wm_pieces, iterations) == 16, "order");
	for (unsigned i = 0; i < 3; i++) {
		LLVMValueRef index = wm_constant(e->emitter, i);
		LLVMBuildStore(e->builder, wm_constant(e->emitter, fields[i]),
			LLVMBuildGEP2(e->builder, e->emitter->i64, e->reg.pieces, &index, 1, ""));
	}
}

void wm_push_piece(struct wm_emission *e, uint32_t loop, struct wm_total id)
{
	uint64_t k = e->plan->iterations->iterated[loop].k;
	LLVMValueRef arguments[] = {e->global.record, wm_head_address(e), e->reg.pieces,
		wm_constant(e->emitter, k << 32 | loop), wm_total_sum(e, id)};
	wm_call_runtime(e, "__wm_sequence_push", LLVMVoidTypeInContext(e->emitter->context), arguments, 5);
}

static void end_pieces(struct wm_emission *e, struct ending *ending)
{
	LLVMValueRef arguments[] = {
		e->global.record, wm_head_address(e), e->reg.pieces, wm_total_sum(e, ending->total)};
	wm_call_runtime(e, "__wm_sequence_end", LLVMVoidTypeInContext(e->emitter->context), arguments, 4);
}

/* Most paths are a single piece, which needs no name (abi/sequence.h). */
static void count_alone(struct wm_emission *e, struct ending *ending)
{
	_Static_assert(offsetof(struct wm_pieces, length) == 0, "order");
	LLVMValueRef length = wm_load(e, e->emitter->i64, e->reg.pieces), alone, others;
	wm_shim_if_likely_else(LLVMBuildIsNull(e->builder, length, ""), ending->at, &alone, &others);
	LLVMPositionBuilderBefore(e->builder, others);
	end_pieces(e, ending);
	ending->at = alone;
	ending->total.addend = (int64_t)((uint64_t)ending->total.addend + WM_ALONE_BIT);
}

/* ---- Actions ---------------------------------------------------------------------------------- */

static void emit_action(struct wm_emission *e, const struct wm_action *action, struct ending *ending)
{
	LLVMPositionBuilderBefore(e->builder, ending->at);
	switch ((enum wm_action_kind)action->kind) {
	case WM_ACTION_CELL:
		count_in_cell(e, wm_constant(e->emitter, action->cell), ending->amount);
		break;
	case WM_ACTION_ARRAY:
		count_in_cell(e, wm_total_sum(e, ending->total), ending->amount);
		break;
	case WM_ACTION_GUESS:
		guess(e, ending, action);
		break;
	case WM_ACTION_SIGN:
		test_sign(e, ending);
		break;
	case WM_ACTION_LOOKUP:
		look_up(e, ending, action);
		break;
	case WM_ACTION_MEMBER:
		count_in_cell(e, slot_of(e, key_of(e, ending->total)), ending->amount);
		break;
	case WM_ACTION_SEEN:
		count_seen(e, ending);
		break;
	case WM_ACTION_HASH:
		probe_hash(e, ending);
		break;
	case WM_ACTION_TESTED:
		probe_tested(e, ending);
		break;
	case WM_ACTION_CALL:
		call_runtime(e, ending);
		break;
	case WM_ACTION_COLD:
		run_cold(e, ending);
		break;
	case WM_ACTION_ALONE:
		count_alone(e, ending);
		break;
	case WM_ACTION_PIECES:
		end_pieces(e, ending);
		break;
	case WM_ACTION_APPEND:
		wm_emit_append(e, wm_total_sum(e, ending->total), ending->at);
		break;
	case WM_ACTION_SETTLED:
		count_settled(e, ending, action);
		break;
	case WM_ACTION_NUMBER:
		ending->total = wm_emit_number(e, action->region, ending->index, action->flags);
		break;
		WM_EVENT_ACTIONS(WM_CASE)
		WM_UNIT_ACTIONS(WM_CASE)
		assert(!"an action that no end has");
		break;
	}
}

LLVMValueRef wm_emit_end(
	struct wm_emission *e, uint32_t end, struct wm_total sum, LLVMValueRef amount, LLVMValueRef before)
{
	const struct wm_probe *actions = &e->program->end[end];
	struct ending ending = {.total = sum, .index = sum, .amount = amount, .at = before};
	LLVMValueRef missed = NULL;
	for (uint32_t i = 0; i < actions->count; i++) {
		emit_action(e, &actions->action[i], &ending);
		if (i == 0 && ending.at != before)
			missed = ending.at;
	}
	LLVMPositionBuilderBefore(e->builder, before);
	return missed;
}
