/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The end of a path.  What its last edge knows of it (core/membership.h) is not asked
 * at run time; what the compiler knows of it, a constant total, neither.
 */
#include "abi/sequence.h"
#include "plugin/emission.h"
#include <string.h>

/* A hash table with nothing in it, so that the inline probe needs no test for none. */
#define EMPTY_TABLE "__wm_empty_table"

/* --- tables --------------------------------------------------------------------- */

static LLVMValueRef empty_table(struct wm_emitter *emitter)
{
	LLVMValueRef table = LLVMGetNamedGlobal(emitter->module, EMPTY_TABLE);
	if (table)
		return table;
	enum { WORDS = (sizeof(struct wm_hash_table) + 2 * sizeof(struct wm_hash_slot)) / 8 };
	LLVMValueRef words[WORDS];
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = wm_constant(emitter, i == 0 ? 63 : 0);
	table = LLVMAddGlobal(emitter->module, LLVMArrayType2(emitter->i64, WORDS), EMPTY_TABLE);
	LLVMSetInitializer(table, LLVMConstArray2(emitter->i64, words, WORDS));
	LLVMSetGlobalConstant(table, true);
	LLVMSetLinkage(table, LLVMLinkOnceODRLinkage);
	LLVMSetVisibility(table, LLVMHiddenVisibility);
	return table;
}

uint32_t wm_count_cells(const struct wm_counting *counting, const struct wm_plan *plan)
{
	if (counting->kind == WM_COUNT_ARRAY && !counting->residual)
		return (uint32_t)plan->numbering.path_count;
	return 1 + (counting->residual ? 0 : counting->size);
}

static enum wm_status displacements(struct wm_emission *e)
{
	const struct wm_perfect *perfect = &e->counting->perfect;
	LLVMTypeRef i32 = e->emitter->i32;
	LLVMValueRef *words = WM_NEW(e->arena, LLVMValueRef, perfect->bucket_count);
	if (!words)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < perfect->bucket_count; i++)
		words[i] = LLVMConstInt(i32, perfect->displacement[i], false);
	e->displacement =
		wm_constant_global(e, "__wm_displacement.", LLVMConstArray2(i32, words, perfect->bucket_count));
	return e->displacement ? WM_OK : WM_NO_MEMORY;
}

enum wm_status wm_count_tables(struct wm_emission *e)
{
	const struct wm_counting *counting = e->counting;
	LLVMValueRef *words = WM_NEW(e->arena, LLVMValueRef, counting->table_size);
	if (!words)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < counting->table_size; i++)
		words[i] = LLVMConstInt(e->word, counting->table[i], false);
	e->table = wm_constant_global(e, "__wm_totals.", LLVMConstArray2(e->word, words, counting->table_size));
	if (!e->table)
		return WM_NO_MEMORY;
	return counting->kind == WM_COUNT_PERFECT && counting->perfect.bucket_count ? displacements(e) : WM_OK;
}

/* --- in a hash ---------------------------------------------------------------------- */

static LLVMValueRef table_address(struct wm_emission *e, LLVMValueRef head)
{
	LLVMValueRef table = LLVMBuildLoad2(e->builder, e->emitter->ptr, head, "");
	if (e->update == WM_UPDATE_ATOMIC)
		LLVMSetOrdering(table, LLVMAtomicOrderingAcquire);
	LLVMValueRef none = LLVMBuildIsNull(e->builder, table, "");
	return LLVMBuildSelect(e->builder, none, empty_table(e->emitter), table, "");
}

/* wm_hash_key() */
static LLVMValueRef key_of(struct wm_emission *e, LLVMValueRef id)
{
	LLVMValueRef next = LLVMBuildAdd(e->builder, id, wm_constant(e->emitter, 1), "");
	return LLVMBuildMul(e->builder, next, wm_constant(e->emitter, WM_HASH_FACTOR), "");
}

static LLVMValueRef slot_address(struct wm_emission *e, LLVMValueRef table, LLVMValueRef key)
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef shift = LLVMBuildLoad2(e->builder, emitter->i64, table, "");
	LLVMValueRef index = LLVMBuildLShr(e->builder, key, shift, "");
	LLVMValueRef scaled = LLVMBuildMul(e->builder, index, wm_constant(emitter, sizeof(struct wm_hash_slot)), "");
	LLVMValueRef offset = LLVMBuildAdd(e->builder, scaled, wm_constant(emitter, sizeof(struct wm_hash_table)), "");
	return LLVMBuildGEP2(e->builder, emitter->i8, table, &offset, 1, "");
}

