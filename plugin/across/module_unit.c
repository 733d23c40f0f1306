/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/across/module_unit.h"
#include "core/scheme/unit_plan.h"
#include "plugin/across/waiting_calls.h"
#include "plugin/extract/inline_bodies.h"
#include "plugin/llvm/returns.h"
#include "plugin/llvm/scope.h"
#include "policy/roots.h"
#include "profile/map/unit_identity.h"
#include <llvm-c/Comdat.h>
#include <stdlib.h>
#include <string.h>

/* ---- Calls ------------------------------------------------------------------------------ */

/* Functions of the C++ runtime that LLVM does not know as library functions. */
static bool is_language_runtime(LLVMValueRef callee)
{
	const char *name = wm_linkage_name(callee);
	return !strncmp(name, "__cxa_", 6) || !strncmp(name, "_Unwind_", 8);
}

/* The same of the C library: functions that do not return. */
static bool is_way_out(LLVMValueRef callee)
{
	static const char *const names[] = {"__longjmp_chk", "_longjmp", "exit", "longjmp", "siglongjmp"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(wm_linkage_name(callee), names[i]))
			return true;
	return wm_ends_thread(callee);
}

/* Whether no call of the function can be crossed, because it may be replaced or is not instrumented. */
static bool is_opaque_callee(LLVMValueRef callee, struct wm_shim_analyses *analyses)
{
	return wm_shim_is_interposable(callee) || wm_is_inline_body(callee) ||
	       (LLVMIsDeclaration(callee) && (wm_shim_is_library_function(analyses, callee) ||
						     is_language_runtime(callee) || is_way_out(callee)));
}

static bool is_opaque(LLVMValueRef call, struct wm_shim_analyses *analyses)
{
	LLVMValueRef callee = wm_called_function(call);
	return !callee || wm_shim_is_interposable(LLVMGetCalledValue(call)) ||
	       wm_shim_call_has(call, "returns_twice") || is_opaque_callee(callee, analyses);
}

void wm_unit_find_opaque(
	struct wm_unit_function *function, const struct wm_call_anchors *calls, struct wm_shim_analyses *analyses)
{
	for (uint32_t i = 0; i < function->call_count; i++) {
		LLVMValueRef call = calls->call[i];
		function->call[i].tail = LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
		function->call[i].opaque = is_opaque(call, analyses);
	}
}

/* ---- Addresses -------------------------------------------------------------------------- */

static int by_address(const void *left, const void *right)
{
	LLVMValueRef a = *(const LLVMValueRef *)left, b = *(const LLVMValueRef *)right;
	return (a > b) - (a < b);
}

static enum wm_status sort_members(struct wm_module_unit *m, struct wm_arena *arena)
{
	uint32_t count = m->unit->function_count;
	m->member = WM_NEW(arena, LLVMValueRef, count);
	if (!m->member)
		return WM_NO_MEMORY;
	for (uint32_t f = 0; f < count; f++)
		m->member[f] = m->subject[f].ir;
	qsort(m->member, count, sizeof *m->member, by_address);
	return WM_OK;
}

/* Whether an instruction of a function of the unit uses the value, to call it and for nothing else. */
static bool is_call_inside(const struct wm_module_unit *m, LLVMValueRef user, LLVMValueRef value)
{
	if (!wm_is_call(user) || LLVMGetCalledValue(user) != value || wm_called_function(user) != wm_aliased(value))
		return false;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
		if (LLVMGetOperand(user, i) == value)
			return false;
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
	return bsearch(&function, m->member, m->unit->function_count, sizeof function, by_address);
}

/* Whether code may call the function or alias that hands nothing over: by its address, or from a function that is not
 * instrumented. */
static bool is_taken(const struct wm_module_unit *m, LLVMValueRef value)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		bool harmless = LLVMIsAGlobalAlias(user) ? !is_taken(m, user)
							 : LLVMIsABlockAddress(user) || is_call_inside(m, user, value);
		if (!harmless)
			return true;
	}
	return false;
}

static enum wm_status find_taken(struct wm_module_unit *m, struct wm_arena *arena)
{
	uint32_t count = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f))
		count += !LLVMGetIntrinsicID(f);
	m->map->taken = WM_NEW(arena, const char *, count);
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); m->map->taken && f; f = LLVMGetNextFunction(f))
		if (!LLVMGetIntrinsicID(f) && is_taken(m, f))
			m->map->taken[m->map->taken_count++] = wm_linkage_name(f);
	return m->map->taken ? WM_OK : WM_NO_MEMORY;
}

