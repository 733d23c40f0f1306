/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/extract/calls.h"
#include "plugin/extract/inline_bodies.h"
#include "plugin/llvm/returns.h"
#include "plugin/llvm/scope.h"
#include <stdlib.h>
#include <string.h>

LLVMValueRef wm_aliased(LLVMValueRef value)
{
	while (LLVMIsAGlobalAlias(value))
		value = LLVMAliasGetAliasee(value);
	return value;
}

LLVMValueRef wm_called_function(LLVMValueRef call)
{
	LLVMValueRef callee = wm_aliased(LLVMGetCalledValue(call));
	bool fits = LLVMIsAFunction(callee) && LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(callee);
	return fits ? callee : NULL;
}

/* A local alias is no name for the linker. */
static const char *called_name(LLVMValueRef call, LLVMValueRef function)
{
	size_t size;
	LLVMValueRef named = LLVMGetCalledValue(call);
	return LLVMIsAGlobalAlias(named) && !wm_is_local(named) ? LLVMGetValueName2(named, &size)
								: wm_linkage_name(function);
}

static uint32_t count_sites(const struct wm_unit_function *function, const struct wm_anchors *anchors)
{
	uint32_t count = 0;
	for (uint32_t b = 0; b < function->graph->block_count; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(anchors->block[b]); i; i = LLVMGetNextInstruction(i))
			count += wm_is_call_site(i);
	return count;
}

/* Whether the last call before `unreachable` comes after this call site, which is the last one of the block. */
static bool is_followed(LLVMValueRef site, LLVMValueRef exit)
{
	LLVMValueRef next = LLVMGetNextInstruction(site);
	while (next && !wm_is_call_site(next))
		next = LLVMGetNextInstruction(next);
	return !next && site != exit;
}

enum wm_status wm_extract_calls(struct wm_unit_function *function, struct wm_call_anchors *calls,
	const struct wm_anchors *anchors, uint32_t (*find)(void *closure, LLVMValueRef callee), void *closure,
	struct wm_arena *arena)
{
	uint32_t most = count_sites(function, anchors);
	function->call_count = 0;
	function->call = WM_NEW(arena, struct wm_call, most);
	calls->call = WM_NEW(arena, LLVMValueRef, most);
	if (!function->call || !calls->call)
		return WM_NO_MEMORY;
	for (uint32_t b = 0; b < function->graph->block_count; b++) {
		uint32_t position = 0;
		for (LLVMValueRef i = LLVMGetFirstInstruction(anchors->block[b]); i; i = LLVMGetNextInstruction(i)) {
			if (!wm_is_call_site(i))
				continue;
			LLVMValueRef callee = wm_called_function(i);
			calls->call[function->call_count] = i;
			function->call[function->call_count++] = (struct wm_call){.block = b,
				.position = position++,
				.callee = callee && !wm_shim_is_interposable(LLVMGetCalledValue(i))
						  ? find(closure, callee)
						  : WM_NONE,
				.may_not_return = wm_call_may_not_return(i),
				.unwinds = LLVMIsAInvokeInst(i),
				.twice = wm_shim_call_has(i, "returns_twice"),
				.tail = function->graph->end[b] == WM_END_RETURN && anchors->exit[b] == i,
				.followed =
					function->graph->end[b] == WM_END_NORETURN && is_followed(i, anchors->exit[b])};
		}
	}
	return WM_OK;
}

static bool reserve_names(struct wm_call_names *names, size_t count)
{
	if (names->count + count <= names->capacity)
		return true;
	size_t capacity = 2 * (names->count + count);
	struct wm_call_name *grown = realloc(names->item, capacity * sizeof *grown);
	if (!grown)
		return false;
	names->item = grown;
	names->capacity = capacity;
	return true;
}

enum wm_status wm_call_names_add(struct wm_call_names *names, const struct wm_unit_function *in_unit,
	const struct wm_call_anchors *calls, struct wm_map_function *function, struct wm_arena *arena)
{
	function->call = WM_NEW(arena, struct wm_call, in_unit->call_count);
	if (!function->call || !reserve_names(names, in_unit->call_count))
		return WM_NO_MEMORY;
	function->call_count = in_unit->call_count;
	for (uint32_t i = 0; i < in_unit->call_count; i++) {
		LLVMValueRef callee = wm_called_function(calls->call[i]);
		function->call[i] = in_unit->call[i];
		function->call[i].callee = WM_NONE;
		if (callee)
			names->item[names->count++] =
				(struct wm_call_name){called_name(calls->call[i], callee), &function->call[i].callee};
	}
	return WM_OK;
}

/* The first call site from an instruction on, or in a later block; NULL: there is none. */
static LLVMValueRef site_from(LLVMBasicBlockRef block, LLVMValueRef instruction)
{
	for (;;) {
		for (; instruction; instruction = LLVMGetNextInstruction(instruction))
			if (wm_is_call_site(instruction))
				return instruction;
		block = LLVMGetNextBasicBlock(block);
		if (!block)
			return NULL;
		instruction = LLVMGetFirstInstruction(block);
	}
}

static LLVMValueRef first_site(LLVMValueRef function)
{
	LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(function);
	return site_from(block, LLVMGetFirstInstruction(block));
}

