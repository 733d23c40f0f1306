/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/extract/failures.h"
#include "plugin/conditions/branch_sides.h"
#include "plugin/conditions/values.h"
#include "plugin/llvm/returns.h"
#include <string.h>

struct search {
	const struct wm_map_function *function;
	const struct wm_graph *graph;
	const struct wm_anchors *anchors;
	uint8_t *block; /* per block: the kinds with which it fails, or 0 */
	uint8_t *edge; /* likewise */
	uint32_t *entered; /* per block: how many edges lead to it */
	/* Per edge that decides the value joined in its target: the edge that control takes then; else WM_NONE. */
	uint32_t *decided;
};

/* ---- Calls that report failures ---------------------------------------------------------------- */

struct known_name {
	const char *begin; /* of the linkage name */
	uint8_t kind;
};

/* Reports of sanitizers may come back. */
static const struct known_name reports[] = {{"__ubsan_handle_", WM_CHECK_SANITIZER},
	{"__asan_report_", WM_CHECK_SANITIZER}, {"__msan_warning", WM_CHECK_SANITIZER},
	{"__cfi_check_fail", WM_CHECK_SANITIZER}, {"llvm.ubsantrap", WM_CHECK_SANITIZER}};

/* Of calls that do not return; others are of the kind NORETURN.  With -fsanitize=unreachable, clang removes the attribute
 * noreturn from functions. */
static const struct known_name ends[] = {
	{"__assert", WM_CHECK_ASSERT}, /* __assert_fail, __assert_rtn, __assert_func, __assert_perror_fail */
	{"_assert", WM_CHECK_ASSERT},
	{"_wassert", WM_CHECK_ASSERT},
	{"g_assertion_message", WM_CHECK_ASSERT},
	{"_ZSt21__glibcxx_assert_fail", WM_CHECK_ASSERT},
	{"_ZSt20__replacement_assert", WM_CHECK_ASSERT},
	{"_ZNSt3__122__libcpp_verbose_abort", WM_CHECK_ASSERT},
	{"__cxa_throw", WM_CHECK_THROW},
	{"__cxa_rethrow", WM_CHECK_THROW},
	{"__cxa_bad_", WM_CHECK_THROW},
};

static uint8_t kind_of_name(const char *name, const struct known_name *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(name, list[i].begin, strlen(list[i].begin)) == 0)
			return list[i].kind;
	return 0;
}

/* std::__throw_out_of_range and the like, of libstdc++ and libc++ */
static bool throws_for_library(const char *name)
{
	return (strncmp(name, "_ZSt", 4) == 0 || strncmp(name, "_ZNSt", 5) == 0) && strstr(name, "__throw_");
}

/* Whether clang made the instruction for a check of a sanitizer. */
static bool is_of_sanitizer(LLVMValueRef instruction)
{
	static const char name[] = "nosanitize";
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
	return LLVMGetMetadata(instruction, LLVMGetMDKindIDInContext(context, name, sizeof name - 1));
}

/* The kind of failure that a call reports, or 0.  `last`: control does not come to what follows the call. */
static uint8_t kind_of_call(LLVMValueRef call, bool last)
{
	size_t size;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &size) : "";
	uint8_t kind = kind_of_name(name, reports, sizeof reports / sizeof *reports);
	if (kind || (!last && !wm_shim_call_has(call, "noreturn")))
		return kind;
	if (is_of_sanitizer(call))
		return WM_CHECK_SANITIZER;
	kind = kind_of_name(name, ends, sizeof ends / sizeof *ends);
	if (kind)
		return kind;
	/* Projects have asserts of their own: fmt::detail::assert_fail, assertFailed, my_assertion_failure. */
	if (strcasestr(name, "assert"))
		return WM_CHECK_ASSERT;
	return throws_for_library(name) ? WM_CHECK_THROW : WM_CHECK_NORETURN;
}

/* The check of -fsanitize=unreachable that follows a call which does not return, or a __builtin_unreachable(). */
static bool checks_unreachable(LLVMValueRef terminator)
{
	return terminator && LLVMIsABranchInst(terminator) && LLVMIsConditional(terminator) &&
	       LLVMIsAConstantInt(LLVMGetCondition(terminator)) &&
	       !LLVMConstIntGetZExtValue(LLVMGetCondition(terminator)) && is_of_sanitizer(terminator);
}

static bool calls_something(LLVMValueRef instruction)
{
	return wm_is_call(instruction) && !wm_shim_is_pseudo_call(instruction);
}

/* What happens first counts. */
static uint8_t kind_of_block(LLVMBasicBlockRef block)
{
	uint8_t kind = 0;
	LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
	LLVMValueRef last = checks_unreachable(terminator) ? LLVMGetPreviousInstruction(terminator) : NULL;
	while (last && !calls_something(last))
		last = LLVMGetPreviousInstruction(last);
	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && !kind; i = LLVMGetNextInstruction(i))
		if (calls_something(i))
			kind = kind_of_call(i, i == last);
	return kind;
}

/* ---- Values that are joined -------------------------------------------------------------------- */

static bool goes_straight_on(const struct wm_graph *graph, uint32_t block)
{
	return graph->first_edge[block + 1] == graph->first_edge[block] + 1;
}

