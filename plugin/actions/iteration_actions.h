/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The actions of paths over k iterations (core/probes/iteration_window.h) → IR. */
#ifndef WM_PLUGIN_ACTIONS_ITERATION_ACTIONS_H
#define WM_PLUGIN_ACTIONS_ITERATION_ACTIONS_H

#include "plugin/actions/path_ends.h"

/* Write ENTER, PUSH and LEAVE at the position of the builder, which is before the instruction `before`. */
void wm_emit_enter(struct wm_emission *e, int64_t step);
void wm_emit_push(struct wm_emission *e, int64_t step, LLVMValueRef before);
void wm_emit_leave(struct wm_emission *e, int64_t step, LLVMValueRef before);

#endif
