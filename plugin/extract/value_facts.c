/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/extract/value_facts.h"
#include "core/base/grow.h"
#include "plugin/conditions/tested_value.h"
#include <stdlib.h>

/* Questions to the alias analysis about one function, and labels of one switch, that are considered. */
enum { MOST_QUESTIONS = 100000, MOST_LABELS = 512 };

/* A value, as one block tests it. */
struct test {
	uint32_t block, value;
	struct wm_tested_value tested;
};

/* An instruction that may write memory. */
struct writer {
	LLVMValueRef instruction;
	uint32_t block;
};

/* What is found of one function.  The arrays are from malloc. */
struct search {
	const struct wm_graph *graph;
	const struct wm_anchors *anchors;
	struct wm_shim_analyses *analyses;
	uint32_t questions;
	uint32_t fact_count;
	struct wm_fact *fact;
	uint32_t test_count;
	struct test *test;
	uint32_t value_count;
	uint64_t *hash; /* per value */
	uint32_t writer_count;
	struct writer *writer; /* by block, in the order of execution */
	bool has_writers; /* they are listed */
	bool failed; /* no memory */
};

static void add_fact(struct search *s, struct wm_fact fact)
{
	if (s->failed || !WM_GROW(s->fact, s->fact_count)) {
		s->failed = true;
		return;
	}
	s->fact[s->fact_count++] = fact;
}

/* ---- Tests ----------------------------------------------------------------------------- */

static uint32_t find_value(const struct search *s, uint64_t hash)
{
	uint32_t v = 0;
	while (v < s->value_count && s->hash[v] != hash)
		v++;
	return v;
}

/* Returns the index of the value. */
static uint32_t add_test(struct search *s, uint32_t block, const struct wm_tested_value *tested)
{
	uint32_t value = find_value(s, tested->hash);
	if (s->failed || !WM_GROW(s->test, s->test_count) || (value == s->value_count && !WM_GROW(s->hash, value))) {
		s->failed = true;
		return 0;
	}
	if (value == s->value_count)
		s->hash[s->value_count++] = tested->hash;
	s->test[s->test_count++] = (struct test){block, value, *tested};
	return value;
}

static void add_ranges(struct search *s, uint32_t block, uint32_t value, uint32_t edge, const struct wm_ranges *ranges)
{
	for (uint32_t i = 0; i < ranges->count; i++)
		add_fact(s, (struct wm_fact){block, WM_FACT_TEST, value, edge, ranges->range[i]});
}

/* The edge that a successor belongs to. */
static uint32_t edge_of(const struct search *s, uint32_t block, LLVMBasicBlockRef target)
{
	for (uint32_t e = s->graph->first_edge[block]; e < s->graph->first_edge[block + 1]; e++)
		if (s->anchors->block[s->graph->edge_to[e]] == target)
			return e;
	return WM_NONE;
}

static void find_branch_tests(struct search *s, uint32_t block, LLVMValueRef branch)
{
	struct wm_branch_test test[2];
	uint32_t count = wm_branch_tests(branch, test);
	for (uint32_t i = 0; i < count; i++) {
		const struct wm_tested_value *value = &test[i].value;
		if (find_value(s, value->hash) == s->value_count && value->mirrored_hash &&
			find_value(s, value->mirrored_hash) < s->value_count)
			wm_branch_test_mirror(&test[i]);
		uint32_t index = add_test(s, block, value);
		for (unsigned side = 0; side < 2; side++)
			add_ranges(s, block, index, edge_of(s, block, LLVMGetSuccessor(branch, side)),
				&test[i].when[side]);
	}
}

struct label {
	int64_t value;
	uint32_t edge;
};

static int by_value(const void *a, const void *b)
{
	const struct label *x = a, *y = b;
	return (x->value > y->value) - (x->value < y->value);
}

