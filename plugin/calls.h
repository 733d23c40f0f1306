/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Extracts the call sites of a function (core/graph/unit.h) and the instructions to which they correspond. */
#ifndef WM_PLUGIN_CALLS_H
#define WM_PLUGIN_CALLS_H

#include "core/graph/unit.h"
#include "plugin/extract.h"

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

#endif