/* The index of the block that branches on the value; control goes straight to it.  WM_NONE: there is none. */
static uint32_t find_teller(const struct search *s, uint32_t join, const struct wm_value *value)
{
	enum { MOST_STEPS = 100 };
	for (uint32_t block = join, i = 0; i < MOST_STEPS; i++) {
		if (s->anchors->block[block] == value->teller)
			return block;
		if (!goes_straight_on(s->graph, block))
			return WM_NONE;
		block = s->graph->edge_to[s->graph->first_edge[block]];
	}
	return WM_NONE;
}

/* The edge that the branch takes if the value is the constant that decides it. */
static uint32_t decided_edge(const struct search *s, uint32_t teller, const struct wm_value *value)
{
	LLVMValueRef branch = s->anchors->terminator[teller];
	uint32_t first = s->graph->first_edge[teller];
	if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || s->graph->first_edge[teller + 1] != first + 2)
		return WM_NONE;
	bool holds = value->disjunction == (value->use == WM_USE_BRANCH);
	return first + (holds ? wm_true_successor(branch) : 1 - wm_true_successor(branch));
}

static void find_decided(struct search *s)
{
	for (uint32_t e = 0; e < s->graph->edge_count; e++) {
		struct wm_value value;
		uint32_t join = s->graph->edge_to[e];
		s->decided[e] = WM_NONE;
		if (!wm_value_joined(s->anchors->block[join], &value) || !value.teller ||
			s->anchors->block[s->graph->edge_from[e]] == value.block ||
			wm_value_is_side(s->anchors->block[s->graph->edge_from[e]]))
			continue;
		uint32_t teller = find_teller(s, join, &value);
		if (teller != WM_NONE)
			s->decided[e] = decided_edge(s, teller, &value);
	}
}

/* ---- Blocks and edges -------------------------------------------------------------------------- */

static bool leads_to_landing_pad(const struct search *s, uint32_t edge)
{
	uint32_t from = s->graph->edge_from[edge];
	return LLVMIsAInvokeInst(s->anchors->terminator[from]) && edge != s->graph->first_edge[from];
}

/* The kinds with which a block fails that reports no failure itself.  Checks of sanitizers on the way to another failure do not
 * count. */
static uint8_t kinds_behind(const struct search *s, uint32_t block)
{
	uint8_t kinds = 0, others = 0;
	for (uint32_t e = s->graph->first_edge[block]; e < s->graph->first_edge[block + 1]; e++) {
		if (leads_to_landing_pad(s, e))
			continue;
		if (!s->edge[e])
			return 0;
		kinds |= s->edge[e];
		others |= s->edge[e] & ~WM_CHECK_SANITIZER;
	}
	return others ? others : kinds;
}

static bool extend_block(struct search *s, uint32_t block)
{
	bool changed = false;
	for (uint32_t e = s->graph->first_edge[block]; e < s->graph->first_edge[block + 1]; e++) {
		uint8_t kinds = s->block[s->graph->edge_to[e]];
		if (!kinds && s->decided[e] != WM_NONE)
			kinds = s->edge[s->decided[e]];
		if (s->edge[e] || !kinds)
			continue;
		s->edge[e] = kinds;
		changed = true;
	}
	if (changed && !s->block[block])
		s->block[block] = kinds_behind(s, block);
	return changed;
}

/* Failures come late in a function, and blocks are mostly in the order of execution. */
static void extend(struct search *s)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = s->graph->block_count; b-- > 0;)
			changed |= extend_block(s, b);
	}
}

/* An edge that skips a part of a check leads to where the other edge comes later. */
static void mark_skip(struct search *s, uint32_t block)
{
	uint32_t first = s->graph->first_edge[block], end = s->graph->first_edge[block + 1];
	LLVMValueRef last = s->anchors->terminator[block];
	if (end != first + 2 || s->edge[first] || s->edge[first + 1] || !LLVMIsABranchInst(last) ||
		!is_of_sanitizer(last))
		return;
	bool enters[] = {s->entered[s->graph->edge_to[first]] == 1, s->entered[s->graph->edge_to[first + 1]] == 1};
	if (enters[0] != enters[1])
		s->edge[enters[0] ? first + 1 : first] = WM_CHECK_SANITIZER;
}

enum wm_status wm_failures_extract(
	struct wm_map_function *function, const struct wm_anchors *anchors, struct wm_arena *arena)
{
	const struct wm_graph *graph = &function->graph;
	struct search s = {.function = function,
		.graph = graph,
		.anchors = anchors,
		.block = WM_NEW(arena, uint8_t, graph->block_count),
		.edge = WM_NEW(arena, uint8_t, graph->edge_count),
		.entered = WM_NEW(arena, uint32_t, graph->block_count),
		.decided = WM_NEW(arena, uint32_t, graph->edge_count)};
	if (!s.block || !s.edge || !s.entered || !s.decided)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < graph->block_count; b++)
		s.block[b] = kind_of_block(anchors->block[b]);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		s.entered[graph->edge_to[e]]++;
	find_decided(&s);
	extend(&s);
	for (uint32_t b = 0; b < graph->block_count; b++)
		mark_skip(&s, b);
	function->failure = s.edge;
	return WM_OK;
}