/* The labels that lead to an edge, or, for the default, those that lead elsewhere. */
static void add_labels(struct search *s, LLVMValueRef ir, uint32_t block, uint32_t value, const struct label *label,
	uint32_t count, uint32_t edge, bool is_default)
{
	int64_t chosen[MOST_LABELS];
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++)
		if ((label[i].edge == edge) != is_default)
			chosen[n++] = label[i].value;
	struct wm_ranges ranges = wm_switch_ranges(ir, chosen, n, is_default);
	add_ranges(s, block, value, edge, &ranges);
}

static void find_switch_tests(struct search *s, uint32_t block, LLVMValueRef ir)
{
	struct label label[MOST_LABELS];
	struct wm_tested_value tested;
	uint32_t count = LLVMGetNumSuccessors(ir) - 1;
	if (count > MOST_LABELS || !wm_switch_value(ir, &tested))
		return;
	uint32_t value = add_test(s, block, &tested), other = edge_of(s, block, LLVMGetSuccessor(ir, 0));
	for (uint32_t i = 0; i < count; i++)
		label[i] = (struct label){LLVMConstIntGetSExtValue(LLVMGetOperand(ir, 2 * i + 2)),
			edge_of(s, block, LLVMGetSuccessor(ir, i + 1))};
	qsort(label, count, sizeof *label, by_value);
	for (uint32_t e = s->graph->first_edge[block]; e < s->graph->first_edge[block + 1]; e++)
		add_labels(s, ir, block, value, label, count, e, e == other);
}

static void find_tests(struct search *s)
{
	for (uint32_t b = 0; b < s->graph->block_count && !s->failed; b++) {
		LLVMValueRef terminator = s->anchors->terminator[b];
		if (s->graph->first_edge[b + 1] - s->graph->first_edge[b] < 2)
			continue;
		if (LLVMIsABranchInst(terminator))
			find_branch_tests(s, b, terminator);
		if (LLVMIsASwitchInst(terminator))
			find_switch_tests(s, b, terminator);
	}
}

/* ---- Changes --------------------------------------------------------------------------- */

static bool is_pseudo(LLVMValueRef instruction)
{
	return LLVMIsACallInst(instruction) && wm_shim_is_pseudo_call(instruction);
}

/* Whether the address of a local variable is used for nothing but loads and stores. */
static bool is_private(LLVMValueRef address)
{
	if (!LLVMIsAAllocaInst(address))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		bool stores = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != address;
		if (!LLVMIsALoadInst(user) && !stores && !is_pseudo(user))
			return false;
	}
	return true;
}

static void list_writers(struct search *s)
{
	s->has_writers = true;
	for (uint32_t b = 0; b < s->graph->block_count; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(s->anchors->block[b]); i; i = LLVMGetNextInstruction(i)) {
			if (is_pseudo(i) || !wm_shim_writes_memory(i))
				continue;
			if (!WM_GROW(s->writer, s->writer_count)) {
				s->failed = true;
				return;
			}
			s->writer[s->writer_count++] = (struct writer){i, b};
		}
}

static uint32_t block_of(const struct search *s, LLVMBasicBlockRef ir)
{
	for (uint32_t b = 0; b < s->graph->block_count; b++)
		if (s->anchors->block[b] == ir)
			return b;
	return WM_NONE;
}

/* One value, its tests, and what changes it. */
struct change_search {
	struct search *s;
	uint32_t value;
	const struct test *first; /* a test of the value */
	uint32_t test_count;
	struct place *place; /* per block */
	bool constants; /* a change to a constant is known */
};

/* Indices + 1, which are those of the value only if what they lead to is. */
struct place {
	uint32_t test, change[2]; /* the test in the block; the fact BEFORE, and the fact AFTER */
};

static const struct test *test_in_block(const struct change_search *c, uint32_t block)
{
	const struct test *test = c->place[block].test ? &c->s->test[c->place[block].test - 1] : NULL;
	return test && test->value == c->value ? test : NULL;
}