/* The hash's cell is the last. */
LLVMValueRef wm_head_address(struct wm_emission *e)
{
	uint32_t before = e->header_cells + wm_count_cells(e->counting, e->plan) - 1;
	return wm_cell_address(e, wm_constant(e->emitter, before));
}

LLVMValueRef wm_total_sum(struct wm_emission *e, struct wm_total total)
{
	LLVMValueRef addend = LLVMConstInt(e->word, (uint64_t)total.addend, true);
	if (!total.base)
		return addend;
	return total.addend ? LLVMBuildAdd(e->builder, total.base, addend, "") : total.base;
}

static LLVMValueRef acyclic_id(struct wm_emission *e, struct wm_total total)
{
	uint64_t mask = e->counting->id_mask;
	LLVMValueRef wide = LLVMBuildZExt(e->builder, wm_total_sum(e, total), e->emitter->i64, "");
	return mask == UINT64_MAX ? wide : LLVMBuildAnd(e->builder, wide, wm_constant(e->emitter, mask), "");
}

/*
 * The runtime touches its own memory and what it is given.  In a residual build it may also
 * call the program's own callback, which may look at anything; what it changes the
 * program must read as it would what a signal handler changes (runtime/waymark.h).
 * Without this every loop would reload what it works on for the sake of a call that is
 * never made.
 */
static void describe_call(struct wm_emission *e, LLVMValueRef call)
{
	enum { ARGUMENTS_READ_WRITE = 3, INACCESSIBLE_READ_WRITE = 3 << 2, OTHER_READ = 1 << 4 };
	unsigned effects = ARGUMENTS_READ_WRITE | INACCESSIBLE_READ_WRITE | (e->counting->residual ? OTHER_READ : 0);
	wm_call_attribute(e->emitter, call, "memory", effects);
	wm_call_attribute(e->emitter, call, "nounwind", 0);
	wm_call_attribute(e->emitter, call, "willreturn", 0);
}

/* The runtime counts it, by its acyclic id. */
static void call_add(struct wm_emission *e, struct wm_total total, LLVMValueRef amount)
{
	const char *name = e->counting->residual ? "__wm_residual_add" : "__wm_hash_add";
	LLVMValueRef arguments[] = {e->record, wm_head_address(e), acyclic_id(e, total), amount};
	LLVMValueRef call = wm_call_runtime(e, name, LLVMVoidTypeInContext(e->emitter->context), arguments, 4);
	describe_call(e, call);
}

/* One inline probe of the newest table; everything else is for `miss`. */
static void probe_hash(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before,
	void (*miss)(struct wm_emission *, struct wm_total, LLVMValueRef))
{
	struct wm_emitter *emitter = e->emitter;
	LLVMValueRef key = key_of(e, wm_total_sum(e, total));
	LLVMValueRef slot = slot_address(e, table_address(e, wm_head_address(e)), key);
	LLVMValueRef found = LLVMBuildLoad2(e->builder, emitter->i64, slot, "");
	if (e->update == WM_UPDATE_ATOMIC)
		LLVMSetOrdering(found, LLVMAtomicOrderingMonotonic);
	LLVMValueRef hit = LLVMBuildICmp(e->builder, LLVMIntEQ, found, key, "");
	LLVMValueRef then, otherwise;
	wm_shim_if_likely_else(hit, before, &then, &otherwise);
	LLVMPositionBuilderBefore(e->builder, then);
	LLVMValueRef count_offset = wm_constant(emitter, offsetof(struct wm_hash_slot, count));
	wm_build_add(e, LLVMBuildGEP2(e->builder, emitter->i8, slot, &count_offset, 1, ""), amount);
	LLVMPositionBuilderBefore(e->builder, otherwise);
	miss(e, total, amount);
	LLVMPositionBuilderBefore(e->builder, before);
}

/* --- lookups -------------------------------------------------------------------------- */

static LLVMValueRef multiply_shift(struct wm_emission *e, LLVMValueRef total, uint64_t multiplier, unsigned shift)
{
	LLVMValueRef mixed = LLVMBuildMul(e->builder, total, wm_constant(e->emitter, multiplier), "");
	return LLVMBuildLShr(e->builder, mixed, wm_constant(e->emitter, shift), "");
}

