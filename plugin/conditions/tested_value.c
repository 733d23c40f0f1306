/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/conditions/tested_value.h"
#include <string.h>

/* Expressions are followed through at most this many levels. */
enum { MOST_LEVELS = 8 };

/* ---- Sets of integers of a width ------------------------------------------------------- */

/* A set that needs too many ranges is not known, which is noted in `overflow`. */
struct ranges {
	struct wm_ranges set;
	bool overflow;
};

static int64_t least_of(unsigned bits)
{
	return bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1));
}

static int64_t most_of(unsigned bits)
{
	return -(least_of(bits) + 1);
}

static uint64_t unsigned_most_of(unsigned bits)
{
	return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* Adds the integers low … high, which are above all that are in the set. */
static void add_range(struct ranges *to, int64_t low, int64_t high)
{
	struct wm_ranges *set = &to->set;
	struct wm_value_range *last = set->count ? &set->range[set->count - 1] : NULL;
	if (low > high)
		return;
	if (last && last->high + 1 == low)
		last->high = high;
	else if (set->count < WM_MOST_RANGES)
		set->range[set->count++] = (struct wm_value_range){low, high};
	else
		to->overflow = true;
}

static struct ranges single_range(int64_t low, int64_t high)
{
	struct ranges set = {0};
	add_range(&set, low, high);
	return set;
}

/* The integers from least to most that are not in the set. */
static struct ranges complement(const struct ranges *of, int64_t least, int64_t most)
{
	struct ranges rest = {.overflow = of->overflow};
	for (uint32_t i = 0; i < of->set.count; i++) {
		if (of->set.range[i].low > least)
			add_range(&rest, least, of->set.range[i].low - 1);
		if (of->set.range[i].high >= most)
			return rest;
		least = of->set.range[i].high + 1;
	}
	add_range(&rest, least, most);
	return rest;
}

/* low … high as unsigned integers of the width: the upper half of those are the negative ones. */
static struct ranges unsigned_range(uint64_t low, uint64_t high, unsigned bits)
{
	uint64_t half = (uint64_t)1 << (bits - 1);
	struct ranges set = {0};
	if (low > high)
		return set;
	if (high >= half)
		add_range(&set, least_of(bits) + (int64_t)((low > half ? low : half) - half),
			least_of(bits) + (int64_t)(high - half));
	if (low < half)
		add_range(&set, (int64_t)low, (int64_t)(high < half ? high : half - 1));
	return set;
}

/* The integers x of the width with `x predicate c`. */
static struct ranges of_predicate(LLVMIntPredicate predicate, int64_t c, unsigned bits)
{
	uint64_t span = unsigned_most_of(bits), u = (uint64_t)c & span;
	int64_t least = least_of(bits), most = most_of(bits);
	struct ranges none = {0}, one = single_range(c, c);
	switch (predicate) {
	case LLVMIntEQ:
		return one;
	case LLVMIntNE:
		return complement(&one, least, most);
	case LLVMIntSLT:
		return c > least ? single_range(least, c - 1) : none;
	case LLVMIntSLE:
		return single_range(least, c);
	case LLVMIntSGT:
		return c < most ? single_range(c + 1, most) : none;
	case LLVMIntSGE:
		return single_range(c, most);
	case LLVMIntULT:
		return u ? unsigned_range(0, u - 1, bits) : none;
	case LLVMIntULE:
		return unsigned_range(0, u, bits);
	case LLVMIntUGT:
		return u < span ? unsigned_range(u + 1, span, bits) : none;
	case LLVMIntUGE:
		return unsigned_range(u, span, bits);
	}
	return none;
}

/* Adds those of low … high that are in the set, plus `shift`. */
static void add_slice(struct ranges *to, const struct ranges *set, int64_t low, int64_t high, int64_t shift)
{
	for (uint32_t i = 0; i < set->set.count; i++) {
		struct wm_value_range r = set->set.range[i];
		int64_t from = r.low > low ? r.low : low, end = r.high < high ? r.high : high;
		if (from <= end)
			add_range(to, from + shift, end + shift);
	}
}

/* The integers of the narrow width that are in the set when they are extended. */
static struct ranges before_extension(const struct ranges *set, unsigned narrow, bool is_signed)
{
	struct ranges result = {.overflow = set->overflow};
	if (is_signed) {
		add_slice(&result, set, least_of(narrow), most_of(narrow), 0);
		return result;
	}
	int64_t span = (int64_t)unsigned_most_of(narrow);
	add_slice(&result, set, most_of(narrow) + 1, span, -span - 1);
	add_slice(&result, set, 0, most_of(narrow), 0);
	return result;
}

/* The set for a fact: the bounds of the type bound nothing, and what is not known is empty. */
static struct wm_ranges finish(struct ranges set, unsigned bits)
{
	struct wm_ranges *r = &set.set;
	if (set.overflow)
		r->count = 0;
	if (r->count && r->range[0].low == least_of(bits))
		r->range[0].low = INT64_MIN;
	if (r->count && r->range[r->count - 1].high == most_of(bits))
		r->range[r->count - 1].high = INT64_MAX;
	return *r;
}

/* ---- Values ---------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
	return hash ^ hash >> 29;
}

/* 0: not an integer or pointer of at most 64 bits */
static unsigned width_of(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return 64;
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64)
		return 0;
	return LLVMGetIntTypeWidth(type);
}

