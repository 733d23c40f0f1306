/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Extracts the call sites of a function (core/graph/unit.h) and the instructions to which they correspond. */
#ifndef WM_PLUGIN_EXTRACT_CALLS_H
#define WM_PLUGIN_EXTRACT_CALLS_H

#include "core/graph/unit.h"
#include "plugin/extract/extract.h"

struct wm_call_anchors {
	LLVMValueRef *call; /* per call site: its instruction */
};
/*
 * Fills in the call sites of function->graph.  `find` returns the index in the unit of a called function, or WM_NONE.
 * Runs before the IR is changed.
 */
enum wm_status wm_extract_calls(struct wm_unit_function *function, struct wm_call_anchors *calls,
	const struct wm_anchors *anchors, uint32_t (*find)(void *closure, LLVMValueRef callee), void *closure,
	struct wm_arena *arena);

/* What an alias stands for, or the value itself. */
LLVMValueRef wm_aliased(LLVMValueRef value);
/* The function that a call names, possibly by an alias, with the type that it has, or NULL. */
LLVMValueRef wm_called_function(LLVMValueRef call);

/* The call sites for the map, which names callees: first those of all functions are added, then the names get
 * their places in the map. */
struct wm_call_name {
	const char *name; /* linkage name */
	uint32_t *place; /* receives the index in the map */
};
struct wm_call_names {
	struct wm_call_name *item;
	size_t count, capacity;
};
/* Fills in function->call.  The anchors must still be as wm_extract_calls left them. */
enum wm_status wm_call_names_add(struct wm_call_names *names, const struct wm_unit_function *in_unit,
	const struct wm_call_anchors *calls, struct wm_map_function *function, struct wm_arena *arena);
/* Functions of a module of which the map does not describe the calls. */
struct wm_unseen {
	LLVMModuleRef module;
	LLVMValueRef *function;
	size_t count;
};
/* Fills in map->unseen: their calls, and the aliases of the module. */
enum wm_status wm_call_names_add_unseen(
	struct wm_call_names *names, const struct wm_unseen *unseen, struct wm_map_module *map, struct wm_arena *arena);
/* Fills in map->outside and the indices of the added names. */
enum wm_status wm_call_names_place(struct wm_call_names *names, struct wm_map_module *map, struct wm_arena *arena);
void wm_call_names_release(struct wm_call_names *names);

#endif