static LLVMValueRef perfect_slot(struct wm_emission *e, LLVMValueRef total)
{
	const struct wm_perfect *perfect = &e->counting->perfect;
	LLVMTypeRef i32 = e->emitter->i32;
	LLVMValueRef slot = multiply_shift(e, total, perfect->multiplier, perfect->shift);
	if (!perfect->bucket_count)
		return slot;
	LLVMValueRef bucket = multiply_shift(e, total, perfect->bucket_multiplier, perfect->bucket_shift);
	LLVMValueRef address = LLVMBuildGEP2(e->builder, i32, e->displacement, &bucket, 1, "");
	LLVMValueRef by = LLVMBuildLoad2(e->builder, i32, address, "");
	return LLVMBuildXor(e->builder, slot, LLVMBuildZExt(e->builder, by, e->emitter->i64, ""), "");
}

/* Where a total of the set has its cell, and its total in the table. */
static LLVMValueRef index_of(struct wm_emission *e, LLVMValueRef total)
{
	const struct wm_pack *pack = &e->counting->pack;
	if (e->counting->kind == WM_COUNT_PERFECT)
		return perfect_slot(e, total);
	if (pack->shift == pack->width)
		return wm_constant(e->emitter, 0);
	LLVMValueRef index = LLVMBuildLShr(e->builder, total, LLVMConstInt(e->word, pack->shift, false), "");
	return LLVMBuildZExt(e->builder, index, e->emitter->i64, "");
}

static LLVMValueRef is_in_table(struct wm_emission *e, LLVMValueRef index, LLVMValueRef total)
{
	LLVMValueRef address = LLVMBuildGEP2(e->builder, e->word, e->table, &index, 1, "");
	LLVMValueRef expected = LLVMBuildLoad2(e->builder, e->word, address, "");
	return LLVMBuildICmp(e->builder, LLVMIntEQ, expected, total, "");
}

/* --- cold code ------------------------------------------------------------------------- */

/* Paths that leave a core come here, tested or not. */
static void add_untested(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	if (e->counting->marked && e->counting->table_size) {
		LLVMValueRef id = acyclic_id(e, total), known = is_in_table(e, index_of(e, id), id);
		LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(LLVMBuildNot(e->builder, known, ""), before));
	}
	call_add(e, total, amount);
}

/* The body of the function below. */
static void count_apart(struct wm_emission *e, LLVMValueRef function)
{
	LLVMContextRef context = e->emitter->context;
	LLVMBuilderRef kept = e->builder;
	struct wm_total total = {LLVMGetParam(function, 0), 0};
	LLVMValueRef one = wm_constant(e->emitter, 1);
	e->builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(context, function, ""));
	LLVMValueRef end = LLVMBuildRetVoid(e->builder);
	LLVMPositionBuilderBefore(e->builder, end);
	if (e->counting->kind == WM_COUNT_HASH)
		probe_hash(e, total, one, end, call_add);
	else
		add_untested(e, total, one, end);
	LLVMDisposeBuilder(e->builder);
	e->builder = kept;
}

/*
 * One cold function per function for what seldom happens, with nothing but the total
 * to hand over: with more, the compiler would keep addresses in registers all the way
 * through the hot code for the sake of a call that is never made.  The tables of
 * the unwinder are for callbacks that look at the stack.
 */
static LLVMValueRef make_cold(struct wm_emission *e, LLVMTypeRef type)
{
	static const struct {
		const char *name;
		uint64_t value;
	} attributes[] = {{"noinline", 0}, {"cold", 0}, {"nounwind", 0}, {"uwtable", 2}};
	LLVMValueRef cold = LLVMAddFunction(e->emitter->module, "__wm_cold", type);
	LLVMSetLinkage(cold, LLVMPrivateLinkage);
	wm_named(e, "__wm_cold.", cold); /* without memory it keeps that name */
	LLVMSetFunctionCallConv(cold, LLVMPreserveMostCallConv);
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i].name, strlen(attributes[i].name));
		LLVMAddAttributeAtIndex(cold, LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(e->emitter->context, kind, attributes[i].value));
	}
	count_apart(e, cold);
	return cold;
}

/* Threads with cells of their own have something more to hand over. */
static void call_cold(struct wm_emission *e, struct wm_total total, LLVMValueRef amount)
{
	LLVMTypeRef none = LLVMVoidTypeInContext(e->emitter->context),
		    type = LLVMFunctionType(none, &e->word, 1, false);
	bool one = LLVMIsAConstantInt(amount) && LLVMConstIntGetZExtValue(amount) == 1;
	if (one && !e->delta && !e->cold)
		e->cold = make_cold(e, type);
	if (!one || e->delta) {
		call_add(e, total, amount);
		return;
	}
	LLVMValueRef sum = wm_total_sum(e, total), call = LLVMBuildCall2(e->builder, type, e->cold, &sum, 1, "");
	LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
	describe_call(e, call);
}