static bool is_number(LLVMValueRef value, int64_t *number)
{
	if (LLVMIsAConstantPointerNull(value)) {
		*number = 0;
		return true;
	}
	if (!LLVMIsAConstantInt(value) || !width_of(value))
		return false;
	*number = LLVMConstIntGetSExtValue(value);
	return true;
}

static bool is_in(LLVMValueRef value, LLVMBasicBlockRef block)
{
	return LLVMIsAInstruction(value) && LLVMGetInstructionParent(value) == block;
}

bool wm_leaf_is_load(LLVMValueRef leaf, LLVMBasicBlockRef block)
{
	return is_in(leaf, block) && LLVMIsALoadInst(leaf) && !LLVMGetVolatile(leaf) &&
	       LLVMGetOrdering(leaf) == LLVMAtomicOrderingNotAtomic;
}

/* Whether the result follows from the operands alone. */
static bool is_pure(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMFNeg:
	case LLVMAdd:
	case LLVMFAdd:
	case LLVMSub:
	case LLVMFSub:
	case LLVMMul:
	case LLVMFMul:
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMFDiv:
	case LLVMURem:
	case LLVMSRem:
	case LLVMFRem:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMGetElementPtr:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMFPToUI:
	case LLVMFPToSI:
	case LLVMUIToFP:
	case LLVMSIToFP:
	case LLVMFPTrunc:
	case LLVMFPExt:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast:
	case LLVMICmp:
	case LLVMFCmp:
	case LLVMSelect:
	case LLVMExtractValue:
		return true;
	default:
		return false;
	}
}

struct hashing {
	LLVMBasicBlockRef block;
	struct wm_tested_value *value;
	bool failed; /* the value has too many leaves */
};

static uint64_t hash_leaf(struct hashing *h, LLVMValueRef leaf)
{
	if (h->value->leaf_count == WM_MOST_LEAVES)
		h->failed = true;
	else
		h->value->leaf[h->value->leaf_count++] = leaf;
	return (uint64_t)(uintptr_t)leaf;
}

static uint64_t hash_of(struct hashing *h, LLVMValueRef v, unsigned level);

static uint64_t hash_operands(struct hashing *h, LLVMValueRef v, unsigned level)
{
	uint64_t hash = mix(LLVMGetInstructionOpcode(v), (uint64_t)(uintptr_t)LLVMTypeOf(v));
	if (LLVMIsAICmpInst(v))
		hash = mix(hash, LLVMGetICmpPredicate(v));
	if (LLVMIsAFCmpInst(v))
		hash = mix(hash, LLVMGetFCmpPredicate(v));
	if (LLVMIsAGetElementPtrInst(v))
		hash = mix(hash, (uint64_t)(uintptr_t)LLVMGetGEPSourceElementType(v));
	for (unsigned i = 0; LLVMIsAExtractValueInst(v) && i < LLVMGetNumIndices(v); i++)
		hash = mix(hash, LLVMGetIndices(v)[i]);
	for (int i = 0; i < LLVMGetNumOperands(v); i++)
		hash = mix(hash, hash_of(h, LLVMGetOperand(v, (unsigned)i), level + 1));
	return hash;
}