static LLVMValueRef next_site(LLVMValueRef site)
{
	return site_from(LLVMGetInstructionParent(site), LLVMGetNextInstruction(site));
}

/* `callee` NULL: the call is indirect, or the caller is counted elsewhere. */
static void add_unseen(struct wm_call_names *names, const char *caller, const char *callee, struct wm_map_module *map)
{
	struct wm_map_unseen_call *unseen = &map->unseen[map->unseen_count++];
	unseen->callee = WM_NONE;
	names->item[names->count++] = (struct wm_call_name){caller, &unseen->caller};
	if (callee)
		names->item[names->count++] = (struct wm_call_name){callee, &unseen->callee};
}

/* A local inline body is instrumented, and is counted with the definition, if it is not of the standard library. */
static bool is_counted_elsewhere(LLVMValueRef function)
{
	return wm_is_local_inline_body(function) && !wm_is_inline_body(function);
}

static void add_calls_of(struct wm_call_names *names, LLVMValueRef function, struct wm_map_module *map)
{
	const char *caller = wm_linkage_name(function);
	if (is_counted_elsewhere(function))
		add_unseen(names, caller, NULL, map);
	for (LLVMValueRef call = first_site(function); call; call = next_site(call)) {
		LLVMValueRef callee = wm_called_function(call);
		add_unseen(names, caller, callee ? called_name(call, callee) : NULL, map);
	}
}

static void add_aliases(struct wm_call_names *names, LLVMModuleRef module, struct wm_map_module *map)
{
	size_t size;
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a; a = LLVMGetNextGlobalAlias(a))
		if (!wm_is_local(a) && LLVMIsAFunction(wm_aliased(a)))
			add_unseen(names, LLVMGetValueName2(a, &size), wm_linkage_name(wm_aliased(a)), map);
}

static size_t count_unseen(const struct wm_unseen *unseen)
{
	size_t count = unseen->count;
	for (LLVMValueRef a = LLVMGetFirstGlobalAlias(unseen->module); a; a = LLVMGetNextGlobalAlias(a))
		count++;
	for (size_t i = 0; i < unseen->count; i++)
		for (LLVMValueRef call = first_site(unseen->function[i]); call; call = next_site(call))
			count++;
	return count;
}

enum wm_status wm_call_names_add_unseen(
	struct wm_call_names *names, const struct wm_unseen *unseen, struct wm_map_module *map, struct wm_arena *arena)
{
	size_t most = count_unseen(unseen);
	map->unseen = WM_NEW(arena, struct wm_map_unseen_call, most);
	if (!map->unseen || !reserve_names(names, 2 * most))
		return WM_NO_MEMORY;
	for (size_t i = 0; i < unseen->count; i++)
		add_calls_of(names, unseen->function[i], map);
	add_aliases(names, unseen->module, map);
	return WM_OK;
}

static int by_name(const void *a, const void *b)
{
	const struct wm_call_name *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static int by_function_name(const void *a, const void *b)
{
	return strcmp((*(struct wm_map_function *const *)a)->name, (*(struct wm_map_function *const *)b)->name);
}

static int by_caller(const void *a, const void *b)
{
	const struct wm_map_unseen_call *x = a, *y = b;
	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

static void sort_unseen(struct wm_map_module *map)
{
	uint32_t kept = 0;
	if (map->unseen_count)
		qsort(map->unseen, map->unseen_count, sizeof *map->unseen, by_caller);
	for (uint32_t i = 0; i < map->unseen_count; i++)
		if (!kept || by_caller(&map->unseen[kept - 1], &map->unseen[i]))
			map->unseen[kept++] = map->unseen[i];
	map->unseen_count = kept;
}

/* The order of the names outside does not depend on addresses: builds are reproducible. */
enum wm_status wm_call_names_place(struct wm_call_names *names, struct wm_map_module *map, struct wm_arena *arena)
{
	struct wm_map_function **function = WM_NEW(arena, struct wm_map_function *, map->function_count);
	map->outside = WM_NEW(arena, const char *, names->count);
	if (!function || !map->outside)
		return WM_NO_MEMORY;
	for (uint32_t i = 0; i < map->function_count; i++)
		function[i] = &map->function[i];
	qsort(function, map->function_count, sizeof *function, by_function_name);
	if (names->count)
		qsort(names->item, names->count, sizeof *names->item, by_name);
	for (size_t i = 0; i < names->count; i++) {
		struct wm_map_function key = {.name = names->item[i].name}, *wanted = &key, **found;
		if (i && !by_name(&names->item[i - 1], &names->item[i])) {
			*names->item[i].place = *names->item[i - 1].place;
			continue;
		}
		found = bsearch(&wanted, function, map->function_count, sizeof *function, by_function_name);
		if (!found)
			map->outside[map->outside_count++] = key.name;
		*names->item[i].place =
			found ? (uint32_t)(*found - map->function) : map->function_count + map->outside_count - 1;
	}
	sort_unseen(map);
	return WM_OK;
}

void wm_call_names_release(struct wm_call_names *names)
{
	free(names->item);
	*names = (struct wm_call_names){0};
}