static void add_in_hash(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	if (e->hot)
		probe_hash(e, total, amount, before, call_cold);
	else
		call_cold(e, total, amount);
}

/* --- guesses ------------------------------------------------------------------------- */

/* Whether the path is the one that is likely here.  Compared without adding up: where it is,
 * the register is known to hold e->guess. */
static LLVMValueRef is_guessed(struct wm_emission *e, struct wm_total total)
{
	uint64_t width_mask = e->counting->width < 64 ? ((uint64_t)1 << e->counting->width) - 1 : UINT64_MAX;
	e->guess = (e->counting->guess[e->end] - (uint64_t)total.addend) & width_mask;
	return LLVMBuildICmp(e->builder, LLVMIntEQ, total.base, LLVMConstInt(e->word, e->guess, false), "");
}

/* --- interesting paths ------------------------------------------------------------------- */

void wm_count_at(struct wm_emission *e, LLVMValueRef index, LLVMValueRef amount)
{
	LLVMValueRef cell = LLVMBuildAdd(e->builder, index, wm_constant(e->emitter, e->header_cells), "");
	wm_build_add(e, wm_cell_address(e, cell), amount);
}

/* The cell if `hit`, the runtime otherwise. */
static void add_if(struct wm_emission *e, LLVMValueRef hit, LLVMValueRef index, struct wm_total total,
	LLVMValueRef amount, LLVMValueRef before)
{
	LLVMValueRef then, otherwise;
	wm_shim_if_likely_else(hit, before, &then, &otherwise);
	LLVMPositionBuilderBefore(e->builder, then);
	wm_count_at(e, index, amount);
	LLVMPositionBuilderBefore(e->builder, otherwise);
	call_cold(e, total, amount);
	LLVMPositionBuilderBefore(e->builder, before);
}

static bool has_guess(const struct wm_emission *e)
{
	return e->counting->guesses && e->counting->guesses[e->end];
}

/* Counts the likely path; returns where all others go. */
static LLVMValueRef count_guessed(
	struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	uint64_t guess = e->counting->guess[e->end];
	uint64_t index = e->counting->kind == WM_COUNT_ARRAY ? guess : wm_counting_index(e->counting, guess);
	LLVMValueRef then;
	wm_shim_if_likely_else(is_guessed(e, total), before, &then, &e->wrong);
	LLVMPositionBuilderBefore(e->builder, then);
	wm_count_at(e, wm_constant(e->emitter, index), amount);
	LLVMPositionBuilderBefore(e->builder, e->wrong);
	return e->wrong;
}

static void count_interesting(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	enum wm_member member = (enum wm_member)e->counting->membership.end[e->end];
	LLVMValueRef at = has_guess(e) ? count_guessed(e, total, amount, before) : before;
	if (member == WM_MEMBER_NONE || member == WM_MEMBER_ONE) {
		call_cold(e, total, amount);
	} else if (member == WM_MEMBER_ALL) {
		wm_count_at(e, index_of(e, wm_total_sum(e, total)), amount);
	} else {
		LLVMValueRef whole = wm_total_sum(e, total), index = index_of(e, whole);
		add_if(e, is_in_table(e, index, whole), index, total, amount, at);
	}
	LLVMPositionBuilderBefore(e->builder, before);
}

/* Nothing is asked here: only on the likely path the index need not be waited for. */
static void count_in_array(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	if (total.base && has_guess(e))
		count_guessed(e, total, amount, before);
	wm_count_at(e, wm_total_sum(e, total), amount);
	LLVMPositionBuilderBefore(e->builder, before);
}

/* --- residual ---------------------------------------------------------------------------------- */

/* What leaves a core is not known to be untested yet: the cold function looks it up. */
static LLVMValueRef is_untested(struct wm_emission *e, struct wm_total total)
{
	enum wm_member member = (enum wm_member)e->counting->membership.end[e->end];
	LLVMValueRef whole = wm_total_sum(e, total);
	bool marked = e->counting->kind != WM_COUNT_PACKED;
	if (marked && (member == WM_MEMBER_CLEAN || member == WM_MEMBER_CORE))
		return LLVMBuildICmp(e->builder, LLVMIntSLT, whole, LLVMConstNull(e->word), "");
	LLVMValueRef key = e->counting->marked ? acyclic_id(e, total) : whole;
	return LLVMBuildNot(e->builder, is_in_table(e, index_of(e, key), key), "");
}