/* The last change of a block before the test, or after it, is what holds. */
static void add_change(struct change_search *c, uint32_t block, bool after, struct wm_value_range range)
{
	struct search *s = c->s;
	uint32_t *at = &c->place[block].change[after];
	struct wm_fact fact = {block, after ? WM_FACT_AFTER : WM_FACT_BEFORE, c->value, WM_NONE, range};
	struct wm_fact *before = *at && *at <= s->fact_count ? &s->fact[*at - 1] : NULL;
	c->constants |= range.low == range.high;
	if (before && before->block == block && before->kind == fact.kind && before->value == c->value) {
		*before = fact;
		return;
	}
	add_fact(s, fact);
	*at = s->fact_count;
}

static bool comes_before(LLVMValueRef a, LLVMValueRef b)
{
	for (LLVMValueRef i = a; i; i = LLVMGetNextInstruction(i))
		if (i == b)
			return true;
	return false;
}

/* What a store to the very address of a value that is a variable makes it. */
static struct wm_value_range stored_range(const struct test *test, LLVMValueRef writer)
{
	const struct wm_tested_value *value = &test->tested;
	LLVMValueRef load = value->leaf[0];
	if (value->leaf_count != 1 || value->instruction != load || !LLVMIsALoadInst(load) || !LLVMIsAStoreInst(writer))
		return WM_ANYTHING;
	LLVMValueRef stored = LLVMGetOperand(writer, 0);
	uint64_t address = wm_address_hash(LLVMGetOperand(load, 0), LLVMGetInstructionParent(load));
	bool same = address && LLVMTypeOf(stored) == LLVMTypeOf(load) &&
		    wm_address_hash(LLVMGetOperand(writer, 1), LLVMGetInstructionParent(writer)) == address;
	if (same && LLVMIsAConstantPointerNull(stored))
		return (struct wm_value_range){0, 0};
	if (!same || !LLVMIsAConstantInt(stored))
		return WM_ANYTHING;
	return (struct wm_value_range){LLVMConstIntGetSExtValue(stored), LLVMConstIntGetSExtValue(stored)};
}

/* `writer` changes the leaf with this index. */
static void note_write(struct change_search *c, LLVMValueRef writer, uint32_t block, uint32_t leaf)
{
	const struct test *own = test_in_block(c, block);
	bool after = own && !comes_before(writer, own->tested.leaf[leaf]);
	add_change(c, block, after, stored_range(c->first, writer));
}

static bool may_write(struct search *s, LLVMValueRef writer, LLVMValueRef load, bool private)
{
	if (private)
		return LLVMIsAStoreInst(writer) && LLVMGetOperand(writer, 1) == LLVMGetOperand(load, 0);
	if (LLVMIsAStoreInst(writer) && wm_is_other_member(writer, load))
		return false;
	return wm_shim_may_write(s->analyses, writer, load);
}

/* false: too much code to ask about. */
static bool find_writes(struct change_search *c, LLVMValueRef load, uint32_t leaf)
{
	struct search *s = c->s;
	bool private = is_private(LLVMGetOperand(load, 0));
	if (!s->has_writers)
		list_writers(s);
	if (!private && s->writer_count > MOST_QUESTIONS - s->questions)
		return false;
	s->questions += private ? 0 : s->writer_count;
	for (uint32_t i = 0; i < s->writer_count && !s->failed; i++)
		if (may_write(s, s->writer[i].instruction, load, private))
			note_write(c, s->writer[i].instruction, s->writer[i].block, leaf);
	return true;
}

/* A phi is a constant after some edges.  It has an operand for each case of a switch that leads to it, but these are one edge, so
 * that a fact may come twice. */
static void find_incoming(struct change_search *c, LLVMValueRef phi, uint32_t block)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef from = LLVMGetIncomingValue(phi, i);
		if (!LLVMIsAConstantInt(from) || LLVMGetIntTypeWidth(LLVMTypeOf(from)) > 64)
			continue;
		uint32_t before = block_of(c->s, LLVMGetIncomingBlock(phi, i));
		uint32_t edge = before == WM_NONE ? WM_NONE : wm_graph_find_edge(c->s->graph, before, block);
		int64_t is = LLVMConstIntGetSExtValue(from);
		if (edge == WM_NONE)
			continue;
		add_fact(c->s, (struct wm_fact){block, WM_FACT_FROM, c->value, edge, {is, is}});
		c->constants = true;
	}
}