/* An alias in a comdat may be lost together with its function: then another one is in the link. */
static bool is_weak_alias(LLVMValueRef alias)
{
	return LLVMGetLinkage(alias) != LLVMExternalLinkage && !wm_is_local(alias);
}

static struct wm_map_function *find_aliased(const struct wm_module_unit *m, LLVMValueRef alias)
{
	LLVMValueRef function = wm_aliased(alias);
	for (uint32_t f = 0; f < m->unit->function_count; f++)
		if (m->subject[f].ir == function)
			return m->subject[f].function;
	return NULL;
}

static enum wm_status find_aliases(struct wm_module_unit *m, struct wm_arena *arena)
{
	uint32_t count = 0;
	size_t size;
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(m->module); a; a = LLVMGetNextGlobalAlias(a))
		count++;
	m->map->alias = WM_NEW(arena, struct wm_map_alias, count);
	if (!m->map->alias)
		return WM_NO_MEMORY;
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(m->module); a; a = LLVMGetNextGlobalAlias(a)) {
		struct wm_map_function *function = wm_is_local(a) ? NULL : find_aliased(m, a);
		if (function)
			m->map->alias[m->map->alias_count++] = (struct wm_map_alias){
				LLVMGetValueName2(a, &size), (uint32_t)(function - m->map->function), is_weak_alias(a)};
	}
	return WM_OK;
}

static bool is_pointer(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

/* Whether the function has the type of a signal handler: void (int) or void (int, siginfo_t *, void *).  If its address is
 * taken too, no call of it is crossed. */
static bool has_handler_type(LLVMValueRef ir)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(ir), parameter[3];
	unsigned count = LLVMCountParamTypes(type);
	if (LLVMIsFunctionVarArg(type) || (count != 1 && count != 3) ||
		LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind)
		return false;
	LLVMGetParamTypes(type, parameter);
	return LLVMGetTypeKind(parameter[0]) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(parameter[0]) == 32 &&
	       (count == 1 || (is_pointer(parameter[1]) && is_pointer(parameter[2])));
}

/* ---- Numbering ---------------------------------------------------------------------------- */

/* Whether another definition may win when the program is linked. */
static bool is_weak(LLVMValueRef ir)
{
	LLVMLinkage linkage = LLVMGetLinkage(ir);
	bool strong = linkage == LLVMExternalLinkage || linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
	return !strong || LLVMGetComdat(ir);
}

static bool is_main(const struct wm_map_function *function)
{
	return !strcmp(function->name, "main");
}

static bool is_over(const struct wm_module_unit *m, uint32_t f, uint32_t site)
{
	uint32_t callee = m->unit->function[f].call[site].callee;
	LLVMValueRef named = LLVMGetCalledValue(m->subject[f].calls->call[site]);
	return callee != WM_NONE && (m->options->test.step_over || is_weak(m->subject[callee].ir) ||
					    (LLVMIsAGlobalAlias(named) && is_weak_alias(named)));
}

/* Whether other files can call the function by an alias. */
static bool has_alias(const struct wm_module_unit *m, const struct wm_map_function *function)
{
	for (uint32_t i = 0; i < m->map->alias_count; i++)
		if (m->map->alias[i].function == (uint32_t)(function - m->map->function))
			return true;
	return false;
}

static enum wm_status number_unit(struct wm_module_unit *m, struct wm_arena *arena)
{
	uint32_t count = m->unit->function_count;
	bool *entry = WM_NEW(arena, bool, count), *handler = WM_NEW(arena, bool, count);
	bool **over = WM_NEW(arena, bool *, count);
	struct wm_weights *weights = WM_NEW(arena, struct wm_weights, count);
	struct wm_unit_request request = {.unit = m->unit,
		.scheme = m->options->choice.scheme,
		.share = WM_UNIT_SHARE,
		.entry = entry,
		.handler = handler,
		.over = (const bool *const *)over,
		.weights = weights};
	if (!entry || !handler || !over || !weights)
		return WM_NO_MEMORY;
	for (uint32_t f = 0; f < count; f++) {
		const struct wm_unit_function *in_unit = &m->unit->function[f];
		const struct wm_unit_subject *s = &m->subject[f];
		struct wm_entry_facts facts = {.main = is_main(s->function),
			.visible = !s->function->local || has_alias(m, s->function),
			.taken = is_taken(m, s->ir),
			.handler_type = has_handler_type(s->ir)};
		entry[f] = wm_is_entry(facts);
		handler[f] = wm_may_be_handler(facts);
		weights[f] = s->weights;
		if (!(over[f] = WM_NEW(arena, bool, in_unit->call_count)))
			return WM_NO_MEMORY;
		for (uint32_t i = 0; i < in_unit->call_count; i++)
			over[f][i] = is_over(m, f, i);
	}
	return wm_unit_plan_make(&m->plan, &request, arena);
}