/* What follows is only for those that may be untested.  The first question is the one that a core does without. */
static LLVMValueRef ask(struct wm_emission *e, LLVMValueRef question, bool first, LLVMValueRef before)
{
	if (first && e->counting->aside && e->counting->aside[e->end])
		e->aside.question[e->aside.question_count++] = question;
	LLVMValueRef at = wm_shim_if_unlikely(question, before);
	LLVMPositionBuilderBefore(e->builder, at);
	return at;
}

static void count_untested(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	enum wm_member member = (enum wm_member)e->counting->membership.end[e->end];
	LLVMValueRef at = before;
	if (member == WM_MEMBER_ALL)
		return;
	if (has_guess(e))
		at = e->wrong = ask(e, LLVMBuildNot(e->builder, is_guessed(e, total), ""), true, before);
	if (member != WM_MEMBER_NONE && member != WM_MEMBER_ONE)
		ask(e, is_untested(e, total), at == before, at);
	if (e->counting->aside && e->counting->aside[e->end])
		e->wrong = NULL; /* who is not asked may hold anything */
	call_cold(e, total, amount);
	LLVMPositionBuilderBefore(e->builder, before);
}

/* --- what the compiler knows ------------------------------------------------------------------ */

/* Nothing is to be added as often as there were rounds after the first: see wm_place_trips. */
static void call_add_some(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	if (!LLVMIsAConstantInt(amount)) {
		LLVMValueRef any = LLVMBuildIsNotNull(e->builder, amount, "");
		LLVMPositionBuilderBefore(e->builder, wm_shim_if_unlikely(any, before));
	}
	call_cold(e, total, amount);
	LLVMPositionBuilderBefore(e->builder, before);
}

static void count_constant(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	const struct wm_counting *counting = e->counting;
	uint64_t value = LLVMConstIntGetZExtValue(wm_total_sum(e, total));
	bool member = wm_path_set_find(&counting->set, value & counting->id_mask) != WM_NONE;
	if (!member)
		call_add_some(e, total, amount, before);
	else if (!counting->residual)
		wm_count_at(e, wm_constant(e->emitter, wm_counting_index(counting, value)), amount);
}

/* A constant that the compiler knows has a cell. */
static uint32_t constant_index(const struct wm_emission *e, struct wm_total total)
{
	const struct wm_path_set *constants = &e->counting->constants;
	if (!constants->count || total.base)
		return WM_NONE;
	uint32_t index = wm_path_set_find(constants, (uint64_t)total.addend);
	return index == WM_NONE ? WM_NONE : e->counting->size - constants->count + index;
}

static void count_in_hash(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	uint32_t index = constant_index(e, total);
	if (index == WM_NONE)
		add_in_hash(e, total, amount, before);
	else
		wm_count_at(e, wm_constant(e->emitter, index), amount);
}

/* Most paths are one piece, which is its own name (abi/sequence.h). */
static void count_sequence(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	if (e->plan->numbering.path_count > WM_ALONE_BIT) {
		wm_end_pieces(e, total);
		return;
	}
	LLVMValueRef then, otherwise;
	wm_shim_if_likely_else(wm_has_no_piece(e), before, &then, &otherwise);
	LLVMPositionBuilderBefore(e->builder, then);
	add_in_hash(e, (struct wm_total){total.base, total.addend + (int64_t)WM_ALONE_BIT}, amount, then);
	LLVMPositionBuilderBefore(e->builder, otherwise);
	wm_end_pieces(e, total);
	LLVMPositionBuilderBefore(e->builder, before);
}

void wm_count_path(struct wm_emission *e, struct wm_total total, LLVMValueRef amount, LLVMValueRef before)
{
	const struct wm_counting *counting = e->counting;
	if (e->plan->sequences)
		count_sequence(e, total, amount, before);
	else if (counting->kind == WM_COUNT_ARRAY)
		count_in_array(e, total, amount, before);
	else if (counting->kind == WM_COUNT_HASH)
		count_in_hash(e, total, amount, before);
	else if (counting->kind == WM_COUNT_CALL)
		call_add_some(e, total, amount, before);
	else if (!total.base)
		count_constant(e, total, amount, before);
	else if (counting->residual)
		count_untested(e, total, amount, before);
	else
		count_interesting(e, total, amount, before);
}
