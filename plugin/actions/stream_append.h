/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recordings (abi/stream.h) → IR: appending to the stream of the thread. */
#ifndef WM_PLUGIN_ACTIONS_STREAM_APPEND_H
#define WM_PLUGIN_ACTIONS_STREAM_APPEND_H

#include "core/walk/walk.h"
#include "plugin/actions/record.h"
#include "plugin/extract/calls.h"

/* Appends the subpath with this id before the instruction `at`. */
void wm_emit_append(struct wm_emission *e, LLVMValueRef id, LLVMValueRef at);
/* Appends FRAME or LAND with the address of e->reg.frame. */
void wm_emit_identity(struct wm_emission *e, enum wm_action_kind kind, LLVMValueRef at);

/* The parts of a function, with their plan and anchors.  The terminator of a part before a call is the call. */
struct wm_divided {
	struct wm_parts parts;
	struct wm_plan plan;
	struct wm_anchors anchors;
};
/* WM_BAD_GRAPH: the function cannot be recorded, and function->reason says why. */
enum wm_status wm_divide(struct wm_divided **divided, const struct wm_unit_function *in_unit,
	struct wm_map_function *function, const struct wm_anchors *anchors, const struct wm_call_anchors *calls,
	struct wm_arena *arena);

/* Records the creation and the joining of threads at the calls of a function that do it, by the names of the functions
 * of the C library and of libstdc++ that they call. */
void wm_emit_thread_events(
	struct wm_emitter *emitter, const struct wm_unit_function *function, const struct wm_call_anchors *calls);
/* The same in a function of a system header, which itself is not recorded: std::thread creates its threads in one. */
void wm_emit_thread_events_of_system(struct wm_emitter *emitter, LLVMValueRef function);

#endif