static uint64_t hash_of(struct hashing *h, LLVMValueRef v, unsigned level)
{
	if (!LLVMIsAInstruction(v) || LLVMIsAAllocaInst(v))
		return (uint64_t)(uintptr_t)v;
	if (!is_in(v, h->block) || level == MOST_LEVELS)
		return hash_leaf(h, v);
	if (!wm_leaf_is_load(v, h->block))
		return is_pure(v) ? hash_operands(h, v, level) : hash_leaf(h, v);
	/* Before the address, of which the load may be a leaf in another block. */
	hash_leaf(h, v);
	return hash_operands(h, v, level);
}

static bool describe(struct wm_tested_value *value, LLVMValueRef v, LLVMBasicBlockRef block)
{
	struct hashing h = {block, value, false};
	*value = (struct wm_tested_value){.instruction = v};
	value->hash = hash_of(&h, v, 0);
	return !h.failed && value->leaf_count;
}

uint64_t wm_address_hash(LLVMValueRef address, LLVMBasicBlockRef block)
{
	struct wm_tested_value value = {0};
	struct hashing h = {block, &value, false};
	uint64_t hash = hash_of(&h, address, 0);
	return value.leaf_count ? 0 : hash;
}

/* A member of a structure, of which exactly this type is accessed: clang names it by two constant indices, of which the first
 * is 0. */
static bool is_member(LLVMValueRef address, LLVMTypeRef accessed)
{
	if (!LLVMIsAGetElementPtrInst(address) || LLVMGetNumOperands(address) != 3)
		return false;
	LLVMTypeRef structure = LLVMGetGEPSourceElementType(address);
	LLVMValueRef first = LLVMGetOperand(address, 1), member = LLVMGetOperand(address, 2);
	return LLVMGetTypeKind(structure) == LLVMStructTypeKind && LLVMIsAConstantInt(first) && LLVMIsNull(first) &&
	       LLVMIsAConstantInt(member) &&
	       LLVMStructGetTypeAtIndex(structure, (unsigned)LLVMConstIntGetZExtValue(member)) == accessed;
}

static uint64_t structure_hash(LLVMValueRef member)
{
	struct wm_tested_value value = {0};
	struct hashing h = {LLVMGetInstructionParent(member), &value, false};
	uint64_t hash = hash_of(&h, LLVMGetOperand(member, 0), 0);
	return h.failed ? 0 : hash;
}

bool wm_is_other_member(LLVMValueRef store, LLVMValueRef load)
{
	LLVMValueRef a = LLVMGetOperand(store, 1), b = LLVMGetOperand(load, 0);
	if (!is_member(a, LLVMTypeOf(LLVMGetOperand(store, 0))) || !is_member(b, LLVMTypeOf(load)) ||
		LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b))
		return false;
	uint64_t structure = structure_hash(a);
	return structure && structure == structure_hash(b) && LLVMGetOperand(a, 2) != LLVMGetOperand(b, 2);
}

/* ---- Conversions ----------------------------------------------------------------------- */

static bool is_expectation(LLVMValueRef v)
{
	static const char name[] = "llvm.expect";
	return LLVMIsACallInst(v) &&
	       LLVMGetIntrinsicID(LLVMGetCalledValue(v)) == LLVMLookupIntrinsicID(name, sizeof name - 1);
}

/* The operand of a conversion that loses nothing, so that a variable is the same value with and without it; else NULL. */
static LLVMValueRef converted(LLVMValueRef v, LLVMBasicBlockRef block)
{
	if (!is_in(v, block))
		return NULL;
	bool extends = LLVMIsAZExtInst(v) || LLVMIsASExtInst(v);
	if (!extends && !is_expectation(v) && !LLVMIsAFreezeInst(v))
		return NULL;
	unsigned bits = width_of(LLVMGetOperand(v, 0));
	return bits && bits <= 62 + (extends ? 0 : 2) ? LLVMGetOperand(v, 0) : NULL;
}

/* An integer or truth value that is being followed back, and the sets in which it is when the successors are taken. */
struct followed {
	LLVMValueRef v;
	LLVMBasicBlockRef block;
	struct ranges when[2];
};

static void take_off_conversions(struct followed *f)
{
	for (LLVMValueRef next = converted(f->v, f->block); next; next = converted(f->v, f->block)) {
		for (unsigned i = 0; i < 2 && width_of(next) < width_of(f->v); i++)
			f->when[i] = before_extension(&f->when[i], width_of(next), LLVMIsASExtInst(f->v));
		f->v = next;
	}
}

/* ---- Tests ----------------------------------------------------------------------------- */

