/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * -fwaymark-crash (abi/crash.h): writes the frame of a function, the updates of its register, and the marks from which
 * the block of a faulting instruction is found.  Independent of the scheme and of the probes that count paths.
 *
 * Order.  A mark is assembly with side effects that may read any memory, and LLVM does not assume that control leaves
 * it.  So the stores to the frame that precede a mark are complete there; a load, store or division that may fault is
 * not moved up across a mark; and in machine code none is moved out from between two marks.  An instruction that LLVM
 * moves down, to where its result is used, leaves its marks: a fault there has no block, and the reader says so.
 */
#ifndef WM_PLUGIN_CRASH_CRASH_EMIT_H
#define WM_PLUGIN_CRASH_CRASH_EMIT_H

#include "plugin/crash/crash_marks.h"

/* Runs before all other probes.  WM_BAD_GRAPH: the IR is unchanged but for edges that were split. */
enum wm_status wm_crash_emit(
	struct wm_emitter *emitter, LLVMValueRef ir, const struct wm_crash_request *request, struct wm_arena *arena);

#endif
