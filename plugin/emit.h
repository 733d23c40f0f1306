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

/* What a function got. */
struct wm_emitted {
	LLVMValueRef record; /* global, to be retained */
	LLVMValueRef cells; /* global */
	uint32_t header_cells; /* before the store */
	LLVMValueRef delta; /* alloca: distance of this thread's cells; NULL but for `thread` */
	enum wm_update update;
};
/*
 * Instruments one function and creates its cells and its wm_func record.
 * function->has_entries and ->has_resumed say which cells
 * precede the counters; both are in *function.  WM_BAD_GRAPH: an edge that needs a
 * probe cannot be split; the function then still computes what it did, and
 * function->reason says why it was left alone.
 */
enum wm_status wm_emit(struct wm_emitter *emitter, LLVMValueRef ir, const struct wm_plan *plan,
	const struct wm_counting *counting, const struct wm_probe_program *program, const struct wm_weights *weights,
	const struct wm_anchors *anchors, struct wm_map_function *function, struct wm_emitted *emitted,
	struct wm_arena *arena);

/* For what else an instrumented function counts: cells, and to add one to them. */
LLVMValueRef wm_emit_cells(struct wm_emitter *emitter, const char *name, uint32_t count);
void wm_emit_increment(struct wm_emitter *emitter, const struct wm_emitted *emitted, LLVMValueRef cells, uint32_t index,
	LLVMValueRef before);

/* An instrumented function writes memory: callers must not merge or drop its calls. */
void wm_drop_memory_attributes(LLVMValueRef ir);

/* A wm_func of abi/abi.h. */
struct wm_record {
	uint64_t key, graph_hash;
	LLVMValueRef cells; /* global */
	uint64_t first; /* of its cells */
	uint32_t cell_count, flags;
	LLVMValueRef ids, name; /* globals, or NULL */
};
/* An array of them. */
LLVMValueRef wm_emit_records(
	struct wm_emitter *emitter, const char *name, const struct wm_record *record, size_t count);

#endif