static void follow_truth(struct followed *f, LLVMValueRef v)
{
	*f = (struct followed){v, f->block, {single_range(-1, -1), single_range(0, 0)}};
}

/* A truth value that is known to be one thing for each successor. */
static bool is_truth(const struct followed *f)
{
	const struct wm_ranges *a = &f->when[0].set, *b = &f->when[1].set;
	return width_of(f->v) == 1 && a->count == 1 && b->count == 1 && a->range[0].low == a->range[0].high &&
	       b->range[0].low == b->range[0].high && a->range[0].low != b->range[0].low;
}

static void swap_sides(struct followed *f)
{
	struct ranges first = f->when[0];
	f->when[0] = f->when[1];
	f->when[1] = first;
}

static bool is_negation(LLVMValueRef v)
{
	int64_t number;
	return LLVMGetInstructionOpcode(v) == LLVMXor && is_number(LLVMGetOperand(v, 1), &number) && number == -1;
}

/* Clang keeps a bool in a byte that is 0 or 1, and calls the truth value `tobool` (or, since LLVM 19, `loadedv`).  Other code, such as
 * that of optimised bit-fields, takes the lowest bit of a byte that has others. */
static bool is_bool_in_memory(LLVMValueRef v, LLVMBasicBlockRef block)
{
	size_t size;
	const char *name = LLVMGetValueName2(v, &size);
	bool named = !strncmp(name, "tobool", 6) || !strncmp(name, "loadedv", 7);
	return named && LLVMIsATruncInst(v) && width_of(LLVMGetOperand(v, 0)) == 8 &&
	       wm_leaf_is_load(LLVMGetOperand(v, 0), block);
}

/* Replaces a truth value by what it is computed from, if that is one value. */
static bool follow_back(struct followed *f)
{
	int64_t number;
	bool holds = f->when[0].set.range[0].low == -1;
	if (!is_in(f->v, f->block))
		return false;
	if (is_negation(f->v)) {
		follow_truth(f, LLVMGetOperand(f->v, 0));
		holds = !holds;
	} else if (is_bool_in_memory(f->v, f->block)) {
		struct ranges zero = single_range(0, 0);
		*f = (struct followed){
			LLVMGetOperand(f->v, 0), f->block, {complement(&zero, least_of(8), most_of(8)), zero}};
	} else if (LLVMIsAICmpInst(f->v) && is_number(LLVMGetOperand(f->v, 1), &number)) {
		LLVMValueRef operand = LLVMGetOperand(f->v, 0);
		unsigned bits = width_of(operand);
		struct ranges set = of_predicate(LLVMGetICmpPredicate(f->v), number, bits);
		*f = (struct followed){operand, f->block, {set, complement(&set, least_of(bits), most_of(bits))}};
	} else {
		return false;
	}
	if (!holds)
		swap_sides(f);
	return true;
}

/* A set of orders as bits: 1 equal, 2 greater, 4 less, 8 not comparable, as LLVM's predicates of floating point have them. */
enum { EQUAL = 1, GREATER = 2, LESS = 4, NEITHER = 8 };

static unsigned orders_of(LLVMIntPredicate predicate)
{
	switch (predicate) {
	case LLVMIntEQ:
		return EQUAL;
	case LLVMIntNE:
		return LESS | GREATER;
	case LLVMIntSLT:
	case LLVMIntULT:
		return LESS;
	case LLVMIntSLE:
	case LLVMIntULE:
		return LESS | EQUAL;
	case LLVMIntSGT:
	case LLVMIntUGT:
		return GREATER;
	case LLVMIntSGE:
	case LLVMIntUGE:
		return GREATER | EQUAL;
	}
	return 0;
}

static struct wm_ranges ranges_of_orders(unsigned orders)
{
	struct ranges set = {0};
	for (int i = -1; i <= 2; i++) {
		unsigned bit = i < 0 ? LESS : i == 0 ? EQUAL : i == 1 ? GREATER : NEITHER;
		if (orders & bit)
			add_range(&set, i, i);
	}
	return set.set;
}

/* Which of a pair's orders: they are different values. */
enum order { ORDER_SIGNED = 1, ORDER_UNSIGNED, ORDER_FLOAT };

