/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The actions of paths over k iterations (core/probes/window.h) → IR. */
#ifndef WM_PLUGIN_WINDOW_H
#define WM_PLUGIN_WINDOW_H

#include "plugin/ends.h"

/* Write ENTER, PUSH and LEAVE at the position of the builder, which is before the instruction `before`. */
void wm_emit_enter(struct wm_emission *e, int64_t step);
void wm_emit_push(struct wm_emission *e, int64_t step, LLVMValueRef before);
void wm_emit_leave(struct wm_emission *e, int64_t step, LLVMValueRef before);

#endif
