/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plugin/calls.h"
#include "plugin/inline_bodies.h"
#include "plugin/returns.h"
#include "plugin/scope.h"
#include <stdlib.h>
#include <string.h>

static bool is_site(LLVMValueRef instruction)
{
	if (!wm_is_call(instruction) || wm_shim_is_pseudo_call(instruction))
		return false;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	return !LLVMIsAInlineAsm(callee) && !LLVMGetIntrinsicID(callee);
}

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
			count += is_site(i);
	return count;
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
			if (!is_site(i))
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
				.tail = function->graph->end[b] == WM_END_RETURN && anchors->exit[b] == i};
		}
	}
	return WM_OK;
}

enum wm_status wm_call_names_add(struct wm_call_names *names, const struct wm_unit_function *in_unit,
	const struct wm_call_anchors *calls, struct wm_map_function *function, struct wm_arena *arena)
{
	size_t capacity = names->capacity;
	function->call = WM_NEW(arena, struct wm_call, in_unit->call_count);
	if (!function->call)
		return WM_NO_MEMORY;
	if (names->count + in_unit->call_count > capacity) {
		capacity = 2 * (names->count + in_unit->call_count);
		struct wm_call_name *grown = realloc(names->item, capacity * sizeof *grown);
		if (!grown)
			return WM_NO_MEMORY;
		names->item = grown;
		names->capacity = capacity;
	}
	function->call_count = in_unit->call_count;
	for (uint32_t i = 0; i < in_unit->call_count; i++) {
		LLVMValueRef callee = wm_called_function(calls->call[i]);
		function->call[i] = in_unit->call[i];
		function->call[i].callee = WM_NONE;
		if (callee)
			names->item[names->count++] =
				(struct wm_call_name){called_name(calls->call[i], callee), &function->call[i]};
	}
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
			names->item[i].call->callee = names->item[i - 1].call->callee;
			continue;
		}
		found = bsearch(&wanted, function, map->function_count, sizeof *function, by_function_name);
		if (!found)
			map->outside[map->outside_count++] = key.name;
		names->item[i].call->callee =
			found ? (uint32_t)(*found - map->function) : map->function_count + map->outside_count - 1;
	}
	return WM_OK;
}

void wm_call_names_release(struct wm_call_names *names)
{
	free(names->item);
	*names = (struct wm_call_names){0};
}
