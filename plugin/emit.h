/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Probe programs → IR.
 *
 * The path register is an alloca that the optimiser turns into a machine register;
 * at the late hook it is promoted here.  Counters are incremented by one machine
 * instruction, so that a signal handler that counts the same path loses nothing.
 */
#ifndef WM_PLUGIN_EMIT_H
#define WM_PLUGIN_EMIT_H

#include "plugin/counting.h"
#include "plugin/extract.h"

struct wm_emitter {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef i8, i32, i64, ptr;
	LLVMValueRef increment, add; /* inline assembly */
	LLVMTypeRef increment_type, add_type;
	bool promote; /* no later pass will */
	bool unchecked; /* the module has functions that are not instrumented: they do not check their thread */
};
void wm_emitter_init(struct wm_emitter *emitter, LLVMModuleRef module, bool promote);
void wm_emitter_release(struct wm_emitter *emitter);

/*
 * Instruments one function and creates its cells and its wm_func record, which the
 * caller must retain.  function->has_entries and ->has_resumed say which cells
 * precede the counters; both are in *function.  WM_BAD_GRAPH: an edge that needs a
 * probe cannot be split; the function then still computes what it did, and
 * function->reason says why it was left alone.
 */
enum wm_status wm_emit(struct wm_emitter *emitter, LLVMValueRef ir, const struct wm_plan *plan,
	const struct wm_counting *counting, const struct wm_probe_program *program, const struct wm_weights *weights,
	const struct wm_anchors *anchors, struct wm_map_function *function, LLVMValueRef *record,
	struct wm_arena *arena);

#endif