/* false: changes could not be found. */
static bool find_changes_of_leaf(struct change_search *c, uint32_t leaf)
{
	LLVMValueRef ir = c->first->tested.leaf[leaf];
	if (wm_leaf_is_load(ir, c->s->anchors->block[c->first->block]))
		return find_writes(c, ir, leaf);
	uint32_t block = block_of(c->s, LLVMGetInstructionParent(ir));
	if (block == WM_NONE)
		return false;
	add_change(c, block, false, WM_ANYTHING);
	if (LLVMIsAPHINode(ir) && c->first->tested.instruction == ir)
		find_incoming(c, ir, block);
	return true;
}

static void list_tests(struct change_search *c)
{
	for (uint32_t i = 0; i < c->s->test_count; i++) {
		const struct test *test = &c->s->test[i];
		if (test->value != c->value)
			continue;
		c->first = c->test_count++ ? c->first : test;
		c->place[test->block].test = i + 1;
	}
}

/* Whether changes were found, and the tests of the value can contradict each other or a constant. */
static bool find_changes(struct change_search *c)
{
	list_tests(c);
	for (uint32_t i = 0; i < c->first->tested.leaf_count; i++)
		if (!find_changes_of_leaf(c, i))
			return false;
	return c->constants || c->test_count > 1;
}

/* index[v] becomes the index of value v among those that are kept.  Returns how many are. */
static uint32_t find_all_changes(struct search *s, uint32_t *index, struct place *place)
{
	uint32_t kept = 0;
	for (uint32_t v = 0; v < s->value_count && !s->failed; v++) {
		struct change_search c = {.s = s, .value = v, .place = place};
		uint32_t fact_count = s->fact_count;
		bool useful = find_changes(&c);
		index[v] = useful ? kept++ : WM_NONE;
		if (!useful)
			s->fact_count = fact_count;
	}
	return kept;
}

/* ---- All together ---------------------------------------------------------------------- */

/* Facts about values that are not kept go; the others are copied to the arena. */
static enum wm_status keep_facts(
	struct search *s, const uint32_t *index, struct wm_facts *facts, struct wm_arena *arena)
{
	facts->fact = WM_NEW(arena, struct wm_fact, s->fact_count);
	if (!facts->fact)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < s->fact_count; i++) {
		struct wm_fact fact = s->fact[i];
		fact.value = index[fact.value];
		if (fact.value != WM_NONE)
			facts->fact[facts->count++] = fact;
	}
	return wm_facts_arrange(facts, s->graph, arena);
}

static void search_function(struct search *s, struct wm_facts *facts, struct wm_arena *arena)
{
	find_tests(s);
	uint32_t *index = calloc(s->value_count + 1, sizeof *index);
	struct place *place = calloc(s->graph->block_count + 1, sizeof *place);
	s->failed |= !index || !place;
	if (!s->failed)
		facts->value_count = find_all_changes(s, index, place);
	if (s->failed || keep_facts(s, index, facts, arena) != WM_OK) {
		*facts = (struct wm_facts){0};
		s->failed = true;
	}
	free(index);
	free(place);
}

enum wm_status wm_facts_extract(LLVMValueRef ir, const struct wm_map_function *function,
	const struct wm_anchors *anchors, struct wm_shim_analyses *analyses, struct wm_facts *facts,
	struct wm_arena *arena)
{
	struct search s = {.graph = &function->graph, .anchors = anchors, .analyses = analyses};
	*facts = (struct wm_facts){0};
	if (!anchors->resume_count)
		search_function(&s, facts, arena);
	if (s.questions)
		wm_shim_drop_analyses(analyses, ir);
	free(s.fact);
	free(s.test);
	free(s.hash);
	free(s.writer);
	return s.failed ? WM_NO_MEMORY : WM_OK;
}
