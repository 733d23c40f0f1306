/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The call sites of a function (core/graph/unit.h), and the instructions that they are. */
#ifndef WM_PLUGIN_CALLS_H
#define WM_PLUGIN_CALLS_H

#include "core/graph/unit.h"
#include "plugin/extract.h"

struct wm_call_anchors {
	LLVMValueRef *call; /* per call site: its instruction */
};
/*
 * Fills in the call sites of function->graph.  `find` names the function of the unit that a called value is, or
 * WM_NONE.  Runs before anything is changed.
 */
enum wm_status wm_extract_calls(struct wm_unit_function *function, struct wm_call_anchors *calls,
	const struct wm_anchors *anchors, uint32_t (*find)(void *closure, LLVMValueRef callee), void *closure,
	struct wm_arena *arena);

#endif