static bool describe_order(struct wm_tested_value *value, LLVMValueRef comparison, enum order order)
{
	struct hashing h = {LLVMGetInstructionParent(comparison), value, false};
	*value = (struct wm_tested_value){0};
	uint64_t a = hash_of(&h, LLVMGetOperand(comparison, 0), 1);
	value->first_leaves = value->leaf_count;
	uint64_t b = hash_of(&h, LLVMGetOperand(comparison, 1), 1);
	value->hash = mix(mix(order, a), b);
	value->mirrored_hash = mix(mix(order, b), a);
	return !h.failed && value->leaf_count;
}

static bool test_order(struct wm_branch_test *test, const struct followed *f, enum order order)
{
	unsigned all = LESS | EQUAL | GREATER | (order == ORDER_FLOAT ? NEITHER : 0);
	unsigned orders =
		order == ORDER_FLOAT ? (unsigned)LLVMGetFCmpPredicate(f->v) : orders_of(LLVMGetICmpPredicate(f->v));
	bool holds = f->when[0].set.range[0].low == -1;
	test->when[holds ? 0 : 1] = ranges_of_orders(orders);
	test->when[holds ? 1 : 0] = ranges_of_orders(all & ~orders);
	return describe_order(&test->value, f->v, order);
}

static uint32_t test_comparison(const struct followed *f, struct wm_branch_test test[2])
{
	if (LLVMIsAFCmpInst(f->v))
		return test_order(&test[0], f, ORDER_FLOAT);
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(f->v);
	bool equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
	uint32_t count = 0;
	if (equality || predicate >= LLVMIntSGT)
		count += test_order(&test[count], f, ORDER_SIGNED);
	if (equality || predicate < LLVMIntSGT)
		count += test_order(&test[count], f, ORDER_UNSIGNED);
	return count;
}

uint32_t wm_branch_tests(LLVMValueRef branch, struct wm_branch_test test[2])
{
	struct followed f = {.block = LLVMGetInstructionParent(branch)};
	follow_truth(&f, LLVMGetCondition(branch));
	for (unsigned level = 0; level < MOST_LEVELS && is_truth(&f) && follow_back(&f); level++)
		take_off_conversions(&f);
	if (is_truth(&f) && is_in(f.v, f.block) && (LLVMIsAICmpInst(f.v) || LLVMIsAFCmpInst(f.v)))
		return test_comparison(&f, test);
	for (unsigned i = 0; i < 2; i++)
		test->when[i] = finish(f.when[i], width_of(f.v));
	return describe(&test->value, f.v, f.block);
}

static struct wm_ranges mirrored(struct wm_ranges set)
{
	struct ranges result = {0};
	for (int i = -1; i <= 2; i++)
		for (uint32_t j = 0; j < set.count; j++) {
			int of = i == 2 ? 2 : -i;
			if (set.range[j].low <= of && of <= set.range[j].high)
				add_range(&result, i, i);
		}
	return result.set;
}

void wm_branch_test_mirror(struct wm_branch_test *test)
{
	struct wm_tested_value *value = &test->value, before = *value;
	uint32_t second_leaves = before.leaf_count - before.first_leaves;
	memcpy(value->leaf, before.leaf + before.first_leaves, second_leaves * sizeof *value->leaf);
	memcpy(value->leaf + second_leaves, before.leaf, before.first_leaves * sizeof *value->leaf);
	value->hash = before.mirrored_hash;
	value->mirrored_hash = before.hash;
	value->first_leaves = second_leaves;
	for (unsigned i = 0; i < 2; i++)
		test->when[i] = mirrored(test->when[i]);
}

/* ---- Switches -------------------------------------------------------------------------- */

static struct followed follow_switch(LLVMValueRef ir, const struct ranges *set)
{
	struct followed f = {LLVMGetOperand(ir, 0), LLVMGetInstructionParent(ir), {*set}};
	take_off_conversions(&f);
	return f;
}

bool wm_switch_value(LLVMValueRef ir, struct wm_tested_value *value)
{
	struct ranges none = {0};
	struct followed f = follow_switch(ir, &none);
	return width_of(LLVMGetOperand(ir, 0)) && describe(value, f.v, f.block);
}

struct wm_ranges wm_switch_ranges(LLVMValueRef ir, const int64_t *label, uint32_t count, bool others)
{
	unsigned bits = width_of(LLVMGetOperand(ir, 0));
	struct ranges set = {0};
	for (uint32_t i = 0; i < count; i++)
		add_range(&set, label[i], label[i]);
	if (others)
		set = complement(&set, least_of(bits), most_of(bits));
	struct followed f = follow_switch(ir, &set);
	return finish(f.when[0], width_of(f.v));
}