/* ---- Programs and tables -------------------------------------------------------------------- */

static enum wm_status describe(struct wm_module_unit *m, uint32_t f, struct wm_arena *arena)
{
	const struct wm_plan *plan = &m->plan.function[f];
	struct wm_map_function *map = m->subject[f].function;
	map->unit = WM_NEW(arena, struct wm_map_unit, 1);
	if (!map->unit)
		return WM_NO_MEMORY;
	*map->unit = (struct wm_map_unit){.crossed = WM_NEW(arena, bool, map->call_count),
		.edge_count = plan->dag.edge_count,
		.tree = WM_NEW(arena, bool, plan->dag.edge_count)};
	if (!map->unit->crossed || !map->unit->tree)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < map->call_count; i++)
		map->unit->crossed[i] = wm_plan_crosses(plan, i);
	return m->options->test.placement == WM_PLACE_NAIVE
		       ? WM_OK
		       : wm_unit_tree(plan, &m->subject[f].weights, map->unit->tree, arena);
}

static enum wm_status place_probes(struct wm_module_unit *m, uint32_t f, struct wm_arena *arena)
{
	struct wm_unit_subject *s = &m->subject[f];
	enum wm_status status = describe(m, f, arena);
	if (status == WM_OK)
		status = wm_unit_place(&s->program, &m->plan.function[f], s->function->unit->tree, arena);
	if (status == WM_OK)
		wm_unit_ends_make(&s->program, m->options->purpose == WM_PURPOSE_RESIDUAL);
	return status == WM_OK && s->program.events.failed ? WM_NO_MEMORY : status;
}

static uint32_t link_flags(const struct wm_unit_subject *s)
{
	return (is_weak(s->ir) ? WM_LINK_WEAK : 0) | (s->function->local ? WM_LINK_LOCAL : 0) |
	       (has_handler_type(s->ir) ? WM_LINK_HANDLER : 0) | (is_main(s->function) ? WM_LINK_ROOT : 0);
}

/* What profiles have of every function of a unit. */
struct unit_identity {
	uint64_t graph_hash, source;
};

static enum wm_status fill_table(struct wm_module_unit *m, uint32_t f, const uint64_t *token,
	const struct unit_identity *identity, struct wm_arena *arena)
{
	struct wm_unit_subject *s = &m->subject[f];
	uint64_t *word = WM_NEW(arena, uint64_t, s->program.word_count);
	s->across = (struct wm_across_function){.program = &s->program,
		.word = word,
		.call = s->calls->call,
		.graph_hash = identity->graph_hash,
		.source = identity->source,
		.layout = wm_unit_layout(m->map, s->function),
		.link_flags = link_flags(s)};
	return word ? wm_unit_table_fill(&m->plan.function[f], &s->program, token, word, arena) : WM_NO_MEMORY;
}

enum wm_status wm_module_unit_plan(struct wm_module_unit *m, struct wm_arena *arena)
{
	uint32_t count = m->unit->function_count;
	uint64_t *token = WM_NEW(arena, uint64_t, count), *key = WM_NEW(arena, uint64_t, count),
		 *hash = WM_NEW(arena, uint64_t, count), *source = WM_NEW(arena, uint64_t, count);
	uint32_t *code = WM_NEW(arena, uint32_t, count);
	enum wm_status status = token && key && hash && source && code ? sort_members(m, arena) : WM_NO_MEMORY;
	if (status == WM_OK)
		status = find_taken(m, arena);
	if (status == WM_OK)
		status = find_aliases(m, arena);
	if (status == WM_OK)
		status = number_unit(m, arena);
	for (uint32_t f = 0; f < count && status == WM_OK; f++) {
		key[f] = m->subject[f].function->key;
		hash[f] = m->subject[f].function->graph_hash;
		source[f] = m->subject[f].function->source;
		code[f] = m->subject[f].function->code;
		token[f] = wm_unit_token(key[f], m->scope);
		status = place_probes(m, f, arena);
	}
	struct unit_identity identity = {0};
	if (status == WM_OK)
		identity = (struct unit_identity){
			wm_unit_graph_hash(&m->plan, key, hash), wm_unit_source(&m->plan, source, code)};
	for (uint32_t f = 0; f < count && status == WM_OK; f++)
		status = fill_table(m, f, token, &identity, arena);
	return status;
}
