/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For tests only (WAYMARK_TEST=trace): inserts calls of a tracer at every function entry, block, call and exit, so that path
 * counts can be compared with an independent trace of the same run.  It walks the IR itself and shares no analysis with
 * core/ or plugin/extract/extract.h.
 *
 *     void __wm_trace_enter(void *frame, const struct table *table);
 *     void __wm_trace_block(void *frame, int32_t block);
 *     void __wm_trace_call(void *frame, int32_t position);     before a call of the current block
 *     void __wm_trace_leave(void *frame, int32_t end);
 *     struct table { const char *name, *source; int32_t blocks, edges; int32_t edge[2 * edges]; };
 *
 * `frame` is 64 zeroed bytes per activation.
 */
#ifndef WM_PLUGIN_PASS_TRACE_H
#define WM_PLUGIN_PASS_TRACE_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include <llvm-c/Core.h>
#include <stdbool.h>

/* Runs before the function is changed.  `optimised`: the graph is the optimised one, where a `tail` call ends a path. */
enum wm_status wm_trace(LLVMModuleRef module, LLVMValueRef ir, bool optimised, struct wm_arena *arena);

#endif
